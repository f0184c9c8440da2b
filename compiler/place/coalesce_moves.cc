#include "compiler/place/coalesce_moves.h"

#include <algorithm>

#include "compiler/place/unused_storages.h"
#include "compiler/place/write_conflicts.h"

namespace berth::place {
namespace {

using program::Method;
using program::Storage;
using program::StorageKind;

// Storages in groups that keep their distances.
class Groups {
 public:
  explicit Groups(size_t count) {
    for (size_t s = 0; s < count; ++s) {
      leader_.push_back(static_cast<int32_t>(s));
      members_.push_back({static_cast<int32_t>(s)});
    }
    position_.assign(count, 0);
  }

  int32_t leader(int32_t storage) const { return leader_[storage]; }
  const std::vector<int32_t>& members(int32_t leader) const { return members_[leader]; }
  int64_t position(int32_t storage) const { return position_[storage]; }  // in the group

  // The group of `b` becomes part of that of `a`, moved by `distance`.
  void merge(int32_t a, int32_t b, int64_t distance) {
    for (int32_t member : members_[b]) {
      leader_[member] = a;
      position_[member] += distance;
      members_[a].push_back(member);
    }
    members_[b].clear();
  }

 private:
  std::vector<int32_t> leader_;
  std::vector<std::vector<int32_t>> members_;
  std::vector<int64_t> position_;
};

class MoveCoalescer {
 public:
  MoveCoalescer(const Lifetimes& lifetimes, Method* method)
      : lifetimes_(lifetimes),
        method_(*method),
        conflicts_(*method, lifetimes),
        groups_(method->storages.size()) {}

  void run() {
    for (size_t v = 0; v < method_.values.size(); ++v) {
      const std::vector<Home>& homes = lifetimes_.homes.of(static_cast<int32_t>(v));
      for (size_t i = 1; i < homes.size(); ++i) try_merge(homes[0], homes[i]);
    }
    place_targets(lifetimes_, &method_);
    merge_storages();
  }

 private:
  void try_merge(const Home& a, const Home& b) {
    const int32_t first = groups_.leader(a.storage);
    const int32_t second = groups_.leader(b.storage);
    if (first == second) return;
    // Where b's group must start, seen from a's, for both homes to be at one place.
    const int64_t distance = groups_.position(a.storage) + static_cast<int64_t>(a.offset) -
                             (groups_.position(b.storage) + static_cast<int64_t>(b.offset));
    for (int32_t x : groups_.members(first)) {
      for (int32_t y : groups_.members(second)) {
        if (!may_meet(x, groups_.position(x), y, groups_.position(y) + distance)) return;
      }
    }
    groups_.merge(first, second, distance);
  }

  bool may_meet(int32_t x, int64_t x_position, int32_t y, int64_t y_position) const {
    if (method_.storages[x].kind != StorageKind::kPlanned ||
        method_.storages[y].kind != StorageKind::kPlanned) {
      return false;
    }
    const int64_t base = std::min(x_position, y_position);
    return !conflicts_.find(x, static_cast<uint64_t>(x_position - base), y,
                            static_cast<uint64_t>(y_position - base));
  }

  void merge_storages() {
    // The bytes of each group: [start, end), of its leader.
    std::vector<int64_t> start(method_.storages.size(), INT64_MAX);
    std::vector<int64_t> end(method_.storages.size(), INT64_MIN);
    for (size_t s = 0; s < method_.storages.size(); ++s) {
      const auto storage = static_cast<int32_t>(s);
      const size_t leader = groups_.leader(storage);
      const int64_t position = groups_.position(storage);
      start[leader] = std::min(start[leader], position);
      end[leader] =
          std::max(end[leader], position + static_cast<int64_t>(method_.storages[s].nbytes));
    }
    for (size_t s = 0; s < method_.storages.size(); ++s) {
      const auto leader = groups_.leader(static_cast<int32_t>(s));
      Storage& target = method_.storages[leader];
      const Storage& source = method_.storages[s];
      target.alignment = std::max(target.alignment, source.alignment);
      if (target.role == Role::kActivation) target.role = source.role;
    }
    for (size_t s = 0; s < method_.storages.size(); ++s) {
      if (groups_.leader(static_cast<int32_t>(s)) == static_cast<int32_t>(s))
        method_.storages[s].nbytes = static_cast<uint64_t>(end[s] - start[s]);
    }
    for (program::Value& value : method_.values) {
      program::Tensor* tensor = value.tensor();
      if (tensor == nullptr || tensor->storage < 0) continue;
      const int32_t leader = groups_.leader(tensor->storage);
      tensor->offset += static_cast<uint64_t>(groups_.position(tensor->storage) - start[leader]);
      tensor->storage = leader;
    }
    drop_unused_storages(&method_);
  }

  const Lifetimes& lifetimes_;
  Method& method_;
  const WriteConflicts conflicts_;
  Groups groups_;
};

}  // namespace

void place_targets(const Lifetimes& lifetimes, Method* method) {
  for (size_t v = 0; v < method->values.size(); ++v) {
    program::Tensor* tensor = method->values[v].tensor();
    if (tensor == nullptr || tensor->storage < 0 || !lifetimes.homes.is_repointed[v]) continue;
    if (!in_pool(method->storages[tensor->storage])) continue;
    const std::vector<Home>& homes = lifetimes.homes.of(static_cast<int32_t>(v));
    if (homes.empty() || !in_pool(method->storages[homes[0].storage])) continue;
    const uint64_t end = homes[0].offset + program::tensor_nbytes(*tensor);
    if (end > method->storages[homes[0].storage].nbytes) continue;
    tensor->storage = homes[0].storage;
    tensor->offset = homes[0].offset;
  }
}

void coalesce_moves(const Lifetimes& lifetimes, Method* method) {
  MoveCoalescer(lifetimes, method).run();
}

}  // namespace berth::place
