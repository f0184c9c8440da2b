// Backward liveness over linear code with jumps, on segments of storages.
//
// A storage is cut at the bounds of all its values; the pieces ("segments") are what is live or
// not, so that the parts of a concatenation begin one by one and a whole write ends what was there
// before. Which storage a value stands for changes with moves and et_view; a forward analysis keeps
// the set of storages for each value that is re-pointed (after a join either branch's result). A
// value that may stand for several is read in all of them and kills none.
#include "compiler/place/lifetimes.h"

#include <algorithm>
#include <map>
#include <set>

namespace berth::place {
namespace {

using program::Method;
using program::StorageKind;

struct Segment {
  int32_t storage;
  uint64_t begin;
  uint64_t end;
};

// Where a value's bytes may be: (storage, offset). Sorted, no duplicates.
struct Home {
  int32_t storage;
  uint64_t offset;
  bool operator<(const Home& o) const {
    return storage != o.storage ? storage < o.storage : offset < o.offset;
  }
  bool operator==(const Home&) const = default;
};
using Homes = std::vector<Home>;
using HomeMap = std::map<int32_t, Homes>;  // re-pointed values only

class LivenessFinder {
 public:
  explicit LivenessFinder(const Method& method) : method_(method) {}

  Lifetimes run() {
    Lifetimes result;
    result.effects = find_effects(method_);
    effects_ = &result.effects;
    steps_ = std::max<size_t>(method_.instructions.size(), 1);
    result.steps = static_cast<uint32_t>(steps_);
    find_successors();
    cut_segments();
    follow_repoints();
    solve();
    collect(&result.live);
    return result;
  }

 private:
  static size_t at(int32_t i) { return static_cast<size_t>(i); }

  bool in_pool(int32_t storage) const { return program::in_pool(method_.storages[at(storage)]); }

  // A condition that is the Bool constant false, written by nobody, makes the jump unconditional.
  void find_successors() {
    const size_t count = method_.instructions.size();
    std::set<int32_t> changed;
    for (size_t k = 0; k < count; ++k) {
      const auto& call = method_.instructions[k].call;
      if (const auto* kernel = std::get_if<program::KernelCall>(&call)) {
        if (!kernel->args.empty()) changed.insert(kernel->args.back());
      } else if (const auto* move = std::get_if<program::MoveCall>(&call)) {
        changed.insert(move->to);
      } else if (const auto* delegate = std::get_if<program::DelegateCall>(&call)) {
        changed.insert(delegate->args.begin(), delegate->args.end());
      }
    }
    successors_.resize(count);
    for (size_t k = 0; k < count; ++k) {
      bool falls_through = true;
      if (const auto* jump = std::get_if<program::JumpFalseCall>(&method_.instructions[k].call)) {
        successors_[k].push_back(
            static_cast<uint32_t>(std::min(static_cast<size_t>(jump->target), count)));
        const auto* condition = std::get_if<bool>(&method_.values[at(jump->condition)].data);
        if (condition != nullptr && !*condition && !changed.count(jump->condition))
          falls_through = false;
      }
      if (falls_through) successors_[k].push_back(static_cast<uint32_t>(k + 1));
    }
  }

  void cut_segments() {
    std::vector<std::set<uint64_t>> cuts(method_.storages.size());
    for (const program::Value& value : method_.values) {
      const program::Tensor* tensor = value.tensor();
      if (tensor == nullptr || tensor->storage < 0 || !in_pool(tensor->storage)) continue;
      cuts[at(tensor->storage)].insert(tensor->offset);
      cuts[at(tensor->storage)].insert(tensor->offset + program::tensor_nbytes(*tensor));
    }
    first_segment_.resize(method_.storages.size() + 1);
    for (size_t s = 0; s < method_.storages.size(); ++s) {
      first_segment_[s] = segments_.size();
      if (!in_pool(static_cast<int32_t>(s))) continue;
      cuts[s].insert(0);
      cuts[s].insert(method_.storages[s].nbytes);
      uint64_t begin = 0;
      bool first = true;
      for (uint64_t cut : cuts[s]) {
        if (!first) segments_.push_back({static_cast<int32_t>(s), begin, cut});
        begin = cut;
        first = false;
      }
      // A storage of zero bytes still occupies its instruction: results nobody reads are written
      // all the same.
      if (first_segment_[s] == segments_.size())
        segments_.push_back({static_cast<int32_t>(s), 0, 0});
    }
    first_segment_.back() = segments_.size();
  }

  Homes own_home(int32_t value) const {
    const program::Tensor* tensor = method_.values[at(value)].tensor();
    if (tensor == nullptr || tensor->storage < 0) return {};
    return {{tensor->storage, tensor->offset}};
  }

  Homes homes_of(int32_t value, const HomeMap& map) const {
    const auto it = map.find(value);
    return it != map.end() ? it->second : own_home(value);
  }

  // Forward: homes of re-pointed values before each instruction.
  void follow_repoints() {
    const size_t count = method_.instructions.size();
    homes_.assign(count + 1, {});
    bool any = false;
    std::set<int32_t> repointed;
    for (const Effects& e : *effects_) {
      for (const auto& r : e.repoints) {
        repointed.insert(r.to);
        any = true;
      }
    }
    if (!any) return;
    HomeMap start;
    for (int32_t v : repointed) start[v] = own_home(v);
    std::vector<bool> reached(count + 1, false);
    homes_[0] = start;
    reached[0] = true;
    bool changed = true;
    while (changed) {
      changed = false;
      for (size_t k = 0; k < count; ++k) {
        if (!reached[k]) continue;
        HomeMap after = homes_[k];
        for (const auto& r : (*effects_)[k].repoints) after[r.to] = homes_of(r.from, after);
        for (uint32_t next : successors_[k]) {
          if (!reached[next]) {
            homes_[next] = after;
            reached[next] = true;
            changed = true;
            continue;
          }
          for (auto& [value, homes] : homes_[next]) {
            Homes merged;
            std::set_union(homes.begin(), homes.end(), after[value].begin(), after[value].end(),
                           std::back_inserter(merged));
            if (merged != homes) {
              homes = merged;
              changed = true;
            }
          }
        }
      }
    }
  }

  // Calls visit(segment) for the segments under the value's bytes at instruction k.
  template <typename Visit>
  void for_segments(int32_t value, size_t k, Visit visit) const {
    const uint64_t bytes = program::tensor_nbytes(*method_.values[at(value)].tensor());
    for (const Home& home : homes_of(value, homes_[k])) {
      if (!in_pool(home.storage)) continue;
      for (size_t s = first_segment_[at(home.storage)]; s < first_segment_[at(home.storage) + 1];
           ++s) {
        const Segment& segment = segments_[s];
        const bool empty = segment.begin == segment.end;
        if (empty || (segment.begin < home.offset + bytes && home.offset < segment.end)) visit(s);
      }
    }
  }

  // What is live or not: the segments, then the re-pointed values. While such a value is live, the
  // bytes it stands for at that moment are occupied; where it was moved from matters before the
  // move only.
  void read_value(int32_t v, size_t k, std::vector<bool>* live) const {
    const auto it = unit_of_.find(v);
    if (it != unit_of_.end()) {
      (*live)[it->second] = true;
    } else {
      for_segments(v, k, [&](size_t s) { (*live)[s] = true; });
    }
  }

  void write_value(int32_t v, size_t k, std::vector<bool>* live) const {
    const auto it = unit_of_.find(v);
    if (it != unit_of_.end()) (*live)[it->second] = false;
    if (homes_of(v, homes_[k]).size() == 1) {
      for_segments(v, k, [&](size_t s) { (*live)[s] = false; });
    }
  }

  void keep_state(std::vector<bool>* live) const {
    for (size_t s = 0; s < segments_.size(); ++s) {
      if (storage_of(s).kind == StorageKind::kState) (*live)[s] = true;
    }
  }

  const program::Storage& storage_of(size_t segment) const {
    return method_.storages[at(segments_[segment].storage)];
  }

  void solve() {
    const size_t count = method_.instructions.size();
    size_t units = segments_.size();
    for (const Effects& e : *effects_) {
      for (const auto& r : e.repoints) {
        if (unit_of_.emplace(r.to, units).second) ++units;
      }
    }
    live_in_.assign(count + 1, std::vector<bool>(units, false));
    // After the last instruction: outputs, and state.
    for (int32_t v : method_.outputs) {
      for_tensors(v, [&](int32_t tensor) { read_value(tensor, count, &live_in_[count]); });
    }
    keep_state(&live_in_[count]);
    bool changed = true;
    while (changed) {
      changed = false;
      for (size_t k = count; k-- > 0;) {
        std::vector<bool> live(units, false);
        for (uint32_t next : successors_[k]) {
          for (size_t u = 0; u < units; ++u) live[u] = live[u] || live_in_[next][u];
        }
        const Effects& e = (*effects_)[k];
        for (int32_t v : e.writes) write_value(v, k, &live);
        for (int32_t v : e.scratch) write_value(v, k, &live);
        for (const auto& r : e.repoints) {
          const size_t unit = unit_of_.at(r.to);
          if (!live[unit]) continue;
          live[unit] = false;
          read_value(r.from, k, &live);
        }
        for (int32_t v : e.reads) read_value(v, k, &live);
        keep_state(&live);
        if (live != live_in_[k]) {
          live_in_[k] = std::move(live);
          changed = true;
        }
      }
    }
  }

  // The tensors that a method output stands for.
  template <typename Visit>
  void for_tensors(int32_t v, Visit visit) const {
    const program::Value& value = method_.values[at(v)];
    if (value.tensor() != nullptr) {
      visit(v);
    } else if (const auto* list = std::get_if<program::TensorList>(&value.data)) {
      for (int32_t item : list->values) visit(item);
    }
  }

  void collect(std::vector<Intervals>* out) const {
    out->assign(method_.storages.size(), {});
    const size_t count = method_.instructions.size();
    std::vector<bool> occupied(method_.storages.size());
    for (size_t k = 0; k < steps_; ++k) {
      std::fill(occupied.begin(), occupied.end(), false);
      const auto mark = [&](int32_t v) {
        for_segments(v, k, [&](size_t s) { occupied[at(segments_[s].storage)] = true; });
      };
      for (size_t s = 0; s < segments_.size(); ++s) {
        if (live_in_[k][s]) occupied[at(segments_[s].storage)] = true;
      }
      for (const auto& [value, unit] : unit_of_) {
        if (live_in_[k][unit]) mark(value);
      }
      if (k < count) {
        const Effects& e = (*effects_)[k];
        for (int32_t v : e.reads) mark(v);
        for (int32_t v : e.writes) mark(v);
        for (int32_t v : e.scratch) mark(v);
      }
      if (k == 0) {  // all inputs are filled before the first instruction
        for (int32_t v : method_.inputs) for_tensors(v, mark);
      }
      for (size_t s = 0; s < occupied.size(); ++s) {
        if (occupied[s]) append_step(&(*out)[s], static_cast<uint32_t>(k));
      }
    }
  }

  const Method& method_;
  const std::vector<Effects>* effects_ = nullptr;
  size_t steps_ = 1;
  std::vector<std::vector<uint32_t>> successors_;
  std::vector<Segment> segments_;
  std::vector<size_t> first_segment_;  // per storage, and one more
  std::vector<HomeMap> homes_;  // before each instruction; empty maps when nothing is re-pointed
  std::map<int32_t, size_t> unit_of_;  // re-pointed values, after the segments
  std::vector<std::vector<bool>> live_in_;
};

}  // namespace

Lifetimes find_lifetimes(const program::Method& method) { return LivenessFinder(method).run(); }

}  // namespace berth::place
