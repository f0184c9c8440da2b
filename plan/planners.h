// The planners behind make_plan(). Each takes a model and gives a place per root, capacities aside.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/fit.h"
#include "plan/model.h"

namespace berth::plan {

// Places found, whatever the capacities say.
struct Layout {
  std::vector<Placement> places;  // per root
  std::string found_by;
  uint64_t nodes = 0;
  bool proven = false;  // nothing better exists for this model
  uint64_t low = 0;     // of a plain model: no layout has fewer bytes
};

// Nodes between two calls of Options::progress, at least.
constexpr uint64_t kTellEvery = 4096;

// Some seconds; passed by some problems of a hundred thousand buffers.
constexpr uint64_t kMostGreedyLooks = 100'000'000;

// ExecuTorch's rule. None when it would look at slabs and what is in them more often than
// `max_looks`, which can grow with the square of the roots. REQUIRES: a model without holes and
// options.
std::optional<Layout> plan_greedy(const Model& model, uint64_t max_looks = UINT64_MAX);

// Every root its own bytes, in the order of the problem.
Layout plan_naive(const Model& model);

// The best of many. `start` is a layout it must not be worse than; at `floor`, which nothing can
// beat, it stops.
Layout plan_best(const Model& model, const Layout& start, const Score& floor,
                 const Options& options);

}  // namespace berth::plan
