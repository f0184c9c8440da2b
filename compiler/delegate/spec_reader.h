// What the user said behind `--backend ID,`, for backends to read: ask for each key that there is,
// then finish(), which knows whether something is left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/delegate/compile_backend.h"

namespace berth::delegate {

class SpecReader {
 public:
  // `specs` outlives the reader.
  explicit SpecReader(const CompileSpecs& specs) : specs_(specs) {}

  // The value of a key, where there is one.
  std::optional<std::string> text(const std::string& key);
  // The same as a number from `least` to `most`; anything else is an error, which finish() tells.
  std::optional<uint32_t> number(const std::string& key, uint32_t least, uint32_t most);
  bool flag(const std::string& key) { return number(key, 0, 1).value_or(0) == 1; }

  // The first error: a value that cannot be read, or a key that nobody asked for.
  MaybeError finish() const;

 private:
  const CompileSpecs& specs_;
  std::vector<std::string> keys_;
  MaybeError error_;
};

}  // namespace berth::delegate
