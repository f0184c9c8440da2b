// Hosted half only (the runtime does not include this): a value or an error with a place and words
// a user can act on. Libraries never print; tools print `error: FILE: PLACE: what is wrong; what
// would be right`.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace berth {

struct Error {
  std::string place;    // field, node, value or line: "operators[3] CONV_2D", "line 7"
  std::string message;  // what is wrong, with the value; then "; " and what would be right, where
                        // that helps
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by design
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design
  bool ok() const { return state_.index() == 0; }
  // REQUIRES: ok() for the first three, !ok() for error().
  T& value() {
    assert(ok());
    return std::get<0>(state_);
  }
  const T& value() const {
    assert(ok());
    return std::get<0>(state_);
  }
  T take() {
    assert(ok());
    return std::move(std::get<0>(state_));
  }
  const Error& error() const {
    assert(!ok());
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

// Success without a value, or an error: `if (auto error = check(x)) return *error;`
using MaybeError = std::optional<Error>;

// Notes and warnings gathered on the way; errors that do not stop at once (an importer lists all
// unsupported operators).
struct Diagnostics {
  std::vector<Error> notes;
};

}  // namespace berth
