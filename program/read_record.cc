#include <fmt/format.h>

#include <string>
#include <utility>

#include "format/plan_record_generated.h"
#include "program/field_path.h"
#include "program/record.h"
#include "program/unknown_fields.h"

namespace berth::program {
namespace {

namespace fb = flatbuffers;
namespace wire = format;

std::string text_of(const fb::String* text) {
  return text == nullptr ? std::string() : text->str();
}

class RecordReader {
 public:
  RecordReader(const wire::PlanRecord& record, Budget& budget, Program& program)
      : record_(record), budget_(budget), unknown_(budget), program_(program) {}

  MaybeError run() {
    FieldPath::Scope scope(path_, "berth.plan_record");
    Record out;
    unknown_.look(record_, wire::PlanRecord::VT_SEPARATE_METHODS, path_);
    out.version = record_.version();
    out.feature_flags = record_.feature_flags();
    if (out.version == 0) return path_.error("version", "0; versions begin at 1");
    if ((out.feature_flags & ~kKnownFeatureFlags) != 0) {
      return path_.error("feature_flags", fmt::format("{:#x}; bits beyond {:#x} need a newer Berth",
                                                      out.feature_flags, kKnownFeatureFlags));
    }
    if (record_.isa() >= kIsaCount) {
      return path_.error("isa", fmt::format("{}; must be 0..{}", record_.isa(), kIsaCount - 1));
    }
    out.isa = static_cast<Isa>(record_.isa());
    out.board = text_of(record_.board());
    out.separate_methods = record_.separate_methods();
    if (auto error = read_pools(out.pools)) return error;
    if (record_.methods()->size() != program_.methods.size()) {
      return path_.error("methods",
                         fmt::format("{} entries; must be one per method of the program, {}",
                                     record_.methods()->size(), program_.methods.size()));
    }
    for (uint32_t i = 0; i < record_.methods()->size(); ++i) {
      FieldPath::Scope inner(path_, "methods", i);
      if (auto error = read_method(*record_.methods()->Get(i), program_.methods[i])) return error;
    }
    if (unknown_.exhausted()) return Budget::exhausted(path_);
    for (std::string& name : unknown_.take()) program_.unknown_fields.push_back(std::move(name));
    program_.record = std::move(out);
    return {};
  }

 private:
  bool take_text(const fb::String* text) { return text == nullptr || budget_.take(text->size()); }

  MaybeError read_pools(std::vector<Pool>& pools) {
    if (!budget_.take(record_.pools()->size(), sizeof(Pool))) return Budget::exhausted(path_);
    pools.reserve(record_.pools()->size());
    for (uint32_t i = 0; i < record_.pools()->size(); ++i) {
      FieldPath::Scope scope(path_, "pools", i);
      const wire::Pool& pool = *record_.pools()->Get(i);
      unknown_.look(pool, wire::Pool::VT_ATTRIBUTES, path_);
      if (!take_text(pool.name())) return Budget::exhausted(path_);
      Pool out{text_of(pool.name()), pool.mem_id(), pool.alignment(), pool.capacity(), {}};
      if (pool.attributes() != nullptr) {
        if (!budget_.take(pool.attributes()->size(), sizeof(std::string)))
          return Budget::exhausted(path_);
        out.attributes.reserve(pool.attributes()->size());
        for (const fb::String* attribute : *pool.attributes()) {
          if (!take_text(attribute)) return Budget::exhausted(path_);
          out.attributes.push_back(attribute->str());
        }
      }
      pools.push_back(std::move(out));
    }
    return {};
  }

  MaybeError read_method(const wire::Method& method, Method& out) {
    unknown_.look(method, wire::Method::VT_PROVEN_OPTIMAL, path_);
    if (method.name()->string_view() != out.name) {
      return path_.error("name", fmt::format("{}; the program's method is {}",
                                             method.name()->string_view(), out.name));
    }
    if (method.instruction_count() != out.instructions.size()) {
      return path_.error("instruction_count",
                         fmt::format("{}; the program's method has {}", method.instruction_count(),
                                     out.instructions.size()));
    }
    if (method.value_buffer()->size() != out.values.size()) {
      return path_.error("value_buffer",
                         fmt::format("{} entries; the program's method has {} values",
                                     method.value_buffer()->size(), out.values.size()));
    }
    RecordedPlan plan;
    if (!budget_.take(out.values.size(), sizeof(int32_t)) || !take_text(method.planner())) {
      return Budget::exhausted(path_);
    }
    plan.value_buffer.assign(method.value_buffer()->begin(), method.value_buffer()->end());
    plan.planner = text_of(method.planner());
    plan.proven_optimal = method.proven_optimal();
    if (auto error = read_buffers(method, plan)) return error;
    if (auto error = read_pool_use(method, plan)) return error;
    if (auto error = read_in_place(method, out)) return error;
    if (auto error = read_calls(method, plan, out)) return error;
    out.plan = std::move(plan);
    return {};
  }

  MaybeError check_length(const char* field, size_t have, size_t want) const {
    if (have == want) return {};
    return path_.error(field, fmt::format("{} entries; must be {}", have, want));
  }

  MaybeError read_buffers(const wire::Method& method, RecordedPlan& plan) {
    const size_t count = method.buffer_extent()->size();
    const auto& starts = *method.interval_start();
    const auto& intervals = *method.intervals();
    if (auto error = check_length("buffer_role", method.buffer_role()->size(), count)) return error;
    if (auto error = check_length("buffer_alignment", method.buffer_alignment()->size(), count))
      return error;
    if (auto error = check_length("interval_start", starts.size(), count + 1)) return error;
    if (method.buffer_owner() != nullptr) {
      if (auto error = check_length("buffer_owner", method.buffer_owner()->size(), count))
        return error;
    }
    if (method.buffer_name() != nullptr) {
      if (auto error = check_length("buffer_name", method.buffer_name()->size(), count))
        return error;
    }
    if (!budget_.take(count, sizeof(RecordedBuffer)) ||
        !budget_.take(intervals.size(), sizeof(Interval))) {
      return Budget::exhausted(path_);
    }
    plan.buffers.reserve(count);
    uint32_t at = 0;
    for (uint32_t b = 0; b < count; ++b) {
      const uint32_t begin = starts.Get(b), end = starts.Get(b + 1);
      if (begin != at || end < begin || end > intervals.size()) {
        return path_.error(fmt::format("interval_start[{}]", b),
                           fmt::format("{} and then {}; must begin at 0 and never fall, and "
                                       "intervals has {} entries",
                                       begin, end, intervals.size()));
      }
      at = end;
      RecordedBuffer buffer;
      const uint32_t extent = method.buffer_extent()->Get(b);
      if (extent > INT32_MAX) {
        return path_.error(fmt::format("buffer_extent[{}]", b),
                           fmt::format("{}; no method has that many values", extent));
      }
      buffer.extent = static_cast<int32_t>(extent);
      const uint8_t role = method.buffer_role()->Get(b);
      if (role >= kRoleCount) {
        return path_.error(fmt::format("buffer_role[{}]", b),
                           fmt::format("{}; must be 0..{}", role, kRoleCount - 1));
      }
      buffer.role = static_cast<Role>(role);
      buffer.alignment = method.buffer_alignment()->Get(b);
      if (method.buffer_owner() != nullptr) buffer.owner = method.buffer_owner()->Get(b);
      if (method.buffer_name() != nullptr) {
        const fb::String* name = method.buffer_name()->Get(b);
        if (!take_text(name)) return Budget::exhausted(path_);
        buffer.name = text_of(name);
      }
      buffer.live.reserve(end - begin);
      for (uint32_t i = begin; i < end; ++i) {
        const wire::Interval& live = *intervals.Get(i);
        buffer.live.push_back({live.begin(), live.end()});
      }
      plan.buffers.push_back(std::move(buffer));
    }
    if (at != intervals.size() || starts.Get(0) != 0) {
      return path_.error(
          fmt::format("interval_start[{}]", count),
          fmt::format("{}; must be the length of intervals, {}", at, intervals.size()));
    }
    return {};
  }

  MaybeError read_pool_use(const wire::Method& method, RecordedPlan& plan) {
    if (method.pool_use() == nullptr) return {};
    if (!budget_.take(method.pool_use()->size(), sizeof(PoolUse))) return Budget::exhausted(path_);
    plan.pool_use.reserve(method.pool_use()->size());
    for (uint32_t i = 0; i < method.pool_use()->size(); ++i) {
      FieldPath::Scope scope(path_, "pool_use", i);
      const wire::PoolUse& use = *method.pool_use()->Get(i);
      unknown_.look(use, wire::PoolUse::VT_TAIL, path_);
      plan.pool_use.push_back(
          {use.mem_id(), use.bytes(), use.lower_bound(), use.greedy_bytes(), use.tail()});
    }
    return {};
  }

  MaybeError read_in_place(const wire::Method& method, Method& out) {
    if (method.in_place() == nullptr) return {};
    // A vector that grows may take twice what it holds.
    if (!budget_.take(method.in_place()->size(), 2 * sizeof(InPlaceOption)))
      return Budget::exhausted(path_);
    for (uint32_t i = 0; i < method.in_place()->size(); ++i) {
      const wire::InPlaceOption& option = *method.in_place()->Get(i);
      FieldPath::Scope scope(path_, "in_place", i);
      if (option.instruction() >= out.instructions.size()) {
        return path_.error("instruction", fmt::format("{}; the method has {}", option.instruction(),
                                                      out.instructions.size()));
      }
      const std::pair<const char*, uint32_t> ends[] = {{"output", option.output()},
                                                       {"input", option.input()}};
      for (const auto& [field, value] : ends) {
        if (value < out.values.size()) continue;
        return path_.error(field,
                           fmt::format("value {}; the method has {}", value, out.values.size()));
      }
      out.instructions[option.instruction()].in_place.push_back(
          {static_cast<int32_t>(option.output()), static_cast<int32_t>(option.input())});
    }
    return {};
  }

  MaybeError read_calls(const wire::Method& method, const RecordedPlan& plan, Method& out) {
    if (method.calls() == nullptr) return {};
    uint64_t next = 0;
    for (uint32_t i = 0; i < method.calls()->size(); ++i) {
      const wire::CallRoles& roles = *method.calls()->Get(i);
      FieldPath::Scope scope(path_, "calls", i);
      if (roles.instruction() < next || roles.instruction() >= out.instructions.size()) {
        return path_.error("instruction",
                           fmt::format("{}; must rise and be below {}", roles.instruction(),
                                       out.instructions.size()));
      }
      next = uint64_t{roles.instruction()} + 1;
      Instruction& instruction = out.instructions[roles.instruction()];
      const auto* call = std::get_if<DelegateCall>(&instruction.call);
      if (call == nullptr) {
        return path_.error("instruction",
                           fmt::format("{}, which is no DelegateCall", roles.instruction()));
      }
      const uint64_t sum = uint64_t{roles.inputs()} + roles.outputs() + roles.scratch();
      const uint32_t kept =
          count_persistent(plan, call->args, uint64_t{roles.inputs()} + roles.outputs());
      if (sum + kept != call->args.size()) {
        return path_.error(
            "inputs",
            fmt::format("{} + {} + {} arguments and {} persistent; the call has {}", roles.inputs(),
                        roles.outputs(), roles.scratch(), kept, call->args.size()));
      }
      instruction.input_count = roles.inputs();
      instruction.output_count = roles.outputs();
    }
    return {};
  }

  const wire::PlanRecord& record_;
  Budget& budget_;
  UnknownFields unknown_;
  Program& program_;
  FieldPath path_;
};

}  // namespace

MaybeError read_record(std::span<const std::byte> bytes, Budget& budget, Program* program) {
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) {
    return Error{"berth.plan_record", "2 GiB or more; a FlatBuffer has less"};
  }
  const AlignedBytes aligned(bytes);
  flatbuffers::Verifier verifier(aligned.data(), aligned.size(), verifier_options(aligned.size()));
  if (!wire::VerifyPlanRecordBuffer(verifier)) {
    return Error{"berth.plan_record",
                 fmt::format("its {} bytes are no sound FlatBuffer with identifier {}",
                             bytes.size(), kPlanRecordIdentifier)};
  }
  return RecordReader(*wire::GetPlanRecord(aligned.data()), budget, *program).run();
}

}  // namespace berth::program
