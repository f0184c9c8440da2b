// The fields of the .pte that the runtime reads: slot numbers of format/program.fbs, with the names
// that faults print. pte_slots_test.cc compares every number with what flatc makes of the schema.
#pragma once

#include "runtime/load/flat_reader.h"

namespace berth::runtime::slots {

BERTH_SLOT(kRoot, 0, "root");

// What is wrong when no field is.
BERTH_SLOT(kProgramBytes, 0, "program");
BERTH_SLOT(kIdentifier, 0, "file identifier");
BERTH_SLOT(kHeaderLength, 0, "header.length");
BERTH_SLOT(kProgramSize, 0, "header.program_size");
BERTH_SLOT(kSegmentBase, 0, "header.segment_base_offset");
BERTH_SLOT(kSegmentDataSize, 0, "header.segment_data_size");
BERTH_SLOT(kMethodMemory, 0, "memory.method");
BERTH_SLOT(kPoolMemory, 0, "memory.pools");

// Program
BERTH_SLOT(kExecutionPlan, 1, "execution_plan", kRequired);
BERTH_SLOT(kConstantBuffer, 2, "constant_buffer");
BERTH_SLOT(kSegments, 4, "segments");
BERTH_SLOT(kConstantSegment, 5, "constant_segment");
BERTH_SLOT(kMutableDataSegments, 6, "mutable_data_segments");
BERTH_SLOT(kNamedData, 7, "named_data");

// Buffer, DataSegment, SubsegmentOffsets, NamedData
BERTH_SLOT(kBufferStorage, 0, "constant_buffer.storage", kBytes);
BERTH_SLOT(kSegmentOffset, 0, "segments.offset", kLong);
BERTH_SLOT(kSegmentSize, 1, "segments.size", kLong);
BERTH_SLOT(kConstantSegmentIndex, 0, "constant_segment.segment_index");
BERTH_SLOT(kConstantOffsets, 1, "constant_segment.offsets", kLongs);
BERTH_SLOT(kMutableSegmentIndex, 0, "mutable_data_segments.segment_index");
BERTH_SLOT(kMutableOffsets, 1, "mutable_data_segments.offsets", kLongs);
BERTH_SLOT(kNamedKey, 0, "named_data.key", kBytes | kRequired);
BERTH_SLOT(kNamedSegmentIndex, 1, "named_data.segment_index");

// ExecutionPlan
BERTH_SLOT(kPlanName, 0, "execution_plan.name", kBytes | kRequired);
BERTH_SLOT(kValues, 2, "values", kRequired);
BERTH_SLOT(kInputs, 3, "inputs", kRequired);
BERTH_SLOT(kOutputs, 4, "outputs", kRequired);
BERTH_SLOT(kChains, 5, "chains", kRequired);
BERTH_SLOT(kOperators, 6, "operators");
BERTH_SLOT(kDelegates, 7, "delegates", kRequired);
BERTH_SLOT(kPoolSizes, 8, "non_const_buffer_sizes", kLongs | kRequired);
BERTH_SLOT(kPoolDevices, 9, "non_const_buffer_device");
BERTH_SLOT(kPoolDeviceType, 1, "non_const_buffer_device.device_type", kByte);
BERTH_SLOT(kInstructions, 2, "instructions", kRequired);
BERTH_SLOT(kOperatorName, 0, "operators.name", kBytes | kRequired);
BERTH_SLOT(kOperatorOverload, 1, "operators.overload", kBytes);

// BackendDelegate, its blob and compile specs
BERTH_SLOT(kDelegateId, 0, "delegates.id", kBytes | kRequired);
BERTH_SLOT(kProcessed, 1, "delegates.processed", kRequired);
BERTH_SLOT(kCompileSpecs, 2, "delegates.compile_specs");
BERTH_SLOT(kProcessedLocation, 0, "delegates.processed.location", kByte);
BERTH_SLOT(kProcessedIndex, 1, "delegates.processed.index");
BERTH_SLOT(kSpecKey, 0, "delegates.compile_specs.key", kBytes | kRequired);
BERTH_SLOT(kSpecValue, 1, "delegates.compile_specs.value", kBytes);
BERTH_SLOT(kDelegateScratch, 0, "delegates.scratch");   // for faults: one call's only
BERTH_SLOT(kInitBlob, 0, "delegates.init.processed");   // what a backend's init() refuses
BERTH_SLOT(kInitScratch, 0, "delegates.init.scratch");  // the same
BERTH_SLOT(kInitPersistent, 0, "delegates.init.persistent");
BERTH_SLOT(kBackendMemory, 0, "backends.options.memory");
BERTH_SLOT(kInlineBlobs, 3, "backend_delegate_data");
BERTH_SLOT(kInlineBlob, 0, "backend_delegate_data.data", kBytes);

// EValue and its kinds
BERTH_SLOT(kValueType, 0, "values.val_type", kByte);
BERTH_SLOT(kValue, 1, "values.val");
BERTH_SLOT(kIntValue, 0, "values.int_val", kLong);
BERTH_SLOT(kBoolValue, 0, "values.bool_val", kByte);
BERTH_SLOT(kDoubleValue, 0, "values.double_val", kLong);
BERTH_SLOT(kStringValue, 0, "values.string_val", kBytes | kRequired);
BERTH_SLOT(kItems, 0, "values.items", kRequired);  // of tensor lists
BERTH_SLOT(kLongItems, 0, "values.items", kLongs | kRequired);
BERTH_SLOT(kByteItems, 0, "values.items", kBytes | kRequired);

// Tensor
BERTH_SLOT(kScalarType, 0, "values.scalar_type", kByte);
BERTH_SLOT(kStorageOffset, 1, "values.storage_offset");
BERTH_SLOT(kSizes, 2, "values.sizes", kRequired);
BERTH_SLOT(kDimOrder, 3, "values.dim_order", kBytes | kRequired);
BERTH_SLOT(kDataBufferIndex, 5, "values.data_buffer_idx");
BERTH_SLOT(kAllocationInfo, 6, "values.allocation_info");
BERTH_SLOT(kShapeDynamism, 8, "values.shape_dynamism", kByte);
BERTH_SLOT(kExtraTensorInfo, 9, "values.extra_tensor_info");
BERTH_SLOT(kMemoryId, 0, "values.allocation_info.memory_id");
BERTH_SLOT(kMemoryOffsetLow, 1, "values.allocation_info.memory_offset_low");
BERTH_SLOT(kMemoryOffsetHigh, 2, "values.allocation_info.memory_offset_high");
BERTH_SLOT(kQualifiedName, 1, "values.extra_tensor_info.fully_qualified_name", kBytes | kRequired);
BERTH_SLOT(kLocation, 2, "values.extra_tensor_info.location", kByte);
BERTH_SLOT(kDeviceType, 3, "values.extra_tensor_info.device_type", kByte);

// Instruction and its kinds
BERTH_SLOT(kCallType, 0, "instructions.instr_args_type", kByte);
BERTH_SLOT(kCall, 1, "instructions.instr_args");
BERTH_SLOT(kOpIndex, 0, "instructions.op_index");
BERTH_SLOT(kArgs, 1, "instructions.args", kRequired);
BERTH_SLOT(kDelegateIndex, 0, "instructions.delegate_index");
BERTH_SLOT(kDelegateArgs, 1, "instructions.args");
constexpr uint32_t kDelegateCallFields = 2;  // more are newer than what is known here
BERTH_SLOT(kMoveFrom, 0, "instructions.move_from");
BERTH_SLOT(kMoveTo, 1, "instructions.move_to");
BERTH_SLOT(kCondition, 0, "instructions.cond_value_index");
BERTH_SLOT(kDestination, 1, "instructions.destination_instruction");
BERTH_SLOT(kFreed, 0, "instructions.value_index");

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
