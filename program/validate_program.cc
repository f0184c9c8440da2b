#include "program/validate_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/rules.h"

namespace berth::program {
namespace {

template <typename Enum>
constexpr int number(Enum value) {
  return static_cast<int>(value);
}

MaybeError check_dim_order(const Tensor& tensor, const FieldPath& path) {
  const size_t rank = tensor.sizes.size();
  if (tensor.dim_order.size() != rank) {
    return path.error("dim_order", fmt::format("{} entries; must be as many as sizes has, {}",
                                               tensor.dim_order.size(), rank));
  }
  uint32_t seen = 0;
  for (size_t i = 0; i < rank; ++i) {
    const uint8_t dim = tensor.dim_order[i];
    if (dim >= rank || (seen >> dim & 1) != 0) {
      return path.error(fmt::format("dim_order[{}]", i),
                        fmt::format("{}; must be a permutation of 0..{}", dim, rank - 1));
    }
    seen |= 1u << dim;
  }
  return {};
}

class Validator {
 public:
  Validator(const Program& program, Placed placed) : program_(program), placed_(placed) {}

  MaybeError run() {
    if (program_.methods.empty()) {
      return path_.error("execution_plan", "no methods; a program has at least one");
    }
    for (size_t i = 0; i < program_.methods.size(); ++i) {
      FieldPath::Scope scope(path_, "execution_plan", static_cast<int64_t>(i));
      if (auto error = check_method(program_.methods[i])) return error;
    }
    if (auto error = check_named_data()) return error;
    if (program_.record) return check_record(program_, placed_);
    return {};
  }

 private:
  // --- a method ---

  MaybeError check_method(const Method& method) {
    method_ = &method;
    if (method.values.size() > INT32_MAX || method.instructions.size() > INT32_MAX) {
      return path_.error("values", "more values or instructions than the format can number");
    }
    if (auto error = check_pools(method.pools)) return error;
    for (size_t i = 0; i < method.storages.size(); ++i) {
      FieldPath::Scope scope(path_, "storages", static_cast<int64_t>(i));
      if (auto error = check_storage(method.storages[i])) return error;
    }
    for (size_t i = 0; i < method.values.size(); ++i) {
      FieldPath::Scope scope(path_, "values", static_cast<int64_t>(i));
      if (auto error = check_value(method.values[i], static_cast<int64_t>(i))) return error;
    }
    if (auto error = check_storage_users()) return error;
    if (auto error = check_value_indices(path_, "inputs", method.inputs, method.values.size()))
      return error;
    if (auto error = check_value_indices(path_, "outputs", method.outputs, method.values.size()))
      return error;
    for (size_t i = 0; i < method.operators.size(); ++i) {
      FieldPath::Scope scope(path_, "operators", static_cast<int64_t>(i));
      if (method.operators[i].name.empty()) {
        return path_.error("name", "empty; an operator has a name");
      }
    }
    for (size_t i = 0; i < method.delegates.size(); ++i) {
      FieldPath::Scope scope(path_, "delegates", static_cast<int64_t>(i));
      if (method.delegates[i].id.empty()) return path_.error("id", "empty; a backend has a name");
      const size_t blobs = program_.delegate_data.size();
      if (auto error =
              check_index(path_, "processed", method.delegates[i].data, blobs, "delegate blobs"))
        return error;
    }
    if (auto error = check_instructions(method, path_)) return error;
    if (!method.stacktrace.empty() && method.stacktrace.size() != method.instructions.size()) {
      return path_.error("stacktrace",
                         fmt::format("{} lists; must be none or one per instruction, {}",
                                     method.stacktrace.size(), method.instructions.size()));
    }
    if (method.plan) return check_recorded_plan(method, placed_, path_);
    if (program_.record && placed_ == Placed::kYes) {
      return path_.error("plan", "missing; a program with a record has a plan for every method");
    }
    return {};
  }

  MaybeError check_pools(const std::vector<PoolSize>& pools) const {
    uint32_t last = 0;
    for (const PoolSize& pool : pools) {
      const std::string field = fmt::format("non_const_buffer_sizes[{}]", pool.mem_id);
      if (pool.mem_id <= last || pool.mem_id > kMaxMemId) {
        return path_.error(field, fmt::format("arena numbers must rise and be 1..{}", kMaxMemId));
      }
      if (pool.bytes > INT64_MAX) {
        return path_.error(field, fmt::format("{} bytes; must be at most 2^63 - 1", pool.bytes));
      }
      if (auto error = check_device(pool.device_type, pool.device_index, field)) return error;
      last = pool.mem_id;
    }
    return {};
  }

  MaybeError check_device(int8_t type, int8_t index, std::string_view field) const {
    if (type != 0 && type != 1) {
      return path_.error(fmt::format("{}.device_type", field),
                         fmt::format("{}; must be 0 (CPU) or 1 (CUDA)", type));
    }
    if (index < 0) {
      return path_.error(fmt::format("{}.device_index", field),
                         fmt::format("{}; must not be negative", index));
    }
    return {};
  }

  const PoolSize* find_pool(uint32_t mem_id) const {
    const auto& pools = method_->pools;
    auto found = std::lower_bound(pools.begin(), pools.end(), mem_id,
                                  [](const PoolSize& p, uint32_t id) { return p.mem_id < id; });
    return found != pools.end() && found->mem_id == mem_id ? &*found : nullptr;
  }

  MaybeError check_storage(const Storage& storage) const {
    if (number(storage.kind) > number(StorageKind::kCaller)) {
      return path_.error("kind", fmt::format("{}; not a storage kind", number(storage.kind)));
    }
    if (number(storage.role) >= kRoleCount) {
      return path_.error("role",
                         fmt::format("{}; must be 0..{}", number(storage.role), kRoleCount - 1));
    }
    if (!is_power_of_two(storage.alignment) || storage.alignment > kMaxAlignment) {
      return path_.error("alignment", fmt::format("{}; must be a power of two up to {}",
                                                  storage.alignment, kMaxAlignment));
    }
    const auto instructions = static_cast<int64_t>(method_->instructions.size());
    if (storage.owner < -1 || storage.owner >= instructions) {
      return path_.error("owner", fmt::format("{}; must be -1 or one of {} instructions",
                                              storage.owner, instructions));
    }
    switch (storage.kind) {
      case StorageKind::kConstant:
        return check_bytes(storage, program_.constants, "constants");
      case StorageKind::kState:
        if (storage.data != -1) {
          if (auto error = check_bytes(storage, program_.mutable_data, "mutable data"))
            return error;
        }
        return check_place(storage);
      case StorageKind::kPlanned:
        return check_place(storage);
      case StorageKind::kExternal:
      case StorageKind::kCaller:
        return {};
    }
    return {};
  }

  MaybeError check_bytes(const Storage& storage, const std::vector<Blob>& all,
                         const char* of) const {
    if (auto error = check_index(path_, "data", storage.data, all.size(), of)) return error;
    const size_t have = all[static_cast<size_t>(storage.data)].size();
    if (storage.nbytes > have) {
      return path_.error("nbytes", fmt::format("{}, but its data has {}", storage.nbytes, have));
    }
    return {};
  }

  MaybeError check_place(const Storage& storage) const {
    if (storage.mem_id == 0) {
      if (placed_ == Placed::kNotYet) return {};
      return path_.error("mem_id", "0; arenas are numbered from 1");
    }
    const PoolSize* pool = find_pool(storage.mem_id);
    if (pool == nullptr) {
      return path_.error("mem_id", fmt::format("{}; the method has no such arena", storage.mem_id));
    }
    uint64_t end = 0;
    if (!checked_add(storage.offset, storage.nbytes, &end) || end > pool->bytes) {
      return path_.error("offset",
                         fmt::format("{} and {} bytes from there; arena {} has {}", storage.offset,
                                     storage.nbytes, pool->mem_id, pool->bytes));
    }
    return {};
  }

  // --- values ---

  MaybeError check_value(const Value& value, int64_t self) {
    const Method& method = *method_;
    if (const Tensor* tensor = value.tensor()) return check_tensor_value(*tensor);
    if (const auto* list = std::get_if<IntList>(&value.data)) {
      for (size_t i = 0; i < list->values.size(); ++i) {
        const std::string field = fmt::format("items[{}]", i);
        if (auto error = check_index(path_, field, list->values[i], method.values.size(), "values"))
          return error;
        const Value& item = method.values[static_cast<size_t>(list->values[i])];
        if (!std::holds_alternative<int64_t>(item.data)) {
          return path_.error(field, fmt::format("{}, which is no Int value", list->values[i]));
        }
      }
    }
    if (const auto* list = std::get_if<TensorList>(&value.data)) {
      return check_tensor_items(list->values, self, /*optional=*/false);
    }
    if (const auto* list = std::get_if<OptionalTensorList>(&value.data)) {
      return check_tensor_items(list->values, self, /*optional=*/true);
    }
    if (const auto* list = std::get_if<BoolList>(&value.data)) {
      for (size_t i = 0; i < list->items.size(); ++i) {
        if (list->items[i] <= 1) continue;
        return path_.error(fmt::format("items[{}]", i),
                           fmt::format("{}; a bool is 0 or 1", list->items[i]));
      }
    }
    return {};
  }

  MaybeError check_tensor_items(const std::vector<int32_t>& items, int64_t self,
                                bool optional) const {
    for (size_t i = 0; i < items.size(); ++i) {
      const int32_t item = items[i];
      if (optional && item == -1) continue;
      const std::string field = fmt::format("items[{}]", i);
      if (auto error = check_index(path_, field, item, method_->values.size(), "values"))
        return error;
      if (item >= self) {
        return path_.error(
            field, fmt::format("{}; elements stand before their list, which is {}", item, self));
      }
      const Value& value = method_->values[static_cast<size_t>(item)];
      if (optional && std::holds_alternative<std::monostate>(value.data)) continue;
      if (value.tensor() == nullptr) {
        return path_.error(field, fmt::format("{}, which is no Tensor value", item));
      }
    }
    return {};
  }

  MaybeError check_tensor_value(const Tensor& tensor) const {
    if (auto error = check_tensor(tensor, path_)) return error;
    if (auto error =
            check_index(path_, "storage", tensor.storage, method_->storages.size(), "storages"))
      return error;
    const Storage& storage = method_->storages[static_cast<size_t>(tensor.storage)];
    uint64_t nbytes = 0, end = 0;
    if (!tensor_nbytes(tensor, &nbytes) || !checked_add(tensor.offset, nbytes, &end) ||
        end > storage.nbytes) {
      return path_.error(
          "offset", fmt::format("{} and {} bytes from there; storages[{}] has {}", tensor.offset,
                                nbytes, tensor.storage, storage.nbytes));
    }
    const bool can_be_external = storage.kind == StorageKind::kExternal ||
                                 (storage.kind == StorageKind::kState && storage.data == -1);
    if (tensor.external ? !can_be_external : storage.kind == StorageKind::kExternal) {
      return path_.error("extra_tensor_info.location",
                         "does not fit the storage; external bytes are for tensors with "
                         "location EXTERNAL, and for state without initial bytes in the file");
    }
    if (tensor.external && tensor.fully_qualified_name.empty()) {
      return path_.error("extra_tensor_info.fully_qualified_name",
                         "empty; external bytes are found by it");
    }
    const bool whole =
        storage.kind == StorageKind::kCaller || storage.kind == StorageKind::kExternal;
    if (whole && tensor.offset != 0) {
      return path_.error(
          "offset",
          fmt::format("{}; must be 0 in bytes that the caller or a .ptd gives", tensor.offset));
    }
    return {};
  }

  // Rules that need all values of a storage.
  MaybeError check_storage_users() const {
    const Method& method = *method_;
    std::vector<int32_t> first(method.storages.size(), -1);
    for (size_t i = 0; i < method.values.size(); ++i) {
      const Tensor* tensor = method.values[i].tensor();
      if (tensor == nullptr) continue;
      int32_t& other = first[static_cast<size_t>(tensor->storage)];
      const StorageKind kind = method.storages[static_cast<size_t>(tensor->storage)].kind;
      if (other >= 0 && kind == StorageKind::kCaller) {
        return path_.error(fmt::format("values[{}]", i),
                           fmt::format("shares the caller's bytes with values[{}]; the format "
                                       "cannot say that, only one value may have them",
                                       other));
      }
      if (other >= 0 && kind == StorageKind::kExternal &&
          method.values[static_cast<size_t>(other)].tensor()->fully_qualified_name !=
              tensor->fully_qualified_name) {
        return path_.error(fmt::format("values[{}]", i),
                           fmt::format("shares a storage with values[{}], whose "
                                       "fully_qualified_name is another",
                                       other));
      }
      if (other < 0) other = static_cast<int32_t>(i);
    }
    const std::vector<int32_t> covering = covering_values(method);
    for (size_t i = 0; i < method.storages.size(); ++i) {
      const Storage& storage = method.storages[i];
      if (storage.kind == StorageKind::kState && storage.data >= 0 && covering[i] < 0) {
        return path_.error(fmt::format("storages[{}]", i),
                           "has initial bytes, but no value covers all of it to carry them");
      }
    }
    return {};
  }

  // --- program-wide ---

  MaybeError check_named_data() const {
    std::vector<std::string_view> keys;
    for (size_t i = 0; i < program_.named_data.size(); ++i) {
      const NamedData& entry = program_.named_data[i];
      if (entry.key == kPlanRecordKey) {
        return path_.error(fmt::format("named_data[{}].key", i),
                           fmt::format("{} is made from the plan, not given", entry.key));
      }
      if (!is_power_of_two(entry.alignment) || entry.alignment > kMaxAlignment) {
        return path_.error(
            fmt::format("named_data[{}].alignment", i),
            fmt::format("{}; must be a power of two up to {}", entry.alignment, kMaxAlignment));
      }
      keys.push_back(entry.key);
    }
    return check_distinct(path_, std::move(keys), "named_data", "key");
  }

  const Program& program_;
  const Placed placed_;
  const Method* method_ = nullptr;
  FieldPath path_;
};

}  // namespace

MaybeError check_tensor(const Tensor& tensor, const FieldPath& path) {
  if (!is_scalar_type(number(tensor.dtype))) {
    return path.error("scalar_type",
                      fmt::format("{}; must be 0..{}", number(tensor.dtype), kScalarTypeCount - 1));
  }
  if (tensor.sizes.size() > kMaxRank) {
    return path.error(
        "sizes", fmt::format("{} dimensions; must be at most {}", tensor.sizes.size(), kMaxRank));
  }
  for (size_t i = 0; i < tensor.sizes.size(); ++i) {
    if (tensor.sizes[i] < 0) {
      return path.error(fmt::format("sizes[{}]", i),
                        fmt::format("{}; must not be negative", tensor.sizes[i]));
    }
  }
  uint64_t nbytes = 0;
  if (!tensor_nbytes(tensor, &nbytes)) {
    return path.error("sizes", "their product in bytes does not fit in 64 bits");
  }
  if (auto error = check_dim_order(tensor, path)) return error;
  if (number(tensor.dynamism) < 0 || number(tensor.dynamism) > 2) {
    return path.error(
        "shape_dynamism",
        fmt::format("{}; must be 0 (static), 1 (bound) or 2 (unbound)", number(tensor.dynamism)));
  }
  if (tensor.layout != 0 && tensor.layout != 1) {
    return path.error("layout",
                      fmt::format("{}; must be 0 (strided) or 1 (sparse)", tensor.layout));
  }
  if (tensor.device_type != 0 && tensor.device_type != 1) {
    return path.error("extra_tensor_info.device_type",
                      fmt::format("{}; must be 0 (CPU) or 1 (CUDA)", tensor.device_type));
  }
  return {};
}

std::vector<int32_t> covering_values(const Method& method) {
  std::vector<int32_t> covering(method.storages.size(), -1);
  for (size_t i = 0; i < method.values.size(); ++i) {
    const Tensor* tensor = method.values[i].tensor();
    uint64_t nbytes = 0;
    if (tensor == nullptr || tensor->offset != 0 || !tensor_nbytes(*tensor, &nbytes)) continue;
    const auto storage = static_cast<size_t>(tensor->storage);
    if (nbytes == method.storages[storage].nbytes && covering[storage] < 0) {
      covering[storage] = static_cast<int32_t>(i);
    }
  }
  return covering;
}

MaybeError validate(const Program& program, Placed placed) {
  return Validator(program, placed).run();
}

}  // namespace berth::program
