// Liveness of one thing at a time (a segment of a storage, a value that may stand for several
// storages): from each use backwards to the definitions. Straight code costs a look at the
// definition before; only what is live across jumps walks over blocks.
//
// A value that a move or et_view makes stand for one buffer is that buffer from the point of view
// of liveness. One that may stand for several, depending on the path, is read in all of them and
// ends the life of none; while it is live, each of them is occupied wherever the re-point that
// leads there may still hold.
#include "compiler/place/lifetimes.h"

#include <algorithm>

#include "compiler/place/control_flow.h"

namespace berth::place {
namespace {

using program::Method;
using program::StorageKind;

struct Accesses {
  std::vector<Definition> writes;
  std::vector<uint32_t> reads;  // instructions; their number: at the end of the method
};

class LivenessFinder {
 public:
  explicit LivenessFinder(const Method& method)
      : method_(method),
        flow_(find_control_flow(method)),
        walk_(flow_),
        count_(static_cast<uint32_t>(method.instructions.size())) {}

  bool run() {
    out_.effects = find_effects(method_);
    out_.steps = std::max<uint32_t>(count_, 1);
    if (!find_homes(method_, out_.effects, &budget_, &out_.homes)) return false;
    cut_segments();
    if (!gather_accesses()) return false;
    for (size_t s = 0; s < out_.segments.size(); ++s) {
      if (!solve(segment_accesses_[s], &out_.segments[s].live)) return false;
    }
    for (size_t i = 0; i < split_.size(); ++i) {
      if (!occupy_homes(i)) return false;
    }
    collect();
    return true;
  }

  Lifetimes take() { return std::move(out_); }

 private:
  bool in_pool(int32_t storage) const { return program::in_pool(method_.storages[storage]); }

  bool spend(uint64_t cost) {
    if (budget_ < cost) return false;
    budget_ -= cost;
    return true;
  }

  void cut_segments() {
    std::vector<std::vector<uint64_t>> cuts(method_.storages.size());
    for (const program::Value& value : method_.values) {
      const program::Tensor* tensor = value.tensor();
      if (tensor == nullptr || tensor->storage < 0 || !in_pool(tensor->storage)) continue;
      cuts[tensor->storage].push_back(tensor->offset);
      cuts[tensor->storage].push_back(tensor->offset + program::tensor_nbytes(*tensor));
    }
    out_.first_segment.resize(method_.storages.size() + 1);
    for (size_t s = 0; s < method_.storages.size(); ++s) {
      const auto storage = static_cast<int32_t>(s);
      out_.first_segment[s] = out_.segments.size();
      if (!in_pool(storage)) continue;
      cuts[s].push_back(0);
      cuts[s].push_back(method_.storages[s].nbytes);
      std::sort(cuts[s].begin(), cuts[s].end());
      cuts[s].erase(std::unique(cuts[s].begin(), cuts[s].end()), cuts[s].end());
      for (size_t i = 0; i + 1 < cuts[s].size(); ++i) {
        out_.segments.push_back({storage, cuts[s][i], cuts[s][i + 1], {}});
      }
      // A storage of zero bytes still occupies its instruction: results nobody reads are written
      // all the same.
      if (cuts[s].size() == 1) out_.segments.push_back({storage, 0, 0, {}});
    }
    out_.first_segment.back() = out_.segments.size();
  }

  // Calls visit(segment) for the segments under the value's bytes, wherever those may be.
  template <typename Visit>
  bool for_segments_of(int32_t value, Visit visit) {
    const program::Tensor* tensor = method_.values[value].tensor();
    uint64_t cost = 1;
    for (const Home& home : out_.homes.of(value)) {
      if (!in_pool(home.storage)) continue;
      out_.for_segments(home, program::tensor_nbytes(*tensor), [&](size_t s) {
        ++cost;
        visit(s);
      });
    }
    return spend(cost);
  }

  bool read(int32_t value, uint32_t step) {
    if (out_.homes.is_split(value)) {
      accesses_of_split(value).reads.push_back(step);
      return true;
    }
    return for_segments_of(value, [&](size_t s) { segment_accesses_[s].reads.push_back(step); });
  }

  bool write(int32_t value, uint32_t step) {
    const bool split = out_.homes.is_split(value);
    if (split) accesses_of_split(value).writes.push_back({step, true, value});
    return for_segments_of(value, [&](size_t s) {
      segment_accesses_[s].writes.push_back({step, !split, value});
    });
  }

  Accesses& accesses_of_split(int32_t value) {
    size_t& index = split_index_[value];
    if (index == SIZE_MAX) {
      index = split_.size();
      split_.push_back(value);
      split_accesses_.emplace_back();
      repoints_.emplace_back();
    }
    return split_accesses_[index];
  }

  bool gather_accesses() {
    segment_accesses_.resize(out_.segments.size());
    split_index_.assign(method_.values.size(), SIZE_MAX);
    for (uint32_t k = 0; k < count_; ++k) {
      const Effects& e = out_.effects[k];
      for (int32_t v : e.reads) {
        if (!read(v, k)) return false;
      }
      for (const Effects::Repoint& r : e.repoints) {
        if (!read(r.from, k)) return false;
        if (!out_.homes.is_split(r.to)) continue;
        accesses_of_split(r.to).writes.push_back({k, true, r.from});
        repoints_[split_index_[r.to]].push_back({k, true, r.from});
      }
      for (int32_t v : e.writes) {
        if (!write(v, k)) return false;
      }
      for (int32_t v : e.scratch) {
        if (!write(v, k)) return false;
      }
    }
    bool complete = true;
    for (int32_t v : method_.outputs) {
      for_tensors(method_, v, [&](int32_t t) { complete = complete && read(t, count_); });
    }
    return complete;
  }

  bool solve(const Accesses& accesses, Intervals* live) {
    walk_.start();
    const auto occupy = [&](uint32_t begin, uint32_t end) { live->push_back({begin, end}); };
    for (const Definition& write : accesses.writes) occupy(write.step, write.step + 1);
    for (uint32_t step : accesses.reads) {
      if (step < count_) occupy(step, step + 1);
      const bool complete = walk_.walk(
          step, accesses.writes, &budget_, occupy, [](const Definition&) {}, [] {});
      if (!complete || !spend(1)) return false;
    }
    // A method without instructions has one moment, and what is returned is there.
    if (count_ == 0 && !accesses.reads.empty()) occupy(0, 1);
    normalize(live);
    return true;
  }

  // While a split value is live, the bytes that each of its re-points leads to are occupied where
  // that re-point may still hold.
  bool occupy_homes(size_t index) {
    const int32_t value = split_[index];
    Intervals live;
    if (!solve(split_accesses_[index], &live)) return false;
    const uint64_t bytes = program::tensor_nbytes(*method_.values[value].tensor());
    for (const Definition& repoint : repoints_[index]) {
      Intervals holds;
      const bool complete = walk_forward(flow_, repoint.step, repoints_[index], &budget_,
                                         [&](uint32_t begin, uint32_t end) {
                                           holds.push_back({begin, end});
                                         });
      if (!complete) return false;
      normalize(&holds);
      occupy(out_.homes.of(repoint.value), bytes, intersect(live, holds));
    }
    // Its own bytes may be what it stands for from the start on.
    const program::Tensor* tensor = method_.values[value].tensor();
    const std::vector<Home>& homes = out_.homes.of(value);
    const Home own{tensor->storage, tensor->offset};
    if (std::binary_search(homes.begin(), homes.end(), own)) occupy({own}, bytes, live);
    return true;
  }

  void occupy(const std::vector<Home>& homes, uint64_t bytes, const Intervals& when) {
    for (const Home& home : homes) {
      if (!in_pool(home.storage)) continue;
      out_.for_segments(home, bytes, [&](size_t s) {
        Intervals& live = out_.segments[s].live;
        live.insert(live.end(), when.begin(), when.end());
      });
    }
  }

  void collect() {
    out_.live.assign(method_.storages.size(), {});
    for (Segment& segment : out_.segments) {
      normalize(&segment.live);
      Intervals& live = out_.live[segment.storage];
      live.insert(live.end(), segment.live.begin(), segment.live.end());
    }
    // All inputs are filled before the first instruction.
    for (int32_t v : method_.inputs) {
      for_tensors(method_, v, [&](int32_t t) {
        const program::Tensor* tensor = method_.values[t].tensor();
        if (tensor->storage >= 0 && in_pool(tensor->storage))
          out_.live[tensor->storage].push_back({0, 1});
      });
    }
    for (size_t s = 0; s < method_.storages.size(); ++s) {
      if (method_.storages[s].kind == StorageKind::kState) out_.live[s] = {{0, out_.steps}};
      normalize(&out_.live[s]);
    }
  }

  const Method& method_;
  const ControlFlow flow_;
  BackwardWalk walk_;
  const uint32_t count_;
  uint64_t budget_ = kStepBudget;
  Lifetimes out_;
  std::vector<Accesses> segment_accesses_;
  // Values that may stand for several storages.
  std::vector<int32_t> split_;
  std::vector<size_t> split_index_;  // per value, into split_; SIZE_MAX: none
  std::vector<Accesses> split_accesses_;
  std::vector<std::vector<Definition>> repoints_;  // `value` is the source
};

}  // namespace

Result<Lifetimes> find_lifetimes(const Method& method) {
  LivenessFinder finder(method);
  if (finder.run()) return finder.take();
  return Error{"method " + method.name,
               "its jumps and moves lead to more paths than the analysis follows"};
}

}  // namespace berth::place
