// Delegation: parts of a module's graphs become calls of lowered modules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/delegate/compile_backend.h"

namespace berth::delegate {

struct BackendChoice {
  const Backend* backend = nullptr;  // the caller's
  CompileSpecs specs;
};

// A lowered module and the nodes that went into it.
struct Taken {
  std::string lowered;
  std::string graph;
  std::vector<std::string> nodes;            // node_label of each
  std::optional<uint64_t> hidden_bytes = 0;  // as the backend told: PreprocessResult
  std::vector<std::string> notes;
};

// Lets each backend in turn take what it wants of what is left; what nobody takes stays. Names the
// lowered modules after their backend: "reference_0". Errors name backend, group and nodes: a
// backend that cannot run on the board, a group that is not convex, a declaration that is wrong
// (ir::verify), a pool that the board lacks or the backend cannot reach; the module is not to be
// used after one. *taken, if given, tells what became of which nodes. REQUIRES: a verified module.
MaybeError lower(ir::Module* module, const std::vector<BackendChoice>& choices, const Board& board,
                 std::vector<Taken>* taken = nullptr);

// That the board has the pools which lowered modules name, also those that the model brought along
// compiled. The error names module, backend, buffer and pool.
MaybeError check_pools(const ir::Module& module, const Board& board);

}  // namespace berth::delegate
