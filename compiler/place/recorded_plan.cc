#include "compiler/place/recorded_plan.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "compiler/place/clobbers.h"
#include "compiler/place/lifetimes.h"
#include "compiler/place/place.h"
#include "contract/checked.h"
#include "plan/check.h"

namespace berth::place {
namespace {

using program::Method;
using program::Storage;
using program::StorageKind;

size_t at(int32_t i) { return static_cast<size_t>(i); }

// Values made by et_view or a move stand for the bytes of one storage, or the record cannot say
// where they are.
MaybeError record_repointed(const Method& method, const Homes& homes,
                            const std::vector<int32_t>& buffer_of,
                            std::vector<int32_t>* value_buffer) {
  for (size_t v = 0; v < method.values.size(); ++v) {
    if (!homes.is_repointed[v] || method.values[v].tensor() == nullptr) continue;
    const auto value = static_cast<int32_t>(v);
    if (homes.is_split(value)) {
      return Error{"method " + method.name + ", values[" + std::to_string(v) + "]",
                   "stands for one buffer or another, depending on the path"};
    }
    (*value_buffer)[v] = homes.of(value).empty() ? -1 : buffer_of[at(homes.of(value)[0].storage)];
  }
  return std::nullopt;
}

}  // namespace

Result<program::RecordedPlan> record_plan(const Method& method) {
  Result<Lifetimes> found = find_lifetimes(method);
  if (!found.ok()) return found.error();
  const Lifetimes& lifetimes = found.value();
  const size_t count = method.storages.size();
  std::vector<int32_t> extent(count, -1);
  for (size_t v = 0; v < method.values.size(); ++v) {
    const program::Tensor* tensor = method.values[v].tensor();
    if (tensor == nullptr || tensor->storage < 0) continue;
    const Storage& storage = method.storages[at(tensor->storage)];
    if (!in_pool(storage) || extent[at(tensor->storage)] >= 0) continue;
    if (tensor->offset == 0 && program::tensor_nbytes(*tensor) == storage.nbytes) {
      extent[at(tensor->storage)] = static_cast<int32_t>(v);
    }
  }
  std::vector<int32_t> order;
  for (size_t s = 0; s < count; ++s) {
    if (!in_pool(method.storages[s]) || lifetimes.live[s].empty()) continue;
    if (extent[s] < 0) {
      return Error{"method " + method.name + ", buffer " + method.storages[s].name,
                   "no value spans its " + std::to_string(method.storages[s].nbytes) + " bytes"};
    }
    order.push_back(static_cast<int32_t>(s));
  }
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    const uint32_t begin_a = lifetimes.live[at(a)].front().begin;
    const uint32_t begin_b = lifetimes.live[at(b)].front().begin;
    return begin_a != begin_b ? begin_a < begin_b : extent[at(a)] < extent[at(b)];
  });
  program::RecordedPlan plan;
  std::vector<int32_t> buffer_of(count, -1);
  for (int32_t s : order) {
    const Storage& storage = method.storages[at(s)];
    buffer_of[at(s)] = static_cast<int32_t>(plan.buffers.size());
    plan.buffers.push_back({extent[at(s)], lifetimes.live[at(s)], storage.role, storage.alignment,
                            storage.owner, storage.name});
  }
  plan.value_buffer.assign(method.values.size(), -1);
  for (size_t v = 0; v < method.values.size(); ++v) {
    const program::Tensor* tensor = method.values[v].tensor();
    if (tensor != nullptr && tensor->storage >= 0)
      plan.value_buffer[v] = buffer_of[at(tensor->storage)];
  }
  if (auto error = record_repointed(method, lifetimes.homes, buffer_of, &plan.value_buffer))
    return *error;
  return plan;
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
      return Error{
          "method " + method.name + ", buffer " + storage.name,
          "lies in memory " + std::to_string(storage.mem_id) + ", which the method does not have"};
    }
    plan::Buffer buffer;
    buffer.id = storage.name.empty() ? "storage " + std::to_string(s) : storage.name;
    for (const program::Interval& i : lifetimes.live[s]) buffer.live.push_back({i.begin, i.end});
    buffer.size = storage.nbytes;
    const auto pool_index = static_cast<int32_t>(pool - mem_ids.begin());
    buffer.pools = {pool_index};
    problem.buffers.push_back(std::move(buffer));
    plan.placements.push_back({pool_index, storage.offset});
    plan.pool_alignment[at(pool_index)] =
        std::max(plan.pool_alignment[at(pool_index)], storage.alignment);
    if (storage.offset % storage.alignment != 0) {
      return Error{"method " + method.name + ", buffer " + storage.name,
                   "starts at " + std::to_string(storage.offset) +
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
