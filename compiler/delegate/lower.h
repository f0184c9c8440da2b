// Delegation: parts of a module's graphs become calls of lowered modules.
#pragma once

#include <vector>

#include "compiler/delegate/compile_backend.h"

namespace berth::delegate {

struct BackendChoice {
  const Backend* backend = nullptr;  // the caller's
  CompileSpecs specs;
};

// Lets each backend in turn take what it wants of what is left; what nobody takes stays. Names the
// lowered modules after their backend: "reference_0". Errors name backend, group and nodes: a
// group that is not convex, a declaration that is wrong (ir::verify), a pool that the board lacks
// or the backend cannot reach; the module is not to be used after one. REQUIRES: a verified module.
MaybeError lower(ir::Module* module, const std::vector<BackendChoice>& choices, const Board& board);

}  // namespace berth::delegate
