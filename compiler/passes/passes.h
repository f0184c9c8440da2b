// What happens to a graph between import and emission. One pass is one file, one test and one file
// of text cases of the same name. A pass takes a verified graph and leaves a verified graph that
// computes the same bytes; it is a pure function of the graph and the context.
//
// Hello:
//
//   passes::PassContext context;
//   context.isa = board.isa;
//   passes::RunOptions options;
//   if (auto error = passes::run_passes(module, context, options)) return *error;
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/ir.h"
#include "contract/isa.h"
#include "contract/result.h"

namespace berth::passes {

// What reordering a graph bought, in live bytes of the board's first pool at the fullest moment.
struct ScheduleReport {
  std::string graph;
  uint64_t peak_before = 0;  // of the order that came in
  uint64_t peak_after = 0;
  uint64_t lower_bound = 0;  // no order has a lower peak
  uint64_t states = 0;       // that the search visited
  bool is_optimal() const { return peak_after == lower_bound; }
};

// What a graph was given for its ISA: constants that other instruction sets do without.
struct KernelSumsReport {
  std::string graph;
  uint64_t operators = 0;  // linear layers with a kernel sum of this pass
  uint64_t bytes = 0;      // of these sums
};

struct PassContext {
  // Scratch is sized for it, and operators are kept that its kernels know.
  Isa isa = Isa::kHost;
  // Inputs and outputs live in pools, so that their bytes may be shared with other values. False:
  // the caller owns them.
  bool io_in_pools = true;
  // Scratch for a pool of another name is not in the way of anything else.
  std::string default_pool = {};
  // Whether mark_in_place will run. run_passes sets it.
  bool marks_in_place = true;
  // What delegate nodes call. run_passes sets it.
  const std::vector<ir::LoweredModule>* lowered = nullptr;
  // How many bytes a folded constant may be larger than the constants it is made of.
  uint64_t fold_growth_limit = uint64_t{64} << 10;
  // Takes a report per graph from `schedule`; null when nobody asks.
  std::vector<ScheduleReport>* schedules = nullptr;
  // Takes a report per graph that `sum_weights` changed; null when nobody asks.
  std::vector<KernelSumsReport>* kernel_sums = nullptr;
};

// All of them answer true when they changed the graph, and an error when it cannot be compiled; it
// is not to be used after that.

// For MVE: bias and the input offset's share of linear layers become one constant, the kernel sum.
Result<bool> sum_weights(ir::Graph& graph, const PassContext& context);
// A view of a view becomes a view of the base; a view without effect and a join of one part go.
Result<bool> simplify_views(ir::Graph& graph, const PassContext& context);
// Nodes whose arguments are all constants are computed here, by the runtime's own kernels.
Result<bool> fold_constants(ir::Graph& graph, const PassContext& context);
// A clamp becomes part of the clamp that its producer has anyway; tables in a row become one.
Result<bool> fuse_activation(ir::Graph& graph, const PassContext& context);
// Padding with the zero point becomes the padding of the convolutions that read it.
Result<bool> fold_pad(ir::Graph& graph, const PassContext& context);
// Constants with equal bytes share one value.
Result<bool> common_constants(ir::Graph& graph, const PassContext& context);
// What nobody reads goes.
Result<bool> remove_unused(ir::Graph& graph, const PassContext& context);
// A concatenation whose inputs can be computed inside its output becomes a join: no copy.
Result<bool> concat_in_place(ir::Graph& graph, const PassContext& context);
// Scratch slots get their alloc, sized for the context's ISA; delegate calls the scratch that their
// lowered module declares.
Result<bool> insert_scratch(ir::Graph& graph, const PassContext& context);
// Nodes that do not depend on one another change their order where that lowers the fullest moment.
Result<bool> schedule(ir::Graph& graph, const PassContext& context);
// Elementwise operators get the option to overwrite an input that dies there.
Result<bool> mark_in_place(ir::Graph& graph, const PassContext& context);

struct Pass {
  const char* name;
  Result<bool> (*run)(ir::Graph& graph, const PassContext& context);
  const char* why;  // why it stands where it stands
  // It settles where values lie and comes behind delegation, which moves nodes.
  bool is_late = false;
};

// In the order in which they run.
const std::vector<Pass>& all_passes();

struct PassReport {
  const char* name;
  std::string graph;
  bool changed = false;
  size_t nodes_before = 0;
  size_t nodes_after = 0;
  double milliseconds = 0;  // for people; decides nothing
};

// Which passes: those before delegates take their nodes, those after, or both in one go.
enum class Stretch { kAll, kEarly, kLate };

struct RunOptions {
  Stretch stretch = Stretch::kAll;
  std::vector<std::string> skip = {};  // names of passes to leave out
  std::vector<PassReport>* reports = nullptr;
  // Called after every pass that ran, for dumps.
  std::function<void(const Pass&, const ir::Graph&)> after = nullptr;
};

// Runs all passes over every graph and verifies after each, so that a broken one is named. Fails
// on an unknown name in `skip`, on a graph that does not verify before the first pass, and on the
// error of a pass.
MaybeError run_passes(ir::Module& module, const PassContext& context,
                      const RunOptions& options = {});

}  // namespace berth::passes
