// Delegates of a method: which backend has each, what its calls pass it, and when it lives.
// Internal to runtime/load and runtime/exec.
#pragma once

#include <cstdint>

#include "runtime/core/backend.h"
#include "runtime/load/load_context.h"

namespace berth::runtime {

// Entries of the delegate table: backends found by id. kNoSuchBackend names the entry.
Status resolve_delegates(LoadContext& context);

// The call `k`: its entry and its arguments in range, its counts those of the plan record, its
// outputs and scratch writable. Refuses calls with fields that are not known here (kNewerFeature)
// and a second call of an entry that has scratch.
Status build_delegate_call(LoadContext& context, FlatTable call, uint32_t k, Instruction* out);

// init() of every entry, in order. After a failure those before it are destroyed.
Status init_delegates(LoadContext& context);

// destroy() of every entry that was initialised, the last one first.
void destroy_delegates(LoadedMethod& method);

}  // namespace berth::runtime
