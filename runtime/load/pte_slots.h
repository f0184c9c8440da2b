// The fields of the .pte that the runtime reads: slot numbers of format/program.fbs, with the names
// that faults print. pte_slots_test.cc compares every number with what flatc makes of the schema.
#pragma once

#include "runtime/load/flat_reader.h"

namespace berth::runtime::slots {

inline constexpr Slot kRoot{0, "root"};

// Program
inline constexpr Slot kExecutionPlan{1, "execution_plan"};
inline constexpr Slot kConstantBuffer{2, "constant_buffer"};
inline constexpr Slot kSegments{4, "segments"};
inline constexpr Slot kConstantSegment{5, "constant_segment"};
inline constexpr Slot kMutableDataSegments{6, "mutable_data_segments"};
inline constexpr Slot kNamedData{7, "named_data"};

// Buffer, DataSegment, SubsegmentOffsets, NamedData
inline constexpr Slot kBufferStorage{0, "constant_buffer.storage"};
inline constexpr Slot kSegmentOffset{0, "segments.offset"};
inline constexpr Slot kSegmentSize{1, "segments.size"};
inline constexpr Slot kConstantSegmentIndex{0, "constant_segment.segment_index"};
inline constexpr Slot kConstantOffsets{1, "constant_segment.offsets"};
inline constexpr Slot kMutableSegmentIndex{0, "mutable_data_segments.segment_index"};
inline constexpr Slot kMutableOffsets{1, "mutable_data_segments.offsets"};
inline constexpr Slot kNamedKey{0, "named_data.key"};
inline constexpr Slot kNamedSegmentIndex{1, "named_data.segment_index"};

// ExecutionPlan
inline constexpr Slot kPlanName{0, "execution_plan.name"};
inline constexpr Slot kValues{2, "values"};
inline constexpr Slot kInputs{3, "inputs"};
inline constexpr Slot kOutputs{4, "outputs"};
inline constexpr Slot kChains{5, "chains"};
inline constexpr Slot kOperators{6, "operators"};
inline constexpr Slot kDelegates{7, "delegates"};
inline constexpr Slot kPoolSizes{8, "non_const_buffer_sizes"};
inline constexpr Slot kPoolDevices{9, "non_const_buffer_device"};
inline constexpr Slot kPoolDeviceType{1, "non_const_buffer_device.device_type"};
inline constexpr Slot kInstructions{2, "instructions"};
inline constexpr Slot kOperatorName{0, "operators.name"};
inline constexpr Slot kOperatorOverload{1, "operators.overload"};

// EValue and its kinds
inline constexpr Slot kValueType{0, "values.val_type"};
inline constexpr Slot kValue{1, "values.val"};
inline constexpr Slot kIntValue{0, "values.int_val"};
inline constexpr Slot kBoolValue{0, "values.bool_val"};
inline constexpr Slot kDoubleValue{0, "values.double_val"};
inline constexpr Slot kStringValue{0, "values.string_val"};
inline constexpr Slot kItems{0, "values.items"};

// Tensor
inline constexpr Slot kScalarType{0, "values.scalar_type"};
inline constexpr Slot kStorageOffset{1, "values.storage_offset"};
inline constexpr Slot kSizes{2, "values.sizes"};
inline constexpr Slot kDimOrder{3, "values.dim_order"};
inline constexpr Slot kDataBufferIndex{5, "values.data_buffer_idx"};
inline constexpr Slot kAllocationInfo{6, "values.allocation_info"};
inline constexpr Slot kShapeDynamism{8, "values.shape_dynamism"};
inline constexpr Slot kExtraTensorInfo{9, "values.extra_tensor_info"};
inline constexpr Slot kMemoryId{0, "values.allocation_info.memory_id"};
inline constexpr Slot kMemoryOffsetLow{1, "values.allocation_info.memory_offset_low"};
inline constexpr Slot kMemoryOffsetHigh{2, "values.allocation_info.memory_offset_high"};
inline constexpr Slot kLocation{2, "values.extra_tensor_info.location"};
inline constexpr Slot kDeviceType{3, "values.extra_tensor_info.device_type"};

// Instruction and its kinds
inline constexpr Slot kCallType{0, "instructions.instr_args_type"};
inline constexpr Slot kCall{1, "instructions.instr_args"};
inline constexpr Slot kOpIndex{0, "instructions.op_index"};
inline constexpr Slot kArgs{1, "instructions.args"};
inline constexpr Slot kMoveFrom{0, "instructions.move_from"};
inline constexpr Slot kMoveTo{1, "instructions.move_to"};
inline constexpr Slot kCondition{0, "instructions.cond_value_index"};
inline constexpr Slot kDestination{1, "instructions.destination_instruction"};
inline constexpr Slot kFreed{0, "instructions.value_index"};

// InstructionArguments
enum class CallType : uint8_t {
  kKernel = 1,
  kDelegate = 2,
  kMove = 3,
  kJumpFalse = 4,
  kFree = 5,
};

enum class Dynamism : int8_t { kStatic = 0, kBound = 1, kUnbound = 2 };

}  // namespace berth::runtime::slots
