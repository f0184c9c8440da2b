// The kinds of tables of which a .pte has many, one per value and instruction: their fields are
// looked up once for all that share a vtable (flat_reader.h). The numbers count the fields of a
// kind as they stand here.
#pragma once

#include "runtime/load/flat_reader.h"
#include "runtime/load/pte_slots.h"

namespace berth::runtime::kinds {

template <size_t kCount>
constexpr TableKind make_kind(const Slot& slot, const Slot* const (&fields)[kCount]) {
  static_assert(kCount <= kMostFields, "raise kMostFields");
  return {slot, fields, kCount};
}

// The two tables that are a number for what follows, and the table that follows.
constexpr uint32_t kType = 0, kBody = 1;
inline constexpr const Slot* kValueFields[] = {&slots::kValueType, &slots::kValue};
inline constexpr TableKind kValue = make_kind(slots::kValues, kValueFields);
inline constexpr const Slot* kInstructionFields[] = {&slots::kCallType, &slots::kCall};
inline constexpr TableKind kInstruction = make_kind(slots::kInstructions, kInstructionFields);

inline constexpr const Slot* kIntFields[] = {&slots::kIntValue};
inline constexpr TableKind kInt = make_kind(slots::kValue, kIntFields);

constexpr uint32_t kScalarType = 0, kDynamism = 1, kStorageOffset = 2, kSizes = 3, kDimOrder = 4,
                   kDataIndex = 5, kExtra = 6, kAllocation = 7;
inline constexpr const Slot* kTensorFields[] = {&slots::kScalarType,      &slots::kShapeDynamism,
                                                &slots::kStorageOffset,   &slots::kSizes,
                                                &slots::kDimOrder,        &slots::kDataBufferIndex,
                                                &slots::kExtraTensorInfo, &slots::kAllocationInfo};
inline constexpr TableKind kTensor = make_kind(slots::kValue, kTensorFields);

constexpr uint32_t kMemoryId = 0, kOffsetLow = 1, kOffsetHigh = 2;
inline constexpr const Slot* kAllocationFields[] = {&slots::kMemoryId, &slots::kMemoryOffsetLow,
                                                    &slots::kMemoryOffsetHigh};
inline constexpr TableKind kAllocationInfo = make_kind(slots::kAllocationInfo, kAllocationFields);

constexpr uint32_t kOperator = 0, kArguments = 1;
inline constexpr const Slot* kCallFields[] = {&slots::kOpIndex, &slots::kArgs};
inline constexpr TableKind kKernelCall = make_kind(slots::kCall, kCallFields);

constexpr uint32_t kName = 0, kOverload = 1;
inline constexpr const Slot* kOperatorFields[] = {&slots::kOperatorName, &slots::kOperatorOverload};
inline constexpr TableKind kOperatorEntry = make_kind(slots::kOperators, kOperatorFields);

}  // namespace berth::runtime::kinds
