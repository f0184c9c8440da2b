// Arguments of delegate calls that a backend wants inside its scratch: an accelerator whose inputs
// and outputs lie in its own arena.
#pragma once

#include <vector>

#include "compiler/emit/storage_map.h"
#include "compiler/ir/ir.h"
#include "contract/result.h"

namespace berth::emit {

// One for each ir::Inside of each call. An error names the call and the argument when that cannot
// lie there: an input, output or constant of the graph, a part of a join, something that lies
// inside another scratch already, or an input that is read after the call, which may have destroyed
// it. REQUIRES: a verified graph whose scratch is inserted.
Result<std::vector<Nested>> find_nested(const ir::Module& module, const ir::Graph& graph);

}  // namespace berth::emit
