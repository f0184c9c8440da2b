#include "compiler/place/write_conflicts.h"

#include <algorithm>

namespace berth::place {
namespace {

using program::Storage;
using program::StorageKind;

}  // namespace

WriteConflicts::WriteConflicts(const program::Method& method, const Lifetimes& lifetimes)
    : method_(method),
      lifetimes_(lifetimes),
      writes_(method.storages.size()),
      is_initial_(method.storages.size(), false) {
  const auto write = [&](int32_t v, size_t step) {
    const uint64_t bytes = program::tensor_nbytes(*method_.values[v].tensor());
    for (const Home& home : lifetimes_.homes.of(v)) {
      if (!in_pool(method_.storages[home.storage])) continue;
      writes_[home.storage].push_back(
          {static_cast<uint32_t>(step), v, home.offset, home.offset + bytes});
    }
  };
  for (size_t k = 0; k < lifetimes_.effects.size(); ++k) {
    for (int32_t v : lifetimes_.effects[k].writes) write(v, k);
    for (int32_t v : lifetimes_.effects[k].scratch) write(v, k);
  }
  for (int32_t v : method_.inputs) {
    for_tensors(method_, v, [&](int32_t t) {
      const program::Tensor* tensor = method_.values[t].tensor();
      if (tensor->storage >= 0) is_initial_[tensor->storage] = true;
    });
  }
  for (size_t s = 0; s < method_.storages.size(); ++s) {
    if (method_.storages[s].kind == StorageKind::kState) is_initial_[s] = true;
  }
}

std::optional<Clobber> WriteConflicts::find(int32_t a, uint64_t a_offset, int32_t b,
                                            uint64_t b_offset) const {
  const bool meet = a_offset < b_offset + method_.storages[b].nbytes &&
                    b_offset < a_offset + method_.storages[a].nbytes;
  if (!meet) return std::nullopt;
  if (is_initial_[a] && is_initial_[b]) {
    return Clobber{0, value_in(a, 0, UINT64_MAX), value_in(b, 0, UINT64_MAX)};
  }
  const std::optional<Clobber> first = find_write(a, a_offset, b, b_offset);
  const std::optional<Clobber> second = find_write(b, b_offset, a, a_offset);
  if (!first || !second) return first ? first : second;
  return second->instruction < first->instruction ? second : first;
}

// The first write to `written` at which bytes of `other` that it touches are live.
std::optional<Clobber> WriteConflicts::find_write(int32_t written, uint64_t written_offset,
                                                  int32_t other, uint64_t other_offset) const {
  const Storage& storage = method_.storages[other];
  for (const Write& write : writes_[written]) {
    const uint64_t begin = std::max(written_offset + write.begin, other_offset);
    const uint64_t end = std::min(written_offset + write.end, other_offset + storage.nbytes);
    if (begin >= end) continue;
    bool is_live = storage.kind == StorageKind::kState;
    lifetimes_.for_segments({other, begin - other_offset}, end - begin, [&](size_t s) {
      is_live = is_live || contains(lifetimes_.segments[s].live, write.step);
    });
    if (!is_live) continue;
    return Clobber{write.step, write.value,
                   value_in(other, begin - other_offset, end - other_offset)};
  }
  return std::nullopt;
}

// A value of the storage that has bytes in [begin, end).
int32_t WriteConflicts::value_in(int32_t storage, uint64_t begin, uint64_t end) const {
  for (size_t v = 0; v < method_.values.size(); ++v) {
    const program::Tensor* tensor = method_.values[v].tensor();
    if (tensor == nullptr || tensor->storage != storage) continue;
    if (tensor->offset < end && begin < tensor->offset + program::tensor_nbytes(*tensor))
      return static_cast<int32_t>(v);
  }
  return -1;
}

}  // namespace berth::place
