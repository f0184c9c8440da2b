// The planner alone: four buffers of a signal chain, one memory, where each of them goes.
#include <cinttypes>
#include <cstdio>
#include <optional>

#include "plan/check.h"
#include "plan/plan.h"

int main() {
  using namespace berth;
  plan::Problem problem;
  problem.pools = {{"sram", 4096}};
  // Name, steps at which it is alive (half-open), bytes, alignment.
  problem.buffers.push_back({"samples", {{0, 2}}, 1920, 16});
  problem.buffers.push_back({"spectrum", {{1, 3}}, 2052, 16});
  problem.buffers.push_back({"window", {{0, 1}, {5, 6}}, 960, 16});  // not needed in between
  problem.buffers.push_back({"power", {{2, 5}}, 2048, 16});
  problem.buffers[3].may_share = {1};  // in place of the spectrum, if that helps

  std::optional<plan::Shortage> shortage;
  const Result<plan::Plan> made = plan::make_plan(problem, plan::Planner::kBest, {}, &shortage);
  if (!made.ok()) {
    std::printf("%s %s\n", made.error().place.c_str(), made.error().message.c_str());
    return 1;
  }
  const plan::Plan& plan = made.value();
  if (auto wrong = plan::check(problem, plan)) return std::puts(wrong->message.c_str()), 1;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    std::printf("%-10s at %4" PRIu64 "\n", problem.buffers[i].id.c_str(),
                plan.placements[i].offset);
  }
  std::printf("%s: %" PRIu64 " bytes, at least %" PRIu64 " in any plan%s\n",
              problem.pools[0].name.c_str(), plan.pool_bytes[0], plan.lower_bound[0],
              plan.proven_optimal ? "; proven optimal" : "");
  return 0;
}
