#include "tools/host_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compiler/target/nearest.h"
#include "program/read.h"
#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/portable/portable_kernels.h"
#include "tools/host_backends.h"
#include "tools/shared_memory.h"

namespace berth::tools {
namespace {

using runtime::Kernel;
using runtime::Span;

Span<const uint8_t> span_of(const Bytes& bytes) {
  return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
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
std::vector<std::string> missing_names(const program::Method& method, Status status) {
  std::vector<std::string> names;
  if (status == Status::kNoSuchBackend) {
    for (const program::Delegate& delegate : method.delegates) {
      if (find_backend(delegate.id) == nullptr) names.push_back(delegate.id);
    }
  } else if (status == Status::kNoSuchOperator) {
    for (const program::Operator& op : method.operators) {
      if (has_kernel(op)) continue;
      names.push_back(op.overload.empty() ? op.name : op.name + "." + op.overload);
    }
  } else {
    for (const program::Value& value : method.values) {
      if (value.tensor() != nullptr && value.tensor()->external) {
        names.push_back(value.tensor()->fully_qualified_name);
      }
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

Span<const Span<const Kernel>> host_kernels() {
  static const Span<const Kernel> kTables[] = {
      runtime::cortex_m_kernels(), runtime::berth_kernels(), runtime::portable_kernels()};
  return {kTables, sizeof kTables / sizeof kTables[0]};
}

Error HostProgram::in_words(const std::string& method, Status status,
                            const LoadFault& fault) const {
  const char* what = status == Status::kNoSuchBackend    ? "no backend here for: "
                     : status == Status::kNoSuchOperator ? "no kernel here for: "
                     : status == Status::kNoSuchData
                         ? "needs a .ptd file with these tensors (--ptd FILE): "
                         : nullptr;
  const Result<program::Program> program = program::read(*file_);
  const program::Method* const read = find_method(program, method);
  if (what != nullptr && read != nullptr) {
    const std::vector<std::string> names = missing_names(*read, status);
    if (!names.empty()) return {"method " + method, what + target::name_list(names)};
  }
  return load_fault_words(status, fault, pool_names_, read);
}

HostProgram::~HostProgram() {
  for (Loaded& loaded : loaded_) loaded.host.unload();
}

MaybeError HostProgram::open(const Bytes& file) {
  file_ = &file;
  LoadFault fault;
  Status status = program_.open(span_of(file), &fault);
  for (uint32_t i = 0; status == Status::kOk && i < program_.method_count(); ++i) {
    const char* name = "";
    status = program_.method_name(i, &name, &fault);
    names_.emplace_back(name);
  }
  if (status != Status::kOk) return load_fault_words(status, fault, {});
  return std::nullopt;
}

MaybeError HostProgram::add_external_data(const std::string& path) {
  Result<Bytes> bytes = read_file(path);
  if (!bytes.ok()) return Error{path, bytes.error().message};
  external_files_.push_back({path, bytes.take()});
  runtime::ExternalData data;
  LoadFault fault;
  const Status status = data.open(span_of(external_files_.back().bytes), &fault);
  if (status == Status::kBadMagic) return Error{path, "this is no .ptd file"};
  if (status != Status::kOk) {
    const Error error = load_fault_words(status, fault, {});
    return Error{path + ": " + error.place, error.message};
  }
  external_data_.push_back(data);
  return std::nullopt;
}

MaybeError HostProgram::check_names(const std::vector<std::string>& methods) const {
  for (const std::string& name : methods) {
    if (std::find(names_.begin(), names_.end(), name) != names_.end()) continue;
    return Error{"", "has no method \"" + name + "\"; it has " + target::name_list(names_)};
  }
  return std::nullopt;
}

// A pool that the methods do not use may be named, if the board of the file has it.
MaybeError HostProgram::check_pool_options(const HostOptions& options, bool* is_usage) const {
  std::set<std::string> known;
  for (const PoolName& pool : pool_names_) known.insert(pool.name);
  for (const auto& [name, bytes] : options.pools) {
    if (known.count(name) != 0) continue;
    Result<program::Program> program = program::read(*file_);
    if (program.ok() && program.value().record) {
      for (const program::Pool& pool : program.value().record->pools) known.insert(pool.name);
    }
    if (known.count(name) != 0) continue;
    *is_usage = true;
    return Error{"--pool", "the file has no pool \"" + name + "\"; it has " +
                               target::name_list({known.begin(), known.end()})};
  }
  return std::nullopt;
}

MaybeError HostProgram::give_block(std::string name, uint64_t bytes, uint64_t alignment,
                                   Span<uint8_t>* out) {
  Block block{std::move(name), {}};
  if (!block.memory.allocate(bytes, alignment)) {
    return Error{block.name, fmt::format("{} bytes are more than this machine gives", bytes)};
  }
  *out = {block.memory.data(), block.memory.size()};
  blocks_.push_back(std::move(block));
  return std::nullopt;
}

MaybeError HostProgram::give_pools(const HostOptions& options) {
  MemoryNumbers numbers;  // only several methods share anything
  if (loaded_.size() > 1) {
    Result<program::Program> program = program::read(*file_);
    if (!program.ok()) return program.error();
    std::vector<std::string> methods;
    for (const Loaded& loaded : loaded_) methods.push_back(loaded.host.name());
    numbers = share_memory(program.value(), methods);
    if (!options.trust_plan) {
      if (MaybeError error = find_lost_state(program.value(), methods, numbers)) return error;
    }
  }
  struct Memory {
    uint64_t bytes = 0;
    uint64_t alignment = 1;
    std::string name;
    Span<uint8_t> given;
  };
  const auto number_of = [&](size_t m, uint32_t mem_id) {
    return loaded_.size() > 1 ? numbers.at({m, mem_id}) : mem_id;
  };
  std::map<uint32_t, Memory> memories;
  for (size_t m = 0; m < loaded_.size(); ++m) {
    const runtime::MethodNeed& need = loaded_[m].need;
    for (uint32_t p = 0; p < need.pool_count; ++p) {
      Memory& memory = memories[number_of(m, need.pools[p].mem_id)];
      memory.bytes = std::max(memory.bytes, need.pools[p].bytes);
      memory.alignment = std::max<uint64_t>(memory.alignment, need.pools[p].alignment);
      for (const PoolName& pool : pool_names_) {
        if (pool.mem_id == need.pools[p].mem_id) memory.name = pool.name;
      }
    }
  }
  for (auto& [number, memory] : memories) {
    for (const auto& [name, bytes] : options.pools) {
      if (name == memory.name) memory.bytes = bytes;
    }
    if (MaybeError error =
            give_block("pool " + memory.name, memory.bytes, memory.alignment, &memory.given)) {
      return error;
    }
  }
  for (size_t m = 0; m < loaded_.size(); ++m) {
    const runtime::MethodNeed& need = loaded_[m].need;
    for (uint32_t p = 0; p < need.pool_count; ++p) {
      const uint32_t mem_id = need.pools[p].mem_id;
      loaded_[m].pools.push_back({mem_id, memories[number_of(m, mem_id)].given});
    }
  }
  return std::nullopt;
}

MaybeError HostProgram::give_own(const HostOptions& options) {
  for (Loaded& loaded : loaded_) {
    const uint64_t bytes = options.method_bytes.value_or(loaded.need.method_bytes);
    const std::string name =
        loaded_.size() == 1 ? "method memory" : "method memory of " + loaded.host.name();
    if (MaybeError error = give_block(name, bytes, kMethodMemoryAlignment, &loaded.own)) {
      return error;
    }
  }
  return std::nullopt;
}

MaybeError HostProgram::load(const std::vector<std::string>& methods, const HostOptions& options,
                             bool* is_usage) {
  *is_usage = false;
  if (MaybeError error = check_names(methods)) {
    *is_usage = options.names_method;
    return error;
  }
  for (const std::string& name : methods) {
    Loaded& loaded = loaded_.emplace_back();
    LoadFault fault;
    const Status status = program_.need(name.c_str(), &loaded.need, &fault);
    if (status != Status::kOk) return load_fault_words(status, fault, {});
    if (MaybeError error = loaded.host.describe(*file_, program_, name)) return error;
    for (uint32_t p = 0; p < loaded.need.pool_count; ++p) {
      const runtime::PoolNeed& pool = loaded.need.pools[p];
      const bool known = std::any_of(pool_names_.begin(), pool_names_.end(),
                                     [&](const PoolName& n) { return n.mem_id == pool.mem_id; });
      if (known) continue;
      const std::string mem = "mem" + std::to_string(pool.mem_id);
      pool_names_.push_back({pool.mem_id, *pool.name != '\0' ? pool.name : mem});
    }
  }
  if (MaybeError error = check_pool_options(options, is_usage)) return error;
  if (MaybeError error = give_pools(options)) return error;
  if (MaybeError error = give_own(options)) return error;
  fill_ = options.fill;
  return reload();
}

MaybeError HostProgram::reload() {
  for (Loaded& loaded : loaded_) loaded.host.unload();
  if (fill_) {
    for (Block& block : blocks_) fill_->apply(block.memory.bytes(), block.memory.size());
  }
  for (Loaded& loaded : loaded_) {
    runtime::LoadOptions options;
    options.kernels = host_kernels();
    options.external_data = {external_data_.data(), external_data_.size()};
    options.backends = runtime::Backends(host_runtime_backends());
    const runtime::MemoryGiven memory{loaded.own, {loaded.pools.data(), loaded.pools.size()}};
    runtime::Method method;
    LoadFault fault;
    const std::string& name = loaded.host.name();
    if (recorder_ != nullptr) recorder_->load_begins();
    const Status status = method.load(program_, name.c_str(), options, memory, &fault);
    if (status != Status::kOk) return in_words(name, status, fault);
    if (recorder_ != nullptr) recorder_->load_ends();
    if (MaybeError error = loaded.host.bind(method, recorder_)) return error;
  }
  return std::nullopt;
}

HostMethod& HostProgram::method(const std::string& name) {
  return std::find_if(loaded_.begin(), loaded_.end(),
                      [&](const Loaded& loaded) { return loaded.host.name() == name; })
      ->host;
}

bool HostProgram::is_proven() const {
  return std::all_of(loaded_.begin(), loaded_.end(),
                     [](const Loaded& loaded) { return loaded.host.is_proven(); });
}

std::string HostProgram::find_damage() const {
  for (const Block& block : blocks_) {
    if (block.memory.is_damaged()) return block.name;
  }
  for (const Loaded& loaded : loaded_) {
    const std::string damaged = loaded.host.find_damage();
    if (!damaged.empty()) return damaged;
  }
  return "";
}

}  // namespace berth::tools
