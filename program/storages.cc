#include "program/storages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace berth::program {
namespace {

class StorageFormer {
 public:
  StorageFormer(const std::vector<TensorPlace>& places, Method& method)
      : places_(places), method_(method) {}

  MaybeError run() {
    if (method_.plan) {
      if (auto error = take_recorded_buffers()) return error;
    }
    for (const TensorPlace& place : places_) {
      // A value that is re-pointed when the program runs names a buffer too, but has no place of
      // its own there.
      if (place.mem_id != 0 && in_recorded_buffer(place.value)) {
        if (auto error = join_recorded_buffer(place)) return error;
      } else if (place.mem_id != 0) {
        join_planned(place);
      } else if (tensor(place.value).external) {
        join_external(place);
      } else if (place.data >= 0) {
        join_constant(place);
      } else {
        join(place, add(StorageKind::kCaller, place), 0);
      }
    }
    mark_roles();
    return {};
  }

 private:
  Tensor& tensor(int32_t value) { return *method_.values[static_cast<size_t>(value)].tensor(); }

  int32_t add(StorageKind kind, const TensorPlace& place) {
    Storage storage;
    storage.kind = kind;
    storage.nbytes = place.nbytes;
    storage.mem_id = place.mem_id;
    storage.offset = place.offset;
    storage.name = tensor(place.value).fully_qualified_name;
    method_.storages.push_back(std::move(storage));
    return static_cast<int32_t>(method_.storages.size() - 1);
  }

  void join(const TensorPlace& place, int32_t storage, uint64_t offset) {
    tensor(place.value).storage = storage;
    tensor(place.value).offset = offset;
  }

  // --- without a record ---

  void join_planned(const TensorPlace& place) {
    const auto key = std::tuple(place.mem_id, place.offset, place.nbytes);
    auto [entry, is_new] = planned_.emplace(key, -1);
    const bool external = tensor(place.value).external;
    if (!is_new) {
      Storage& storage = method_.storages[static_cast<size_t>(entry->second)];
      // Two sources of initial bytes for one place: both are kept, as the file has it.
      const bool meets_other = place.data >= 0 && storage.data >= 0 && place.data != storage.data;
      const bool mixes = external_state_.count(entry->second) != 0 ? place.data >= 0
                                                                   : external && storage.data >= 0;
      if (!meets_other && !mixes) {
        if (place.data >= 0) storage.data = place.data;
        if (place.data >= 0 || external) storage.kind = StorageKind::kState;
        if (external) external_state_[entry->second] = true;
        join(place, entry->second, 0);
        return;
      }
    }
    const bool state = place.data >= 0 || external;
    const int32_t storage = add(state ? StorageKind::kState : StorageKind::kPlanned, place);
    method_.storages.back().data = place.data;
    if (external) external_state_[storage] = true;
    if (is_new) entry->second = storage;
    join(place, storage, 0);
  }

  void join_external(const TensorPlace& place) {
    auto [entry, is_new] = external_.emplace(tensor(place.value).fully_qualified_name, -1);
    if (is_new) entry->second = add(StorageKind::kExternal, place);
    Storage& storage = method_.storages[static_cast<size_t>(entry->second)];
    storage.nbytes = std::max(storage.nbytes, place.nbytes);
    join(place, entry->second, 0);
  }

  void join_constant(const TensorPlace& place) {
    auto [entry, is_new] = constant_.emplace(place.data, -1);
    if (is_new) {
      entry->second = add(StorageKind::kConstant, place);
      method_.storages.back().data = place.data;
    }
    Storage& storage = method_.storages[static_cast<size_t>(entry->second)];
    storage.nbytes = std::max(storage.nbytes, place.data_offset + place.nbytes);
    join(place, entry->second, place.data_offset);
  }

  // --- with a record: storage b is buffer b ---

  bool in_recorded_buffer(int32_t value) const {
    return method_.plan && method_.plan->value_buffer[static_cast<size_t>(value)] != -1;
  }

  Error mismatch(size_t buffer, const char* field, std::string message) const {
    return Error{fmt::format("berth.plan_record.methods.{}.{}[{}]", method_.name, field, buffer),
                 std::move(message)};
  }

  MaybeError take_recorded_buffers() {
    std::map<int32_t, const TensorPlace*> place_of;
    for (const TensorPlace& place : places_) place_of[place.value] = &place;
    const auto& buffers = method_.plan->buffers;
    for (size_t b = 0; b < buffers.size(); ++b) {
      const auto found = place_of.find(buffers[b].extent);
      if (found == place_of.end() || found->second->mem_id == 0) {
        return mismatch(b, "buffer_extent",
                        fmt::format("{}, which is no planned tensor", buffers[b].extent));
      }
      const bool kept = buffers[b].role == Role::kState || buffers[b].role == Role::kPersistent;
      add(kept ? StorageKind::kState : StorageKind::kPlanned, *found->second);
      Storage& storage = method_.storages.back();
      storage.role = buffers[b].role;
      storage.alignment = buffers[b].alignment;
      storage.owner = buffers[b].owner;
      storage.name = buffers[b].name;
      method_.values[static_cast<size_t>(buffers[b].extent)].name = buffers[b].name;
    }
    return {};
  }

  MaybeError join_recorded_buffer(const TensorPlace& place) {
    const auto value = static_cast<size_t>(place.value);
    const int32_t b = method_.plan->value_buffer[value];
    if (b < 0 || static_cast<size_t>(b) >= method_.plan->buffers.size()) {
      return mismatch(
          value, "value_buffer",
          fmt::format("{}; must be -1 or one of {} buffers", b, method_.plan->buffers.size()));
    }
    Storage& storage = method_.storages[static_cast<size_t>(b)];
    const bool inside = place.mem_id == storage.mem_id && place.offset >= storage.offset &&
                        place.offset + place.nbytes <= storage.offset + storage.nbytes;
    if (!inside) {
      return mismatch(value, "value_buffer",
                      fmt::format("{} bytes at {} of arena {} are not inside the buffer's {} bytes "
                                  "at {} of arena {}",
                                  place.nbytes, place.offset, place.mem_id, storage.nbytes,
                                  storage.offset, storage.mem_id));
    }
    if (place.data >= 0) {
      const bool whole = place.offset == storage.offset && place.nbytes == storage.nbytes;
      if (storage.kind != StorageKind::kState || !whole ||
          (storage.data >= 0 && storage.data != place.data)) {
        return mismatch(value, "value_buffer",
                        fmt::format("the value has initial bytes of its own, which buffer {} does "
                                    "not have as a whole",
                                    b));
      }
      storage.data = place.data;
    }
    join(place, b, place.offset - storage.offset);
    return {};
  }

  // Without a record, what a buffer is for is seen from the method's interface.
  void mark_roles() {
    const size_t recorded = method_.plan ? method_.plan->buffers.size() : 0;
    auto mark = [&](const std::vector<int32_t>& values, Role role) {
      for (int32_t value : values) {
        if (value < 0 || static_cast<size_t>(value) >= method_.values.size()) continue;
        const Tensor* t = method_.values[static_cast<size_t>(value)].tensor();
        if (t == nullptr || static_cast<size_t>(t->storage) < recorded) continue;
        method_.storages[static_cast<size_t>(t->storage)].role = role;
      }
    };
    mark(method_.outputs, Role::kOutput);
    mark(method_.inputs, Role::kInput);
    for (size_t s = recorded; s < method_.storages.size(); ++s) {
      Storage& storage = method_.storages[s];
      if (storage.kind == StorageKind::kState) storage.role = Role::kState;
    }
  }

  const std::vector<TensorPlace>& places_;
  Method& method_;
  std::map<std::tuple<uint32_t, uint64_t, uint64_t>, int32_t> planned_;
  std::map<int32_t, bool> external_state_;  // storages whose initial bytes come from a .ptd
  std::map<std::string, int32_t> external_;
  std::map<int32_t, int32_t> constant_;
};

}  // namespace

MaybeError form_storages(const std::vector<TensorPlace>& places, Method& method) {
  return StorageFormer(places, method).run();
}

}  // namespace berth::program
