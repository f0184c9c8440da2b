#include "plan/sub_problem.h"

#include "plan/lives.h"

namespace berth::plan {
Problem sub_problem(const Model& model, const std::vector<int32_t>& roots) {
  const Problem& problem = model.problem();
  Problem only;
  only.pools = problem.pools;
  std::vector<int32_t> index_of(model.roots().size(), -1);
  for (const int32_t i : roots) {
    const Root& root = model.roots()[i];
    index_of[i] = static_cast<int32_t>(only.buffers.size());
    Buffer host;
    host.live = root.live;
    host.size = root.size;
    host.accesses = root.accesses;
    host.alignment = problem.buffers[root.buffer].alignment;
    host.pools = root.pools;
    if (root.fixed != nullptr) host.fixed = *root.fixed;
    only.buffers.push_back(std::move(host));
    if (root.alignment == problem.buffers[root.buffer].alignment) continue;
    // The strictest part speaks for all. Where parts live there are no options.
    Buffer part;
    part.live = root.live;
    for (const InPlace& option : model.options()) {
      if (option.taker == i || option.giver == i) part.live = without_step(part.live, option.step);
    }
    part.alignment = root.alignment;
    part.inside = Inside{index_of[i], 0};
    only.buffers.push_back(std::move(part));
  }
  for (const InPlace& option : model.options()) {
    const int32_t taker = index_of[option.taker];
    const int32_t giver = index_of[option.giver];
    if (taker >= 0 && giver >= 0) only.buffers[taker].may_share.push_back(giver);
  }
  return only;
}

Problem sub_problem(const Model& model, const std::vector<int32_t>& roots, int32_t pool) {
  Problem only = sub_problem(model, roots);
  only.pools = {only.pools[pool]};
  for (Buffer& buffer : only.buffers) {
    buffer.pools.clear();
    if (buffer.fixed) buffer.fixed->pool = 0;
  }
  return only;
}

}  // namespace berth::plan
