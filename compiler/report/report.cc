#include "compiler/report/report.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "contract/checked.h"

namespace berth::report {
namespace {

using program::Method;
using program::Program;
using program::Storage;
using program::StorageKind;

// One operator may be called by many instructions, each of which shows its name: a long one would
// multiply.
std::string short_name(const std::string& name) { return name.substr(0, 128); }

const char* kind_name(const program::Value& value) {
  constexpr const char* kNames[] = {"none",
                                    "int",
                                    "bool",
                                    "double",
                                    "string",
                                    "tensor",
                                    "int_list",
                                    "double_list",
                                    "bool_list",
                                    "tensor_list",
                                    "optional_tensor_list"};
  static_assert(std::variant_size_v<decltype(program::Value::data)> ==
                sizeof kNames / sizeof kNames[0]);
  return kNames[value.data.index()];
}

Port make_port(const Method& method, int32_t index) {
  const program::Value& value = method.values[index];
  Port port;
  port.value = index;
  port.name = value.name;
  port.kind = kind_name(value);
  if (const program::Tensor* tensor = value.tensor()) {
    port.dtype = tensor->dtype;
    port.shape = tensor->sizes;
    port.dim_order = tensor->dim_order;
    port.bytes = program::tensor_nbytes(*tensor);
    if (tensor->storage >= 0) {
      const Storage& storage = method.storages[tensor->storage];
      port.planned = program::in_pool(storage);
      port.dynamic = tensor->dynamism != program::Dynamism::kStatic;
      if (port.name.empty()) port.name = storage.name;
    }
  }
  return port;
}

InstructionRow make_instruction(const Method& method, const program::Instruction& instruction) {
  InstructionRow row;
  if (const auto* kernel = std::get_if<program::KernelCall>(&instruction.call)) {
    const program::Operator& op = method.operators[kernel->op];
    row.kind = "kernel";
    row.name = short_name(op.overload.empty() ? op.name : op.name + "." + op.overload);
    row.args = kernel->args;
  } else if (const auto* call = std::get_if<program::DelegateCall>(&instruction.call)) {
    row.kind = "delegate";
    row.name = short_name(method.delegates[call->delegate].id);
    row.args = call->args;
  } else if (const auto* move = std::get_if<program::MoveCall>(&instruction.call)) {
    row.kind = row.name = "move";
    row.args = {move->from, move->to};
  } else if (const auto* jump = std::get_if<program::JumpFalseCall>(&instruction.call)) {
    row.kind = row.name = "jump_false";
    row.args = {jump->condition};
    row.target = jump->target;
  } else if (const auto* free = std::get_if<program::FreeCall>(&instruction.call)) {
    row.kind = row.name = "free";
    row.args = {free->value};
  }
  return row;
}

void add_pools(const Program& program, const Method& method, MethodReport* out) {
  for (const program::PoolSize& size : method.pools) {
    if (size.mem_id == 0) continue;  // the placeholder of files
    PoolRow row;
    row.name = "mem" + std::to_string(size.mem_id);
    row.mem_id = size.mem_id;
    row.bytes = size.bytes;
    row.alignment = kDefaultAlignment;
    bool named = false;
    if (program.record) {
      for (const program::Pool& pool : program.record->pools) {
        if (pool.mem_id != size.mem_id) continue;
        named = true;
        row.name = pool.name;
        row.alignment = pool.alignment;
        if (pool.capacity != 0) row.capacity = pool.capacity;
      }
    }
    if (size.bytes == 0 && !named) continue;  // a gap in the numbering
    out->pools.push_back(std::move(row));
  }
}

// The buffers of the recorded plan; a value that the record puts into none is in none.
void add_buffers(const Method& method, MethodReport* out) {
  const program::RecordedPlan& plan = *method.plan;
  for (const program::RecordedBuffer& recorded : plan.buffers) {
    BufferRow row;
    const program::Tensor* extent = method.values[recorded.extent].tensor();
    if (extent != nullptr && extent->storage >= 0) {
      const Storage& storage = method.storages[extent->storage];
      row.offset = storage.offset;
      row.bytes = storage.nbytes;
      for (size_t p = 0; p < out->pools.size(); ++p) {
        if (out->pools[p].mem_id == storage.mem_id) row.pool = static_cast<int32_t>(p);
      }
    }
    row.alignment = recorded.alignment;
    row.rounded = align_up(row.bytes, recorded.alignment);
    row.live = recorded.live;
    row.role = recorded.role;
    row.owner = recorded.owner;
    row.name = recorded.name;
    if (row.name.empty()) row.name = method.values[recorded.extent].name;
    if (row.name.empty() && extent != nullptr) row.name = extent->fully_qualified_name;
    out->buffers.push_back(std::move(row));
  }
  for (size_t v = 0; v < plan.value_buffer.size(); ++v) {
    const int32_t buffer = plan.value_buffer[v];
    if (buffer >= 0) out->buffers[buffer].values.push_back(static_cast<int32_t>(v));
  }
}

// Figures that follow from the buffers: bytes live per instruction, the fullest one and who is
// there.
void add_liveness(uint32_t steps, MethodReport* out) {
  // First what begins and ends at each instruction, then running sums: a file decides how many
  // buffers are live how long, and must not make this slow.
  for (PoolRow& pool : out->pools) pool.live_bytes.assign(size_t{steps} + 1, 0);
  for (const BufferRow& buffer : out->buffers) {
    if (buffer.pool < 0) continue;
    std::vector<uint64_t>& change = out->pools[buffer.pool].live_bytes;
    for (const program::Interval& interval : buffer.live) {
      change[std::min(interval.begin, steps)] += buffer.rounded;
      change[std::min(interval.end, steps)] -= buffer.rounded;
    }
  }
  for (PoolRow& pool : out->pools) {
    std::partial_sum(pool.live_bytes.begin(), pool.live_bytes.end(), pool.live_bytes.begin());
    pool.live_bytes.pop_back();
  }
  for (size_t p = 0; p < out->pools.size(); ++p) {
    PoolRow& pool = out->pools[p];
    const auto fullest = std::max_element(pool.live_bytes.begin(), pool.live_bytes.end());
    pool.peak_step = static_cast<uint32_t>(fullest - pool.live_bytes.begin());
    pool.lower_bound = *fullest;
    for (size_t b = 0; b < out->buffers.size(); ++b) {
      const BufferRow& buffer = out->buffers[b];
      if (buffer.pool != static_cast<int32_t>(p) || buffer.rounded == 0) continue;
      for (const program::Interval& interval : buffer.live) {
        if (pool.peak_step >= interval.begin && pool.peak_step < interval.end) {
          pool.peak.push_back(static_cast<int32_t>(b));
        }
      }
    }
    std::stable_sort(pool.peak.begin(), pool.peak.end(), [&](int32_t a, int32_t b) {
      return out->buffers[a].rounded > out->buffers[b].rounded;
    });
    for (int32_t b : pool.peak) pool.padding += out->buffers[b].rounded - out->buffers[b].bytes;
  }
}

// What stands above the lower bound of a pool. REQUIRES: bytes, bound and tail are known.
void find_above_bound(const MethodReport& method, size_t p, PoolRow* pool) {
  constexpr size_t kMost = 8;
  if (pool->bytes <= pool->lower_bound || pool->bytes - pool->lower_bound <= pool->tail) return;
  const auto end_of = [&](int32_t b) {
    return method.buffers[b].offset + method.buffers[b].rounded;
  };
  std::vector<int32_t> high;
  for (size_t b = 0; b < method.buffers.size(); ++b) {
    const auto index = static_cast<int32_t>(b);
    if (method.buffers[b].pool == static_cast<int32_t>(p) && method.buffers[b].rounded > 0 &&
        end_of(index) > pool->lower_bound)
      high.push_back(index);
  }
  std::stable_sort(high.begin(), high.end(),
                   [&](int32_t a, int32_t b) { return end_of(a) > end_of(b); });
  if (high.size() > kMost) high.resize(kMost);
  for (int32_t b : high) {
    AboveBoundRow row;
    row.buffer = b;
    row.instruction = method.buffers[b].live.empty() ? 0 : method.buffers[b].live[0].begin;
    for (const program::Interval& interval : method.buffers[b].live) {
      for (uint32_t k = interval.begin; k < interval.end && k < pool->live_bytes.size(); ++k) {
        if (pool->live_bytes[k] <= row.live) continue;
        row.instruction = k;
        row.live = pool->live_bytes[k];
      }
    }
    // Bytes that lie above it are not below its end.
    uint64_t below = 0;
    for (const BufferRow& other : method.buffers) {
      if (other.pool != static_cast<int32_t>(p) || other.offset >= end_of(b)) continue;
      if (is_live_at(other, row.instruction))
        below += std::min(other.rounded, end_of(b) - other.offset);
    }
    row.free_below = end_of(b) - std::min(below, end_of(b));
    pool->above.push_back(row);
  }
}

// Bytes of a pool above its last buffer, in a file that says nothing of them: where delegates run,
// someone asked for them (XNNPACK reads 64 bytes past its end); elsewhere they are slack of whoever
// planned the file.
void find_tails(MethodReport* out) {
  if (out->delegates.empty()) return;
  for (size_t p = 0; p < out->pools.size(); ++p) {
    uint64_t end = 0;
    for (const BufferRow& buffer : out->buffers) {
      if (buffer.pool == static_cast<int32_t>(p))
        end = std::max(end, buffer.offset + buffer.rounded);
    }
    if (out->pools[p].bytes > end) out->pools[p].tail = out->pools[p].bytes - end;
  }
}

// What only the planner knew.
void add_recorded_figures(const program::RecordedPlan& plan, MethodReport* out) {
  for (const program::PoolUse& use : plan.pool_use) {
    for (PoolRow& pool : out->pools) {
      if (pool.mem_id != use.mem_id) continue;
      pool.lower_bound = use.lower_bound;
      pool.greedy_bytes = use.greedy_bytes;
      pool.tail = use.tail;
    }
  }
  out->planner = plan.planner;
  out->proven_optimal = plan.proven_optimal;
}

void add_delegates(const Program& program, const Method& method, MethodReport* out) {
  for (const program::Delegate& delegate : method.delegates) {
    DelegateRow row;
    row.id = delegate.id;
    row.blob = delegate.data;
    if (delegate.data >= 0 && static_cast<size_t>(delegate.data) < program.delegate_data.size()) {
      row.processed_bytes = program.delegate_data[delegate.data].size();
      row.kind = recognise_blob(program.delegate_data[delegate.data]);
    }
    out->delegates.push_back(std::move(row));
  }
  for (size_t k = 0; k < method.instructions.size(); ++k) {
    if (const auto* call = std::get_if<program::DelegateCall>(&method.instructions[k].call)) {
      out->delegates[call->delegate].calls.push_back(static_cast<int32_t>(k));
    }
  }
}

void add_memory_of_delegates(MethodReport* out) {
  for (DelegateRow& delegate : out->delegates) {
    for (size_t b = 0; b < out->buffers.size(); ++b) {
      const BufferRow& buffer = out->buffers[b];
      if (std::find(delegate.calls.begin(), delegate.calls.end(), buffer.owner) ==
          delegate.calls.end())
        continue;
      if (buffer.role == Role::kDelegateScratch)
        delegate.scratch.push_back(static_cast<int32_t>(b));
      if (buffer.role == Role::kPersistent) delegate.persistent.push_back(static_cast<int32_t>(b));
    }
  }
}

// Methods of a file with a record share their pools. What two methods keep at one place is the
// same: state that they share.
void find_kept_elsewhere(Report* report) {
  const auto is_kept = [](const BufferRow& buffer) {
    return buffer.rounded != 0 && (buffer.role == Role::kState || buffer.role == Role::kPersistent);
  };
  for (MethodReport& method : report->methods) {
    std::set<std::pair<uint32_t, uint64_t>> known;  // mem_id, offset
    for (const BufferRow& buffer : method.buffers) {
      if (buffer.pool >= 0 && is_kept(buffer))
        known.emplace(method.pools[buffer.pool].mem_id, buffer.offset);
    }
    for (const MethodReport& other : report->methods) {
      if (&other == &method) continue;
      for (const BufferRow& buffer : other.buffers) {
        if (buffer.pool < 0 || !is_kept(buffer)) continue;
        const uint32_t mem_id = other.pools[buffer.pool].mem_id;
        const auto pool = std::find_if(method.pools.begin(), method.pools.end(),
                                       [&](const PoolRow& row) { return row.mem_id == mem_id; });
        if (pool == method.pools.end() || !known.emplace(mem_id, buffer.offset).second) continue;
        pool->kept_elsewhere.push_back(
            {other.name, instruction_label(other, buffer.owner), buffer});
        pool->kept_elsewhere_bytes += buffer.rounded;
      }
    }
  }
}

void add_constants(const Program& program, Report* report) {
  report->constants.resize(program.constants.size());
  for (size_t c = 0; c < program.constants.size(); ++c) {
    report->constants[c].index = static_cast<int32_t>(c);
    report->constants[c].bytes = program.constants[c].size();
    report->constant_bytes += program.constants[c].size();
  }
  for (size_t m = 0; m < program.methods.size(); ++m) {
    const Method& method = program.methods[m];
    std::vector<int32_t> constant_of(method.values.size(), -1);
    for (size_t v = 0; v < method.values.size(); ++v) {
      const program::Tensor* tensor = method.values[v].tensor();
      if (tensor == nullptr || tensor->storage < 0) continue;
      const Storage& storage = method.storages[tensor->storage];
      if (storage.kind != StorageKind::kConstant || storage.data < 0) continue;
      constant_of[v] = storage.data;
      ConstantRow& row = report->constants[storage.data];
      if (row.shape.empty()) {
        row.dtype = tensor->dtype;
        row.shape = tensor->sizes;
      }
      if (row.name.empty()) row.name = tensor->fully_qualified_name;
      if (row.name.empty())
        row.name = method.values[v].name.empty() ? storage.name : method.values[v].name;
    }
    const std::vector<InstructionRow>& instructions = report->methods[m].instructions;
    for (size_t k = 0; k < instructions.size(); ++k) {
      for (int32_t arg : instructions[k].args) {
        if (arg < 0 || constant_of[arg] < 0) continue;
        const InstructionRef user{static_cast<int32_t>(m), static_cast<int32_t>(k)};
        std::vector<InstructionRef>& users = report->constants[constant_of[arg]].users;
        if (users.empty() || users.back() != user) users.push_back(user);
      }
    }
  }
  std::stable_sort(report->constants.begin(), report->constants.end(),
                   [](const ConstantRow& a, const ConstantRow& b) { return a.bytes > b.bytes; });
}

void add_other_data(const Program& program, Report* report) {
  for (const program::NamedData& data : program.named_data)
    report->named_data.push_back({data.key, data.bytes.size()});
  std::stable_sort(report->named_data.begin(), report->named_data.end(),
                   [](const NamedDataRow& a, const NamedDataRow& b) { return a.bytes > b.bytes; });
  for (const program::Blob& bytes : program.mutable_data)
    report->initial_state_bytes += bytes.size();
}

}  // namespace

MethodCounts count_method(const Method& method) {
  MethodCounts counts;
  counts.values = method.values.size();
  counts.instructions = method.instructions.size();
  counts.operators = method.operators.size();
  counts.delegates = method.delegates.size();
  counts.inputs = method.inputs.size();
  for (const program::Value& value : method.values) {
    const program::Tensor* tensor = value.tensor();
    if (tensor == nullptr) continue;
    ++counts.tensors;
    if (tensor->dynamism != program::Dynamism::kStatic) counts.dynamic_dims += tensor->sizes.size();
  }
  return counts;
}

bool is_live_at(const BufferRow& buffer, uint32_t instruction) {
  return std::any_of(buffer.live.begin(), buffer.live.end(), [&](const program::Interval& i) {
    return instruction >= i.begin && instruction < i.end;
  });
}

std::string instruction_label(const MethodReport& method, int32_t instruction) {
  if (instruction < 0 || static_cast<size_t>(instruction) >= method.instructions.size())
    return "the method";
  return std::to_string(instruction) + " " + method.instructions[instruction].name;
}

std::string user_label(const Report& report, const InstructionRef& user) {
  const MethodReport& method = report.methods[user.method];
  return method.name + ": " + instruction_label(method, user.instruction);
}

Report build_report(const Program& program, std::string file, uint64_t file_bytes) {
  Report report;
  report.file = std::move(file);
  report.file_bytes = file_bytes;
  report.has_record = program.record.has_value();
  report.unknown_fields = program.unknown_fields;
  if (program.record) {
    report.board = program.record->board;
    report.isa = program.record->isa;
  }
  for (const Method& method : program.methods) {
    MethodReport out;
    out.name = method.name;
    out.certified = program.record && method.plan;
    for (int32_t value : method.inputs) out.inputs.push_back(make_port(method, value));
    for (int32_t value : method.outputs) out.outputs.push_back(make_port(method, value));
    for (const program::Instruction& i : method.instructions)
      out.instructions.push_back(make_instruction(method, i));
    add_pools(program, method, &out);
    add_delegates(program, method, &out);
    if (method.plan) {
      out.has_plan = true;
      add_buffers(method, &out);
      add_liveness(std::max<uint32_t>(1, static_cast<uint32_t>(method.instructions.size())), &out);
      add_memory_of_delegates(&out);
      find_tails(&out);
      add_recorded_figures(*method.plan, &out);
      for (size_t p = 0; p < out.pools.size(); ++p) find_above_bound(out, p, &out.pools[p]);
    }
    out.counts = count_method(method);
    report.methods.push_back(std::move(out));
  }
  if (report.has_record) find_kept_elsewhere(&report);
  add_constants(program, &report);
  add_other_data(program, &report);
  return report;
}

void add_costs(const target::Board& board, Report* report) {
  for (MethodReport& method : report->methods) {
    for (PoolRow& pool : method.pools) {
      pool.cost = 0;
      for (const target::Pool& known : board.pools) {
        if (known.name == pool.name) pool.cost = known.cost;
      }
    }
    if (method.buffers.empty()) continue;
    method.cost = 0;
    for (const BufferRow& buffer : method.buffers) {
      if (buffer.pool >= 0) *method.cost += buffer.rounded * *method.pools[buffer.pool].cost;
    }
  }
}

}  // namespace berth::report
