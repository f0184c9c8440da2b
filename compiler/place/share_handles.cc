#include "compiler/place/share_handles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace berth::place {
namespace {

using program::Delegate;
using program::DelegateCall;
using program::Method;
using program::Program;

Error no_such_delegate(const std::string& id, const Program& program) {
  std::vector<std::string> ids;
  for (const Method& method : program.methods) {
    for (const Delegate& delegate : method.delegates) ids.push_back(delegate.id);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::string names;
  for (const std::string& known : ids) names += (names.empty() ? "" : ", ") + known;
  return Error{"--share-handles", "the file has no delegate \"" + id + "\"; it has " +
                                      (names.empty() ? "none at all" : names)};
}

// All that makes an entry: entries with the same key are the same.
std::pair<int32_t, std::string> key_of(const Delegate& delegate) {
  std::string specs;
  for (const program::CompileSpec& spec : delegate.compile_specs) {
    specs += fmt::format("{} {} ", spec.key.size(), spec.value.size()) + spec.key;
    for (const std::byte byte : spec.value) specs += static_cast<char>(byte);
  }
  return {delegate.data, specs};
}

// Which entry each becomes, as they are numbered before: the first of those that are the same.
std::vector<size_t> find_firsts(const std::string& id, const Method& method) {
  std::vector<size_t> first(method.delegates.size());
  std::map<std::pair<int32_t, std::string>, size_t> known;
  for (size_t d = 0; d < first.size(); ++d) {
    const Delegate& delegate = method.delegates[d];
    first[d] = delegate.id == id ? known.try_emplace(key_of(delegate), d).first->second : d;
  }
  return first;
}

// What forbids that a call shares its handle: a work buffer of its own among its arguments.
MaybeError find_work(const Method& method, size_t k, const DelegateCall& call) {
  for (const int32_t argument : call.args) {
    const program::Tensor* tensor = method.values[static_cast<size_t>(argument)].tensor();
    if (tensor == nullptr || tensor->storage < 0) continue;
    const program::Storage& storage = method.storages[static_cast<size_t>(tensor->storage)];
    const bool is_scratch = storage.role == Role::kDelegateScratch;
    if (!is_scratch && storage.role != Role::kPersistent) continue;
    return Error{
        fmt::format("method {}, instruction {}", method.name, k),
        fmt::format("delegate {} ({}) {} \"{}\" of {} bytes; a handle that calls share can "
                    "have neither scratch nor memory of one call's",
                    call.delegate, method.delegates[static_cast<size_t>(call.delegate)].id,
                    is_scratch ? "has the scratch" : "keeps the memory", storage.name,
                    storage.nbytes)};
  }
  return {};
}

MaybeError check_calls(const Method& method, const std::vector<size_t>& first) {
  std::vector<bool> is_shared(first.size());
  for (size_t d = 0; d < first.size(); ++d) {
    if (first[d] != d) is_shared[d] = is_shared[first[d]] = true;
  }
  for (size_t k = 0; k < method.instructions.size(); ++k) {
    const auto* call = std::get_if<DelegateCall>(&method.instructions[k].call);
    if (call == nullptr || !is_shared[static_cast<size_t>(call->delegate)]) continue;
    if (MaybeError error = find_work(method, k, *call)) return error;
  }
  return {};
}

void merge(const std::vector<size_t>& first, int32_t index, Method* method,
           std::vector<SharedHandle>* out) {
  std::vector<Delegate> kept;
  std::vector<int32_t> now(first.size());
  std::map<int32_t, SharedHandle> handles;  // by the entry's new number
  for (size_t d = 0; d < first.size(); ++d) {
    if (first[d] == d) {
      now[d] = static_cast<int32_t>(kept.size());
      kept.push_back(std::move(method->delegates[d]));
    } else {
      now[d] = now[first[d]];
    }
    SharedHandle& handle = handles[now[d]];
    handle.method = index;
    handle.delegate = now[d];
    handle.entries.push_back(static_cast<int32_t>(d));
  }
  method->delegates = std::move(kept);
  for (size_t k = 0; k < method->instructions.size(); ++k) {
    auto* const call = std::get_if<DelegateCall>(&method->instructions[k].call);
    if (call == nullptr) continue;
    call->delegate = now[static_cast<size_t>(call->delegate)];
    handles[call->delegate].calls.push_back(static_cast<int32_t>(k));
  }
  for (auto& [number, handle] : handles) {
    if (handle.entries.size() > 1) out->push_back(std::move(handle));
  }
}

}  // namespace

Result<std::vector<SharedHandle>> share_handles(const std::string& id, Program* program) {
  bool is_known = false;
  std::vector<std::vector<size_t>> firsts;
  for (const Method& method : program->methods) {
    for (const Delegate& delegate : method.delegates) is_known = is_known || delegate.id == id;
    firsts.push_back(find_firsts(id, method));
    if (MaybeError error = check_calls(method, firsts.back())) return *error;
  }
  if (!is_known) return no_such_delegate(id, *program);
  std::vector<SharedHandle> shared;
  for (size_t m = 0; m < firsts.size(); ++m) {
    merge(firsts[m], static_cast<int32_t>(m), &program->methods[m], &shared);
  }
  return shared;
}

}  // namespace berth::place
