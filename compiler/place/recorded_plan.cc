#include "compiler/place/recorded_plan.h"

#include <algorithm>

#include "compiler/place/clobbers.h"
#include "compiler/place/control_flow.h"
#include "compiler/place/lifetimes.h"
#include "compiler/place/place.h"
#include "contract/checked.h"
#include "plan/check.h"

namespace berth::place {
namespace {

using program::Method;
using program::Storage;
using program::StorageKind;

// Per storage: the first value that spans it, else the largest one; -1 where no value lies in it.
std::vector<int32_t> find_extents(const Method& method) {
  std::vector<int32_t> extent(method.storages.size(), -1);
  std::vector<uint64_t> spanned(method.storages.size(), 0);
  for (size_t v = 0; v < method.values.size(); ++v) {
    const program::Tensor* tensor = method.values[v].tensor();
    if (tensor == nullptr || tensor->storage < 0) continue;
    const size_t s = tensor->storage;
    const uint64_t nbytes = program::tensor_nbytes(*tensor);
    if (!in_pool(method.storages[s]) || (extent[s] >= 0 && nbytes <= spanned[s])) continue;
    extent[s] = static_cast<int32_t>(v);
    spanned[s] = nbytes;
  }
  return extent;
}

// "buffer h1"; where it has no name, by the first value in it.
std::string buffer_words(const Method& method, size_t s) {
  const std::string& name = method.storages[s].name;
  if (!name.empty()) return "method " + method.name + ", buffer " + name;
  for (size_t v = 0; v < method.values.size(); ++v) {
    const program::Tensor* tensor = method.values[v].tensor();
    if (tensor != nullptr && tensor->storage == static_cast<int32_t>(s))
      return "method " + method.name + ", buffer of values[" + std::to_string(v) + "]";
  }
  return "method " + method.name + ", storage " + std::to_string(s);
}

// Why the record cannot say where every value's bytes are, or nothing.
MaybeError find_unspeakable(const Method& method, const Lifetimes& lifetimes,
                            const program::RecordedPlan& plan) {
  for (const program::RecordedBuffer& buffer : plan.buffers) {
    const program::Tensor* extent = method.values[buffer.extent].tensor();
    const Storage& storage = method.storages[extent->storage];
    if (program::tensor_nbytes(*extent) == storage.nbytes) continue;
    return Error{buffer_words(method, extent->storage),
                 "no value spans its " + std::to_string(storage.nbytes) + " bytes"};
  }
  for (size_t v = 0; v < method.values.size(); ++v) {
    if (!lifetimes.homes.is_split(static_cast<int32_t>(v))) continue;
    return Error{"method " + method.name + ", values[" + std::to_string(v) + "]",
                 "stands for one buffer or another, depending on the path"};
  }
  return std::nullopt;
}

}  // namespace

program::RecordedPlan describe_plan(const Method& method, const Lifetimes& lifetimes) {
  const size_t count = method.storages.size();
  const std::vector<int32_t> extent = find_extents(method);
  std::vector<int32_t> order;
  for (size_t s = 0; s < count; ++s) {
    if (in_pool(method.storages[s]) && extent[s] >= 0 && !lifetimes.live[s].empty())
      order.push_back(static_cast<int32_t>(s));
  }
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    const uint32_t begin_a = lifetimes.live[a].front().begin;
    const uint32_t begin_b = lifetimes.live[b].front().begin;
    return begin_a != begin_b ? begin_a < begin_b : extent[a] < extent[b];
  });
  program::RecordedPlan plan;
  std::vector<int32_t> buffer_of(count, -1);
  for (int32_t s : order) {
    const Storage& storage = method.storages[s];
    buffer_of[s] = static_cast<int32_t>(plan.buffers.size());
    plan.buffers.push_back({extent[s], lifetimes.live[s], storage.role, storage.alignment,
                            storage.owner, storage.name});
  }
  plan.value_buffer.assign(method.values.size(), -1);
  for (size_t v = 0; v < method.values.size(); ++v) {
    const std::vector<Home>& homes = lifetimes.homes.of(static_cast<int32_t>(v));
    if (homes.size() == 1) plan.value_buffer[v] = buffer_of[homes[0].storage];
  }
  return plan;
}

Result<program::RecordedPlan> record_plan(const Method& method) {
  Result<Lifetimes> lifetimes = find_lifetimes(method);
  if (!lifetimes.ok()) return lifetimes.error();
  program::RecordedPlan plan = describe_plan(method, lifetimes.value());
  if (auto error = find_unspeakable(method, lifetimes.value(), plan)) return *error;
  return plan;
}

namespace {

// How instruction k begins a life of the storage: the bytes that it writes there, and whether it
// reads them first.
struct BeginningWrite {
  uint64_t nbytes = 0;
  bool is_read = false;
};

BeginningWrite find_write(const Method& method, const Lifetimes& lifetimes, size_t storage,
                          uint32_t k) {
  BeginningWrite found;
  if (k >= lifetimes.effects.size()) return found;
  const auto lies_there = [&](int32_t v) {
    const std::vector<Home>& homes = lifetimes.homes.of(v);
    return homes.size() == 1 && static_cast<size_t>(homes[0].storage) == storage;
  };
  const auto write = [&](int32_t v) {
    if (lies_there(v)) found.nbytes += program::tensor_nbytes(*method.values[v].tensor());
  };
  const Effects& e = lifetimes.effects[k];
  for (int32_t v : e.writes) write(v);
  for (int32_t v : e.scratch) write(v);
  found.is_read = std::any_of(e.reads.begin(), e.reads.end(), lies_there);
  return found;
}

bool jumps_inside(const Method& method, const program::Interval& live) {
  for (uint32_t k = live.begin; k < live.end && k < method.instructions.size(); ++k) {
    if (std::holds_alternative<program::JumpFalseCall>(method.instructions[k].call)) return true;
  }
  return false;
}

bool jumps_back_to(const Method& method, uint32_t step) {
  for (size_t k = step; k < method.instructions.size(); ++k) {
    const auto* jump = std::get_if<program::JumpFalseCall>(&method.instructions[k].call);
    if (jump != nullptr && static_cast<uint32_t>(jump->target) <= step) return true;
  }
  return false;
}

}  // namespace

MaybeError find_unprovable(const Method& method) {
  Result<Lifetimes> found = find_lifetimes(method);
  if (!found.ok()) return found.error();
  const Lifetimes& lifetimes = found.value();
  const ControlFlow flow = find_control_flow(method);
  std::vector<bool> is_input(method.storages.size(), false);
  for (int32_t v : method.inputs) {
    for_tensors(method, v, [&](int32_t t) {
      if (const int32_t s = method.values[t].tensor()->storage; s >= 0) is_input[s] = true;
    });
  }
  for (size_t s = 0; s < method.storages.size(); ++s) {
    const Storage& storage = method.storages[s];
    if (!in_pool(storage) || storage.kind == StorageKind::kState) continue;
    for (const program::Interval& live : lifetimes.live[s]) {
      if (live.begin == 0 && is_input[s]) continue;
      const BeginningWrite write = find_write(method, lifetimes, s, live.begin);
      const bool is_written = (write.nbytes > 0 || storage.nbytes == 0) && !write.is_read;
      if (is_written && write.nbytes >= storage.nbytes) continue;
      if (is_written && lifetimes.live[s].size() == 1 &&
          (!jumps_inside(method, live) || !jumps_back_to(method, live.begin))) {
        continue;
      }
      // Behind an instruction that cannot fall through, where only jumps arrive.
      const bool falls_in = live.begin == 0 || !is_unconditional(flow, live.begin - 1);
      if (!falls_in) continue;
      return Error{buffer_words(method, s),
                   "is needed at instruction " +
                       instruction_name(method, static_cast<int32_t>(live.begin)) +
                       " before anything was written there"};
    }
  }
  return std::nullopt;
}

namespace {

MaybeError prove_method(const Method& method) {
  Result<Lifetimes> found = find_lifetimes(method);
  if (!found.ok()) return found.error();
  const Lifetimes& lifetimes = found.value();
  // The plan checker does the proof: every storage is a buffer that lies fixed where the file says.
  plan::Problem problem;
  plan::Plan plan;
  std::vector<uint32_t> mem_ids;
  for (const program::PoolSize& pool : method.pools) {
    mem_ids.push_back(pool.mem_id);
    problem.pools.push_back({"mem" + std::to_string(pool.mem_id), pool.bytes, 0});
    plan.pool_bytes.push_back(pool.bytes);
    plan.pool_alignment.push_back(kDefaultAlignment);
  }
  for (size_t s = 0; s < method.storages.size(); ++s) {
    const Storage& storage = method.storages[s];
    if (!in_pool(storage) || lifetimes.live[s].empty() || storage.nbytes == 0) continue;
    const auto pool = std::find(mem_ids.begin(), mem_ids.end(), storage.mem_id);
    if (pool == mem_ids.end()) {
      return Error{buffer_words(method, s), "lies in memory " + std::to_string(storage.mem_id) +
                                                ", which the method does not have"};
    }
    plan::Buffer buffer;
    buffer.id = storage.name.empty() ? "storage " + std::to_string(s) : storage.name;
    for (const program::Interval& i : lifetimes.live[s]) buffer.live.push_back({i.begin, i.end});
    buffer.size = storage.nbytes;
    const auto pool_index = static_cast<int32_t>(pool - mem_ids.begin());
    buffer.pools = {pool_index};
    problem.buffers.push_back(std::move(buffer));
    plan.placements.push_back({pool_index, storage.offset});
    plan.pool_alignment[pool_index] = std::max(plan.pool_alignment[pool_index], storage.alignment);
    if (storage.offset % storage.alignment != 0) {
      return Error{buffer_words(method, s), "starts at " + std::to_string(storage.offset) +
                                                ", which is no multiple of its alignment " +
                                                std::to_string(storage.alignment)};
    }
  }
  if (auto wrong = plan::check(problem, plan)) {
    return Error{"method " + method.name + ", " + wrong->place, wrong->message};
  }
  Result<program::RecordedPlan> expected = record_plan(method);
  if (!expected.ok()) return expected.error();
  const program::RecordedPlan& record = *method.plan;
  const auto differs = [&](const std::string& what) {
    return Error{"method " + method.name + ", plan record",
                 what + " is not what the instructions say"};
  };
  if (record.value_buffer != expected.value().value_buffer) return differs("value_buffer");
  if (record.buffers.size() != expected.value().buffers.size())
    return differs("the number of buffers");
  for (size_t b = 0; b < record.buffers.size(); ++b) {
    const auto& have = record.buffers[b].live;
    const auto& want = expected.value().buffers[b].live;
    const bool same = std::equal(
        have.begin(), have.end(), want.begin(), want.end(),
        [](const auto& x, const auto& y) { return x.begin == y.begin && x.end == y.end; });
    if (!same) return differs("the lifetime of buffer " + std::to_string(b));
  }
  return std::nullopt;
}

}  // namespace

MaybeError prove_plan(const program::Program& program) {
  for (const Method& method : program.methods) {
    if (method.plan) {
      if (auto wrong = prove_method(method)) return wrong;
    } else if (auto wrong = check_clobbers(method)) {
      return wrong;
    }
  }
  return std::nullopt;
}

}  // namespace berth::place
