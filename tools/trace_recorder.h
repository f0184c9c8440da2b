// Records loads and runs of methods into an ETDump, event for event as stock runtimes do: a run
// "Default" per load, a run "Execute" per run of a method; in that the values that each operator
// writes, its times, and at last the method's outputs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/report/etdump.h"
#include "runtime/runtime.h"
#include "tools/files.h"

namespace berth::tools {

class TraceRecorder final : public runtime::Tracer {
 public:
  // `keep_bytes`: copies the bytes of values too. Neither file gets larger than `limit` bytes.
  explicit TraceRecorder(bool keep_bytes, uint64_t limit = uint64_t{1} << 30);

  // Where the chains of a method begin in its instructions. For each method before it runs.
  void add_method(const std::string& name, std::vector<int32_t> chain_begins);

  // The test case of a bundled program that runs from now on; -1 for none.
  void set_bundled_input(int32_t index) { bundled_input_ = index; }

  // Around Method::load; the method's tracer is this.
  void load_begins();
  void load_ends();
  // Around Method::execute. REQUIRES: an end is told only when the run has succeeded.
  void run_begins();
  void run_ends(const runtime::Method& method);

  void instruction_begins(const runtime::LoadedMethod& method, uint32_t instruction) override;
  void instruction_ends(const runtime::LoadedMethod& method, uint32_t instruction,
                        Status status) override;
  void step_begins() override;
  void step_ends(const char* name) override;

  // The files' bytes; those of values are empty unless they were to be kept. Fails when a file
  // would have become too large. REQUIRES: not called before.
  MaybeError finish(Bytes* etdump, Bytes* values);

 private:
  report::EventPlace place_of(const runtime::LoadedMethod& method, uint32_t instruction) const;
  void add_time(const report::EventPlace& place, std::string name, uint64_t start, uint64_t end);
  void add_value(const report::EventPlace& place, const runtime::LoadedMethod& method,
                 const int32_t& value, bool is_output);
  report::TracedTensor trace(const runtime::Tensor& tensor);

  report::EtdumpWriter writer_;
  std::map<std::string, std::vector<int32_t>> chain_begins_;
  Bytes values_;
  uint64_t limit_;
  bool keep_bytes_;
  bool values_full_ = false;
  int32_t bundled_input_ = -1;
  uint64_t load_begin_ = 0;
  uint64_t run_begin_ = 0;
  uint64_t instruction_begin_ = 0;
  uint64_t step_begin_ = 0;
  report::EventPlace place_;  // of the instruction that runs
};

}  // namespace berth::tools
