// The values of a method, and the bytes that tensors start with: constants and initial state. A
// constant's size is known only when all tensors have been seen, so tensors are noted first and get
// their storages at the end. Used by read.cc alone.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "program/constant_pool.h"
#include "program/read_context.h"
#include "program/storages.h"

namespace berth::program {

// The bytes that the tensors of all methods refer to.
class TensorData {
 public:
  [[nodiscard]] MaybeError open(ReadContext& context);

  // Constant or initial state `index` with `nbytes` bytes is wanted; the context's path leads to
  // the tensor.
  [[nodiscard]] Result<ConstantPool::Range> add_constant(ReadContext& context, uint32_t index,
                                                         uint64_t nbytes) {
    return constants_.add(index, nbytes, context.path);
  }
  [[nodiscard]] MaybeError add_mutable(ReadContext& context, uint32_t index, uint64_t nbytes);

  // Copies all that was wanted into Program::constants and Program::mutable_data.
  [[nodiscard]] MaybeError copy(ReadContext& context, Program* program);

  // REQUIRES: copy was called, and the same was added before.
  ConstantPool::Place find_constant(ConstantPool::Range range) const {
    return constants_.find(range);
  }
  int32_t find_mutable(uint32_t index) const { return mutable_places_.at(index); }

 private:
  ConstantPool constants_;
  std::span<const std::byte> mutable_bytes_;
  const fb::Vector<uint64_t>* mutable_offsets_ = nullptr;
  std::map<uint32_t, uint64_t> mutable_sizes_;  // by index in the file
  std::map<uint32_t, int32_t> mutable_places_;  // the same, to Program::mutable_data
};

// Where a tensor lies; its constant or state still by the number in the file.
struct NotedTensor {
  TensorPlace place;
  ConstantPool::Range constant;
  bool is_constant = false;
  uint32_t mutable_index = 0;  // 0: none
};

// Fills Method::values, tensors without their storages. REQUIRES: Method::pools are read; the
// context's path leads to the method.
[[nodiscard]] MaybeError read_values(ReadContext& context, TensorData& data,
                                     const pte::ExecutionPlan& plan, Method& method,
                                     std::vector<NotedTensor>* tensors);

// Gives the tensors their storages. REQUIRES: data is copied, a recorded plan is read.
[[nodiscard]] MaybeError finish_tensors(const TensorData& data,
                                        const std::vector<NotedTensor>& tensors, Method& method);

}  // namespace berth::program
