#include "compiler/report/plan_account.h"

#include "contract/checked.h"

namespace berth::report {

std::vector<PoolAccount> account(const plan::Problem& problem, const plan::Plan& plan) {
  const auto moments = plan::fullest_moments(problem, plan);
  std::vector<PoolAccount> accounts;
  for (size_t p = 0; p < problem.pools.size(); ++p) {
    PoolAccount pool;
    pool.name = problem.pools[p].name;
    pool.bytes = plan.pool_bytes[p];
    pool.lower_bound = moments[p].bytes;
    pool.bound_at = moments[p].step;
    pool.fragmentation = pool.bytes - pool.lower_bound;
    pool.capacity = problem.pools[p].capacity;
    pool.live = moments[p].live;
    for (int32_t i : pool.live) {
      const plan::Buffer& buffer = problem.buffers[static_cast<size_t>(i)];
      pool.padding += align_up(buffer.size, buffer.alignment) - buffer.size;
    }
    accounts.push_back(std::move(pool));
  }
  return accounts;
}

}  // namespace berth::report
