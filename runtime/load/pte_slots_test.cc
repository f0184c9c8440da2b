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

#define SAME(slot, table, field) static_assert(slots::slot.offset == table::field)

SAME(kExecutionPlan, pte::Program, VT_EXECUTION_PLAN);
SAME(kConstantBuffer, pte::Program, VT_CONSTANT_BUFFER);
SAME(kSegments, pte::Program, VT_SEGMENTS);
SAME(kConstantSegment, pte::Program, VT_CONSTANT_SEGMENT);
SAME(kMutableDataSegments, pte::Program, VT_MUTABLE_DATA_SEGMENTS);
SAME(kNamedData, pte::Program, VT_NAMED_DATA);
SAME(kBufferStorage, pte::Buffer, VT_STORAGE);
SAME(kSegmentOffset, pte::DataSegment, VT_OFFSET);
SAME(kSegmentSize, pte::DataSegment, VT_SIZE);
SAME(kConstantSegmentIndex, pte::SubsegmentOffsets, VT_SEGMENT_INDEX);
SAME(kConstantOffsets, pte::SubsegmentOffsets, VT_OFFSETS);
SAME(kMutableSegmentIndex, pte::SubsegmentOffsets, VT_SEGMENT_INDEX);
SAME(kMutableOffsets, pte::SubsegmentOffsets, VT_OFFSETS);
SAME(kNamedKey, pte::NamedData, VT_KEY);
SAME(kNamedSegmentIndex, pte::NamedData, VT_SEGMENT_INDEX);

SAME(kPlanName, pte::ExecutionPlan, VT_NAME);
SAME(kValues, pte::ExecutionPlan, VT_VALUES);
SAME(kInputs, pte::ExecutionPlan, VT_INPUTS);
SAME(kOutputs, pte::ExecutionPlan, VT_OUTPUTS);
SAME(kChains, pte::ExecutionPlan, VT_CHAINS);
SAME(kOperators, pte::ExecutionPlan, VT_OPERATORS);
SAME(kDelegates, pte::ExecutionPlan, VT_DELEGATES);
SAME(kPoolSizes, pte::ExecutionPlan, VT_NON_CONST_BUFFER_SIZES);
SAME(kPoolDevices, pte::ExecutionPlan, VT_NON_CONST_BUFFER_DEVICE);
SAME(kPoolDeviceType, pte::NonConstBufferDevice, VT_DEVICE_TYPE);
SAME(kInstructions, pte::Chain, VT_INSTRUCTIONS);
SAME(kOperatorName, pte::Operator, VT_NAME);
SAME(kOperatorOverload, pte::Operator, VT_OVERLOAD);

SAME(kDelegateId, pte::BackendDelegate, VT_ID);
SAME(kProcessed, pte::BackendDelegate, VT_PROCESSED);
SAME(kCompileSpecs, pte::BackendDelegate, VT_COMPILE_SPECS);
SAME(kProcessedLocation, pte::BackendDelegateDataReference, VT_LOCATION);
SAME(kProcessedIndex, pte::BackendDelegateDataReference, VT_INDEX);
SAME(kSpecKey, pte::CompileSpec, VT_KEY);
SAME(kSpecValue, pte::CompileSpec, VT_VALUE);
SAME(kInlineBlobs, pte::Program, VT_BACKEND_DELEGATE_DATA);
SAME(kInlineBlob, pte::BackendDelegateInlineData, VT_DATA);

SAME(kValueType, pte::EValue, VT_VAL_TYPE);
SAME(kValue, pte::EValue, VT_VAL);
SAME(kIntValue, pte::Int, VT_INT_VAL);
SAME(kBoolValue, pte::Bool, VT_BOOL_VAL);
SAME(kDoubleValue, pte::Double, VT_DOUBLE_VAL);
SAME(kStringValue, pte::String, VT_STRING_VAL);
SAME(kItems, pte::IntList, VT_ITEMS);
SAME(kItems, pte::DoubleList, VT_ITEMS);
SAME(kItems, pte::BoolList, VT_ITEMS);
SAME(kItems, pte::TensorList, VT_ITEMS);
SAME(kItems, pte::OptionalTensorList, VT_ITEMS);

SAME(kScalarType, pte::Tensor, VT_SCALAR_TYPE);
SAME(kStorageOffset, pte::Tensor, VT_STORAGE_OFFSET);
SAME(kSizes, pte::Tensor, VT_SIZES);
SAME(kDimOrder, pte::Tensor, VT_DIM_ORDER);
SAME(kDataBufferIndex, pte::Tensor, VT_DATA_BUFFER_IDX);
SAME(kAllocationInfo, pte::Tensor, VT_ALLOCATION_INFO);
SAME(kShapeDynamism, pte::Tensor, VT_SHAPE_DYNAMISM);
SAME(kExtraTensorInfo, pte::Tensor, VT_EXTRA_TENSOR_INFO);
SAME(kMemoryId, pte::AllocationDetails, VT_MEMORY_ID);
SAME(kMemoryOffsetLow, pte::AllocationDetails, VT_MEMORY_OFFSET_LOW);
SAME(kMemoryOffsetHigh, pte::AllocationDetails, VT_MEMORY_OFFSET_HIGH);
SAME(kQualifiedName, pte::ExtraTensorInfo, VT_FULLY_QUALIFIED_NAME);
SAME(kLocation, pte::ExtraTensorInfo, VT_LOCATION);
SAME(kDeviceType, pte::ExtraTensorInfo, VT_DEVICE_TYPE);

SAME(kCallType, pte::Instruction, VT_INSTR_ARGS_TYPE);
SAME(kCall, pte::Instruction, VT_INSTR_ARGS);
SAME(kOpIndex, pte::KernelCall, VT_OP_INDEX);
SAME(kArgs, pte::KernelCall, VT_ARGS);
SAME(kDelegateIndex, pte::DelegateCall, VT_DELEGATE_INDEX);
SAME(kDelegateArgs, pte::DelegateCall, VT_ARGS);
static_assert(pte::DelegateCall::VT_ARGS == 4 + 2 * (slots::kDelegateCallFields - 1));
SAME(kMoveFrom, pte::MoveCall, VT_MOVE_FROM);
SAME(kMoveTo, pte::MoveCall, VT_MOVE_TO);
SAME(kCondition, pte::JumpFalseCall, VT_COND_VALUE_INDEX);
SAME(kDestination, pte::JumpFalseCall, VT_DESTINATION_INSTRUCTION);
SAME(kFreed, pte::FreeCall, VT_VALUE_INDEX);

SAME(kFeatureFlags, plan::PlanRecord, VT_FEATURE_FLAGS);
SAME(kRecordIsa, plan::PlanRecord, VT_ISA);
SAME(kRecordPools, plan::PlanRecord, VT_POOLS);
SAME(kRecordMethods, plan::PlanRecord, VT_METHODS);
SAME(kRecordPoolName, plan::Pool, VT_NAME);
SAME(kRecordPoolMemId, plan::Pool, VT_MEM_ID);
SAME(kRecordPoolAlignment, plan::Pool, VT_ALIGNMENT);
SAME(kRecordMethodName, plan::Method, VT_NAME);
SAME(kInstructionCount, plan::Method, VT_INSTRUCTION_COUNT);
SAME(kValueBuffer, plan::Method, VT_VALUE_BUFFER);
SAME(kBufferExtent, plan::Method, VT_BUFFER_EXTENT);
SAME(kBufferRole, plan::Method, VT_BUFFER_ROLE);
SAME(kBufferAlignment, plan::Method, VT_BUFFER_ALIGNMENT);
SAME(kIntervalStart, plan::Method, VT_INTERVAL_START);
SAME(kIntervals, plan::Method, VT_INTERVALS);
SAME(kCalls, plan::Method, VT_CALLS);

static_assert(sizeof(plan::Interval) == 8);
static_assert(sizeof(plan::CallRoles) == 16);

SAME(kExternalSegments, ptd::FlatTensor, VT_SEGMENTS);
SAME(kExternalEntries, ptd::FlatTensor, VT_NAMED_DATA);
SAME(kSegmentOffset, ptd::DataSegment, VT_OFFSET);
SAME(kSegmentSize, ptd::DataSegment, VT_SIZE);
SAME(kNamedKey, ptd::NamedData, VT_KEY);
SAME(kNamedSegmentIndex, ptd::NamedData, VT_SEGMENT_INDEX);
SAME(kTensorLayout, ptd::NamedData, VT_TENSOR_LAYOUT);
SAME(kLayoutScalarType, ptd::TensorLayout, VT_SCALAR_TYPE);
SAME(kLayoutSizes, ptd::TensorLayout, VT_SIZES);
SAME(kLayoutDimOrder, ptd::TensorLayout, VT_DIM_ORDER);

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
