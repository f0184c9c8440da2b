#include "compiler/place/clobbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/place/place.h"

namespace berth::place {
namespace {

using program::Method;
using program::Storage;
using program::StorageKind;

constexpr uint64_t kBudget = uint64_t{1} << 26;

// Bytes of a memory that an instruction writes.
struct Write {
  uint32_t step = 0;
  int32_t value = -1;
  uint64_t begin = 0;  // in the storage
  uint64_t end = 0;
};

class ClobberFinder {
 public:
  ClobberFinder(const Method& method, const Lifetimes& lifetimes)
      : method_(method), lifetimes_(lifetimes), writes_(method.storages.size()) {}

  Result<std::vector<Clobber>> run() {
    gather_writes();
    if (!visit_neighbours()) {
      return Error{"method " + method_.name,
                   "more buffers lie on each other than the analysis compares"};
    }
    std::sort(found_.begin(), found_.end(), [](const Clobber& a, const Clobber& b) {
      if (a.instruction != b.instruction) return a.instruction < b.instruction;
      return a.writer != b.writer ? a.writer < b.writer : a.victim < b.victim;
    });
    return std::move(found_);
  }

 private:
  static size_t at(int32_t i) { return static_cast<size_t>(i); }

  void gather_writes() {
    const auto write = [&](int32_t v, uint32_t step) {
      const uint64_t bytes = program::tensor_nbytes(*method_.values[at(v)].tensor());
      for (const Home& home : lifetimes_.homes.of(v)) {
        if (!in_pool(method_.storages[at(home.storage)])) continue;
        writes_[at(home.storage)].push_back({step, v, home.offset, home.offset + bytes});
      }
    };
    for (size_t k = 0; k < lifetimes_.effects.size(); ++k) {
      for (int32_t v : lifetimes_.effects[k].writes) write(v, static_cast<uint32_t>(k));
      for (int32_t v : lifetimes_.effects[k].scratch) write(v, static_cast<uint32_t>(k));
    }
    initial_.assign(method_.storages.size(), false);
    for (int32_t v : method_.inputs) {
      for_tensors(method_, v, [&](int32_t t) {
        const program::Tensor* tensor = method_.values[at(t)].tensor();
        if (tensor->storage >= 0) initial_[at(tensor->storage)] = true;
      });
    }
    for (size_t s = 0; s < method_.storages.size(); ++s) {
      if (method_.storages[s].kind == StorageKind::kState) initial_[s] = true;
    }
  }

  // Pairs of buffers that meet in time and in bytes: along time, each new one beside those that are
  // there.
  bool visit_neighbours() {
    struct Stay {
      uint32_t begin, end;
      int32_t storage;
    };
    std::vector<Stay> stays;
    for (size_t s = 0; s < method_.storages.size(); ++s) {
      if (!in_pool(method_.storages[s]) || method_.storages[s].nbytes == 0) continue;
      for (const program::Interval& i : lifetimes_.live[s])
        stays.push_back({i.begin, i.end, static_cast<int32_t>(s)});
    }
    std::sort(stays.begin(), stays.end(), [](const Stay& a, const Stay& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.storage < b.storage;
    });
    std::map<uint32_t, std::vector<Stay>> present;  // per memory
    uint64_t budget = kBudget;
    for (const Stay& stay : stays) {
      std::vector<Stay>& others = present[method_.storages[at(stay.storage)].mem_id];
      std::erase_if(others, [&](const Stay& other) { return other.end <= stay.begin; });
      if (budget < others.size() + 1) return false;
      budget -= others.size() + 1;
      for (const Stay& other : others) {
        if (meet(other.storage, stay.storage)) compare(other.storage, stay.storage);
      }
      others.push_back(stay);
    }
    return true;
  }

  bool meet(int32_t a, int32_t b) const {
    const Storage& x = method_.storages[at(a)];
    const Storage& y = method_.storages[at(b)];
    return a != b && x.offset < y.offset + y.nbytes && y.offset < x.offset + x.nbytes;
  }

  void compare(int32_t a, int32_t b) {
    if (!compared_.insert(std::minmax(a, b)).second) return;
    Clobber first;
    bool is_found = false;
    const auto note = [&](const Clobber& clobber) {
      if (is_found && clobber.instruction >= first.instruction) return;
      first = clobber;
      is_found = true;
    };
    // Filled before the first instruction, both of them.
    if (initial_[at(a)] && initial_[at(b)]) {
      note({0, value_in(a, 0, UINT64_MAX), value_in(b, 0, UINT64_MAX)});
    }
    note_writes(a, b, note);
    note_writes(b, a, note);
    if (is_found) found_.push_back(first);
  }

  // Writes to `written` where bytes of `other` that they touch are live.
  template <typename Note>
  void note_writes(int32_t written, int32_t other, Note note) const {
    const Storage& w = method_.storages[at(written)];
    const Storage& o = method_.storages[at(other)];
    for (const Write& write : writes_[at(written)]) {
      const uint64_t begin = std::max(w.offset + write.begin, o.offset);
      const uint64_t end = std::min(w.offset + write.end, o.offset + o.nbytes);
      if (begin >= end) continue;
      bool is_live = o.kind == StorageKind::kState;
      lifetimes_.for_segments({other, begin - o.offset}, end - begin, [&](size_t s) {
        is_live = is_live || contains(lifetimes_.segments[s].live, write.step);
      });
      if (!is_live) continue;
      note({write.step, write.value, value_in(other, begin - o.offset, end - o.offset)});
      return;
    }
  }

  // A value of the storage that has bytes in [begin, end).
  int32_t value_in(int32_t storage, uint64_t begin, uint64_t end) const {
    for (size_t v = 0; v < method_.values.size(); ++v) {
      const program::Tensor* tensor = method_.values[v].tensor();
      if (tensor == nullptr || tensor->storage != storage) continue;
      if (tensor->offset < end && begin < tensor->offset + program::tensor_nbytes(*tensor))
        return static_cast<int32_t>(v);
    }
    return -1;
  }

  const Method& method_;
  const Lifetimes& lifetimes_;
  std::vector<std::vector<Write>> writes_;  // per storage, ascending by step
  std::vector<bool> initial_;               // filled before the first instruction
  std::set<std::pair<int32_t, int32_t>> compared_;
  std::vector<Clobber> found_;
};

std::string place_of(const Method& method, int32_t v) {
  const program::Tensor* tensor = method.values[static_cast<size_t>(v)].tensor();
  const Storage& storage = method.storages[static_cast<size_t>(tensor->storage)];
  const uint64_t begin = storage.offset + tensor->offset;
  return fmt::format("[{}, {})", begin, begin + program::tensor_nbytes(*tensor));
}

std::string value_name(const Method& method, int32_t v) {
  const program::Value& value = method.values[static_cast<size_t>(v)];
  return value.name.empty() ? fmt::format("values[{}]", v)
                            : fmt::format("values[{}] ({})", v, value.name);
}

}  // namespace

Result<std::vector<Clobber>> find_clobbers(const Method& method, const Lifetimes& lifetimes) {
  return ClobberFinder(method, lifetimes).run();
}

Error clobber_error(const Method& method, const Clobber& clobber) {
  const program::Tensor* victim =
      method.values[static_cast<size_t>(clobber.victim)].tensor();
  return Error{"method " + method.name,
               fmt::format("instruction {} writes {} over {}, which is needed there: bytes {} and "
                           "{} of memory {}",
                           instruction_name(method, static_cast<int32_t>(clobber.instruction)),
                           value_name(method, clobber.writer), value_name(method, clobber.victim),
                           place_of(method, clobber.writer), place_of(method, clobber.victim),
                           method.storages[static_cast<size_t>(victim->storage)].mem_id)};
}

MaybeError check_clobbers(const Method& method) {
  Result<Lifetimes> lifetimes = find_lifetimes(method);
  if (!lifetimes.ok()) return lifetimes.error();
  Result<std::vector<Clobber>> found = find_clobbers(method, lifetimes.value());
  if (!found.ok()) return found.error();
  if (found.value().empty()) return std::nullopt;
  return clobber_error(method, found.value().front());
}

}  // namespace berth::place
