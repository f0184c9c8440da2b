#include "tools/host_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "compiler/place/recorded_plan.h"
#include "compiler/target/nearest.h"
#include "program/read.h"
#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/portable/portable_kernels.h"

namespace berth::tools {
namespace {

using runtime::Kernel;
using runtime::Span;

TensorSpec spec_of(ScalarType dtype, uint32_t rank, const int32_t* sizes,
                   const uint8_t* dim_order) {
  TensorSpec spec;
  spec.dtype = dtype;
  spec.sizes.assign(sizes, sizes + rank);
  spec.dim_order.assign(dim_order, dim_order + rank);
  return spec;
}

bool has_kernel(const program::Operator& op) {
  for (const Span<const Kernel>& table : host_kernels()) {
    for (const Kernel& kernel : table) {
      if (op.name == kernel.schema->name && op.overload == kernel.schema->overload) return true;
    }
  }
  return false;
}

// The runtime names the first thing that is missing; a person wants all of them.
std::string missing_names(const Bytes& file, const std::string& method_name, Status status) {
  Result<program::Program> program = program::read(file);
  if (!program.ok()) return "";
  std::vector<std::string> names;
  for (const program::Method& method : program.value().methods) {
    if (method.name != method_name) continue;
    if (status == Status::kNoSuchBackend) {
      for (const program::Delegate& delegate : method.delegates) names.push_back(delegate.id);
    } else {
      for (const program::Operator& op : method.operators) {
        if (!has_kernel(op))
          names.push_back(op.overload.empty() ? op.name : op.name + "." + op.overload);
      }
    }
  }
  return target::name_list(names);
}

}  // namespace

Span<const Span<const Kernel>> host_kernels() {
  static const Span<const Kernel> kTables[] = {
      runtime::cortex_m_kernels(), runtime::berth_kernels(), runtime::portable_kernels()};
  return {kTables, sizeof kTables / sizeof kTables[0]};
}

Error HostRun::in_words(Status status, const LoadFault& fault, const Bytes& file) const {
  if (status == Status::kNoSuchOperator || status == Status::kNoSuchBackend) {
    const std::string names = missing_names(file, name_, status);
    const char* what =
        status == Status::kNoSuchBackend ? "no backend here for: " : "no kernel here for: ";
    if (!names.empty()) return {"method " + name_, what + names};
  }
  return load_fault_words(status, fault, pool_names_);
}

MaybeError HostRun::choose_method(const std::string& name, bool* is_usage) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < program_.method_count(); ++i) {
    const char* text = nullptr;
    LoadFault fault;
    const Status status = program_.method_name(i, &text, &fault);
    if (status != Status::kOk) return load_fault_words(status, fault, {});
    if (name == text) return std::nullopt;
    names.emplace_back(text);
  }
  *is_usage = true;
  return Error{"", "has no method \"" + name + "\"; it has " + target::name_list(names)};
}

MaybeError HostRun::give_pools(const HostRunOptions& options, const Bytes& file, bool* is_usage) {
  for (uint32_t p = 0; p < need_.pool_count; ++p) {
    const runtime::PoolNeed& pool = need_.pools[p];
    const std::string name = *pool.name != '\0' ? pool.name : "mem" + std::to_string(pool.mem_id);
    pool_names_.push_back({pool.mem_id, name});
  }
  std::map<std::string, uint64_t> sizes;
  for (const auto& [name, bytes] : options.pools) sizes[name] = bytes;
  for (uint32_t p = 0; p < need_.pool_count; ++p) {
    const runtime::PoolNeed& pool = need_.pools[p];
    uint64_t bytes = pool.bytes;
    const auto given = sizes.find(pool_names_[p].name);
    if (given != sizes.end()) {
      bytes = given->second;
      sizes.erase(given);
    }
    Block block{"pool " + pool_names_[p].name, {}};
    if (!block.memory.allocate(bytes, pool.alignment)) {
      return Error{block.name, fmt::format("{} bytes are more than this machine gives", bytes)};
    }
    pools_.push_back({pool.mem_id, {block.memory.data(), block.memory.size()}});
    blocks_.push_back(std::move(block));
  }
  if (sizes.empty()) return std::nullopt;
  // A pool of the board that this method does not use may be named all the same.
  std::vector<std::string> known;
  for (const PoolName& pool : pool_names_) known.push_back(pool.name);
  Result<program::Program> program = program::read(file);
  if (program.ok() && program.value().record) {
    for (const program::Pool& pool : program.value().record->pools) {
      sizes.erase(pool.name);
      known.push_back(pool.name);
    }
  }
  if (sizes.empty()) return std::nullopt;
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  *is_usage = true;
  return Error{"--pool", "the file has no pool \"" + sizes.begin()->first + "\"; it has " +
                             target::name_list(known)};
}

MaybeError HostRun::describe_inputs() {
  runtime::MethodMeta meta;
  LoadFault fault;
  Status status = program_.describe(name_.c_str(), &meta, &fault);
  for (uint32_t i = 0; status == Status::kOk && i < meta.input_count(); ++i) {
    runtime::ValueMeta value;
    status = meta.input(i, &value, &fault);
    if (status != Status::kOk || value.tag != runtime::Tag::kTensor) continue;
    tensor_inputs_.push_back(i);
    input_specs_.push_back(spec_of(value.dtype, value.rank, value.sizes, value.dim_order));
  }
  if (status != Status::kOk) return load_fault_words(status, fault, pool_names_);
  return std::nullopt;
}

// Outputs that lie in no pool get memory of their own.
MaybeError HostRun::give_outputs() {
  runtime::MethodMeta meta;
  LoadFault fault;
  Status status = program_.describe(name_.c_str(), &meta, &fault);
  for (uint32_t i = 0; status == Status::kOk && i < meta.output_count(); ++i) {
    runtime::ValueMeta value;
    status = meta.output(i, &value, &fault);
    if (status != Status::kOk || value.tag != runtime::Tag::kTensor || value.planned) continue;
    Block block{"output " + std::to_string(i), {}};
    if (!block.memory.allocate(value.nbytes, element_size(value.dtype))) {
      return Error{block.name,
                   fmt::format("{} bytes are more than this machine gives", value.nbytes)};
    }
    status = method_.set_output(i, block.memory.data(), block.memory.size());
    blocks_.push_back(std::move(block));
  }
  if (status != Status::kOk) return load_fault_words(status, fault, pool_names_);
  return std::nullopt;
}

MaybeError HostRun::load(const Bytes& file, const HostRunOptions& options, bool* is_usage) {
  *is_usage = false;
  LoadFault fault;
  Status status =
      program_.open({reinterpret_cast<const uint8_t*>(file.data()), file.size()}, &fault);
  if (status != Status::kOk) return load_fault_words(status, fault, {});
  if (MaybeError error = choose_method(options.method, is_usage)) return error;
  name_ = options.method;
  status = program_.need(name_.c_str(), &need_, &fault);
  if (status != Status::kOk) return load_fault_words(status, fault, {});
  if (MaybeError error = give_pools(options, file, is_usage)) return error;
  Block own{"method memory", {}};
  if (!own.memory.allocate(options.method_bytes.value_or(need_.method_bytes),
                           kMethodMemoryAlignment)) {
    return Error{own.name, "more than this machine gives"};
  }
  const Span<uint8_t> own_bytes(own.memory.data(), own.memory.size());
  blocks_.push_back(std::move(own));
  if (options.fill) {
    for (Block& block : blocks_) options.fill->apply(block.memory.bytes(), block.memory.size());
  }
  const runtime::LoadOptions load_options{host_kernels(), false};
  const runtime::MemoryGiven memory{own_bytes, {pools_.data(), pools_.size()}};
  status = method_.load(program_, name_.c_str(), load_options, memory, &fault);
  if (status != Status::kOk) return in_words(status, fault, file);
  if (MaybeError error = describe_inputs()) return error;
  return give_outputs();
}

MaybeError HostRun::run(const std::vector<Bytes>& inputs) {
  for (uint32_t i = 0; i < method_.input_count(); ++i) {
    // A value that is no tensor is part of the program; it is given back to it as it is.
    const runtime::EValue& value = method_.input(i);
    Status status = Status::kOk;
    switch (value.tag) {
      case runtime::Tag::kInt:
        status = method_.set_input_int(i, value.integer);
        break;
      case runtime::Tag::kBool:
        status = method_.set_input_bool(i, value.boolean);
        break;
      case runtime::Tag::kDouble:
        status = method_.set_input_double(i, value.number);
        break;
      case runtime::Tag::kString:
        status = method_.set_input_string(i, {value.string, value.count});
        break;
      case runtime::Tag::kNone:
        status = method_.set_input_none(i);
        break;
      default:
        break;
    }
    if (status != Status::kOk) return Error{fmt::format("input {}", i), status_words(status)};
  }
  caller_inputs_.resize(inputs.size());
  for (size_t t = 0; t < inputs.size(); ++t) {
    GuardedMemory& memory = caller_inputs_[t];
    if (memory.data() == nullptr &&
        !memory.allocate(inputs[t].size(), element_size(input_specs_[t].dtype))) {
      return Error{fmt::format("input {}", t), "more bytes than this machine gives"};
    }
    if (!inputs[t].empty()) std::memcpy(memory.data(), inputs[t].data(), inputs[t].size());
    const Status status = method_.set_input(tensor_inputs_[t], memory.data(), memory.size());
    if (status != Status::kOk)
      return Error{fmt::format("input {}", tensor_inputs_[t]), status_words(status)};
  }
  const Status status = method_.execute();
  if (status == Status::kOk) return std::nullopt;
  return Error{fmt::format("method {}, instruction {}", name_, method_.stopped_at()),
               status_words(status)};
}

std::vector<TensorSpec> HostRun::output_specs() const {
  std::vector<TensorSpec> specs;
  for (uint32_t i = 0; i < method_.output_count(); ++i) {
    const runtime::EValue& value = method_.output(i);
    if (value.tag != runtime::Tag::kTensor) continue;
    const runtime::Tensor& tensor = *value.tensor;
    specs.push_back(spec_of(tensor.dtype, tensor.rank, tensor.sizes, tensor.dim_order));
  }
  return specs;
}

std::vector<Bytes> HostRun::outputs() const {
  std::vector<Bytes> outputs;
  for (uint32_t i = 0; i < method_.output_count(); ++i) {
    const runtime::EValue& value = method_.output(i);
    if (value.tag != runtime::Tag::kTensor) continue;
    const auto* data = static_cast<const std::byte*>(value.tensor->data);
    outputs.emplace_back(data, data + value.tensor->nbytes());
  }
  return outputs;
}

std::string HostRun::find_damage() const {
  for (const Block& block : blocks_) {
    if (block.memory.is_damaged()) return block.name;
  }
  for (size_t t = 0; t < caller_inputs_.size(); ++t) {
    if (caller_inputs_[t].is_damaged()) return fmt::format("input {}", t);
  }
  return "";
}

}  // namespace berth::tools
