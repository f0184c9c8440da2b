// A .pte on this machine: memory of exactly the size asked, shared between methods as the file has
// it; methods loaded, and loaded anew.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "runtime/runtime.h"
#include "tools/arguments.h"
#include "tools/guarded_memory.h"
#include "tools/host_method.h"
#include "tools/load_fault_words.h"

namespace berth::tools {

struct HostOptions {
  std::vector<NamedBytes> pools;         // another size than the file asks for
  std::optional<uint64_t> method_bytes;  // the same for the memory of each method
  std::optional<Fill> fill;              // of all that memory, before each load
  bool trust_plan = false;    // load even where a run of one method destroys another's state
  bool names_method = false;  // the command line has the method's name: an unknown one is its slip
};

// Every kernel that this build has.
runtime::Span<const runtime::Span<const runtime::Kernel>> host_kernels();

class HostProgram {
 public:
  HostProgram() = default;
  ~HostProgram();
  HostProgram(const HostProgram&) = delete;
  HostProgram& operator=(const HostProgram&) = delete;

  // `file` stays with the caller and outlives this. Errors have no file.
  MaybeError open(const Bytes& file);
  // A .ptd of tensors that lie outside the file. The error's place is the path.
  MaybeError add_external_data(const std::string& path);

  std::vector<std::string> method_names() const { return names_; }

  // Is told of all loads and runs from here on. It stays with the caller and outlives this.
  // REQUIRES: open; it knows the methods.
  void set_recorder(TraceRecorder* recorder) { recorder_ = recorder; }

  // Gives memory to these methods and loads them. *is_usage says whether the command line is wrong
  // (a method or pool that the file does not have) rather than the file.
  MaybeError load(const std::vector<std::string>& methods, const HostOptions& options,
                  bool* is_usage);
  // All of them anew, in the same memory: as if they had never run.
  MaybeError reload();

  // REQUIRES: loaded, and one of its names.
  HostMethod& method(const std::string& name);
  bool is_proven() const;

  // Of the first method.
  const runtime::MethodNeed& need() const { return loaded_.front().need; }
  const std::vector<PoolName>& pool_names() const { return pool_names_; }

  // "pool main", "method memory", ...: whose neighbouring bytes were written; empty when none.
  std::string find_damage() const;

 private:
  struct Loaded {
    HostMethod host;
    runtime::MethodNeed need;
    runtime::Span<uint8_t> own;
    std::vector<runtime::PoolMemory> pools;
  };
  struct Block {
    std::string name;
    GuardedMemory memory;
  };
  struct ExternalFile {
    std::string path;
    Bytes bytes;
  };
  MaybeError check_names(const std::vector<std::string>& methods) const;
  MaybeError check_pool_options(const HostOptions& options, bool* is_usage) const;
  MaybeError give_pools(const HostOptions& options);
  MaybeError give_own(const HostOptions& options);
  MaybeError give_block(std::string name, uint64_t bytes, uint64_t alignment,
                        runtime::Span<uint8_t>* out);
  Error in_words(const std::string& method, Status status, const LoadFault& fault) const;

  const Bytes* file_ = nullptr;
  runtime::Program program_;
  std::vector<std::string> names_;  // of all methods of the file
  std::deque<ExternalFile> external_files_;
  std::vector<runtime::ExternalData> external_data_;
  std::optional<Fill> fill_;
  TraceRecorder* recorder_ = nullptr;
  std::vector<PoolName> pool_names_;  // of all methods that are loaded
  std::deque<Loaded> loaded_;
  std::vector<Block> blocks_;
};

}  // namespace berth::tools
