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
  // What delegate nodes call; a graph that has such nodes needs it. A module brings its own.
  const std::vector<LoweredModule>* lowered = nullptr;
};

// The first thing that is wrong, or nothing. Takes any graph, also one with indices out of range.
MaybeError verify(const Graph& graph, const VerifyOptions& options = {});
MaybeError verify(const Module& module, const VerifyOptions& options = {});
// What a backend declares, on its own: sizes, alignments, indices, and that sharing and scratch do
// not meet. The error names backend, buffer and value.
MaybeError verify(const LoweredModule& module);

}  // namespace berth::ir
