// The fields of the plan record that the runtime reads: slot numbers of format/plan_record.fbs,
// with the names that faults print. pte_slots_test.cc compares every number with what flatc makes
// of the schema.
#pragma once

#include "runtime/load/flat_reader.h"

namespace berth::runtime::slots {

inline constexpr Slot kRecordRoot{0, "plan_record"};
inline constexpr Slot kFeatureFlags{1, "plan_record.feature_flags"};
inline constexpr Slot kRecordIsa{2, "plan_record.isa"};
inline constexpr Slot kRecordPools{3, "plan_record.pools"};
inline constexpr Slot kRecordMethods{4, "plan_record.methods"};

inline constexpr Slot kRecordPoolName{0, "plan_record.pools.name"};
inline constexpr Slot kRecordPoolMemId{1, "plan_record.pools.mem_id"};
inline constexpr Slot kRecordPoolAlignment{2, "plan_record.pools.alignment"};

inline constexpr Slot kRecordMethodName{0, "plan_record.methods.name"};
inline constexpr Slot kInstructionCount{1, "plan_record.methods.instruction_count"};
inline constexpr Slot kValueBuffer{2, "plan_record.methods.value_buffer"};
inline constexpr Slot kBufferExtent{3, "plan_record.methods.buffer_extent"};
inline constexpr Slot kBufferRole{4, "plan_record.methods.buffer_role"};
inline constexpr Slot kBufferAlignment{5, "plan_record.methods.buffer_alignment"};
inline constexpr Slot kIntervalStart{6, "plan_record.methods.interval_start"};
inline constexpr Slot kIntervals{7, "plan_record.methods.intervals"};

}  // namespace berth::runtime::slots
