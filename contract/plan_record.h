// Constants of the plan record (format/plan_record.fbs) that both halves need.
#pragma once

#include <cstdint>

namespace berth {

inline constexpr char kPlanRecordKey[] = "berth.plan_record";
inline constexpr char kPlanRecordIdentifier[] = "BPR1";
inline constexpr uint32_t kPlanRecordVersion = 1;
inline constexpr uint64_t kKnownFeatureFlags = 0;
inline constexpr uint32_t kDefaultAlignment =
    16;  // of planned buffers and pool bases, as stock planners have it

}  // namespace berth
