// A sweep over time. Each interval of each buffer, parts included, stands for the bytes of the
// buffer's outermost host; when an interval begins it is compared with all that are open. Slow next
// to cleverer sweeps, and plain enough to be believed: nothing here depends on how a planner
// thinks.
#include "plan/check.h"

#include <algorithm>
#include <string>

#include "contract/checked.h"

namespace berth::plan {
namespace {

std::string number(uint64_t value) { return std::to_string(value); }

std::string bytes_text(uint64_t begin, uint64_t end) {
  return "bytes [" + number(begin) + "," + number(end) + ")";
}

class Checker {
 public:
  Checker(const Problem& problem, const Plan& plan) : problem_(problem), plan_(plan) {}

  MaybeError run() {
    if (auto error = check_shape()) return error;
    if (auto error = find_hosts()) return error;
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      if (auto error = check_place(static_cast<int32_t>(i))) return error;
    }
    return sweep();
  }

 private:
  // The bytes that a host holds while anything in it is alive.
  struct Region {
    int32_t pool = 0;
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  struct Event {
    Step step;
    bool begins;
    int32_t buffer;
    size_t opened;  // for an end: which event opened it
  };

  std::string name(int32_t i) const {
    const std::string& id = problem_.buffers[i].id;
    return id.empty() ? "buffer #" + std::to_string(i) : "buffer " + id;
  }
  Error wrong(int32_t i, std::string message) const { return Error{name(i), std::move(message)}; }
  std::string pool_name(int32_t pool) const {
    const std::string& given = problem_.pools[pool].name;
    return given.empty() ? "pool #" + std::to_string(pool) : "pool " + given;
  }

  MaybeError check_shape() const {
    if (plan_.placements.size() != problem_.buffers.size()) {
      return Error{"plan", number(plan_.placements.size()) + " placements; the problem has " +
                               number(problem_.buffers.size()) + " buffers"};
    }
    if (plan_.pool_bytes.size() != problem_.pools.size() ||
        plan_.pool_alignment.size() != problem_.pools.size()) {
      return Error{"plan", number(plan_.pool_bytes.size()) + " pool sizes and " +
                               number(plan_.pool_alignment.size()) +
                               " pool alignments; the problem has " +
                               number(problem_.pools.size()) + " pools"};
    }
    for (size_t p = 0; p < problem_.pools.size(); ++p) {
      const auto& capacity = problem_.pools[p].capacity;
      if (capacity && plan_.pool_bytes[p] > *capacity) {
        return Error{pool_name(static_cast<int32_t>(p)), "needs " + number(plan_.pool_bytes[p]) +
                                                             " bytes; its capacity is " +
                                                             number(*capacity)};
      }
    }
    return std::nullopt;
  }

  MaybeError find_hosts() {
    const auto count = static_cast<int32_t>(problem_.buffers.size());
    hosts_.resize(count);
    parts_.resize(count);
    for (int32_t i = 0; i < count; ++i) {
      int32_t at = i;
      // A chain longer than the list is a circle.
      for (int32_t hops = 0; problem_.buffers[at].inside; ++hops) {
        at = problem_.buffers[at].inside->buffer;
        if (at < 0 || at >= count) {
          return wrong(i, "lies inside buffer number " + std::to_string(at) + "; there are " +
                              std::to_string(count) + ", counted from 0");
        }
        if (hops > count) return wrong(i, "lies inside itself");
      }
      hosts_[i] = at;
      if (at != i) parts_[at].push_back(i);
    }
    return std::nullopt;
  }

  MaybeError check_place(int32_t i) {
    const Buffer& buffer = problem_.buffers[i];
    const Placement& at = plan_.placements[i];
    if (at.pool < 0 || static_cast<size_t>(at.pool) >= problem_.pools.size()) {
      return wrong(i, "is placed in pool " + std::to_string(at.pool) + "; there are " +
                          number(problem_.pools.size()));
    }
    if (!is_power_of_two(buffer.alignment)) {
      return wrong(i, "has alignment " + number(buffer.alignment) + "; it must be a power of two");
    }
    if (at.offset % buffer.alignment != 0) {
      return wrong(i, "starts at " + number(at.offset) + ", not a multiple of its alignment " +
                          number(buffer.alignment));
    }
    const uint32_t base = plan_.pool_alignment[at.pool];
    if (base == 0 || base % buffer.alignment != 0) {
      return wrong(i, "needs alignment " + number(buffer.alignment) + "; the plan aligns " +
                          pool_name(at.pool) + " to " + number(base));
    }
    if (buffer.inside) return check_part(i);

    if (!allows(buffer, at.pool)) {
      return wrong(i, "is placed in " + pool_name(at.pool) + ", which it does not allow");
    }
    if (buffer.fixed && (buffer.fixed->pool != at.pool || buffer.fixed->offset != at.offset)) {
      return wrong(i, "is fixed to offset " + number(buffer.fixed->offset) + " of " +
                          (buffer.fixed->pool == at.pool ? "its pool" : "another pool") +
                          " and placed at " + number(at.offset));
    }
    uint64_t rounded = 0;
    uint64_t end = 0;
    if (!checked_align_up(buffer.size, buffer.alignment, &rounded) ||
        !checked_add(at.offset, rounded, &end)) {
      return wrong(
          i, "ends beyond 64 bits: offset " + number(at.offset) + ", size " + number(buffer.size));
    }
    if (end > plan_.pool_bytes[at.pool]) {
      return wrong(i, "ends at " + number(end) + "; the plan gives " + pool_name(at.pool) + " " +
                          number(plan_.pool_bytes[at.pool]) + " bytes");
    }
    return std::nullopt;
  }

  static bool allows(const Buffer& buffer, int32_t pool) {
    if (buffer.pools.empty()) return pool == (buffer.fixed ? buffer.fixed->pool : 0);
    return std::find(buffer.pools.begin(), buffer.pools.end(), pool) != buffer.pools.end();
  }

  MaybeError check_part(int32_t i) const {
    const Buffer& part = problem_.buffers[i];
    const int32_t host = part.inside->buffer;
    const Placement& at = plan_.placements[i];
    const Placement& host_at = plan_.placements[host];
    uint64_t want = 0;
    if (!checked_add(host_at.offset, part.inside->offset, &want) || at.pool != host_at.pool ||
        at.offset != want) {
      return wrong(i, "is placed at " + number(at.offset) + "; it lies " +
                          number(part.inside->offset) + " bytes into " + name(host) +
                          ", which is at " + number(host_at.offset) +
                          (at.pool == host_at.pool ? "" : " of another pool"));
    }
    uint64_t end = 0;
    if (!checked_add(part.inside->offset, part.size, &end) || end > problem_.buffers[host].size) {
      return wrong(i, "has " + number(part.size) + " bytes at " + number(part.inside->offset) +
                          " of " + name(host) + ", which has only " +
                          number(problem_.buffers[host].size));
    }
    return std::nullopt;
  }

  Region region(int32_t host) const {
    const Buffer& buffer = problem_.buffers[host];
    const Placement& at = plan_.placements[host];
    const uint64_t grain = buffer.alignment;
    const uint64_t rounded = (buffer.size + grain - 1) / grain * grain;
    return {at.pool, at.offset, at.offset + rounded};
  }

  MaybeError sweep() {
    std::vector<Event> events;
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      const auto& live = problem_.buffers[i].live;
      if (live.empty()) return wrong(static_cast<int32_t>(i), "has no lifetime");
      for (size_t k = 0; k < live.size(); ++k) {
        if (live[k].begin >= live[k].end || (k > 0 && live[k].begin < live[k - 1].end)) {
          return wrong(static_cast<int32_t>(i),
                       "has lifetimes that are empty or out of order at [" +
                           std::to_string(live[k].begin) + "," + std::to_string(live[k].end) + ")");
        }
        const size_t opened = events.size();
        events.push_back({live[k].begin, true, static_cast<int32_t>(i), opened});
        events.push_back({live[k].end, false, static_cast<int32_t>(i), opened});
      }
    }
    std::vector<size_t> order(events.size());
    for (size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      if (events[a].step != events[b].step) return events[a].step < events[b].step;
      if (events[a].begins != events[b].begins) return !events[a].begins;  // half-open: ends first
      return a < b;
    });

    struct Open {
      Region bytes;
      int32_t buffer;
      size_t event;
    };
    std::vector<Open> open;
    std::vector<size_t> slot(events.size());  // where in `open` an event's interval is
    for (size_t k : order) {
      const Event& event = events[k];
      if (!event.begins) {
        const size_t hole = slot[event.opened];
        open[hole] = open.back();
        slot[open[hole].event] = hole;
        open.pop_back();
        continue;
      }
      const Region mine = region(hosts_[event.buffer]);
      for (const Open& other : open) {
        if (other.bytes.pool != mine.pool ||
            std::max(other.bytes.begin, mine.begin) >= std::min(other.bytes.end, mine.end)) {
          continue;
        }
        if (hosts_[other.buffer] == hosts_[event.buffer]) continue;
        if (in_place(hosts_[event.buffer], hosts_[other.buffer])) continue;
        if (in_place(hosts_[other.buffer], hosts_[event.buffer])) continue;
        return collision(event.buffer, other.buffer, event.step, mine, other.bytes);
      }
      slot[k] = open.size();
      open.push_back({mine, event.buffer, k});
    }
    return std::nullopt;
  }

  // Whether `taker` may lie on `giver` as they lie now. Looked at only where two regions meet, so
  // it need not be fast.
  bool in_place(int32_t taker, int32_t giver) const {
    const Buffer& t = problem_.buffers[taker];
    const Buffer& g = problem_.buffers[giver];
    if (std::find(t.may_share.begin(), t.may_share.end(), giver) == t.may_share.end()) return false;
    if (plan_.placements[taker].offset != plan_.placements[giver].offset || t.size > g.size) {
      return false;
    }
    // The one step: where some interval of the taker begins inside one of the giver.
    std::optional<Step> common;
    for (const Interval& a : t.live) {
      for (const Interval& b : g.live) {
        const Step from = std::max(a.begin, b.begin);
        const Step to = std::min(a.end, b.end);
        if (from >= to) continue;
        if (common || to - 1 != from) return false;
        common = from;
      }
    }
    if (!common) return false;
    if (alive_before(taker, *common) || alive(giver, *common + 1)) return false;
    // Parts lengthen a host's life: none may make the two meet again or be alive at the step
    // itself.
    for (int32_t part : parts_[taker]) {
      if (alive(part, *common) || alive_before(part, *common) || meets_host(part, giver)) {
        return false;
      }
    }
    for (int32_t part : parts_[giver]) {
      if (alive(part, *common) || alive(part, *common + 1) || meets_host(part, taker)) return false;
    }
    return true;
  }

  bool alive(int32_t i, Step step) const {
    for (const Interval& life : problem_.buffers[i].live) {
      if (life.begin <= step && step < life.end) return true;
    }
    return false;
  }

  // Alive at step - 1, without the subtraction.
  bool alive_before(int32_t i, Step step) const {
    for (const Interval& life : problem_.buffers[i].live) {
      if (life.begin < step && step <= life.end) return true;
    }
    return false;
  }

  bool meet(int32_t i, int32_t j) const {
    for (const Interval& a : problem_.buffers[i].live) {
      for (const Interval& b : problem_.buffers[j].live) {
        if (std::max(a.begin, b.begin) < std::min(a.end, b.end)) return true;
      }
    }
    return false;
  }

  // Whether a part is alive together with a host or any part of that host.
  bool meets_host(int32_t part, int32_t host) const {
    if (meet(part, host)) return true;
    return std::any_of(parts_[host].begin(), parts_[host].end(),
                       [&](int32_t other) { return meet(part, other); });
  }

  Error collision(int32_t i, int32_t other, Step step, const Region& mine,
                  const Region& theirs) const {
    std::string message =
        "and " + name(other) + " are both alive at step " + std::to_string(step) + " and share " +
        bytes_text(std::max(mine.begin, theirs.begin), std::min(mine.end, theirs.end)) + " of " +
        pool_name(mine.pool);
    const auto& options = problem_.buffers[hosts_[i]].may_share;
    const auto& others = problem_.buffers[hosts_[other]].may_share;
    if (std::find(options.begin(), options.end(), hosts_[other]) != options.end() ||
        std::find(others.begin(), others.end(), hosts_[i]) != others.end()) {
      message +=
          "; the in-place option between them needs one common step, the same offset and a "
          "size no larger";
    }
    return wrong(i, std::move(message));
  }

  const Problem& problem_;
  const Plan& plan_;
  std::vector<int32_t> hosts_;               // per buffer: the outermost, itself when it is no part
  std::vector<std::vector<int32_t>> parts_;  // per host: all in it
};

}  // namespace

MaybeError check(const Problem& problem, const Plan& plan) { return Checker(problem, plan).run(); }

}  // namespace berth::plan
