// Chains, instructions and stack traces of one method. Used by read.cc alone.
#pragma once

#include "program/read_context.h"

namespace berth::program {

// Jump targets are checked, other indices are the validator's matter. The context's path leads to
// the method.
[[nodiscard]] MaybeError read_instructions(ReadContext& context, const pte::ExecutionPlan& plan,
                                           Method& method);

}  // namespace berth::program
