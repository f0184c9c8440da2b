// The order of the passes, and the one wrapper around each: skip, time, run, verify, report.
#include <algorithm>
#include <chrono>

#include "compiler/ir/verify.h"
#include "compiler/passes/passes.h"

namespace berth::passes {

const std::vector<Pass>& all_passes() {
  static const std::vector<Pass> kPasses = {
      {"remove_unused", remove_unused,
       "first: a reader that nobody needs keeps the others from changing what it reads"},
      {"fold_constants", fold_constants, "early: what is known now is one thing less to look at"},
      {"fuse_activation", fuse_activation,
       "before anything is placed: an activation that goes is a buffer that goes"},
      {"fold_pad", fold_pad, "before scratch is sized, which depends on the padding"},
      {"sum_weights", sum_weights,
       "before common_constants, and when constants and offsets are what they stay"},
      {"simplify_views", simplify_views,
       "after the passes that leave views behind, before those that ask where a value lies"},
      {"common_constants", common_constants, "after the passes that make constants"},
      {"concat_in_place", concat_in_place,
       "before mark_in_place, because a part of a join may not be overwritten", true},
      {"insert_scratch", insert_scratch,
       "shapes and paddings are final, and the order of nodes is not yet", true},
      {"schedule", schedule,
       "when all memory is known that nodes need; a join begins with its first part, scratch "
       "counts "
       "where it is",
       true},
      {"mark_in_place", mark_in_place, "last: now it is settled who reads a value last", true},
  };
  return kPasses;
}

namespace {

MaybeError check_skip(const RunOptions& options) {
  for (const std::string& name : options.skip) {
    const auto& passes = all_passes();
    const bool known = std::any_of(passes.begin(), passes.end(),
                                   [&](const Pass& pass) { return name == pass.name; });
    if (known) continue;
    std::string names;
    for (const Pass& pass : passes) names += (names.empty() ? "" : ", ") + std::string(pass.name);
    return Error{"pass " + name, "no such pass; there are " + names};
  }
  return {};
}

MaybeError run_one(const Pass& pass, ir::Graph& graph, const PassContext& context,
                   const RunOptions& options) {
  const size_t nodes_before = graph.nodes.size();
  const auto start = std::chrono::steady_clock::now();
  const Result<bool> changed = pass.run(graph, context);
  const auto stop = std::chrono::steady_clock::now();
  if (!changed.ok()) return changed.error();
  if (options.reports != nullptr) {
    const std::chrono::duration<double, std::milli> time = stop - start;
    options.reports->push_back(
        {pass.name, graph.name, changed.value(), nodes_before, graph.nodes.size(), time.count()});
  }
  if (options.after) options.after(pass, graph);
  ir::VerifyOptions with_lowered;
  with_lowered.lowered = context.lowered;
  const MaybeError wrong = ir::verify(graph, with_lowered);
  if (!wrong) return {};
  return Error{
      "pass " + std::string(pass.name) + ", " + wrong->place,
      "left a graph that does not verify (our mistake, not the model's): " + wrong->message};
}

}  // namespace

MaybeError run_passes(ir::Module& module, const PassContext& given, const RunOptions& options) {
  PassContext context = given;
  context.lowered = &module.lowered;
  context.marks_in_place =
      std::find(options.skip.begin(), options.skip.end(), "mark_in_place") == options.skip.end();
  if (auto error = check_skip(options)) return error;
  if (auto error = ir::verify(module)) return error;
  for (ir::Graph& graph : module.graphs) {
    for (const Pass& pass : all_passes()) {
      if (options.stretch != Stretch::kAll && pass.is_late != (options.stretch == Stretch::kLate)) {
        continue;
      }
      const auto& skip = options.skip;
      if (std::find(skip.begin(), skip.end(), pass.name) != skip.end()) continue;
      if (auto error = run_one(pass, graph, context, options)) return error;
    }
  }
  return {};
}

}  // namespace berth::passes
