#include "compiler/place/delegates_memory.h"

#include "compiler/place/homes.h"

namespace berth::place {
namespace {

using program::DelegateCall;
using program::Method;
using program::Storage;
using program::StorageKind;

constexpr int32_t kNobody = -1, kOthers = -2;

class WorkFinder {
 public:
  explicit WorkFinder(const Method& method)
      : method_(method), user_(method.values.size(), kNobody) {}

  std::vector<int32_t> run() {
    for (const program::Instruction& instruction : method_.instructions) {
      if (const auto* call = std::get_if<program::KernelCall>(&instruction.call)) {
        for (const int32_t v : call->args) note(v, kOthers);
      } else if (const auto* delegate = std::get_if<DelegateCall>(&instruction.call)) {
        note_call(*delegate, instruction.input_count.has_value());
      } else if (const auto* move = std::get_if<program::MoveCall>(&instruction.call)) {
        note(move->from, kOthers);
        note(move->to, kOthers);
      } else if (const auto* jump = std::get_if<program::JumpFalseCall>(&instruction.call)) {
        note(jump->condition, kOthers);
      }
    }
    for (const std::vector<int32_t>* interface : {&method_.inputs, &method_.outputs}) {
      for (const int32_t v : *interface) note(v, kOthers);
    }
    for (int32_t& user : user_) {
      if (user == kOthers) user = kNobody;
    }
    return std::move(user_);
  }

 private:
  void note_call(const DelegateCall& call, bool is_told) {
    size_t others = call.args.size();
    while (!is_told && others > 0 && is_work(call.args[others - 1])) --others;
    for (size_t i = 0; i < call.args.size(); ++i)
      note(call.args[i], i < others ? kOthers : call.delegate);
  }

  void note(int32_t v, int32_t user) {
    const auto note_one = [&](int32_t t) {
      int32_t& known = user_[static_cast<size_t>(t)];
      known = known == kNobody || known == user ? user : kOthers;
    };
    for_tensors(method_, v, note_one);
  }

  bool is_work(int32_t v) const {
    const program::Tensor* tensor = method_.values[static_cast<size_t>(v)].tensor();
    if (tensor == nullptr || tensor->dtype != ScalarType::kByte || tensor->sizes.size() != 1 ||
        tensor->storage < 0) {
      return false;
    }
    const Storage& storage = method_.storages[static_cast<size_t>(tensor->storage)];
    return storage.kind == StorageKind::kPlanned ||
           (storage.kind == StorageKind::kState && storage.role == Role::kPersistent);
  }

  const Method& method_;
  std::vector<int32_t> user_;  // per value: a delegate, nobody or others
};

// Whether the file has something else in the bytes of a storage.
bool overlaps_another(const Method& method, const Lifetimes& lifetimes, size_t s) {
  const Storage& mine = method.storages[s];
  for (size_t i = 0; i < method.storages.size(); ++i) {
    const Storage& it = method.storages[i];
    if (i == s || !in_pool(it) || it.mem_id != mine.mem_id || lifetimes.live[i].empty()) continue;
    if (it.offset < mine.offset + mine.nbytes && mine.offset < it.offset + it.nbytes) return true;
  }
  return false;
}

}  // namespace

std::vector<int32_t> find_delegates_work(const Method& method) { return WorkFinder(method).run(); }

bool keep_delegates_memory(const Lifetimes& lifetimes, uint64_t* budget, Method* method) {
  const std::vector<int32_t> work = find_delegates_work(*method);
  std::vector<bool> is_work(method->storages.size(), false);
  for (size_t v = 0; v < work.size(); ++v) {
    if (work[v] < 0) continue;
    is_work[static_cast<size_t>(method->values[v].tensor()->storage)] = true;
  }
  for (size_t s = 0; s < method->storages.size(); ++s) {
    if (!is_work[s] || method->storages[s].kind != StorageKind::kPlanned) continue;
    if (*budget < method->storages.size()) return false;
    *budget -= method->storages.size();
    if (overlaps_another(*method, lifetimes, s)) continue;
    method->storages[s].kind = StorageKind::kState;
    method->storages[s].role = Role::kPersistent;
  }
  return true;
}

}  // namespace berth::place
