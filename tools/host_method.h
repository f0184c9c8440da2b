// One loaded method on this machine: values in, run, values out. Unplanned inputs and outputs get
// memory of exactly their size, with marked bytes around.
#pragma once

#include <string>
#include <vector>

#include "runtime/runtime.h"
#include "tools/guarded_memory.h"
#include "tools/run_value.h"
#include "tools/trace_recorder.h"

namespace berth::tools {

class HostMethod {
 public:
  // What the method takes, from the file: tensors without bytes, at the upper bound of their shape
  // where `dynamic` says so, and the values of those inputs that are fixed.
  struct Input {
    RunValue value;
    bool dynamic = false;
  };
  // `program` is of `file`; both outlive this.
  MaybeError describe(const Bytes& file, const runtime::Program& program, const std::string& name);

  const std::string& name() const { return name_; }
  const std::vector<Input>& inputs() const { return inputs_; }

  // After the method was loaded, and again after it was loaded anew. Outputs that lie in no pool
  // get memory here. Its runs are told to the recorder, if there is one.
  MaybeError bind(const runtime::Method& method, TraceRecorder* recorder = nullptr);
  // Gives back what backends hold. Before the method is loaded anew, and before its memory goes.
  void unload() { method_.unload(); }

  // Sets all inputs. Tensors may come in another dim order than the method's. The error's place is
  // the input.
  MaybeError set_inputs(const std::vector<RunValue>& values);
  // The error names the instruction, and the delegate that it calls. REQUIRES: inputs are set.
  MaybeError execute();

  // After a run, with the shapes of this run.
  std::vector<RunValue> outputs() const;

  bool is_proven() const { return method_.is_proven(); }

  // "input 0", "output 1": whose neighbouring bytes were written; empty when none.
  std::string find_damage() const;

 private:
  struct Output {
    uint32_t index = 0;
    uint64_t bytes = 0;
    uint32_t alignment = 1;
    GuardedMemory memory;
  };
  MaybeError set_tensor(uint32_t i, const TensorValue& tensor);
  Status set_fixed(uint32_t i, const RunValue& value);
  Error run_error(Status status) const;

  const Bytes* file_ = nullptr;
  std::string name_;
  runtime::Method method_;
  TraceRecorder* recorder_ = nullptr;
  std::vector<Input> inputs_;
  std::vector<GuardedMemory> caller_inputs_;  // per input; kept: unplanned ones are used there
  std::vector<Output> caller_outputs_;        // those that lie in no pool
};

// The tensors among values, in their order: what files hold.
std::vector<TensorSpec> tensor_specs(const std::vector<RunValue>& values);

}  // namespace berth::tools
