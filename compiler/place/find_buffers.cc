#include "compiler/place/find_buffers.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "compiler/place/control_flow.h"
#include "compiler/place/delegates_memory.h"
#include "compiler/place/lifetimes.h"
#include "contract/operators.h"

namespace berth::place {
namespace {

using program::Method;
using program::Storage;
using program::StorageKind;

struct Range {
  uint32_t mem_id = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
};

bool is_known(const Method& method, const program::Instruction& instruction) {
  const auto* call = std::get_if<program::KernelCall>(&instruction.call);
  if (call == nullptr) return false;
  const program::Operator& op = method.operators[static_cast<size_t>(call->op)];
  return find_operator(op.name.c_str(), op.overload.c_str()) != nullptr;
}

class BufferFinder {
 public:
  explicit BufferFinder(Method* method)
      : method_(*method), effects_(find_effects(*method)), parent_(method->values.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  MaybeError run() {
    find_places();
    if (!classify()) return too_complex();
    join_state();
    if (!join_views()) return too_complex();
    if (auto error = form_storages()) return error;
    bool joined = false;
    Result<Lifetimes> lifetimes = find_lifetimes(method_);
    if (!lifetimes.ok()) return lifetimes.error();
    if (!join_results(lifetimes.value(), &joined)) return too_complex();
    if (joined) {
      if (auto error = form_storages()) return error;
      lifetimes = find_lifetimes(method_);
      if (!lifetimes.ok()) return lifetimes.error();
    }
    keep_state(lifetimes.value());
    return keep_delegates_memory(lifetimes.value(), &budget_, &method_) ? std::nullopt
                                                                        : MaybeError(too_complex());
  }

 private:
  Error too_complex() const {
    return Error{"method " + method_.name,
                 "its instructions lead to more paths than the analysis follows"};
  }

  bool spend(uint64_t cost) {
    if (budget_ < cost) return false;
    budget_ -= cost;
    return true;
  }

  int32_t root(int32_t v) {
    while (parent_[v] != v) {
      parent_[v] = parent_[parent_[v]];
      v = parent_[v];
    }
    return v;
  }

  // The smaller index stays the root: the order of joins does not matter.
  void join(int32_t a, int32_t b) {
    a = root(a);
    b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

  bool is_planned(int32_t v) const { return places_[v].mem_id != 0; }

  void find_places() {
    places_.resize(method_.values.size());
    for (size_t v = 0; v < method_.values.size(); ++v) {
      const program::Tensor* tensor = method_.values[v].tensor();
      if (tensor == nullptr || tensor->storage < 0) continue;
      const Storage& storage = method_.storages[tensor->storage];
      if (!in_pool(storage)) continue;
      const uint64_t begin = storage.offset + tensor->offset;
      places_[v] = {storage.mem_id, begin, begin + program::tensor_nbytes(*tensor)};
    }
  }

  bool classify() {
    const size_t count = method_.values.size();
    if (!find_homes(method_, effects_, &budget_, &homes_)) return false;
    first_write_.assign(count, -1);
    scratch_of_.assign(count, -1);
    is_initial_.assign(count, false);
    reads_.assign(count, {});
    for (size_t k = 0; k < effects_.size(); ++k) {
      const auto step = static_cast<uint32_t>(k);
      for (int32_t v : effects_[k].reads) reads_[v].push_back(step);
      for (const auto& r : effects_[k].repoints) reads_[r.from].push_back(step);
      for (int32_t v : effects_[k].writes) note_write(v, step);
      for (int32_t v : effects_[k].scratch) {
        note_write(v, step);
        scratch_of_[v] = static_cast<int32_t>(k);
      }
    }
    const auto end = static_cast<uint32_t>(effects_.size());
    for (int32_t v : method_.outputs) {
      for_tensors(method_, v, [&](int32_t t) { reads_[t].push_back(end); });
    }
    for (int32_t v : method_.inputs) {
      for_tensors(method_, v, [&](int32_t t) { is_initial_[t] = true; });
    }
    for (size_t v = 0; v < count; ++v) {
      if (places_[v].mem_id == 0) continue;
      const int32_t storage = method_.values[v].tensor()->storage;
      if (method_.storages[storage].kind == StorageKind::kState) is_initial_[v] = true;
    }
    return true;
  }

  void note_write(int32_t v, uint32_t step) {
    if (first_write_[v] < 0) first_write_[v] = static_cast<int32_t>(step);
  }

  bool is_view(int32_t v) const {
    return is_planned(v) && first_write_[v] < 0 && !is_initial_[v] && !homes_.is_repointed[v] &&
           !reads_[v].empty();
  }

  // Values of one state, as the reader has put them together.
  void join_state() {
    std::map<int32_t, int32_t> first;
    for (size_t v = 0; v < places_.size(); ++v) {
      if (places_[v].mem_id == 0) continue;
      const int32_t storage = method_.values[v].tensor()->storage;
      if (method_.storages[storage].kind != StorageKind::kState) continue;
      join(first.emplace(storage, static_cast<int32_t>(v)).first->second, static_cast<int32_t>(v));
    }
  }

  // --- static views ---

  // A piece of an arena that some view shows, and who writes it when.
  struct Piece {
    uint64_t begin = 0;
    uint64_t end = 0;
    std::vector<Definition> writes;
    std::vector<int32_t> initial;  // inputs and states that lie there
  };
  using Pieces = std::vector<Piece>;  // ascending, apart

  bool join_views() {
    std::vector<int32_t> views;
    for (size_t v = 0; v < places_.size(); ++v) {
      if (is_view(static_cast<int32_t>(v))) views.push_back(static_cast<int32_t>(v));
    }
    if (views.empty()) return true;
    cut_pieces(views);
    if (!gather_writes()) return false;
    const ControlFlow flow = find_control_flow(method_);
    BackwardWalk walk(flow);
    for (int32_t view : views) {
      bool complete = true;
      for_pieces(places_[view], [&](Piece& piece) {
        walk.start();
        for (uint32_t step : reads_[view]) {
          complete = complete && spend(1) &&
                     walk.walk(
                         step, piece.writes, &budget_, [](uint32_t, uint32_t) {},
                         [&](const Definition& d) { join_writer(view, d.value); },
                         [&] {
                           for (int32_t initial : piece.initial) join(view, initial);
                         });
        }
      });
      if (!complete) return false;
    }
    return true;
  }

  // What an operator leaves in its scratch is nothing to look at.
  void join_writer(int32_t view, int32_t writer) {
    if (scratch_of_[writer] < 0) join(view, writer);
  }

  void cut_pieces(const std::vector<int32_t>& views) {
    std::map<uint32_t, std::vector<uint64_t>> cuts;
    for (const Range& place : places_) {
      if (place.mem_id == 0) continue;
      cuts[place.mem_id].push_back(place.begin);
      cuts[place.mem_id].push_back(place.end);
    }
    std::map<uint32_t, std::vector<Range>> shown;
    for (int32_t v : views) shown[places_[v].mem_id].push_back(places_[v]);
    for (auto& [mem_id, ranges] : shown) {
      std::sort(ranges.begin(), ranges.end(),
                [](const Range& a, const Range& b) { return a.begin < b.begin; });
      std::vector<uint64_t>& bounds = cuts[mem_id];
      std::sort(bounds.begin(), bounds.end());
      bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
      size_t range = 0;
      uint64_t shown_to = 0;  // some view reaches to here
      for (size_t i = 0; i + 1 < bounds.size(); ++i) {
        for (; range < ranges.size() && ranges[range].begin <= bounds[i]; ++range) {
          shown_to = std::max(shown_to, ranges[range].end);
        }
        if (bounds[i] < shown_to) pieces_[mem_id].push_back({bounds[i], bounds[i + 1], {}, {}});
      }
    }
  }

  template <typename Visit>
  void for_pieces(const Range& place, Visit visit) {
    const auto arena = pieces_.find(place.mem_id);
    if (arena == pieces_.end()) return;
    auto piece = std::lower_bound(arena->second.begin(), arena->second.end(), place.begin,
                                  [](const Piece& p, uint64_t begin) { return p.end <= begin; });
    for (; piece != arena->second.end() && piece->begin < place.end; ++piece) visit(*piece);
  }

  // The place of a home: the file's, of the storage as it was read.
  Range place_of(const Home& home, int32_t value) const {
    const Storage& storage = method_.storages[home.storage];
    if (!in_pool(storage)) return {};
    const uint64_t begin = storage.offset + home.offset;
    return {storage.mem_id, begin, begin + program::tensor_nbytes(*method_.values[value].tensor())};
  }

  bool gather_writes() {
    // Who lies at the place that a re-pointed value stands for.
    std::map<std::pair<int32_t, uint64_t>, int32_t> owner_of;
    for (size_t v = 0; v < places_.size(); ++v) {
      if (places_[v].mem_id == 0 || homes_.is_repointed[v]) continue;
      const program::Tensor* tensor = method_.values[v].tensor();
      owner_of.emplace(std::pair(tensor->storage, tensor->offset), static_cast<int32_t>(v));
    }
    uint64_t cost = 0;
    const auto write = [&](int32_t v, uint32_t step) {
      const bool is_sure = !homes_.is_split(v);
      for (const Home& home : homes_.of(v)) {
        int32_t writer = v;
        if (homes_.is_repointed[v]) {
          const auto found = owner_of.find({home.storage, home.offset});
          if (found == owner_of.end()) continue;
          writer = found->second;
        }
        for_pieces(place_of(home, v), [&](Piece& piece) {
          ++cost;
          piece.writes.push_back({step, is_sure, writer});
        });
      }
    };
    for (size_t k = 0; k < effects_.size(); ++k) {
      for (int32_t v : effects_[k].writes) write(v, static_cast<uint32_t>(k));
      for (int32_t v : effects_[k].scratch) write(v, static_cast<uint32_t>(k));
      if (!spend(cost)) return false;
      cost = 0;
    }
    for (size_t v = 0; v < places_.size(); ++v) {
      if (!is_initial_[v]) continue;
      for_pieces(places_[v], [&](Piece& piece) {
        ++cost;
        piece.initial.push_back(static_cast<int32_t>(v));
      });
      if (!spend(cost)) return false;
      cost = 0;
    }
    return true;
  }

  // --- results on arguments ---

  bool join_results(const Lifetimes& lifetimes, bool* joined) {
    for (size_t k = 0; k < effects_.size(); ++k) {
      const Effects& e = effects_[k];
      if (!spend(e.writes.size() * e.reads.size())) return false;
      for (int32_t out : e.writes) {
        for (int32_t in : e.reads) {
          if (!is_planned(out) || !is_planned(in) || root(out) == root(in)) continue;
          if (!may_share(lifetimes, k, places_[out], places_[in], in)) continue;
          join(out, in);
          *joined = true;
        }
      }
    }
    return true;
  }

  bool may_share(const Lifetimes& lifetimes, size_t k, const Range& out, const Range& in,
                 int32_t input) const {
    if (out.mem_id != in.mem_id || out.begin == out.end) return false;
    if (!is_known(method_, method_.instructions[k])) {
      return out.begin >= in.begin && out.end <= in.end;
    }
    if (out.begin != in.begin || out.end != in.end) return false;
    const int32_t storage = method_.values[input].tensor()->storage;
    const program::Interval* live =
        find_interval(lifetimes.live[storage], static_cast<uint32_t>(k));
    return live != nullptr && live->end == k + 1;
  }

  // --- storages ---

  MaybeError form_storages() {
    std::vector<Storage> old = std::move(method_.storages);
    std::vector<int32_t> kept(old.size(), -1);
    std::vector<int32_t> storage_of(method_.values.size(), -1);  // per root
    std::vector<int32_t> state_of;                               // per new storage, into old
    std::vector<int32_t> old_of(method_.values.size(), -1);
    method_.storages.clear();
    for (size_t v = 0; v < method_.values.size(); ++v) {
      program::Tensor* tensor = method_.values[v].tensor();
      if (tensor == nullptr || tensor->storage < 0) continue;
      old_of[v] = tensor->storage;
      if (places_[v].mem_id == 0) {
        int32_t& target = kept[tensor->storage];
        if (target < 0) {
          target = static_cast<int32_t>(method_.storages.size());
          method_.storages.push_back(old[tensor->storage]);
          state_of.push_back(-1);
        }
        tensor->storage = target;
        continue;
      }
      const int32_t r = root(static_cast<int32_t>(v));
      if (storage_of[r] < 0) {
        storage_of[r] = static_cast<int32_t>(method_.storages.size());
        method_.storages.push_back(Storage{});
        method_.storages.back().mem_id = places_[v].mem_id;
        method_.storages.back().offset = places_[v].begin;
        method_.storages.back().nbytes = places_[v].end - places_[v].begin;
        state_of.push_back(-1);
      }
      tensor->storage = storage_of[r];
      if (auto error = add_value(static_cast<int32_t>(v), old[old_of[v]], old_of[v],
                                 &state_of[tensor->storage])) {
        return error;
      }
    }
    for (size_t v = 0; v < method_.values.size(); ++v) {
      if (places_[v].mem_id == 0) continue;
      program::Tensor* tensor = method_.values[v].tensor();
      tensor->offset = places_[v].begin - method_.storages[tensor->storage].offset;
    }
    for (size_t s = 0; s < method_.storages.size(); ++s) {
      if (state_of[s] < 0 || method_.storages[s].nbytes == old[state_of[s]].nbytes) continue;
      return Error{"method " + method_.name + ", state " + method_.storages[s].name,
                   "has " + std::to_string(old[state_of[s]].nbytes) +
                       " bytes, and views that reach beyond them"};
    }
    mark_roles();
    return std::nullopt;
  }

  // One more value of a storage: its bytes, and what the old storage knew.
  MaybeError add_value(int32_t v, const Storage& old, int32_t old_index, int32_t* state) {
    Storage& storage = method_.storages[method_.values[v].tensor()->storage];
    const uint64_t end = std::max(storage.offset + storage.nbytes, places_[v].end);
    storage.offset = std::min(storage.offset, places_[v].begin);
    storage.nbytes = end - storage.offset;
    storage.alignment = old.alignment;
    if (storage.name.empty()) storage.name = method_.values[v].tensor()->fully_qualified_name;
    const int32_t written = scratch_of_[v] >= 0 ? scratch_of_[v] : first_write_[v];
    if (written >= 0 && (storage.owner < 0 || written < storage.owner)) storage.owner = written;
    if (old.kind != StorageKind::kState || *state == old_index) return std::nullopt;
    if (*state >= 0) {
      return Error{"method " + method_.name + ", values[" + std::to_string(v) + "]",
                   "shares bytes with another buffer that has initial bytes of its own"};
    }
    *state = old_index;
    storage.kind = StorageKind::kState;
    storage.data = old.data;
    return std::nullopt;
  }

  // Buffers that are live before the first instruction, and are no inputs.
  void keep_state(const Lifetimes& lifetimes) {
    std::vector<bool> is_assembled(method_.storages.size(), false);
    std::vector<bool> is_written_otherwise(method_.storages.size(), false);
    std::vector<bool> is_begun(method_.storages.size(), false);  // by the first instruction
    for (size_t k = 0; k < effects_.size(); ++k) {
      const bool assembles = is_copy_index(method_.instructions[k]);
      const auto note = [&](int32_t v) {
        for (const Home& home : lifetimes.homes.of(v)) {
          (assembles ? is_assembled : is_written_otherwise)[home.storage] = true;
          if (k == 0) is_begun[home.storage] = true;
        }
      };
      for (int32_t v : effects_[k].writes) note(v);
      for (int32_t v : effects_[k].scratch) note(v);
    }
    if (!effects_.empty()) {
      for (int32_t v : effects_[0].reads) {
        for (const Home& home : lifetimes.homes.of(v)) is_begun[home.storage] = false;
      }
    }
    for (size_t s = 0; s < method_.storages.size(); ++s) {
      Storage& storage = method_.storages[s];
      if (storage.kind != StorageKind::kPlanned || storage.role == Role::kInput) continue;
      if (!contains(lifetimes.live[s], 0) || is_begun[s]) continue;
      if (is_assembled[s] && !is_written_otherwise[s]) continue;
      storage.kind = StorageKind::kState;
      storage.role = Role::kState;
      storage.owner = -1;
    }
  }

  bool is_copy_index(const program::Instruction& instruction) const {
    const auto* call = std::get_if<program::KernelCall>(&instruction.call);
    if (call == nullptr) return false;
    return method_.operators[call->op].name == "executorch_prim::et_copy_index";
  }

  void mark_roles() {
    const auto mark = [&](const std::vector<int32_t>& values, Role role) {
      for (int32_t v : values) {
        for_tensors(method_, v, [&](int32_t t) {
          if (!is_planned(t)) return;
          Storage& storage = method_.storages[method_.values[t].tensor()->storage];
          storage.role = role;
          if (role == Role::kInput) storage.owner = -1;
        });
      }
    };
    for (size_t v = 0; v < method_.values.size(); ++v) {
      if (scratch_of_[v] < 0 || places_[v].mem_id == 0) continue;
      const auto& call = method_.instructions[scratch_of_[v]].call;
      method_.storages[method_.values[v].tensor()->storage].role =
          std::holds_alternative<program::DelegateCall>(call) ? Role::kDelegateScratch
                                                              : Role::kOpScratch;
    }
    mark(method_.outputs, Role::kOutput);
    mark(method_.inputs, Role::kInput);
    for (Storage& storage : method_.storages) {
      if (storage.kind != StorageKind::kState) continue;
      storage.role = Role::kState;
      storage.owner = -1;
    }
  }

  Method& method_;
  const std::vector<Effects> effects_;
  std::vector<int32_t> parent_;  // of each value: those of one tree share bytes
  uint64_t budget_ = kStepBudget;
  Homes homes_;
  std::vector<Range> places_;  // per value, in the file; mem_id 0: not planned
  std::vector<int32_t> first_write_;
  std::vector<int32_t> scratch_of_;  // the call it is scratch of
  std::vector<bool> is_initial_;     // holds something before the first instruction
  std::vector<std::vector<uint32_t>> reads_;
  std::map<uint32_t, Pieces> pieces_;
};

}  // namespace

MaybeError find_buffers(program::Program* program) {
  for (Method& method : program->methods) {
    if (method.plan) continue;
    if (auto error = BufferFinder(&method).run()) return error;
  }
  return std::nullopt;
}

}  // namespace berth::place
