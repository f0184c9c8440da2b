// One method of a .pte on this machine: memory of exactly the size asked, loaded, run, looked at
// afterwards.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/runtime.h"
#include "tools/arguments.h"
#include "tools/guarded_memory.h"
#include "tools/load_fault_words.h"
#include "tools/tensor_files.h"

namespace berth::tools {

struct HostRunOptions {
  std::string method = "forward";
  std::vector<NamedBytes> pools;         // another size than the file asks for
  std::optional<uint64_t> method_bytes;  // the same for the method memory
  std::optional<Fill> fill;              // of all that memory, before the load
};

// Every kernel that this build has.
runtime::Span<const runtime::Span<const runtime::Kernel>> host_kernels();

class HostRun {
 public:
  // `file` stays with the caller and outlives this. Errors have no file. *is_usage says whether the
  // command line is wrong (a method or pool that the file does not have) rather than the file.
  MaybeError load(const Bytes& file, const HostRunOptions& options, bool* is_usage);

  // The tensors among the inputs; inputs of other kinds are fixed in the file.
  const std::vector<TensorSpec>& input_specs() const { return input_specs_; }

  // REQUIRES: load succeeded, inputs are as input_specs() says.
  MaybeError run(const std::vector<Bytes>& inputs);

  // After a run: the tensors among the outputs, with the shapes that they have now.
  std::vector<TensorSpec> output_specs() const;
  std::vector<Bytes> outputs() const;

  bool is_proven() const { return method_.is_proven(); }
  uint64_t method_bytes() const { return need_.method_bytes; }
  const std::vector<PoolName>& pool_names() const { return pool_names_; }
  const runtime::MethodNeed& need() const { return need_; }

  // "pool main", "method memory", ...: whose neighbouring bytes were written; empty when none.
  std::string find_damage() const;

 private:
  MaybeError choose_method(const std::string& name, bool* is_usage);
  MaybeError give_pools(const HostRunOptions& options, const Bytes& file, bool* is_usage);
  MaybeError describe_inputs();
  MaybeError give_outputs();
  Error in_words(Status status, const LoadFault& fault, const Bytes& file) const;

  runtime::Program program_;
  runtime::MethodNeed need_;
  runtime::Method method_;
  std::string name_;
  std::vector<PoolName> pool_names_;
  std::vector<runtime::PoolMemory> pools_;
  std::vector<TensorSpec> input_specs_;
  std::vector<uint32_t> tensor_inputs_;  // their indices among all inputs
  struct Block {
    std::string name;
    GuardedMemory memory;
  };
  std::vector<Block> blocks_;
  std::vector<GuardedMemory> caller_inputs_;  // per tensor input
};

}  // namespace berth::tools
