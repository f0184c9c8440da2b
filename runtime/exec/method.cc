#include "runtime/exec/method.h"

#include <cstring>

#include "runtime/core/resize.h"
#include "runtime/core/tensor_access.h"
#include "runtime/load/known_operators.h"
#include "runtime/load/tensor_shape.h"

namespace berth::runtime {
namespace {

bool is_aligned(const void* data, ScalarType dtype) {
  const uint32_t size = element_size(dtype);
  const uint32_t alignment = size < 8 ? size : 8;
  return (reinterpret_cast<uintptr_t>(data) & (alignment - 1)) == 0;
}

// The caller's bytes may lie in the pool, too. What is apart goes by memcpy, which images have
// anyway; memmove would be 300 bytes for them.
void copy_input(void* to, const void* from, size_t bytes) {
  uint8_t* const target = static_cast<uint8_t*>(to);
  const uint8_t* const source = static_cast<const uint8_t*>(from);
  const uintptr_t up = reinterpret_cast<uintptr_t>(target) - reinterpret_cast<uintptr_t>(source);
  if (up == 0) return;
  if (up >= bytes && 0 - up >= bytes) {
    memcpy(to, from, bytes);
  } else if (up < bytes) {
    for (size_t i = bytes; i-- != 0;) target[i] = source[i];
  } else {
    for (size_t i = 0; i < bytes; ++i) target[i] = source[i];
  }
}

// A double input is compared as stock runtimes compare it; infinities and NaNs bit by bit.
bool is_close(double value, double declared) {
  if (memcmp(&value, &declared, sizeof(value)) == 0) return true;
  // Never true of an infinite difference.
  return __builtin_fabs(value - declared) < 1e-4 + 1e-5 * __builtin_fabs(declared);
}

// For calls with arguments that a move or a view may have pointed elsewhere: the path taken must
// have given them bytes, and those must be writable where the operator writes.
__attribute__((noinline)) Status check_arguments(const Instruction& instruction,
                                                 const LoadedMethod& method) {
  const char* letters = instruction.kernel->schema->args;
  const bool makes_view = is_et_view(*instruction.kernel->schema);
  for (uint32_t j = 0; letters[j] != '\0'; ++j) {
    if (letters[j] == 'O' && makes_view) continue;  // et_view is about to give it bytes
    for (const int32_t entry : method.entries(instruction.args[j])) {
      if (entry < 0) continue;
      const EValue& value = method.values[entry];
      if (value.tag != Tag::kTensor) continue;
      BERTH_TRY(check_tensor(*value.tensor, is_written(letters[j])));
    }
  }
  return Status::kOk;
}

// The target stands for what the source stands for; what the loader knows of the cell itself stays.
void move_value(const EValue& from, EValue& to) {
  const uint8_t flags = to.flags;
  to = from;
  to.flags = flags;
}

// A tensor is true when all its elements are.
__attribute__((noinline)) Status read_condition(const EValue& value, bool* out) {
  if (value.tag == Tag::kBool) {
    *out = value.boolean;
    return Status::kOk;
  }
  const Tensor& tensor = *value.tensor;
  BERTH_TRY(check_tensor(tensor, false));
  const uint8_t* elements = tensor.as<uint8_t>();
  bool all = true;
  for (size_t i = 0; i < tensor.numel(); ++i) all = all && elements[i] != 0;
  *out = all;
  return Status::kOk;
}

}  // namespace

Status Method::load(const Program& program, const char* name, const LoadOptions& options,
                    const MemoryGiven& memory, LoadFault* fault) {
  LoadFaults faults(fault);
  return faults.tell(load_method(program.file(), name, options, memory, &loaded_, faults));
}

Status Method::check_input(uint32_t i, Tag tag) const {
  if (i >= loaded_->input_count) return Status::kBadIndex;
  return loaded_->input(i).tag == tag ? Status::kOk : Status::kBadInput;
}

Status Method::accept(uint32_t i) {
  if (loaded_->input_set[i] == 0) {
    loaded_->input_set[i] = 1;
    --loaded_->missing;
  }
  return Status::kOk;
}

Status Method::set_input(uint32_t i, const InputTensor& given) {
  BERTH_TRY(check_input(i, Tag::kTensor));
  Tensor& tensor = *loaded_->input(i).tensor;
  if (given.dtype != tensor.dtype) return Status::kBadInput;
  if (tensor.home == Home::kInput && !is_aligned(given.data, given.dtype)) {
    return Status::kMisaligned;
  }
  const uint32_t rank = static_cast<uint32_t>(given.sizes.size());
  if (tensor.dynamic && rank == tensor.rank) {
    // What a model is exported with bounds each dim of its inputs; the shapes that follow from them
    // are bounded by their bytes alone.
    const int32_t* bounds = file_sizes(*loaded_, static_cast<uint32_t>(loaded_->inputs[i]));
    for (uint32_t d = 0; d < rank; ++d) {
      if (given.sizes[d] > bounds[d]) return Status::kBadInput;
    }
  }
  if (resize(tensor, given.sizes.data(), rank) != Status::kOk) return Status::kBadInput;
  const size_t bytes = tensor.nbytes();
  if (bytes != 0 && given.data == nullptr) return Status::kBadInput;
  if (tensor.home == Home::kInput) {
    tensor.data = const_cast<void*>(given.data);  // the loader has seen to it that none writes it
  } else if (bytes != 0) {
    copy_input(tensor.data, given.data, bytes);
  }
  return accept(i);
}

Status Method::set_input(uint32_t i, const void* data, size_t bytes) {
  BERTH_TRY(check_input(i, Tag::kTensor));
  const Tensor& tensor = *loaded_->input(i).tensor;
  if (bytes != tensor.nbytes()) return Status::kBadInput;
  InputTensor given;
  given.data = data;
  given.dtype = tensor.dtype;
  given.sizes = Span<const int32_t>(tensor.sizes, tensor.rank);
  return set_input(i, given);
}

Status Method::set_input_int(uint32_t i, int64_t value) {
  BERTH_TRY(check_input(i, Tag::kInt));
  return loaded_->input(i).integer == value ? accept(i) : Status::kBadInput;
}

Status Method::set_input_bool(uint32_t i, bool value) {
  BERTH_TRY(check_input(i, Tag::kBool));
  return loaded_->input(i).boolean == value ? accept(i) : Status::kBadInput;
}

Status Method::set_input_double(uint32_t i, double value) {
  BERTH_TRY(check_input(i, Tag::kDouble));
  return is_close(value, loaded_->input(i).number) ? accept(i) : Status::kBadInput;
}

Status Method::set_input_string(uint32_t i, Span<const char> value) {
  BERTH_TRY(check_input(i, Tag::kString));
  const EValue& declared = loaded_->input(i);
  const bool same = value.size() == declared.count &&
                    (value.empty() || memcmp(value.data(), declared.string, value.size()) == 0);
  return same ? accept(i) : Status::kBadInput;
}

Status Method::set_input_none(uint32_t i) {
  BERTH_TRY(check_input(i, Tag::kNone));
  return accept(i);
}

Status Method::set_output(uint32_t i, void* data, size_t bytes) {
  if (i >= loaded_->output_count) return Status::kBadIndex;
  const EValue& output = loaded_->output(i);
  if (output.tag != Tag::kTensor || (output.flags & kAwaited) == 0) return Status::kBadState;
  Tensor& tensor = *output.tensor;
  if (bytes < tensor.capacity || data == nullptr) return Status::kTooSmall;
  if (!is_aligned(data, tensor.dtype)) return Status::kMisaligned;
  if (tensor.data == nullptr) --loaded_->missing;
  tensor.data = data;
  return Status::kOk;
}

Status Method::execute(uint64_t max_instructions) {
  LoadedMethod& method = *loaded_;
  if (method.missing != 0) return Status::kInputNotSet;
  Tracer* const tracer = tracer_;
  KernelContext context;
  context.isa = method.isa;
  Status status = Status::kOk;
  uint32_t k = 0;
  while (k < method.instruction_count) {
    if (max_instructions == 0) {
      status = Status::kTooManySteps;
      break;
    }
    --max_instructions;
    const Instruction& instruction = method.instructions[k];
    uint32_t next = k + 1;
    if (tracer != nullptr) tracer->instruction_begins(method, k);
    switch (instruction.what()) {
      case InstructionKind::kCheckedKernel:
        status = check_arguments(instruction, method);
        if (status != Status::kOk) break;
        [[fallthrough]];
      case InstructionKind::kKernel:
        status = instruction.kernel->run(context,
                                         Args(instruction.args, instruction.count, method.values));
        break;
      case InstructionKind::kMove:
        move_value(method.values[instruction.from], method.values[instruction.to]);
        break;
      case InstructionKind::kJumpFalse: {
        bool condition = false;
        status = read_condition(method.values[instruction.condition], &condition);
        if (!condition) next = instruction.target;
        break;
      }
      case InstructionKind::kDelegate:
        status = instruction.delegate->functions->call(method, instruction, temp_, tracer);
        break;
      case InstructionKind::kFree:
        break;  // nothing is given back before the method ends: all memory is planned
    }
    if (tracer != nullptr) tracer->instruction_ends(method, k, status);
    if (status != Status::kOk) break;
    k = next;
  }
  method.stopped_at = k;
  return status;
}

}  // namespace berth::runtime
