// The answers of `berth plan`: CSV, JSON, words.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "contract/checked.h"
#include "tools/plan_io.h"

namespace berth::tools {
namespace {

using OrderedJson = nlohmann::ordered_json;

// What lies between the bytes alive at a pool's fullest moment and the bytes of the pool.
struct PoolAccount {
  std::string name;
  uint64_t bytes = 0;
  uint64_t lower_bound = 0;
  plan::Step bound_at = 0;
  uint64_t padding = 0;        // rounding of the sizes alive at that moment
  uint64_t fragmentation = 0;  // bytes - lower_bound
  std::optional<uint64_t> capacity;
  std::vector<int32_t> live;
};

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

std::string id_of(const plan::Problem& problem, int32_t i) {
  return problem.buffers[static_cast<size_t>(i)].id;
}

std::string percent_above(uint64_t bytes, uint64_t bound) {
  if (bytes == bound || bound == 0) return "";
  char text[64];
  std::snprintf(text, sizeof text, ", %.2f %% above it",
                (static_cast<double>(bytes) / static_cast<double>(bound) - 1) * 100);
  return text;
}

}  // namespace

std::string write_plan_csv(const ProblemText& text, const plan::Plan& plan) {
  const bool pools = text.problem.pools.size() > 1;
  std::vector<size_t> kept;
  std::string out;
  for (size_t k = 0; k < text.columns.size(); ++k) {
    if (text.columns[k] == "offset" || (pools && text.columns[k] == "pool")) continue;
    kept.push_back(k);
    out += text.columns[k] + ",";
  }
  out += pools ? "pool,offset\n" : "offset\n";
  for (size_t i = 0; i < text.rows.size(); ++i) {
    for (size_t k : kept) out += text.rows[i][k] + ",";
    if (pools) out += std::to_string(plan.placements[i].pool) + ",";
    out += std::to_string(plan.placements[i].offset) + "\n";
  }
  return out;
}

std::string write_plan_json(const plan::Problem& problem, const plan::Plan& plan, double seconds) {
  const auto pools = account(problem, plan);
  uint64_t bytes = 0;
  uint64_t bound = 0;
  uint64_t padding = 0;
  for (const PoolAccount& pool : pools) {
    bytes += pool.bytes;
    bound += pool.lower_bound;
    padding += pool.padding;
  }
  OrderedJson json;
  json["bytes"] = bytes;
  json["lower_bound"] = bound;
  json["greedy_bytes"] = plan.greedy_bytes;
  json["proven_optimal"] = plan.proven_optimal;
  json["nodes"] = plan.nodes;
  json["seconds"] = seconds;
  json["cost"] = plan.cost;
  json["placement"] = OrderedJson::array();
  for (const plan::Placement& place : plan.placements) {
    json["placement"].push_back({place.pool, place.offset});
  }
  json["bound_at"] = pools.front().bound_at;
  json["padding"] = padding;
  json["fragmentation"] = bytes - bound;
  json["planner"] = plan.planner;
  json["found_by"] = plan.found_by;
  json["pools"] = OrderedJson::array();
  for (const PoolAccount& pool : pools) {
    json["pools"].push_back(
        {{"name", pool.name},
         {"bytes", pool.bytes},
         {"lower_bound", pool.lower_bound},
         {"bound_at", pool.bound_at},
         {"padding", pool.padding},
         {"fragmentation", pool.fragmentation},
         {"capacity", pool.capacity ? OrderedJson(*pool.capacity) : OrderedJson()}});
  }
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

std::string write_shortage_json(const plan::Problem& problem, const plan::Shortage& shortage,
                                double seconds) {
  OrderedJson json;
  json["pool"] = problem.pools[static_cast<size_t>(shortage.pool)].name;
  json["bytes"] = shortage.need;
  json["capacity"] = shortage.have;
  json["short_by"] = shortage.need - shortage.have;
  json["proven"] = shortage.proven;
  json["bound_at"] = shortage.step;
  json["conflict"] = OrderedJson::array();
  for (int32_t i : shortage.conflict) json["conflict"].push_back(id_of(problem, i));
  json["seconds"] = seconds;
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

std::string write_plan_text(const plan::Problem& problem, const plan::Plan& plan) {
  std::string out;
  for (const PoolAccount& pool : account(problem, plan)) {
    out += pool.name + ": " + std::to_string(pool.bytes) + " bytes";
    if (pool.capacity) out += " of " + std::to_string(*pool.capacity);
    out += "; lower bound " + std::to_string(pool.lower_bound) + " at step " +
           std::to_string(pool.bound_at) + percent_above(pool.bytes, pool.lower_bound);
    if (pool.padding > 0) {
      out += "; " + std::to_string(pool.padding) + " of the bound are rounding to alignment";
    }
    out += "\n";
  }
  out += "planner " + plan.planner + " (" + plan.found_by + "), " +
         std::to_string(problem.buffers.size()) + " buffers, " + std::to_string(plan.nodes) +
         " nodes; " + (plan.proven_optimal ? "proven optimal" : "not proven optimal") +
         "; greedy needs " + std::to_string(plan.greedy_bytes) + "\n";
  return out;
}

std::string write_shortage_text(const plan::Problem& problem, const plan::Shortage& shortage) {
  std::string out = problem.pools[static_cast<size_t>(shortage.pool)].name + ": " +
                    std::to_string(shortage.need - shortage.have) + " bytes short: needs " +
                    std::to_string(shortage.need) + ", has " + std::to_string(shortage.have) +
                    (shortage.proven ? "; no plan fits\n" : "; no plan found that fits\n");
  out += shortage.proven ? "cannot be there together" : "alive at the fullest moment";
  out += " (step " + std::to_string(shortage.step) + "):\n";
  for (int32_t i : shortage.conflict) {
    out += "  " + id_of(problem, i) + "  " +
           std::to_string(problem.buffers[static_cast<size_t>(i)].size) + "\n";
  }
  return out;
}

}  // namespace berth::tools
