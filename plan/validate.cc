// What a problem must satisfy before anything else looks at it; after this the planners add and
// index without checks.
#include <algorithm>
#include <string>

#include "contract/checked.h"
#include "plan/names.h"
#include "plan/plan.h"

namespace berth::plan {
namespace {

// All sums of sizes stay below this, so that a difference or a doubling cannot wrap either.
constexpr uint64_t kMaxBytes = INT64_MAX;

class Validator {
 public:
  explicit Validator(const Problem& problem) : problem_(problem) {}

  MaybeError run(int32_t* where) {
    *where = -1;
    if (auto error = check_pools()) return error;
    if (problem_.buffers.size() > static_cast<size_t>(INT32_MAX)) {
      return Error{"problem", std::to_string(problem_.buffers.size()) + " buffers; at most 2^31-1"};
    }
    const auto count = static_cast<int32_t>(problem_.buffers.size());
    passed_.resize(count);
    settled_.resize(count);
    depth_.resize(count);
    for (int32_t i = 0; i < count; ++i) outermost_.push_back(i);
    for (int32_t i = 0; i < count; ++i) {
      *where = i;
      if (auto error = check_buffer(i)) return error;
    }
    for (int32_t i = 0; i < count; ++i) {
      *where = i;
      if (auto error = check_host(i)) return error;
    }
    for (int32_t i = 0; i < count; ++i) {
      *where = i;
      if (auto error = add_up(i)) return error;
    }
    *where = -1;
    return std::nullopt;
  }

 private:
  Error wrong(int32_t i, std::string message) const {
    return Error{buffer_name(problem_, i), std::move(message)};
  }
  bool has_pool(int32_t pool) const {
    return pool >= 0 && static_cast<size_t>(pool) < problem_.pools.size();
  }
  bool has_buffer(int32_t i) const {
    return i >= 0 && static_cast<size_t>(i) < problem_.buffers.size();
  }

  MaybeError check_pools() {
    if (problem_.pools.empty()) return Error{"problem", "has no pool; at least one is needed"};
    if (problem_.pools.size() > static_cast<size_t>(INT32_MAX)) {
      return Error{"problem", std::to_string(problem_.pools.size()) + " pools; at most 2^31-1"};
    }
    for (const Pool& pool : problem_.pools) max_cost_ = std::max(max_cost_, pool.cost);
    return std::nullopt;
  }

  MaybeError check_buffer(int32_t i) const {
    const Buffer& buffer = problem_.buffers[i];
    if (!is_power_of_two(buffer.alignment)) {
      return wrong(i, "alignment " + std::to_string(buffer.alignment) +
                          "; it must be a power of two (1 for none)");
    }
    if (auto error = check_life(i)) return error;
    for (size_t k = 0; k < buffer.pools.size(); ++k) {
      const int32_t pool = buffer.pools[k];
      if (!has_pool(pool)) {
        return wrong(i, "allows pool " + std::to_string(pool) + "; there are " +
                            std::to_string(problem_.pools.size()) + ", counted from 0");
      }
      if (std::find(buffer.pools.begin(), buffer.pools.begin() + k, pool) !=
          buffer.pools.begin() + k) {
        return wrong(i, "allows pool " + std::to_string(pool) + " twice");
      }
    }
    for (int32_t other : buffer.may_share) {
      if (!has_buffer(other) || other == i) {
        return wrong(i, "may share with buffer number " + std::to_string(other) +
                            "; it must be another one below " +
                            std::to_string(problem_.buffers.size()));
      }
    }
    if (buffer.fixed) return check_fixed(i);
    if (buffer.inside) return check_part(i);
    return std::nullopt;
  }

  MaybeError check_life(int32_t i) const {
    const Intervals& live = problem_.buffers[i].live;
    if (live.empty()) return wrong(i, "has no lifetime; it needs at least one interval");
    for (size_t k = 0; k < live.size(); ++k) {
      const std::string text =
          "[" + std::to_string(live[k].begin) + "," + std::to_string(live[k].end) + ")";
      if (live[k].begin >= live[k].end) {
        return wrong(i, "lifetime " + text + " is " +
                            (live[k].begin == live[k].end ? "empty" : "inverted") +
                            "; it must end after it begins");
      }
      if (k > 0 && live[k].begin < live[k - 1].end) {
        return wrong(i, "lifetime " + text + " begins before the one in front of it ends (" +
                            std::to_string(live[k - 1].end) +
                            "); intervals must be sorted and disjoint");
      }
    }
    return std::nullopt;
  }

  MaybeError check_fixed(int32_t i) const {
    const Buffer& buffer = problem_.buffers[i];
    if (buffer.inside) {
      return wrong(i, "is fixed and a part of another buffer; fix the other one instead");
    }
    if (!has_pool(buffer.fixed->pool)) {
      return wrong(i, "is fixed in pool " + std::to_string(buffer.fixed->pool) + "; there are " +
                          std::to_string(problem_.pools.size()) + ", counted from 0");
    }
    if (!buffer.pools.empty() && std::find(buffer.pools.begin(), buffer.pools.end(),
                                           buffer.fixed->pool) == buffer.pools.end()) {
      return wrong(i, "is fixed in " + pool_name(problem_, buffer.fixed->pool) +
                          ", which is not among the pools it allows");
    }
    return std::nullopt;
  }

  MaybeError check_part(int32_t i) const {
    const Buffer& part = problem_.buffers[i];
    if (!has_buffer(part.inside->buffer)) {
      return wrong(i, "lies inside buffer number " + std::to_string(part.inside->buffer) +
                          "; there are " + std::to_string(problem_.buffers.size()) +
                          ", counted from 0");
    }
    if (!part.pools.empty() || !part.may_share.empty()) {
      return wrong(i, std::string("is a part of another buffer and has ") +
                          (part.pools.empty() ? "in-place options" : "pools") +
                          " of its own; it goes where its host goes");
    }
    const uint64_t host_size = problem_.buffers[part.inside->buffer].size;
    uint64_t end = 0;
    if (!checked_add(part.inside->offset, part.size, &end) || end > host_size) {
      return wrong(i, "has " + std::to_string(part.size) + " bytes at " +
                          std::to_string(part.inside->offset) + " of " +
                          buffer_name(problem_, part.inside->buffer) + ", which has only " +
                          std::to_string(host_size));
    }
    return std::nullopt;
  }

  // Follows the hosts up to one that is settled or no part, then settles what was passed on the way
  // back down.
  MaybeError check_host(int32_t i) {
    std::vector<int32_t> chain;
    int32_t at = i;
    for (; problem_.buffers[at].inside && !settled_[at]; at = problem_.buffers[at].inside->buffer) {
      if (passed_[at]) return wrong(i, "lies inside itself, through " + buffer_name(problem_, at));
      passed_[at] = true;
      chain.push_back(at);
    }
    for (; !chain.empty(); chain.pop_back()) {
      const int32_t part = chain.back();
      const Inside& inside = *problem_.buffers[part].inside;
      outermost_[part] = outermost_[inside.buffer];
      depth_[part] = depth_[inside.buffer] + inside.offset;  // below the host's size: cannot wrap
      settled_[part] = true;
      const Buffer& host = problem_.buffers[outermost_[part]];
      const uint64_t offset = depth_[part] + (host.fixed ? host.fixed->offset : 0);
      if (offset % problem_.buffers[part].alignment != 0) {
        return wrong(part, "lies at " + std::to_string(offset) + " of " +
                               (host.fixed ? std::string("its pool")
                                           : buffer_name(problem_, outermost_[part])) +
                               ", not a multiple of its alignment " +
                               std::to_string(problem_.buffers[part].alignment));
      }
    }
    return std::nullopt;
  }

  // Everything side by side, each with the most that alignment can push it, must fit in 63 bits;
  // then no plan overflows. A host takes on its parts' alignments, which the parts' own terms pay
  // for.
  MaybeError add_up(int32_t i) {
    const Buffer& buffer = problem_.buffers[i];
    if (buffer.fixed) {
      if (buffer.fixed->offset % buffer.alignment != 0) {
        return wrong(i, "is fixed at " + std::to_string(buffer.fixed->offset) +
                            ", not a multiple of its alignment " +
                            std::to_string(buffer.alignment));
      }
      if (!grow(buffer.fixed->offset)) return too_big(i);
    }
    uint64_t rounded = 0;
    if (!checked_align_up(buffer.size, buffer.alignment, &rounded)) return too_big(i);
    if (!grow(rounded) || !grow(buffer.alignment)) return too_big(i);
    if (buffer.inside) return std::nullopt;
    uint64_t cost = 0;
    if (!checked_mul(std::max<uint64_t>(rounded, 1), buffer.accesses, &cost) ||
        !checked_add(accesses_, cost, &accesses_) || !checked_mul(accesses_, max_cost_, &cost) ||
        cost > kMaxBytes) {
      return wrong(i, "size " + std::to_string(buffer.size) + ", accesses " +
                          std::to_string(buffer.accesses) + ": bytes x accesses x the cost of a" +
                          " pool (" + std::to_string(max_cost_) + ") do not fit in 63 bits");
    }
    return std::nullopt;
  }

  bool grow(uint64_t by) { return checked_add(bytes_, by, &bytes_) && bytes_ <= kMaxBytes; }

  Error too_big(int32_t i) const {
    const Buffer& buffer = problem_.buffers[i];
    return wrong(i, "size " + std::to_string(buffer.size) +
                        (buffer.fixed ? " at " + std::to_string(buffer.fixed->offset) : "") +
                        ": with the buffers before it and all alignments, more than 2^63-1 bytes");
  }

  const Problem& problem_;
  uint64_t max_cost_ = 0;
  uint64_t bytes_ = 0;
  uint64_t accesses_ = 0;  // to all bytes
  // Per buffer, for the walk to the hosts: seen in this or an earlier walk; done; the host at the
  // end and how deep in it.
  std::vector<char> passed_;
  std::vector<char> settled_;
  std::vector<int32_t> outermost_;
  std::vector<uint64_t> depth_;
};

}  // namespace

MaybeError validate(const Problem& problem, int32_t* buffer) {
  int32_t where = -1;
  auto error = Validator(problem).run(&where);
  if (buffer != nullptr) *buffer = error ? where : -1;
  return error;
}

}  // namespace berth::plan
