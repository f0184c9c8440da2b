// Which bytes a value stands for. Most values stand for their own; a move or et_view lets its
// target stand for those of another from then on.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/place/effects.h"
#include "program/program.h"

namespace berth::place {

// Bytes of a storage, from `offset`.
struct Home {
  int32_t storage = -1;
  uint64_t offset = 0;
  bool operator<(const Home& o) const {
    return storage != o.storage ? storage < o.storage : offset < o.offset;
  }
  bool operator==(const Home&) const = default;
};

// Per value: where its bytes may be when the method runs, at whatever instruction; sorted, no
// duplicates. Empty for values that are no tensors. A value that is re-pointed stands for its own
// bytes too only if something is written there through it or it is an input or state; what was
// never written is not read.
struct Homes {
  std::vector<std::vector<Home>> of_value;
  std::vector<bool> is_repointed;
  std::vector<bool> split;

  const std::vector<Home>& of(int32_t value) const { return of_value[static_cast<size_t>(value)]; }
  // Whether it depends on the path which bytes of a pool the value stands for. (Which of the
  // caller's, nobody plans.)
  bool is_split(int32_t value) const { return split[static_cast<size_t>(value)]; }
};

// False when the method moves more values around than `*budget` steps can follow.
// REQUIRES: program::validate found nothing; effects are the method's.
bool find_homes(const program::Method& method, const std::vector<Effects>& effects,
                uint64_t* budget, Homes* out);

// Calls visit(tensor value) for the tensors that a value of the method's interface stands for:
// itself, or the items of a list.
template <typename Visit>
void for_tensors(const program::Method& method, int32_t v, Visit visit) {
  const program::Value& value = method.values[static_cast<size_t>(v)];
  if (value.tensor() != nullptr) {
    visit(v);
  } else if (const auto* list = std::get_if<program::TensorList>(&value.data)) {
    for (int32_t item : list->values) visit(item);
  } else if (const auto* optional = std::get_if<program::OptionalTensorList>(&value.data)) {
    for (int32_t item : optional->values) {
      if (item >= 0 && method.values[static_cast<size_t>(item)].tensor() != nullptr) visit(item);
    }
  }
}

}  // namespace berth::place
