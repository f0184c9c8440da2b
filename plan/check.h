// The independent checker: is this a plan of this problem? It shares no code with the planners, not
// even for intervals, so that one wrong thought cannot hide in both. Whoever makes or reads a plan
// runs it.
#pragma once

#include "contract/result.h"
#include "plan/plan.h"

namespace berth::plan {

// Nothing when `plan` obeys every rule of plan.h; else the first violation, in words: the buffers,
// the step, the bytes. Looks at placements, pool_bytes and pool_alignment; takes any plan and any
// problem, also those that validate() refuses. Time O(n log n + pairs of buffers alive together).
MaybeError check(const Problem& problem, const Plan& plan);

}  // namespace berth::plan
