// One method as a problem for the planner, and the planner's answer as places in the method. What
// place() and replan() have in common.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/place/lifetimes.h"
#include "compiler/place/place.h"
#include "compiler/place/state_places.h"
#include "contract/result.h"
#include "plan/plan.h"
#include "program/program.h"

namespace berth::place {

// Buffer i of the problem is storage storages[i]; -1 for reserved bytes, which come last.
struct MethodProblem {
  plan::Problem problem;
  std::vector<int32_t> storages;
};
Result<MethodProblem> make_problem(const program::Method& method, const Lifetimes& lifetimes,
                                   const PlaceOptions& options, const StatePlaces& states = {});

struct MethodPlan {
  MethodProblem made;
  plan::Plan plan;
};
// Plans and lets plan/check prove it. Fails as place() does.
Result<MethodPlan> plan_method(const program::Method& method, const Lifetimes& lifetimes,
                               const PlaceOptions& options, const StatePlaces& states = {});

// Writes the places into the method's storages and pools; storages that share bytes by an in-place
// option become one. `planned` is a plan of this method.
void apply_plan(const MethodPlan& planned, const PlaceOptions& options, program::Method* method);

// Fills Method::plan. Fails where the record cannot say all (record_plan). REQUIRES: places are
// set.
MaybeError record_method(const MethodPlan& planned, const PlaceOptions& options,
                         program::Method* method);

// Index into `pools` of the one that the storage asks for by name, or of the default one.
Result<int32_t> find_pool(const program::Method& method, const program::Storage& storage,
                          const std::vector<program::Pool>& pools);

}  // namespace berth::place
