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

constexpr size_t kMaxPairs = 4096;  // that lie on each other while both are live

// Calls visit(a, b) for pairs of storages that lie in one memory and are live at some instruction
// both: along time, each new one beside those that are there. False when there are too many.
template <typename Visit>
bool visit_pairs(const Method& method, const Lifetimes& lifetimes, Visit visit) {
  struct Stay {
    uint32_t begin, end;
    int32_t storage;
  };
  std::vector<Stay> stays;
  for (size_t s = 0; s < method.storages.size(); ++s) {
    if (!in_pool(method.storages[s]) || method.storages[s].nbytes == 0) continue;
    for (const program::Interval& i : lifetimes.live[s])
      stays.push_back({i.begin, i.end, static_cast<int32_t>(s)});
  }
  std::sort(stays.begin(), stays.end(), [](const Stay& a, const Stay& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.storage < b.storage;
  });
  std::map<uint32_t, std::vector<Stay>> present;  // per memory
  uint64_t budget = kStepBudget;
  for (const Stay& stay : stays) {
    const uint32_t mem_id = method.storages[static_cast<size_t>(stay.storage)].mem_id;
    std::vector<Stay>& others = present[mem_id];
    std::erase_if(others, [&](const Stay& other) { return other.end <= stay.begin; });
    if (budget < others.size() + 1) return false;
    budget -= others.size() + 1;
    for (const Stay& other : others) {
      if (other.storage != stay.storage) visit(other.storage, stay.storage);
    }
    others.push_back(stay);
  }
  return true;
}

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
  const WriteConflicts conflicts(method, lifetimes);
  std::set<std::pair<int32_t, int32_t>> compared;
  std::vector<Clobber> found;
  bool too_many = false;
  const bool complete = visit_pairs(method, lifetimes, [&](int32_t a, int32_t b) {
    const Storage& x = method.storages[static_cast<size_t>(a)];
    const Storage& y = method.storages[static_cast<size_t>(b)];
    if (x.offset >= y.offset + y.nbytes || y.offset >= x.offset + x.nbytes) return;
    // Of a sound plan no pairs come here but alternatives of moved values.
    if (compared.size() == kMaxPairs) {
      too_many = true;
      return;
    }
    if (!compared.insert(std::minmax(a, b)).second) return;
    if (const auto clobber = conflicts.find(a, x.offset, b, y.offset)) found.push_back(*clobber);
  });
  if (!complete || too_many) {
    return Error{
        "method " + method.name,
        "more buffers are live together, or lie on each other, than the analysis compares"};
  }
  std::sort(found.begin(), found.end(), [](const Clobber& a, const Clobber& b) {
    if (a.instruction != b.instruction) return a.instruction < b.instruction;
    return a.writer != b.writer ? a.writer < b.writer : a.victim < b.victim;
  });
  return found;
}

Error clobber_error(const Method& method, const Clobber& clobber) {
  const program::Tensor* victim = method.values[static_cast<size_t>(clobber.victim)].tensor();
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
