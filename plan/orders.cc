#include "plan/orders.h"

#include <algorithm>
#include <limits>

namespace berth::plan {
namespace {

// Steps alive, for ranking only: doubles hold every length that occurs, and round the same
// everywhere.
double length_of(const Root& root) {
  double steps = 0;
  for (const Interval& life : root.live) {
    steps += static_cast<double>(life.end) - static_cast<double>(life.begin);
  }
  return steps;
}

// Per root the highest sum of bytes alive at one step of its life, over all pools; negative, for
// the highest come first.
std::vector<double> crowds(const Model& model) {
  const NumberedLives& lives = model.lives();
  // Sums change upwards only where something begins, so these steps are enough.
  // Modulo 2^64: running sums are never negative.
  std::vector<uint64_t> change(lives.steps() + 1, 0);
  for (int32_t i = 0; i < model.count(); ++i) {
    for (const Span& span : lives.of(i)) {
      change[span.from] += model.roots()[i].bytes;
      change[span.to] -= model.roots()[i].bytes;
    }
  }
  size_t leaves = 1;
  while (leaves < lives.steps()) leaves *= 2;
  std::vector<uint64_t> most(2 * leaves, 0);
  uint64_t sum = 0;
  for (size_t k = 0; k < lives.steps(); ++k) most[leaves + k] = sum += change[k];
  for (size_t node = leaves - 1; node >= 1; --node) {
    most[node] = std::max(most[2 * node], most[2 * node + 1]);
  }
  std::vector<double> result;
  for (int32_t i = 0; i < model.count(); ++i) {
    uint64_t crowd = 0;
    for (const Span& span : lives.of(i)) {
      size_t from = span.from + leaves;
      size_t to = span.to + leaves;
      for (; from < to; from /= 2, to /= 2) {
        if (from % 2 == 1) crowd = std::max(crowd, most[from++]);
        if (to % 2 == 1) crowd = std::max(crowd, most[--to]);
      }
    }
    result.push_back(-static_cast<double>(crowd));
  }
  return result;
}

// Per root, least first.
std::vector<double> ranks_by(const Model& model, Key key) {
  if (key == Key::kCrowd) return crowds(model);
  std::vector<double> rank;
  for (const Root& root : model.roots()) {
    const auto bytes = static_cast<double>(root.bytes);
    switch (key) {
      case Key::kSize:
      case Key::kSizeLater:
        rank.push_back(-bytes);
        break;
      case Key::kArea:
        rank.push_back(-bytes * length_of(root));
        break;
      case Key::kLength:
        rank.push_back(-length_of(root));
        break;
      case Key::kBegin:
        rank.push_back(static_cast<double>(root.begin));
        break;
      case Key::kCrowd:
        break;
    }
  }
  return rank;
}

}  // namespace

const char* key_name(Key key) {
  switch (key) {
    case Key::kSize:
      return "size";
    case Key::kSizeLater:
      return "size, later first";
    case Key::kArea:
      return "area";
    case Key::kLength:
      return "length";
    case Key::kBegin:
      return "begin";
    case Key::kCrowd:
      return "crowd";
  }
  return "";
}

std::vector<int32_t> order_by(const Model& model, Key key) {
  const std::vector<double> rank = ranks_by(model, key);
  std::vector<int32_t> order;
  for (int32_t i = 0; i < model.count(); ++i) {
    if (model.roots()[i].fixed == nullptr) order.push_back(i);
  }
  const auto& roots = model.roots();
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    if (rank[a] != rank[b]) return rank[a] < rank[b];
    // Doubles may tie what integers tell apart, and few keys are all different.
    if (key != Key::kSizeLater && roots[a].bytes != roots[b].bytes) {
      return roots[a].bytes > roots[b].bytes;
    }
    return key == Key::kSizeLater ? a > b : a < b;
  });
  return order;
}

std::vector<int32_t> order_by(const Model& model, Key first, Key second) {
  std::vector<int32_t> order = order_by(model, second);
  const std::vector<double> rank = ranks_by(model, first);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return rank[a] < rank[b]; });
  return order;
}

}  // namespace berth::plan
