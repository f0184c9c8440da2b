// The device half of a backend: a table of plain functions, so that C can write one. The compile
// half (compiler/delegate/compile_backend.h) makes the blob that init() gets, and declares the
// memory that execute() is given. docs/write-a-backend.md walks through one.
//
// Hello:
//
//     Status init(InitContext& context, BackendHandle* handle) { ... context.processed() ... }
//     Status execute(ExecuteContext&, BackendHandle handle, const DelegateArgs& args) {
//       const Tensor& x = *args.input(0).tensor;
//       const Span<uint8_t> work = args.scratch(0);      // planned: no allocator
//       ...
//     }
//     void destroy(BackendHandle handle) { ... }
//     constexpr Backend kNpu = {"npu", init, execute, destroy};
//
// The caller hands it to load(), with the values that only he has:
//
//     const Backend* const list[] = {&kNpu};
//     BackendOption window{"npu", "window"};
//     window.kind = BackendOption::Kind::kMemory, window.memory = registers;
//     options.backends = Backends(list, {&window, 1});
//
// No globals: what only the firmware knows (a device, a base address) comes with the load options
// that name the backend.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/isa.h"
#include "contract/status.h"
#include "runtime/core/evalue.h"
#include "runtime/core/span.h"
#include "runtime/core/tensor.h"
#include "runtime/core/tensor_access.h"
#include "runtime/core/try.h"

namespace berth::runtime {

// What a backend keeps between init() and destroy(); its own business, may be null.
using BackendHandle = void*;

// A value born at run time for one backend, given with the load options.
struct BackendOption {
  enum class Kind : uint8_t { kInteger, kText, kMemory };
  const char* backend;  // the id
  const char* key;
  Kind kind = Kind::kInteger;
  int64_t integer = 0;
  const char* text = "";
  Span<uint8_t> memory = {};
};

// What init() can find wrong.
enum class DelegatePart : uint8_t { kBlob, kScratch, kPersistent };

// What init() may ask for. All of it stays where it is as long as the method.
class InitContext {
 public:
  // The blob of the compile half; in the file, so not to be written.
  Span<const uint8_t> processed() const { return processed_; }
  // The value of a compile spec. False when there is none of this key.
  bool find_spec(const char* key, Span<const uint8_t>* value) const {
    return functions_.find_spec(*this, key, value);
  }
  // The bytes of a named-data entry of the file. False when there is none of this key.
  bool find_named_data(const char* key, Span<const uint8_t>* bytes) const {
    return functions_.find_named_data(*this, key, bytes);
  }
  // The option of this key for this backend, or null. It goes when load() returns; what it points
  // at is the caller's.
  const BackendOption* find_option(const char* key) const {
    return functions_.find_option(*this, key);
  }
  // The memory of an option: at least `nbytes`, at a multiple of `alignment`, a power of two. When
  // it was not given, or is too short or misplaced: kTooSmall or kMisaligned, and the load fault
  // has both numbers.
  Status find_memory(const char* key, size_t nbytes, size_t alignment, Span<uint8_t>* out) {
    return functions_.find_memory(*this, key, nbytes, alignment, out);
  }
  // Persistent memory in the order in which it was declared; empty past the last, and in a file
  // that has lost its plan record.
  Span<uint8_t> persistent(uint32_t i) const { return functions_.persistent(*this, i); }
  // kTooSmall where that is not so much; the load fault has both numbers then.
  Status check_persistent(uint32_t i, size_t nbytes) {
    const size_t have = persistent(i).size();
    if (have >= nbytes) return Status::kOk;
    return refuse(Status::kTooSmall, DelegatePart::kPersistent, i, nbytes, have);
  }

  // For init() to return: `status`, once the load fault says which part is wrong. `i` tells scratch
  // and persistent memory by the order in which they were declared; `need` and `have` are bytes;
  // where the part's size is not what is wrong, `need` is 0.
  Status refuse(Status status, DelegatePart part, uint32_t i, size_t need, size_t have) {
    functions_.refuse(*this, part, i, need, have);
    return status;
  }

 protected:
  // Whoever makes one brings these; no vtable, as devices have no operator delete.
  struct Functions {
    bool (*find_spec)(const InitContext&, const char*, Span<const uint8_t>*);
    bool (*find_named_data)(const InitContext&, const char*, Span<const uint8_t>*);
    const BackendOption* (*find_option)(const InitContext&, const char*);
    Status (*find_memory)(InitContext&, const char*, size_t, size_t, Span<uint8_t>*);
    Span<uint8_t> (*persistent)(const InitContext&, uint32_t);
    void (*refuse)(InitContext&, DelegatePart, uint32_t, size_t, size_t);
  };
  InitContext(const Functions& functions, Span<const uint8_t> processed)
      : functions_(functions), processed_(processed) {}

 private:
  const Functions& functions_;
  Span<const uint8_t> processed_;
};

// One call's arguments. A file with a plan record says which are inputs, outputs and scratch; of
// one without, all are in the flat list (inputs, outputs, then scratch and persistent memory if
// any), and the counts are 0: a backend that knows them from its blob says so with expect().
// Outputs and scratch may be written, and scratch is a planned tensor of bytes; what else an
// argument is (its tag, type, shape) is left to the backend.
class DelegateArgs {
 public:
  DelegateArgs(const int32_t* indices, uint32_t count, EValue* values)
      : indices_(indices), values_(values), count_(count) {}

  uint32_t count() const { return count_; }
  EValue& value(uint32_t i) const { return values_[indices_[i]]; }

  uint32_t input_count() const { return inputs_; }
  uint32_t output_count() const { return outputs_; }
  uint32_t scratch_count() const { return scratch_; }
  // REQUIRES: i below the count.
  EValue& input(uint32_t i) const { return value(i); }
  EValue& output(uint32_t i) const { return value(inputs_ + i); }
  // As many bytes as were declared, aligned as was asked for, shared with nothing that lives during
  // this call. What they hold is undefined.
  Span<uint8_t> scratch(uint32_t i) const {
    const Tensor& tensor = *value(inputs_ + outputs_ + i).tensor;
    return {tensor.as_mutable<uint8_t>(), tensor.nbytes()};
  }

  // What init() was given as persistent memory i; empty past the last, and without a record.
  Span<uint8_t> persistent(uint32_t i) const {
    if (i >= kept_) return {};
    const Tensor& tensor = *value(inputs_ + outputs_ + scratch_ + i).tensor;
    return {tensor.as_mutable<uint8_t>(), tensor.nbytes()};
  }

  // The arguments of a call that has so many inputs and outputs: as the record divides them, or, of
  // a file without one, as they stand in the flat list, with at most `scratch` scratch buffers
  // behind. kBadArguments when they are others.
  Status expect(uint32_t inputs, uint32_t outputs, uint32_t scratch, DelegateArgs* out) const {
    if (inputs_ + outputs_ + scratch_ != 0) {
      *out = *this;
      return inputs_ == inputs && outputs_ == outputs ? Status::kOk : Status::kBadArguments;
    }
    const uint64_t named = uint64_t{inputs} + outputs;
    const auto rest = count_ > named ? static_cast<uint32_t>(count_ - named) : 0;
    return divide(inputs, outputs, rest < scratch ? rest : scratch, out);
  }

  // The same arguments with counts that no record tells. kBadArguments when there are fewer, or one
  // of them is no target as it would have to be: the file may lie.
  Status divide(uint32_t inputs, uint32_t outputs, uint32_t scratch, DelegateArgs* out) const {
    const uint64_t named = uint64_t{inputs} + outputs + scratch;
    if (named > count_) return Status::kBadArguments;
    for (uint32_t i = inputs; i < named; ++i) {
      if (!is_target(value(i), i - inputs >= outputs)) return Status::kBadArguments;
    }
    *out = split(inputs, outputs, scratch);
    out->kept_ = 0;
    return Status::kOk;
  }

  // Whether a call may write an argument: any number, a tensor that is not constant; as scratch
  // only a planned tensor of bytes.
  static bool is_target(const EValue& value, bool is_scratch) {
    if (value.tag != Tag::kTensor) return !is_scratch;
    const Tensor& tensor = *value.tensor;
    if (is_scratch && (tensor.home != Home::kPool || tensor.dtype != ScalarType::kByte)) {
      return false;
    }
    return is_writable(tensor);
  }

  // For the loader, which has looked at them. REQUIRES: inputs + outputs + scratch <= count().
  DelegateArgs split(uint32_t inputs, uint32_t outputs, uint32_t scratch) const {
    DelegateArgs args = *this;
    args.inputs_ = inputs;
    args.outputs_ = outputs;
    args.scratch_ = scratch;
    const uint32_t named = inputs + outputs + scratch;
    args.kept_ = named == 0 ? 0 : count_ - named;
    return args;
  }

 private:
  const int32_t* indices_;
  EValue* values_;
  uint32_t count_;
  uint32_t inputs_ = 0, outputs_ = 0, scratch_ = 0, kept_ = 0;
};

// Told of the steps that a backend takes within a call, where somebody traces the run; steps do not
// nest.
class StepTracer {
 public:
  virtual void step_begins() {}
  // `name`, UTF-8, is looked at during the call only: "Convolution #1".
  virtual void step_ends(const char* /*name*/) {}

 protected:
  ~StepTracer() = default;  // nobody owns one through this class
};

// What execute() may use besides its arguments.
struct ExecuteContext {
  Isa isa = kBuildIsa;
  // Memory that the caller lends for this call (Method::set_temp), for files whose compiler
  // declared no scratch; may be empty.
  Span<uint8_t> temp;
  StepTracer* tracer = nullptr;  // null: nobody looks

  // Cuts `nbytes` off it, at a multiple of `alignment`, a power of two. kScratchTooSmall.
  Status take_temp(size_t nbytes, size_t alignment, Span<uint8_t>* out) {
    const size_t skipped = (0 - reinterpret_cast<uintptr_t>(temp.data())) & (alignment - 1);
    if (temp.size() < skipped || temp.size() - skipped < nbytes) return Status::kScratchTooSmall;
    *out = {temp.data() + skipped, nbytes};
    temp = {temp.data() + skipped + nbytes, temp.size() - skipped - nbytes};
    return Status::kOk;
  }
};

// The bytes of an argument; none where it is no tensor.
inline Span<uint8_t> bytes_of(const EValue& value) {
  if (value.tag != Tag::kTensor) return {};
  return {value.tensor->as_mutable<uint8_t>(), value.tensor->nbytes()};
}
// Bytes as elements; none where they lie at no multiple of what a T is aligned to.
template <typename T>
Span<T> elements_of(Span<uint8_t> bytes) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(T) != 0) return {};
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

// Scratch i of a call, where the file has it; of an older compiler's file, as much of the temp
// memory. kScratchTooSmall when there is not enough of either, or it lies at no multiple of
// `alignment`.
inline Status scratch_or_temp(ExecuteContext& context, const DelegateArgs& args, uint32_t i,
                              size_t nbytes, size_t alignment, Span<uint8_t>* out) {
  if (i >= args.scratch_count()) return context.take_temp(nbytes, alignment, out);
  const Span<uint8_t> planned = args.scratch(i);
  const bool fits = planned.size() >= nbytes &&
                    (reinterpret_cast<uintptr_t>(planned.data()) & (alignment - 1)) == 0;
  if (!fits) return Status::kScratchTooSmall;
  *out = planned;
  return Status::kOk;
}

// Working memory of a backend that lets the user choose: where calls share their handle, its
// persistent memory i (kTooSmall), else what scratch_or_temp() finds.
inline Status find_work(ExecuteContext& context, const DelegateArgs& args, bool is_shared,
                        uint32_t i, size_t nbytes, size_t alignment, Span<uint8_t>* out) {
  if (!is_shared) return scratch_or_temp(context, args, i, nbytes, alignment, out);
  const Span<uint8_t> kept = args.persistent(i);
  if (kept.size() < nbytes) return Status::kTooSmall;
  *out = kept;
  return Status::kOk;
}

struct Backend {
  const char* id;
  // Once per entry of the file's delegate table, after the whole method has been verified. *handle
  // is null before. A failure ends the load; what init() took it gives back itself then.
  Status (*init)(InitContext& context, BackendHandle* handle);
  // Once per call. A file without a plan record may name anything as an argument. Tensors of which
  // the shape may change are resized by the backend.
  Status (*execute)(ExecuteContext& context, BackendHandle handle, const DelegateArgs& args);
  // Once per successful init(), when the method is unloaded. May be null.
  void (*destroy)(BackendHandle handle);
};

}  // namespace berth::runtime
