// The certificate of a placed method (architecture: "every plan is checked"): which value lies in
// which buffer, when each buffer is live, what it is for.
#pragma once

#include "contract/result.h"
#include "program/program.h"

namespace berth::place {

// REQUIRES: every planned storage has its place. pool_use, planner and proven_optimal are left for
// the caller. Buffers come sorted by the begin of their first interval, then by extent value.
Result<program::RecordedPlan> record_plan(const program::Method& method);

// The proof on a program as read back from its bytes: lifetimes found anew from the instructions
// agree with the record (where there is one), no two storages that are occupied at one instruction
// have a byte in common, all of them lie in their pools. Nothing when it holds.
MaybeError prove_plan(const program::Program& program);

}  // namespace berth::place
