// Constants of the plan record (format/plan_record.fbs) that both halves need.
#pragma once

#include <cstdint>

namespace berth {

inline constexpr char kPlanRecordKey[] = "berth.plan_record";
inline constexpr char kPlanRecordIdentifier[] = "BPR1";
inline constexpr uint32_t kPlanRecordVersion = 1;
inline constexpr uint64_t kKnownFeatureFlags = 0;
// Of planned buffers and pool bases, as stock planners have it.
inline constexpr uint32_t kDefaultAlignment = 16;
// The largest alignment that a buffer or a pool's base may ask for.
inline constexpr uint32_t kMaxAlignment = 1u << 20;
// mem_id of the arena where stock planners put the state that methods share.
inline constexpr uint32_t kSharedStateMemId = 2;

}  // namespace berth
