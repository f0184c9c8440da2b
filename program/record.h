// The plan record's bytes (docs/plan-record.md) <-> Program::record and Method::plan. Internal to
// program/.
#pragma once

#include <cstddef>
#include <span>

#include "contract/result.h"
#include "program/container.h"
#include "program/program.h"

namespace berth::program {

// REQUIRES: a valid, placed program with a record and a plan for every method.
Bytes write_record(const Program& program);

// Fills Program::record, and plan, in-place options and argument counts of the methods. Indices
// into the methods' lists are checked here; that the plan fits the values is validate's matter.
[[nodiscard]] MaybeError read_record(std::span<const std::byte> bytes, Budget& budget,
                                     Program* program);

// How many of a delegate call's arguments, from the end back to `first`, are memory that the
// delegate keeps (Role::kPersistent): it stands behind the scratch.
uint32_t count_persistent(const RecordedPlan& plan, const std::vector<int32_t>& args, size_t first);

}  // namespace berth::program
