// From places to buffers, for a file of someone else. Such a file says of every planned tensor
// where it lies, not which tensors are meant to share bytes: two at the same place may be a buffer
// and a view of it, or two buffers that live one after the other. The instructions tell them apart.
//
//   - A tensor that some instruction writes is a buffer of its own; so is a planned input, and a
//     state.
//   - A tensor that is read and that nobody writes is a static view: it shows whatever was last
//     written at its place, on any path, and belongs to the buffers of those writers. All of them
//     are one buffer then, and keep their distances.
//   - A result that lies exactly on an argument of its call shares with it: always where we do not
//     know the operator (inside it, too), and where we do, if the argument is not needed any more.
//   - What is needed at the start of a run and that nothing fills before is state: the last run, or
//     an operator we do not know, has left something there. Not so what a loop assembles with
//     et_copy_index.
//   - What stands behind a delegate's other arguments may be memory that it keeps
//     (delegates_memory.h).
//   - The target of a move or et_view needs no bytes of its own.
//
// What remains in one place by chance, or by a planner's mistake, are different buffers.
#pragma once

#include "contract/result.h"
#include "program/program.h"

namespace berth::place {

// Forms the storages of every method anew, except where a plan record (Method::plan) says them.
// Roles come from the interface and the operators, owners are the first instructions that write.
// Places stay as they are. An error names the method and what cannot be told.
// REQUIRES: program::validate found nothing.
MaybeError find_buffers(program::Program* program);

}  // namespace berth::place
