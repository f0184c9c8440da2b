#include "compiler/place/delegates_memory.h"

namespace berth::place {
namespace {

using program::Method;
using program::Storage;

class DelegatesMemory {
 public:
  DelegatesMemory(const Lifetimes& lifetimes, Method* method)
      : lifetimes_(lifetimes),
        method_(*method),
        user_(method->storages.size(), kNobody),
        behind_(method->values.size(), -1) {}

  bool run(uint64_t* budget) {
    for (size_t k = 0; k < lifetimes_.effects.size(); ++k) find_users(k);
    for (size_t s = 0; s < method_.storages.size(); ++s) {
      Storage& storage = method_.storages[s];
      if (user_[s] < 0 || storage.kind != program::StorageKind::kPlanned ||
          storage.role != Role::kActivation) {
        continue;
      }
      if (*budget < method_.storages.size()) return false;
      *budget -= method_.storages.size();
      if (overlaps_another(s)) continue;
      storage.kind = program::StorageKind::kState;
      storage.role = Role::kPersistent;
    }
    return true;
  }

 private:
  static constexpr int32_t kNobody = -1, kOthers = -2;

  // Notes what an instruction touches, as the delegate's own where it stands behind the others.
  void find_users(size_t k) {
    const program::Instruction& instruction = method_.instructions[k];
    const auto* call = std::get_if<program::DelegateCall>(&instruction.call);
    const bool is_untold = call != nullptr && !instruction.input_count;
    size_t others = is_untold ? call->args.size() : 0;
    while (others > 0 && is_bytes(call->args[others - 1])) --others;
    for (size_t i = others; is_untold && i < call->args.size(); ++i)
      behind_[static_cast<size_t>(call->args[i])] = static_cast<int64_t>(k);
    for (size_t i = 0; i < others; ++i) behind_[static_cast<size_t>(call->args[i])] = -1;
    const auto touch = [&](int32_t v) {
      const bool is_own = is_untold && behind_[static_cast<size_t>(v)] == static_cast<int64_t>(k);
      note_user(v, is_own ? call->delegate : kOthers);
    };
    const Effects& e = lifetimes_.effects[k];
    for (const std::vector<int32_t>* list : {&e.reads, &e.writes, &e.scratch}) {
      for (const int32_t v : *list) touch(v);
    }
    for (const Effects::Repoint& r : e.repoints) note_user(r.from, kOthers);
  }

  void note_user(int32_t v, int32_t user) {
    for (const Home& home : lifetimes_.homes.of(v)) {
      int32_t& known = user_[static_cast<size_t>(home.storage)];
      known = known == kNobody || known == user ? user : kOthers;
    }
  }

  // As compilers declare work memory: a list of bytes.
  bool is_bytes(int32_t v) const {
    const program::Tensor* tensor = method_.values[static_cast<size_t>(v)].tensor();
    return tensor != nullptr && tensor->dtype == ScalarType::kByte && tensor->sizes.size() == 1 &&
           tensor->storage >= 0;
  }

  bool overlaps_another(size_t s) const {
    const Storage& mine = method_.storages[s];
    for (size_t i = 0; i < method_.storages.size(); ++i) {
      const Storage& it = method_.storages[i];
      if (i == s || !in_pool(it) || it.mem_id != mine.mem_id || lifetimes_.live[i].empty())
        continue;
      if (it.offset < mine.offset + mine.nbytes && mine.offset < it.offset + it.nbytes) return true;
    }
    return false;
  }

  const Lifetimes& lifetimes_;
  Method& method_;
  std::vector<int32_t> user_;    // per storage: the only delegate whose calls name it as its own
  std::vector<int64_t> behind_;  // per value: the last call behind whose others it stands
};

}  // namespace

bool keep_delegates_memory(const Lifetimes& lifetimes, uint64_t* budget, Method* method) {
  return DelegatesMemory(lifetimes, method).run(budget);
}

}  // namespace berth::place
