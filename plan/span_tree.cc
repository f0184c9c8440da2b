#include "plan/span_tree.h"

#include <algorithm>
#include <numeric>

namespace berth::plan {
namespace {

constexpr int32_t kNone = INT32_MAX;  // no rank

// Halves [first, last) by turns, so that each node of a tree over the result has neighbours.
void halve(const std::vector<Span>& spans, int32_t* first, int32_t* last, size_t leaves,
           bool by_from) {
  if (last - first < 2) return;
  const size_t half = std::min(leaves / 2, static_cast<size_t>(last - first));
  const auto key = [&](int32_t i) { return by_from ? spans[i].from : spans[i].to; };
  if (first + half < last) {
    std::nth_element(first, first + half, last, [&](int32_t a, int32_t b) {
      return key(a) != key(b) ? key(a) < key(b) : a < b;
    });
  }
  halve(spans, first, first + half, leaves / 2, !by_from);
  halve(spans, first + half, last, leaves / 2, !by_from);
}

}  // namespace

SpanTree::SpanTree(const std::vector<Span>& spans) : leaf_(spans.size()) {
  while (leaves_ < spans.size()) leaves_ *= 2;
  nodes_.resize(2 * leaves_);
  std::vector<int32_t> sequence(spans.size());
  std::iota(sequence.begin(), sequence.end(), 0);
  halve(spans, sequence.data(), sequence.data() + sequence.size(), leaves_, true);
  for (size_t k = 0; k < sequence.size(); ++k) {
    const int32_t i = sequence[k];
    leaf_[i] = leaves_ + k;
    nodes_[leaf_[i]] = {spans[i], spans[i]};
  }
  for (size_t node = leaves_ - 1; node >= 1; --node) {
    const Node& a = nodes_[2 * node];
    const Node& b = nodes_[2 * node + 1];
    nodes_[node] = {{std::min(a.least.from, b.least.from), std::min(a.least.to, b.least.to)},
                    {std::max(a.most.from, b.most.from), std::max(a.most.to, b.most.to)}};
  }
}

void SpanTree::fill(const std::vector<int32_t>& order) {
  at_rank_ = order;
  ranks_.assign(2 * leaves_, kNone);
  for (size_t k = 0; k < order.size(); ++k) ranks_[leaf_[order[k]]] = static_cast<int32_t>(k);
  for (size_t node = leaves_ - 1; node >= 1; --node) {
    ranks_[node] = std::min(ranks_[2 * node], ranks_[2 * node + 1]);
  }
}

void SpanTree::remove(int32_t i) {
  size_t node = leaf_[i];
  ranks_[node] = kNone;
  for (node /= 2; node >= 1; node /= 2) {
    ranks_[node] = std::min(ranks_[2 * node], ranks_[2 * node + 1]);
  }
}

int32_t SpanTree::first_within(const Span& range) {
  int32_t rank = kNone;
  visit(1, range, &rank);
  return rank == kNone ? -1 : at_rank_[rank];
}

void SpanTree::visit(size_t node, const Span& range, int32_t* rank) {
  ++looks_;
  const Node& here = nodes_[node];
  if (ranks_[node] >= *rank || here.most.from < range.from || here.least.to > range.to) return;
  if (here.least.from >= range.from && here.most.to <= range.to) {
    *rank = ranks_[node];
    return;
  }
  const size_t first = ranks_[2 * node] <= ranks_[2 * node + 1] ? 0 : 1;
  visit(2 * node + first, range, rank);
  visit(2 * node + 1 - first, range, rank);
}

}  // namespace berth::plan
