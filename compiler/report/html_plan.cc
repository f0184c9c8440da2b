// The page of a plan of buffers alone. Its time axis counts steps; where those lie too far apart
// for that, the moments at which something begins or ends.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/report/html_parts.h"
#include "compiler/report/plan_account.h"
#include "compiler/report/plan_page.h"
#include "compiler/report/printable.h"
#include "contract/checked.h"

namespace berth::report {
namespace {

// What a table lists before it says how much more there is.
constexpr size_t kMostRows = 24;
// Columns that are steps, and rows of the table of moments.
constexpr size_t kMostMoments = 5000;

using plan::Buffer;
using plan::Interval;
using plan::Intervals;
using plan::Step;

// In the order in which one is drawn over the other; the numbers are colours of kHtmlStyle.
enum Colour { kUsual = 2, kWithHoles = 5, kInPlace = 3, kFixed = 1, kPart = 4 };

class Page {
 public:
  Page(const plan::Problem& problem, const plan::Plan& plan)
      : problem_(problem), plan_(plan), accounts_(account(problem, plan)) {
    find_hosts();
    find_columns();
    find_live_bytes();
  }

  std::string write(const std::string& file) const {
    std::string out = html_page_begin(html_text(file, 200));
    out += fmt::format(
        "<p class=\"dim\">{} buffers; planner {} ({}); {}{}</p>\n",
        grouped(problem_.buffers.size()), html_text(plan_.planner), html_text(plan_.found_by),
        plan_.proven_optimal ? "proven optimal" : "not proven optimal",
        plan_.greedy_bytes > 0 ? "; greedy needs " + grouped(plan_.greedy_bytes) + " bytes" : "");
    out += "<section><div class=\"row\"><div>\n";
    for (size_t p = 0; p < problem_.pools.size(); ++p) add_map(p, &out);
    add_moments(&out);
    out += "</div><div>\n";
    add_pools(&out);
    add_buffers(&out);
    return out + "</div></div></section>\n" + html_page_end();
  }

 private:
  const Buffer& buffer(size_t i) const { return problem_.buffers[i]; }
  uint64_t bytes_of(size_t i) const {
    return buffer(i).inside ? buffer(i).size : align_up(buffer(i).size, buffer(i).alignment);
  }
  std::string name_of(size_t i) const {
    return buffer(i).id.empty() ? "#" + std::to_string(i) : printable(buffer(i).id, 40);
  }

  // Per buffer that is no part: when it or a part of it is alive, merged.
  void find_hosts() {
    lives_.resize(problem_.buffers.size());
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      size_t host = i;
      while (buffer(host).inside) host = static_cast<size_t>(buffer(host).inside->buffer);
      lives_[host].insert(lives_[host].end(), buffer(i).live.begin(), buffer(i).live.end());
    }
    for (Intervals& live : lives_) {
      std::sort(live.begin(), live.end(),
                [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
      Intervals merged;
      for (const Interval& next : live) {
        if (!merged.empty() && next.begin <= merged.back().end) {
          merged.back().end = std::max(merged.back().end, next.end);
        } else {
          merged.push_back(next);
        }
      }
      live = std::move(merged);
    }
  }

  void find_columns() {
    for (const Buffer& one : problem_.buffers) {
      for (const Interval& life : one.live) {
        cuts_.push_back(life.begin);
        cuts_.push_back(life.end);
      }
    }
    std::sort(cuts_.begin(), cuts_.end());
    cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
    if (cuts_.empty()) return;
    const uint64_t range =
        static_cast<uint64_t>(cuts_.back()) - static_cast<uint64_t>(cuts_.front());
    by_steps_ = range <= kMostMoments;
    columns_ = by_steps_ ? static_cast<size_t>(range) : cuts_.size() - 1;
  }

  // Of a step at which something begins or ends.
  size_t column_of(Step step) const {
    if (by_steps_) return static_cast<size_t>(step - cuts_.front());
    return static_cast<size_t>(std::lower_bound(cuts_.begin(), cuts_.end(), step) - cuts_.begin());
  }
  Step step_of(size_t column) const {
    return by_steps_ ? cuts_.front() + static_cast<Step>(column) : cuts_[column];
  }

  // Whether i lies on what j, an in-place option of it, leaves at their common step.
  bool takes(size_t i, size_t j) const {
    if (plan_.placements[i].pool != plan_.placements[j].pool ||
        plan_.placements[i].offset != plan_.placements[j].offset) {
      return false;
    }
    return std::any_of(lives_[i].begin(), lives_[i].end(), [&](const Interval& a) {
      return std::any_of(lives_[j].begin(), lives_[j].end(),
                         [&](const Interval& b) { return a.begin < b.end && b.begin < a.end; });
    });
  }

  Colour colour_of(size_t i) const {
    if (buffer(i).inside) return kPart;
    if (buffer(i).fixed) return kFixed;
    for (int32_t other : buffer(i).may_share) {
      if (takes(i, static_cast<size_t>(other))) return kInPlace;
    }
    return lives_[i].size() > 1 ? kWithHoles : kUsual;
  }

  // Differences of columns first, then their sums. What two share in place counts once.
  void find_live_bytes() {
    live_bytes_.assign(problem_.pools.size(), std::vector<uint64_t>(columns_ + 1, 0));
    alive_.assign(columns_ + 1, 0);
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      auto& bytes = live_bytes_[static_cast<size_t>(plan_.placements[i].pool)];
      for (const Interval& life : lives_[i]) {
        bytes[column_of(life.begin)] += bytes_of(i);
        bytes[column_of(life.end)] -= bytes_of(i);
        ++alive_[column_of(life.begin)];
        --alive_[column_of(life.end)];
      }
      for (int32_t other : buffer(i).may_share) {
        const auto j = static_cast<size_t>(other);
        if (!takes(i, j)) continue;
        for (const Interval& a : lives_[i]) {
          for (const Interval& b : lives_[j]) {
            if (a.begin >= b.end || b.begin >= a.end) continue;
            bytes[column_of(std::max(a.begin, b.begin))] -= std::min(bytes_of(i), bytes_of(j));
            bytes[column_of(std::min(a.end, b.end))] += std::min(bytes_of(i), bytes_of(j));
          }
        }
      }
    }
    for (auto& bytes : live_bytes_) std::partial_sum(bytes.begin(), bytes.end(), bytes.begin());
    std::partial_sum(alive_.begin(), alive_.end(), alive_.begin());
  }

  static std::string live_text(const Buffer& one) {
    constexpr size_t kMost = 3;
    std::string text;
    for (size_t k = 0; k < std::min(one.live.size(), kMost); ++k) {
      text += fmt::format("{}[{},{})", k == 0 ? "" : " ", one.live[k].begin, one.live[k].end);
    }
    if (one.live.size() > kMost) text += fmt::format(" and {} more", one.live.size() - kMost);
    return text;
  }

  MapShape shape_of(size_t i) const {
    MapShape shape;
    shape.index = static_cast<int32_t>(i);
    for (const Interval& life : buffer(i).inside ? buffer(i).live : lives_[i]) {
      shape.live.push_back(
          {static_cast<double>(column_of(life.begin)), static_cast<double>(column_of(life.end))});
    }
    shape.offset = plan_.placements[i].offset;
    shape.bytes = bytes_of(i);
    shape.colour = colour_of(i);
    shape.title = fmt::format("{}: {} bytes at {}, live {}", html_text(name_of(i)),
                              grouped(shape.bytes), grouped(shape.offset), live_text(buffer(i)));
    if (buffer(i).inside) {
      shape.title += fmt::format(", inside {}",
                                 html_text(name_of(static_cast<size_t>(buffer(i).inside->buffer))));
    }
    for (int32_t other : buffer(i).may_share) {
      if (!takes(i, static_cast<size_t>(other))) continue;
      shape.title +=
          fmt::format(", in place of {}", html_text(name_of(static_cast<size_t>(other))));
    }
    if (buffer(i).fixed) shape.title += ", fixed";
    shape.name = name_of(i);
    return shape;
  }

  void add_map(size_t p, std::string* out) const {
    std::vector<MapShape> shapes;
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      if (plan_.placements[i].pool == static_cast<int32_t>(p)) shapes.push_back(shape_of(i));
    }
    // Where sizes are alike a part is drawn over its host.
    std::stable_sort(shapes.begin(), shapes.end(), [](const MapShape& a, const MapShape& b) {
      return (a.colour == kPart) < (b.colour == kPart);
    });
    std::vector<std::pair<int, std::string>> legend;
    for (const auto& [colour, words] :
         std::vector<std::pair<int, std::string>>{{kUsual, "buffer"},
                                                  {kWithHoles, "with holes in its life"},
                                                  {kInPlace, "in place of another"},
                                                  {kFixed, "fixed"},
                                                  {kPart, "part of another"}}) {
      if (std::any_of(shapes.begin(), shapes.end(),
                      [colour = colour](const MapShape& s) { return s.colour == colour; })) {
        legend.push_back({colour, words});
      }
    }
    MapFrame frame;
    frame.pool = problem_.pools[p].name;
    frame.number = p;
    frame.columns = columns_;
    frame.bytes = plan_.pool_bytes[p];
    frame.lower_bound = accounts_[p].lower_bound;
    frame.capacity = accounts_[p].capacity;
    const uint64_t every = html_tick_distance(columns_, 12);
    for (size_t k = 0; k < columns_; k += every) {
      frame.ticks.push_back({k, std::to_string(step_of(k))});
    }
    if (!accounts_[p].live.empty()) {
      frame.peak = column_of(accounts_[p].bound_at);
      frame.peak_words = fmt::format("fullest moment: {} bytes at step {}",
                                     grouped(live_bytes_[p][*frame.peak]), accounts_[p].bound_at);
    }
    *out += html_map_card(frame, std::move(shapes),
                          fmt::format("Pool {}: address over {}", html_text(frame.pool),
                                      by_steps_ ? "steps" : "moments, named by their steps"),
                          legend);
  }

  void add_moments(std::string* out) const {
    *out += fmt::format("<details><summary>{} {}</summary><table>\n", grouped(columns_),
                        by_steps_ ? "steps" : "moments");
    std::vector<Cell> head = {{"", "step"}, {"", "alive"}};
    for (const plan::Pool& pool : problem_.pools) {
      head.push_back({"n", "live in " + html_text(pool.name)});
    }
    *out += html_row(head, "th");
    const size_t shown = std::min(columns_, kMostMoments);
    for (size_t k = 0; k < shown; ++k) {
      std::vector<Cell> cells = {{"", fmt::format("step {}", step_of(k))},
                                 {"", fmt::format("({} buffers)", alive_[k])}};
      for (const auto& bytes : live_bytes_) cells.push_back({"n", grouped(bytes[k])});
      *out += html_row(cells, "td", fmt::format(" data-k=\"{}\"", k));
    }
    *out += "</table>";
    if (shown < columns_) {
      *out += fmt::format("<p class=\"dim\">and {} more</p>", grouped(columns_ - shown));
    }
    *out += "</details>\n";
  }

  void add_pools(std::string* out) const {
    *out += html_table_begin(
        "Pools", {{"", "pool"}, {"n", "planned"}, {"n", "lower bound"}, {"n", "capacity"}});
    for (const PoolAccount& pool : accounts_) {
      *out += html_row({{"", html_text(pool.name)},
                        {"n", grouped(pool.bytes)},
                        {"n", grouped(pool.lower_bound)},
                        {"n", pool.capacity ? grouped(*pool.capacity) : ""}});
    }
    *out += "</table>\n";
    for (const PoolAccount& pool : accounts_) {
      *out += fmt::format(
          "<p class=\"dim\">{}: fullest at step {}, where rounding takes {} of the bound; {} bytes "
          "are lost above it.</p>\n",
          html_text(pool.name), pool.bound_at, grouped(pool.padding), grouped(pool.fragmentation));
    }
    *out += "</div>\n";
  }

  void add_buffers(std::string* out) const {
    std::vector<size_t> order(problem_.buffers.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return bytes_of(a) > bytes_of(b); });
    std::vector<char> at_peak(order.size(), 0);
    for (const PoolAccount& pool : accounts_) {
      for (const int32_t i : pool.live) at_peak[static_cast<size_t>(i)] = 1;
    }
    const bool pools = problem_.pools.size() > 1;
    const size_t shown = std::min(order.size(), kMostRows);
    std::vector<Cell> head = {{"", "buffer"}, {"n", "bytes"}, {"n", "at"}, {"", "live"}};
    if (pools) head.push_back({"", "in"});
    *out += html_table_begin(fmt::format("Biggest buffers: {} of {}", shown, grouped(order.size())),
                             head);
    for (size_t k = 0; k < shown; ++k) {
      const size_t i = order[k];
      std::vector<Cell> cells = {{"w", html_colour_key(colour_of(i)) + html_text(name_of(i), 28) +
                                           (at_peak[i] != 0 ? " <b class=\"bad\">*</b>" : "")},
                                 {"n", grouped(bytes_of(i))},
                                 {"n", grouped(plan_.placements[i].offset)},
                                 {"w", live_text(buffer(i))}};
      if (pools) {
        cells.push_back(
            {"dim", html_text(problem_.pools[static_cast<size_t>(plan_.placements[i].pool)].name)});
      }
      *out += html_row(cells, "td", fmt::format(" data-r=\"{}\"", i));
    }
    *out += "</table><p class=\"dim\">* live at the fullest moment</p></div>\n";
  }

  const plan::Problem& problem_;
  const plan::Plan& plan_;
  const std::vector<PoolAccount> accounts_;
  std::vector<Intervals> lives_;
  std::vector<Step> cuts_;  // where something begins or ends
  bool by_steps_ = true;    // a column is a step; else it reaches from cut to cut
  size_t columns_ = 0;
  std::vector<std::vector<uint64_t>> live_bytes_;  // per pool and column
  std::vector<uint64_t> alive_;                    // buffers per column, hosts alone
};

}  // namespace

std::string html_plan(const plan::Problem& problem, const plan::Plan& plan,
                      const std::string& file) {
  return Page(problem, plan).write(file);
}

}  // namespace berth::report
