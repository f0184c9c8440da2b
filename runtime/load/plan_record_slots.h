// The fields of the plan record that the runtime reads: slot numbers of format/plan_record.fbs,
// with the names that faults print. pte_slots_test.cc compares every number with what flatc makes
// of the schema.
#pragma once

#include "runtime/load/flat_reader.h"

namespace berth::runtime::slots {

BERTH_SLOT(kRecordRoot, 0, "plan_record");
BERTH_SLOT(kFeatureFlags, 1, "plan_record.feature_flags", kLong);
BERTH_SLOT(kRecordIsa, 2, "plan_record.isa", kByte);
BERTH_SLOT(kRecordPools, 3, "plan_record.pools", kRequired);
BERTH_SLOT(kRecordMethods, 4, "plan_record.methods", kRequired);

BERTH_SLOT(kRecordPoolName, 0, "plan_record.pools.name", kBytes);
BERTH_SLOT(kRecordPoolMemId, 1, "plan_record.pools.mem_id");
BERTH_SLOT(kRecordPoolAlignment, 2, "plan_record.pools.alignment");

BERTH_SLOT(kRecordMethodName, 0, "plan_record.methods.name", kBytes | kRequired);
BERTH_SLOT(kInstructionCount, 1, "plan_record.instruction_count");
BERTH_SLOT(kValueBuffer, 2, "plan_record.value_buffer");
BERTH_SLOT(kBufferExtent, 3, "plan_record.buffer_extent");
BERTH_SLOT(kBufferRole, 4, "plan_record.buffer_role", kBytes);
BERTH_SLOT(kBufferAlignment, 5, "plan_record.buffer_alignment");
BERTH_SLOT(kIntervalStart, 6, "plan_record.interval_start");
BERTH_SLOT(kIntervals, 7, "plan_record.intervals", kPairs);
BERTH_SLOT(kCalls, 11, "plan_record.calls", kQuads);

}  // namespace berth::runtime::slots
