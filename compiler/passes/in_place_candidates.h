// Which inputs an elementwise operator could write its result over, if they died there: what
// mark_in_place and schedule must agree on. Whether one dies depends on the order of the nodes, and
// is left to them; all else does not.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/passes/passes.h"

namespace berth::passes {

class InPlaceCandidates {
 public:
  // REQUIRES: a verified graph. Both must outlive this.
  InPlaceCandidates(const ir::Graph& graph, const PassContext& context);

  // Whether node `n` is an operator that computes element by element.
  bool is_elementwise(size_t n) const;
  // Best first. The input must have the output's bytes, element for element (no broadcasting of
  // it), be a whole buffer (no part of a join, which outlives it) and no output; constants lie in
  // flash, the caller's memory is not ours, state is kept.
  std::vector<ir::InPlace> of(size_t n) const;

  const std::vector<ir::Placement>& places() const { return places_; }

 private:
  bool is_planned(ir::ValueId id) const;
  bool can_overwrite(size_t n, ir::ValueId id) const;

  const ir::Graph& graph_;
  const PassContext& context_;
  std::vector<ir::Placement> places_;
  std::vector<bool> written_;    // per value
  std::vector<bool> is_output_;  // per root
};

}  // namespace berth::passes
