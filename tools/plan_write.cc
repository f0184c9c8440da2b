// The answers of `berth plan`: CSV, JSON, words.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

#include "compiler/report/plan_account.h"
#include "compiler/report/printable.h"
#include "tools/plan_io.h"

namespace berth::tools {
namespace {

using OrderedJson = nlohmann::ordered_json;

using report::PoolAccount;

std::string id_of(const plan::Problem& problem, int32_t i) {
  return problem.buffers[static_cast<size_t>(i)].id;
}

// A stranger's name on a terminal.
std::string shown_id(const plan::Problem& problem, int32_t i) {
  return report::printable(id_of(problem, i), 100);
}
std::string shown_pool(const std::string& name) { return report::printable(name, 100); }

std::string percent(uint64_t part, uint64_t of) {
  if (of == 0) return "";
  char text[64];
  std::snprintf(text, sizeof text, " (%.2f %%)",
                static_cast<double>(part) / static_cast<double>(of) * 100);
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
  const auto pools = report::account(problem, plan);
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
  json["greedy_bytes"] = nullptr;  // too large a problem for it
  if (plan.greedy_bytes > 0 || bytes == 0) json["greedy_bytes"] = plan.greedy_bytes;
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
  for (const PoolAccount& pool : report::account(problem, plan)) {
    out += shown_pool(pool.name) + ": " + std::to_string(pool.bytes) + " bytes";
    if (pool.capacity) out += " of " + std::to_string(*pool.capacity);
    out += "; lower bound " + std::to_string(pool.lower_bound) + " at step " +
           std::to_string(pool.bound_at);
    if (pool.padding > 0) {
      out += ", of which " + std::to_string(pool.padding) + " are rounding to alignment";
    }
    if (pool.fragmentation > 0) {
      out += "; " + std::to_string(pool.fragmentation) +
             percent(pool.fragmentation, pool.lower_bound) + " above it";
    }
    out += "\n";
  }
  out += "planner " + plan.planner + " (" + plan.found_by + "), " +
         std::to_string(problem.buffers.size()) + " buffers, " + std::to_string(plan.nodes) +
         " nodes; " + (plan.proven_optimal ? "proven optimal" : "not proven optimal") +
         (plan.greedy_bytes > 0 ? "; greedy needs " + std::to_string(plan.greedy_bytes) : "") +
         "\n";
  return out;
}

std::string write_plan_listing(const plan::Problem& problem, const plan::Plan& plan) {
  std::vector<size_t> order(problem.buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const plan::Placement& left = plan.placements[a];
    const plan::Placement& right = plan.placements[b];
    return left.pool != right.pool ? left.pool < right.pool : left.offset < right.offset;
  });
  std::string out = write_plan_text(problem, plan);
  int32_t pool = -1;
  for (size_t i : order) {
    const plan::Buffer& buffer = problem.buffers[i];
    const plan::Placement& at = plan.placements[i];
    if (at.pool != pool) {
      pool = at.pool;
      out += "\n" + shown_pool(problem.pools[static_cast<size_t>(pool)].name) + ":\n" +
             "          at       bytes  live, buffer\n";
    }
    char numbers[64];
    std::snprintf(numbers, sizeof numbers, "%12llu %11llu  ",
                  static_cast<unsigned long long>(at.offset),
                  static_cast<unsigned long long>(buffer.size));
    out += numbers;
    for (const plan::Interval& life : buffer.live) {
      out += "[" + std::to_string(life.begin) + "," + std::to_string(life.end) + ")";
    }
    out += " " + shown_id(problem, static_cast<int32_t>(i)) + "\n";
  }
  return out;
}

std::string write_shortage_text(const plan::Problem& problem, const plan::Shortage& shortage) {
  std::string out = shown_pool(problem.pools[static_cast<size_t>(shortage.pool)].name) + ": " +
                    std::to_string(shortage.need - shortage.have) + " bytes short: needs " +
                    std::to_string(shortage.need) + ", has " + std::to_string(shortage.have) +
                    (shortage.proven ? "; no plan fits\n" : "; no plan found that fits\n");
  out += shortage.proven
             ? std::string("cannot be there together:\n")
             : "alive at the fullest moment (step " + std::to_string(shortage.step) + "):\n";
  for (int32_t i : shortage.conflict) {
    out += "  " + shown_id(problem, i) + "  " +
           std::to_string(problem.buffers[static_cast<size_t>(i)].size) + "\n";
  }
  return out;
}

}  // namespace berth::tools
