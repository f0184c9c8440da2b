// A compiled program, loaded with backends that are counted and looked at while they run.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "compiler/compiler.h"
#include "runtime/kernels/portable/portable_kernels.h"
#include "runtime/runtime.h"
#include "tests/support/pte_builder.h"

namespace berth::testing {

// How often the functions of a backend ran, and what the calls brought.
struct BackendLog {
  struct Call {
    uint32_t inputs = 0, outputs = 0;
    std::vector<runtime::Tensor> arguments;  // all of them, persistent memory included
    std::vector<runtime::Span<uint8_t>> scratch;
  };
  int inits = 0, executes = 0, destroys = 0;
  std::vector<Call> calls;
};

// A backend that writes into the one log of the process and then does what `inner` does. One at a
// time: the table has no room for more than functions.
const runtime::Backend& logged(const runtime::Backend& inner, BackendLog* log);

// One method of a file, in memory of exactly the size it asks for, on 64-byte boundaries.
class DelegateRun {
 public:
  DelegateRun(const program::Bytes& file, const runtime::Backend& backend);
  ~DelegateRun() { method_.unload(); }
  DelegateRun(const DelegateRun&) = delete;
  DelegateRun& operator=(const DelegateRun&) = delete;

  // Every method loaded gets pools and memory of its own, but for share_pools().
  Status load(const std::string& name, uint8_t fill = 0);
  // The next load() takes the pools of `other`, which outlives this and needs no less of any.
  void share_pools(const DelegateRun& other) { pools_ = other.pools_; }
  void unload() { method_.unload(); }
  // Sets the only input, runs, and answers the floats of the first output.
  std::vector<float> run(const std::vector<float>& input);
  Status status() const { return status_; }

  runtime::Method& method() { return method_; }
  const runtime::MethodNeed& need() const { return need_; }
  // The memory given for a pool; empty when there is none of this number.
  runtime::Span<uint8_t> pool(uint32_t mem_id);
  void set_temp(size_t bytes);

 private:
  AlignedBytes file_;
  const runtime::Backend* backends_[1];
  runtime::Program program_;
  runtime::Method method_;
  runtime::MethodNeed need_;
  std::deque<AlignedBytes> memory_;
  std::vector<runtime::PoolMemory> pools_;
  AlignedBytes own_;
  AlignedBytes temp_;
  Status status_ = Status::kOk;
};

std::vector<std::byte> model_bytes(const std::string& text);

// Numbers that look like noise, in [-1, 1).
std::vector<float> noise(size_t count, uint32_t seed = 1);

}  // namespace berth::testing
