// The rules for what a plan record says.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "contract/operators.h"
#include "program/rules.h"

namespace berth::program {
namespace {

// Values that an instruction makes stand for another value's bytes; they need no place of their
// own.
std::vector<bool> repointed_values(const Method& method) {
  std::vector<bool> repointed(method.values.size(), false);
  for (const Instruction& instruction : method.instructions) {
    if (const auto* move = std::get_if<MoveCall>(&instruction.call)) {
      repointed[static_cast<size_t>(move->to)] = true;
    } else if (const auto* call = std::get_if<KernelCall>(&instruction.call)) {
      const Operator& op = method.operators[static_cast<size_t>(call->op)];
      if (op.name != ops::kPrimEtView.name || op.overload != ops::kPrimEtView.overload) continue;
      if (!call->args.empty()) repointed[static_cast<size_t>(call->args.back())] = true;
    }
  }
  return repointed;
}

class PlanValidator {
 public:
  PlanValidator(const Method& method, Placed placed, FieldPath& path)
      : method_(method), plan_(*method.plan), placed_(placed), path_(path) {}

  MaybeError run() {
    FieldPath::Scope scope(path_, "plan");
    if (plan_.value_buffer.size() != method_.values.size()) {
      return path_.error("value_buffer",
                         fmt::format("{} entries; must be one per value, {}",
                                     plan_.value_buffer.size(), method_.values.size()));
    }
    for (size_t b = 0; b < plan_.buffers.size(); ++b) {
      FieldPath::Scope inner(path_, "buffers", static_cast<int64_t>(b));
      if (auto error = check_buffer(b)) return error;
    }
    const std::vector<bool> repointed = repointed_values(method_);
    for (size_t v = 0; v < method_.values.size(); ++v) {
      if (auto error = check_member(v, repointed[v])) return error;
    }
    return check_pool_use();
  }

 private:
  struct Range {
    const Storage* storage;
    uint64_t begin, end;
  };

  // The bytes of a tensor value in its pool; false where it has none there. Sums fit: the storage
  // lies in its pool and the tensor in its storage.
  bool planned_range(size_t value, Range* out) const {
    const Tensor* tensor = method_.values[value].tensor();
    if (tensor == nullptr) return false;
    const Storage& storage = method_.storages[static_cast<size_t>(tensor->storage)];
    if (storage.kind != StorageKind::kPlanned && storage.kind != StorageKind::kState) return false;
    uint64_t nbytes = 0;
    if (!tensor_nbytes(*tensor, &nbytes)) return false;
    const uint64_t begin = storage.offset + tensor->offset;
    *out = Range{&storage, begin, begin + nbytes};
    return true;
  }

  MaybeError check_buffer(size_t b) const {
    const RecordedBuffer& buffer = plan_.buffers[b];
    const auto instructions = static_cast<int64_t>(method_.instructions.size());
    if (buffer.extent < 0 || static_cast<size_t>(buffer.extent) >= method_.values.size()) {
      return path_.error("extent", fmt::format("{}; must be one of {} values", buffer.extent,
                                               method_.values.size()));
    }
    Range range{};
    if (!planned_range(static_cast<size_t>(buffer.extent), &range)) {
      return path_.error("extent", fmt::format("{}, which is no tensor in a pool", buffer.extent));
    }
    if (plan_.value_buffer[static_cast<size_t>(buffer.extent)] != static_cast<int32_t>(b)) {
      return path_.error("extent",
                         fmt::format("{}, which value_buffer puts elsewhere", buffer.extent));
    }
    if (static_cast<int>(buffer.role) >= kRoleCount) {
      return path_.error(
          "role", fmt::format("{}; must be 0..{}", static_cast<int>(buffer.role), kRoleCount - 1));
    }
    const bool kept = buffer.role == Role::kState || buffer.role == Role::kPersistent;
    if (kept != (range.storage->kind == StorageKind::kState)) {
      return path_.error("role", fmt::format("{} does not fit the storage of values[{}]",
                                             role_name(buffer.role), buffer.extent));
    }
    if (!is_power_of_two(buffer.alignment) || buffer.alignment > kMaxAlignment) {
      return path_.error("alignment", fmt::format("{}; must be a power of two up to {}",
                                                  buffer.alignment, kMaxAlignment));
    }
    if (placed_ == Placed::kYes && range.begin % buffer.alignment != 0) {
      return path_.error("alignment",
                         fmt::format("{}, but values[{}] begins at byte {} of its pool",
                                     buffer.alignment, buffer.extent, range.begin));
    }
    if (buffer.owner < -1 || buffer.owner >= instructions) {
      return path_.error("owner", fmt::format("{}; must be -1 or one of {} instructions",
                                              buffer.owner, instructions));
    }
    if (auto error = check_intervals(buffer.live)) return error;
    return check_order(b);
  }

  // A method without instructions has one moment, 0.
  MaybeError check_intervals(const std::vector<Interval>& live) const {
    if (live.empty()) return path_.error("live", "no interval; a buffer is live at some moment");
    const uint64_t moments = std::max<size_t>(1, method_.instructions.size());
    uint32_t free_from = 0;
    for (size_t i = 0; i < live.size(); ++i) {
      if (live[i].begin >= live[i].end || live[i].begin < free_from || live[i].end > moments) {
        return path_.error(fmt::format("live[{}]", i),
                           fmt::format("[{}, {}); must not be empty, begin at {} or later and end "
                                       "at {} or before",
                                       live[i].begin, live[i].end, free_from, moments));
      }
      free_from = live[i].end;
    }
    return {};
  }

  MaybeError check_order(size_t b) const {
    if (b == 0) return {};
    const RecordedBuffer& before = plan_.buffers[b - 1];
    const RecordedBuffer& buffer = plan_.buffers[b];
    const uint32_t begin = buffer.live[0].begin;
    const uint32_t begin_before = before.live[0].begin;
    if (begin_before < begin || (begin_before == begin && before.extent < buffer.extent)) return {};
    return path_.error("live[0].begin",
                       fmt::format("{} with extent {} stands after {} with extent {}; buffers are "
                                   "sorted by both",
                                   begin, buffer.extent, begin_before, before.extent));
  }

  MaybeError check_member(size_t v, bool repointed) const {
    const int32_t b = plan_.value_buffer[v];
    if (b == -1) return {};
    const std::string field = fmt::format("value_buffer[{}]", v);
    if (b < -1 || static_cast<size_t>(b) >= plan_.buffers.size()) {
      return path_.error(
          field, fmt::format("{}; must be -1 or one of {} buffers", b, plan_.buffers.size()));
    }
    Range range{}, whole{};
    if (!planned_range(v, &range)) {
      if (repointed && method_.values[v].tensor() != nullptr) return {};
      return path_.error(field, fmt::format("{}, but the value is no tensor in a pool", b));
    }
    if (placed_ == Placed::kNotYet) return {};
    const int32_t extent = plan_.buffers[static_cast<size_t>(b)].extent;
    planned_range(static_cast<size_t>(extent), &whole);
    const bool inside = range.storage->mem_id == whole.storage->mem_id &&
                        range.begin >= whole.begin && range.end <= whole.end;
    if (inside) return {};
    return path_.error(field, fmt::format("bytes [{}, {}) of arena {} are not inside those of "
                                          "values[{}], [{}, {}) of arena {}",
                                          range.begin, range.end, range.storage->mem_id, extent,
                                          whole.begin, whole.end, whole.storage->mem_id));
  }

  MaybeError check_pool_use() const {
    uint32_t last = 0;
    for (size_t i = 0; i < plan_.pool_use.size(); ++i) {
      const uint32_t mem_id = plan_.pool_use[i].mem_id;
      if (mem_id <= last || mem_id > kMaxMemId) {
        return path_.error(fmt::format("pool_use[{}].mem_id", i),
                           fmt::format("{}; must rise and be 1..{}", mem_id, kMaxMemId));
      }
      last = mem_id;
    }
    return {};
  }

  const Method& method_;
  const RecordedPlan& plan_;
  const Placed placed_;
  FieldPath& path_;
};

}  // namespace

MaybeError check_recorded_plan(const Method& method, Placed placed, FieldPath& path) {
  return PlanValidator(method, placed, path).run();
}

MaybeError check_record(const Program& program, Placed placed) {
  const Record& record = *program.record;
  const FieldPath path;
  if (record.version == 0) return path.error("plan_record.version", "0; versions begin at 1");
  if ((record.feature_flags & ~kKnownFeatureFlags) != 0) {
    return path.error("plan_record.feature_flags",
                      fmt::format("{:#x}; bits beyond {:#x} need a newer Berth",
                                  record.feature_flags, kKnownFeatureFlags));
  }
  if (static_cast<int>(record.isa) >= kIsaCount) {
    return path.error("plan_record.isa", fmt::format("{}; must be 0..{}",
                                                     static_cast<int>(record.isa), kIsaCount - 1));
  }
  std::vector<std::string_view> names;
  std::vector<uint32_t> ids;
  for (size_t i = 0; i < record.pools.size(); ++i) {
    const Pool& pool = record.pools[i];
    if (pool.name.empty()) return path.error(fmt::format("plan_record.pools[{}].name", i), "empty");
    if (pool.mem_id == 0 || pool.mem_id > kMaxMemId) {
      return path.error(fmt::format("plan_record.pools[{}].mem_id", i),
                        fmt::format("{}; must be 1..{}", pool.mem_id, kMaxMemId));
    }
    if (!is_power_of_two(pool.alignment) || pool.alignment > kMaxAlignment) {
      return path.error(
          fmt::format("plan_record.pools[{}].alignment", i),
          fmt::format("{}; must be a power of two up to {}", pool.alignment, kMaxAlignment));
    }
    names.push_back(pool.name);
    ids.push_back(pool.mem_id);
  }
  if (auto error = check_distinct(path, names, "plan_record.pools", "name")) return error;
  std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end()) {
    return path.error("plan_record.pools", fmt::format("the mem_id {} occurs twice", *twice));
  }
  if (placed == Placed::kNotYet) return {};
  for (size_t m = 0; m < program.methods.size(); ++m) {
    for (const PoolSize& pool : program.methods[m].pools) {
      if (pool.bytes == 0 || std::binary_search(ids.begin(), ids.end(), pool.mem_id)) continue;
      return path.error("plan_record.pools", fmt::format("none has mem_id {}, which method {} uses",
                                                         pool.mem_id, program.methods[m].name));
    }
  }
  return {};
}

}  // namespace berth::program
