// A loaded method: give it inputs, run it, read its outputs. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/status.h"
#include "runtime/core/evalue.h"
#include "runtime/core/span.h"
#include "runtime/exec/opened_program.h"
#include "runtime/exec/tracer.h"
#include "runtime/load/method_loader.h"

namespace berth::runtime {

// As many instructions as stock runtimes execute before they give up.
constexpr uint64_t kMaxInstructions = 10000000;

// A tensor of the caller's: elements in the dim order of the method's input, without padding.
struct InputTensor {
  const void* data = nullptr;
  ScalarType dtype = ScalarType::kFloat;
  Span<const int32_t> sizes;
};

// A handle on records in the method memory: copies stand for the same method, nothing is freed.
// REQUIRES, for all but load and set_tracer: load has succeeded; program and memory are still
// there.
class Method {
 public:
  // Verifies `name` and builds it in the memory given (see Program::need). Nothing is loaded on
  // failure; *fault, if given, says what is wrong with which field. Faults about a pool carry its
  // mem_id as index. Loading again into the same memory is a reset: inputs are unset, state has its
  // first bytes. Methods of one program may share pools, since they never run at the same time;
  // what is kept between runs (state, inputs set before) must then lie where no other writes.
  Status load(const Program& program, const char* name, const LoadOptions& options,
              const MemoryGiven& memory, LoadFault* fault = nullptr);
  bool is_loaded() const { return loaded_ != nullptr; }
  // Gives back what the delegates' backends hold: destroy() of each handle, the last one first. A
  // method with delegates is unloaded, through one of its handles, before its memory is used for
  // anything else, loading it again included; others need not be.
  void unload() {
    if (loaded_ != nullptr && loaded_->delegate_count != 0) {
      loaded_->delegates()->functions->destroy(*loaded_);
    }
    loaded_ = nullptr;
  }
  // Memory that backends may use during a call, for files whose compiler declared no scratch.
  void set_temp(Span<uint8_t> temp) { temp_ = temp; }

  const char* name() const { return loaded_->name; }
  uint32_t input_count() const { return loaded_->input_count; }
  uint32_t output_count() const { return loaded_->output_count; }
  uint32_t instruction_count() const { return loaded_->instruction_count; }
  // Whether the file's plan record was there and proved that no live bytes are overwritten.
  bool is_proven() const { return loaded_->proven; }

  // Every input has to be set once before the first run; it then stays until it is set again, but a
  // run may overwrite a planned input's bytes. A planned tensor is copied into its place; an
  // unplanned one is used where it is: the caller keeps it, aligned to its elements, through
  // execute(). A shape that may change takes any sizes up to the file's, dim by dim. kBadIndex, or
  // kBadInput when type, shape or size is not the method's.
  Status set_input(uint32_t i, const InputTensor& tensor);
  // The same for a tensor of the method's own type and shape.
  Status set_input(uint32_t i, const void* data, size_t bytes);
  // Inputs that are no tensors are fixed when a model is exported: only the file's value is
  // accepted.
  Status set_input_int(uint32_t i, int64_t value);
  Status set_input_bool(uint32_t i, bool value);
  Status set_input_double(uint32_t i, double value);
  Status set_input_string(uint32_t i, Span<const char> value);
  Status set_input_none(uint32_t i);

  // Memory for an output that has none: at least the bytes at its upper bound, aligned to its
  // elements. kBadState for an output that is planned.
  Status set_output(uint32_t i, void* data, size_t bytes);

  // Runs from the first instruction to the last, at most `max_instructions` of them. kInputNotSet
  // while an input or the memory of an unplanned output is missing. After a failure stopped_at() is
  // the instruction that failed; another run may follow.
  Status execute(uint64_t max_instructions = kMaxInstructions);
  uint32_t stopped_at() const { return loaded_->stopped_at; }

  // Watches every run of this handle, and of copies made of it from now on; null for none. The
  // tracer stays with the caller.
  void set_tracer(Tracer* tracer) { tracer_ = tracer; }

  // Where output i is after execute(): in a pool, in the memory given, or in the file. Pools are
  // written by the next run. REQUIRES: i < count.
  const EValue& input(uint32_t i) const { return loaded_->input(i); }
  const EValue& output(uint32_t i) const { return loaded_->output(i); }

  const LoadedMethod& records() const { return *loaded_; }

 private:
  Status accept(uint32_t i);
  Status check_input(uint32_t i, Tag tag) const;

  LoadedMethod* loaded_ = nullptr;
  Span<uint8_t> temp_;
  Tracer* tracer_ = nullptr;
};

}  // namespace berth::runtime
