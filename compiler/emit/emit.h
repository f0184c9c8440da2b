// ir -> program: the graph becomes a table of values, storages and linear instructions. Nothing is
// placed yet.
#pragma once

#include "compiler/ir/ir.h"
#include "contract/result.h"
#include "program/program.h"

namespace berth::emit {

enum class Io {
  kPlanned,  // inputs and outputs live in pools
  kCaller,   // they are bound at run time: no allocation in the file
};

struct EmitOptions {
  Io io = Io::kPlanned;
};

// REQUIRES: ir::verify found nothing and every scratch slot is filled.
// The rules:
// * view and join become no instruction: their values are (storage, offset) of one storage. Where
//   such a storage is the caller's, its other values are made by et_view, and what cannot be made
//   so (a join, an output that is an input, a second output of the same bytes) is copied into the
//   output at the end.
// * Equal literals of a method share one value; so do equal int lists. No instruction writes them.
// * Values stand in the order in which they are first named: inputs, then by instruction, elements
//   before their lists.
// * A delegate's argument that its backend wants inside the scratch is (storage of the scratch,
//   offset), where nothing stands against it (nested_arguments.h).
// Fails where something does, and on what the format cannot hold: more than 2^31 values.
Result<program::Program> emit(const ir::Module& module, const EmitOptions& options);

}  // namespace berth::emit
