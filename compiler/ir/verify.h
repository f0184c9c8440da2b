// What a graph must be before anyone may rely on it. Runs after import, after every pass and before
// emission, so that a broken pass is named at once and the code behind need not check again.
#pragma once

#include "compiler/ir/ir.h"
#include "contract/result.h"

namespace berth::ir {

struct VerifyOptions {
  // Importers leave scratch slots none; passes::insert_scratch fills them. Emission asks for all of
  // them.
  bool scratch_required = false;
};

// The first thing that is wrong, or nothing. Takes any graph, also one with indices out of range.
MaybeError verify(const Graph& graph, const VerifyOptions& options = {});
MaybeError verify(const Module& module, const VerifyOptions& options = {});

}  // namespace berth::ir
