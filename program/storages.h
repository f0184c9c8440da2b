// From where each tensor of a file lies to the storages of its method. Used by read.cc alone.
#pragma once

#include <cstdint>
#include <vector>

#include "contract/result.h"
#include "program/program.h"

namespace berth::program {

// Where the file says a tensor value lies. The tensor itself is in Method::values, without storage
// and offset yet.
struct TensorPlace {
  int32_t value = 0;
  int32_t data = -1;         // index into Program::constants or mutable_data; -1 none
  uint64_t data_offset = 0;  // in the constant
  uint32_t mem_id = 0;       // 0: not planned
  uint64_t offset = 0;       // in the arena
  uint64_t nbytes = 0;
};

// Fills Method::storages and the tensors' storage and offset, by Method::plan where there is one
// (read.h tells the rules). `places` holds every tensor value, in order.
[[nodiscard]] MaybeError form_storages(const std::vector<TensorPlace>& places, Method& method);

}  // namespace berth::program
