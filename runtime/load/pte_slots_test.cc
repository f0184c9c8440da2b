// The runtime writes slot numbers by hand, for it may not include what flatc makes. Here both stand
// side by side.
#include "runtime/load/pte_slots.h"

#include <gtest/gtest.h>

#include "format/external_data_generated.h"
#include "format/plan_record_generated.h"
#include "format/program_generated.h"
#include "runtime/core/evalue.h"
#include "runtime/load/external_data_slots.h"
#include "runtime/load/plan_record_slots.h"

namespace berth::runtime {
namespace {

namespace pte = berth::format::pte;
namespace ptd = berth::format::ptd;
namespace plan = berth::format;

template <typename T>
constexpr size_t kElementBytes = sizeof(T);
template <typename T>
constexpr size_t kElementBytes<const T*> = sizeof(T);  // structs, in the vector itself

// Whether the slot says of a field what it is: a number, a vector, a text, a table.
template <typename T>
struct Field {
  static constexpr bool holds(const Slot& slot) { return slot.bytes() == sizeof(T); }
};
template <typename T>
struct Field<const T*> {
  static constexpr bool holds(const Slot& slot) { return slot.bytes() == 4; }
};
template <typename T>
struct Field<const flatbuffers::Vector<T>*> {
  static constexpr bool holds(const Slot& slot) {
    return slot.bytes() == 4 && size_t{1} << slot.element_shift() == kElementBytes<T>;
  }
};
template <>
struct Field<const flatbuffers::String*> {
  static constexpr bool holds(const Slot& slot) {
    return slot.bytes() == 4 && slot.element_shift() == 0;
  }
};
template <typename Table, typename T>
Field<T> field_of(T (Table::*)() const);

#define SAME(slot, table, field, accessor)             \
  static_assert(slots::slot.offset() == table::field); \
  static_assert(decltype(field_of(&table::accessor))::holds(slots::slot))

SAME(kExecutionPlan, pte::Program, VT_EXECUTION_PLAN, execution_plan);
SAME(kConstantBuffer, pte::Program, VT_CONSTANT_BUFFER, constant_buffer);
SAME(kSegments, pte::Program, VT_SEGMENTS, segments);
SAME(kConstantSegment, pte::Program, VT_CONSTANT_SEGMENT, constant_segment);
SAME(kMutableDataSegments, pte::Program, VT_MUTABLE_DATA_SEGMENTS, mutable_data_segments);
SAME(kNamedData, pte::Program, VT_NAMED_DATA, named_data);
SAME(kBufferStorage, pte::Buffer, VT_STORAGE, storage);
SAME(kSegmentOffset, pte::DataSegment, VT_OFFSET, offset);
SAME(kSegmentSize, pte::DataSegment, VT_SIZE, size);
SAME(kConstantSegmentIndex, pte::SubsegmentOffsets, VT_SEGMENT_INDEX, segment_index);
SAME(kConstantOffsets, pte::SubsegmentOffsets, VT_OFFSETS, offsets);
SAME(kMutableSegmentIndex, pte::SubsegmentOffsets, VT_SEGMENT_INDEX, segment_index);
SAME(kMutableOffsets, pte::SubsegmentOffsets, VT_OFFSETS, offsets);
SAME(kNamedKey, pte::NamedData, VT_KEY, key);
SAME(kNamedSegmentIndex, pte::NamedData, VT_SEGMENT_INDEX, segment_index);

SAME(kPlanName, pte::ExecutionPlan, VT_NAME, name);
SAME(kValues, pte::ExecutionPlan, VT_VALUES, values);
SAME(kInputs, pte::ExecutionPlan, VT_INPUTS, inputs);
SAME(kOutputs, pte::ExecutionPlan, VT_OUTPUTS, outputs);
SAME(kChains, pte::ExecutionPlan, VT_CHAINS, chains);
SAME(kOperators, pte::ExecutionPlan, VT_OPERATORS, operators);
SAME(kDelegates, pte::ExecutionPlan, VT_DELEGATES, delegates);
SAME(kPoolSizes, pte::ExecutionPlan, VT_NON_CONST_BUFFER_SIZES, non_const_buffer_sizes);
SAME(kPoolDevices, pte::ExecutionPlan, VT_NON_CONST_BUFFER_DEVICE, non_const_buffer_device);
SAME(kPoolDeviceType, pte::NonConstBufferDevice, VT_DEVICE_TYPE, device_type);
SAME(kInstructions, pte::Chain, VT_INSTRUCTIONS, instructions);
SAME(kOperatorName, pte::Operator, VT_NAME, name);
SAME(kOperatorOverload, pte::Operator, VT_OVERLOAD, overload);

SAME(kDelegateId, pte::BackendDelegate, VT_ID, id);
SAME(kProcessed, pte::BackendDelegate, VT_PROCESSED, processed);
SAME(kCompileSpecs, pte::BackendDelegate, VT_COMPILE_SPECS, compile_specs);
SAME(kProcessedLocation, pte::BackendDelegateDataReference, VT_LOCATION, location);
SAME(kProcessedIndex, pte::BackendDelegateDataReference, VT_INDEX, index);
SAME(kSpecKey, pte::CompileSpec, VT_KEY, key);
SAME(kSpecValue, pte::CompileSpec, VT_VALUE, value);
SAME(kInlineBlobs, pte::Program, VT_BACKEND_DELEGATE_DATA, backend_delegate_data);
SAME(kInlineBlob, pte::BackendDelegateInlineData, VT_DATA, data);

SAME(kValueType, pte::EValue, VT_VAL_TYPE, val_type);
SAME(kValue, pte::EValue, VT_VAL, val);
SAME(kIntValue, pte::Int, VT_INT_VAL, int_val);
SAME(kBoolValue, pte::Bool, VT_BOOL_VAL, bool_val);
SAME(kDoubleValue, pte::Double, VT_DOUBLE_VAL, double_val);
SAME(kStringValue, pte::String, VT_STRING_VAL, string_val);
SAME(kLongItems, pte::IntList, VT_ITEMS, items);
SAME(kLongItems, pte::DoubleList, VT_ITEMS, items);
SAME(kByteItems, pte::BoolList, VT_ITEMS, items);
SAME(kItems, pte::TensorList, VT_ITEMS, items);
SAME(kItems, pte::OptionalTensorList, VT_ITEMS, items);

SAME(kScalarType, pte::Tensor, VT_SCALAR_TYPE, scalar_type);
SAME(kStorageOffset, pte::Tensor, VT_STORAGE_OFFSET, storage_offset);
SAME(kSizes, pte::Tensor, VT_SIZES, sizes);
SAME(kDimOrder, pte::Tensor, VT_DIM_ORDER, dim_order);
SAME(kDataBufferIndex, pte::Tensor, VT_DATA_BUFFER_IDX, data_buffer_idx);
SAME(kAllocationInfo, pte::Tensor, VT_ALLOCATION_INFO, allocation_info);
SAME(kShapeDynamism, pte::Tensor, VT_SHAPE_DYNAMISM, shape_dynamism);
SAME(kExtraTensorInfo, pte::Tensor, VT_EXTRA_TENSOR_INFO, extra_tensor_info);
SAME(kMemoryId, pte::AllocationDetails, VT_MEMORY_ID, memory_id);
SAME(kMemoryOffsetLow, pte::AllocationDetails, VT_MEMORY_OFFSET_LOW, memory_offset_low);
SAME(kMemoryOffsetHigh, pte::AllocationDetails, VT_MEMORY_OFFSET_HIGH, memory_offset_high);
SAME(kQualifiedName, pte::ExtraTensorInfo, VT_FULLY_QUALIFIED_NAME, fully_qualified_name);
SAME(kLocation, pte::ExtraTensorInfo, VT_LOCATION, location);
SAME(kDeviceType, pte::ExtraTensorInfo, VT_DEVICE_TYPE, device_type);

SAME(kCallType, pte::Instruction, VT_INSTR_ARGS_TYPE, instr_args_type);
SAME(kCall, pte::Instruction, VT_INSTR_ARGS, instr_args);
SAME(kOpIndex, pte::KernelCall, VT_OP_INDEX, op_index);
SAME(kArgs, pte::KernelCall, VT_ARGS, args);
SAME(kDelegateIndex, pte::DelegateCall, VT_DELEGATE_INDEX, delegate_index);
SAME(kDelegateArgs, pte::DelegateCall, VT_ARGS, args);
static_assert(pte::DelegateCall::VT_ARGS == 4 + 2 * (slots::kDelegateCallFields - 1));
SAME(kMoveFrom, pte::MoveCall, VT_MOVE_FROM, move_from);
SAME(kMoveTo, pte::MoveCall, VT_MOVE_TO, move_to);
SAME(kCondition, pte::JumpFalseCall, VT_COND_VALUE_INDEX, cond_value_index);
SAME(kDestination, pte::JumpFalseCall, VT_DESTINATION_INSTRUCTION, destination_instruction);
SAME(kFreed, pte::FreeCall, VT_VALUE_INDEX, value_index);

SAME(kFeatureFlags, plan::PlanRecord, VT_FEATURE_FLAGS, feature_flags);
SAME(kRecordIsa, plan::PlanRecord, VT_ISA, isa);
SAME(kRecordPools, plan::PlanRecord, VT_POOLS, pools);
SAME(kRecordMethods, plan::PlanRecord, VT_METHODS, methods);
SAME(kRecordPoolName, plan::Pool, VT_NAME, name);
SAME(kRecordPoolMemId, plan::Pool, VT_MEM_ID, mem_id);
SAME(kRecordPoolAlignment, plan::Pool, VT_ALIGNMENT, alignment);
SAME(kRecordMethodName, plan::Method, VT_NAME, name);
SAME(kInstructionCount, plan::Method, VT_INSTRUCTION_COUNT, instruction_count);
SAME(kValueBuffer, plan::Method, VT_VALUE_BUFFER, value_buffer);
SAME(kBufferExtent, plan::Method, VT_BUFFER_EXTENT, buffer_extent);
SAME(kBufferRole, plan::Method, VT_BUFFER_ROLE, buffer_role);
SAME(kBufferAlignment, plan::Method, VT_BUFFER_ALIGNMENT, buffer_alignment);
SAME(kIntervalStart, plan::Method, VT_INTERVAL_START, interval_start);
SAME(kIntervals, plan::Method, VT_INTERVALS, intervals);
SAME(kCalls, plan::Method, VT_CALLS, calls);

static_assert(sizeof(plan::Interval) == 8);
static_assert(sizeof(plan::CallRoles) == 16);

SAME(kExternalSegments, ptd::FlatTensor, VT_SEGMENTS, segments);
SAME(kExternalEntries, ptd::FlatTensor, VT_NAMED_DATA, named_data);
SAME(kSegmentOffset, ptd::DataSegment, VT_OFFSET, offset);
SAME(kSegmentSize, ptd::DataSegment, VT_SIZE, size);
SAME(kNamedKey, ptd::NamedData, VT_KEY, key);
SAME(kNamedSegmentIndex, ptd::NamedData, VT_SEGMENT_INDEX, segment_index);
SAME(kTensorLayout, ptd::NamedData, VT_TENSOR_LAYOUT, tensor_layout);
SAME(kLayoutScalarType, ptd::TensorLayout, VT_SCALAR_TYPE, scalar_type);
SAME(kLayoutSizes, ptd::TensorLayout, VT_SIZES, sizes);
SAME(kLayoutDimOrder, ptd::TensorLayout, VT_DIM_ORDER, dim_order);

TEST(PteSlotsTest, KindsOfValuesAndCallsHaveTheNumbersOfTheSchema) {
  EXPECT_EQ(static_cast<int>(Tag::kNone), static_cast<int>(pte::KernelTypes::Null));
  EXPECT_EQ(static_cast<int>(Tag::kInt), static_cast<int>(pte::KernelTypes::Int));
  EXPECT_EQ(static_cast<int>(Tag::kBool), static_cast<int>(pte::KernelTypes::Bool));
  EXPECT_EQ(static_cast<int>(Tag::kDouble), static_cast<int>(pte::KernelTypes::Double));
  EXPECT_EQ(static_cast<int>(Tag::kTensor), static_cast<int>(pte::KernelTypes::Tensor));
  EXPECT_EQ(static_cast<int>(Tag::kString), static_cast<int>(pte::KernelTypes::String));
  EXPECT_EQ(static_cast<int>(Tag::kIntList), static_cast<int>(pte::KernelTypes::IntList));
  EXPECT_EQ(static_cast<int>(Tag::kDoubleList), static_cast<int>(pte::KernelTypes::DoubleList));
  EXPECT_EQ(static_cast<int>(Tag::kBoolList), static_cast<int>(pte::KernelTypes::BoolList));
  EXPECT_EQ(static_cast<int>(Tag::kTensorList), static_cast<int>(pte::KernelTypes::TensorList));
  EXPECT_EQ(static_cast<int>(Tag::kOptionalTensorList),
            static_cast<int>(pte::KernelTypes::OptionalTensorList));
  EXPECT_EQ(static_cast<int>(Tag::kOptionalTensorList), static_cast<int>(pte::KernelTypes::MAX));
  using Args = pte::InstructionArguments;
  EXPECT_EQ(static_cast<int>(slots::CallType::kKernel), static_cast<int>(Args::KernelCall));
  EXPECT_EQ(static_cast<int>(slots::CallType::kDelegate), static_cast<int>(Args::DelegateCall));
  EXPECT_EQ(static_cast<int>(slots::CallType::kMove), static_cast<int>(Args::MoveCall));
  EXPECT_EQ(static_cast<int>(slots::CallType::kJumpFalse), static_cast<int>(Args::JumpFalseCall));
  EXPECT_EQ(static_cast<int>(slots::CallType::kFree), static_cast<int>(Args::FreeCall));
}

}  // namespace
}  // namespace berth::runtime
