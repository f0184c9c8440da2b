// The metadata entry OfflineMemoryAllocation: where some other tool wants each tensor in the arena.
// Numbers of 32 bits:
//
//   version · subgraphs · n · n offsets, one per tensor of all subgraphs, -1 for "anywhere"
//
// It is checked, because a wrong one says that the file is broken, and then not used: planning
// memory is our own work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "contract/result.h"

namespace berth::import {

inline constexpr char kOfflinePlanName[] = "OfflineMemoryAllocation";

// `tensors`: of all subgraphs together.
MaybeError check_offline_plan(const std::string& place, std::span<const std::byte> data,
                              uint64_t tensors);

}  // namespace berth::import
