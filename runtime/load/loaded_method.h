// A method as it lies in the caller's method memory: fixed-size records, one block per kind, in the
// order of contract/runtime_sizes.h. Arguments, list elements, shapes, strings and constants are
// not copied: the records point into the program file.
//
//     | LoadedMethod | EValue... | Instruction... | operators... | delegates... |
//     | input flags... | Tensor... | (what is not needed) | dynamic sizes... |
#pragma once

#include <cstdint>

#include "contract/isa.h"
#include "contract/runtime_sizes.h"
#include "runtime/core/backend.h"
#include "runtime/core/evalue.h"
#include "runtime/core/kernel.h"
#include "runtime/core/span.h"
#include "runtime/core/tensor.h"

namespace berth::runtime {

// EValue::flags
constexpr uint8_t kRepointed = 1;      // a move or et_view lets it stand for other bytes
constexpr uint8_t kWritten = 2;        // an instruction writes it
constexpr uint8_t kInputCell = 4;      // listed in `inputs`
constexpr uint8_t kOutputCell = 8;     // listed in `outputs`
constexpr uint8_t kInitialBytes = 16;  // state: the file holds its bytes at load
constexpr uint8_t kAwaited = 32;       // an output whose memory the caller has to give
constexpr uint8_t kViewed = 64;        // an output that a view is made of: stays where it is

enum class InstructionKind : uint8_t {
  kKernel = 0,
  kCheckedKernel = 1,  // its arguments may stand for other bytes: looked at when it runs
  kDelegate = 2,
  kMove = 3,
  kJumpFalse = 4,
  kFree = 5,
};

struct DelegateFunctions;
struct Instruction;

// An entry of the delegate table. Files with a plan record say how its calls divide their
// arguments; without one all counts are 0. What is left behind the scratch is persistent memory.
struct alignas(8) DelegateEntry {
  const Backend* backend;
  const DelegateFunctions* functions;
  union {
    const Instruction* first_call;  // until init(); null: nothing calls it
    BackendHandle handle;
  };
  uint16_t inputs;
  uint16_t outputs;
  uint16_t scratch;
  bool has_roles;  // the plan record has the counts
};

struct Instruction {
  union {
    const int32_t* args;  // kernels, delegates: value indices in the file
    uint32_t from;        // kMove
    uint32_t condition;   // kJumpFalse
  };
  union {
    const Kernel* kernel;
    DelegateEntry* delegate;
    uint32_t to;      // kMove
    uint32_t target;  // kJumpFalse: index into the method's instructions
  };
  uint32_t count : 24;  // of args
  uint32_t kind : 8;

  InstructionKind what() const { return static_cast<InstructionKind>(kind); }
  bool is_kernel() const { return kind <= static_cast<uint32_t>(InstructionKind::kCheckedKernel); }
  bool has_arguments() const { return kind <= static_cast<uint32_t>(InstructionKind::kDelegate); }
};
constexpr uint32_t kMaxArgs = (1u << 24) - 1;
constexpr uint32_t kMaxDelegates = UINT16_MAX;

inline bool is_tensor_list(const EValue& value) {
  return value.tag == Tag::kTensorList || value.tag == Tag::kOptionalTensorList;
}

struct LoadedMethod {
  const char* name = nullptr;
  const uint8_t* program = nullptr;  // the FlatBuffer, program_size bytes
  EValue* values = nullptr;
  Instruction* instructions = nullptr;
  const int32_t* inputs = nullptr;  // value indices, in the file
  const int32_t* outputs = nullptr;
  uint8_t* input_set = nullptr;  // per input: 1 once the caller has given it
  uint32_t program_size = 0;
  uint32_t values_at = 0;  // position of the file's value table
  uint32_t value_count = 0;
  uint32_t instruction_count = 0;
  uint32_t input_count = 0;
  uint32_t output_count = 0;
  uint32_t missing = 0;     // inputs and unplanned outputs the caller has yet to give
  uint32_t stopped_at = 0;  // the instruction that failed last
  uint16_t delegate_count = 0;
  Isa isa = Isa::kUnstated;  // that scratch was sized for
  bool proven = false;       // the plan record was checked

  // The tensors that an argument stands for: the entries of a list, each a value index or -1 for
  // none; otherwise the argument alone, whatever it is.
  Span<const int32_t> entries(const int32_t& argument) const {
    const EValue& value = values[argument];
    return is_tensor_list(value) ? Span<const int32_t>(value.tensor_list, value.count)
                                 : Span<const int32_t>(&argument, 1);
  }
  // They lie right before the input flags.
  DelegateEntry* delegates() const {
    return reinterpret_cast<DelegateEntry*>(input_set) - delegate_count;
  }
  EValue& input(uint32_t i) const { return values[inputs[i]]; }
  EValue& output(uint32_t i) const { return values[outputs[i]]; }
};

// The compiler prints method memory to the byte from these numbers.
constexpr Abi kBuildAbi = sizeof(void*) == 8 ? Abi::kHost64 : Abi::kArm32;
constexpr RuntimeSizes kBuildSizes = kRuntimeSizes[static_cast<int>(kBuildAbi)];
static_assert(sizeof(LoadedMethod) == kBuildSizes.header);
static_assert(sizeof(EValue) == kBuildSizes.value);
static_assert(sizeof(Tensor) == kBuildSizes.tensor);
static_assert(sizeof(Instruction) == kBuildSizes.instruction);
static_assert(sizeof(const Kernel*) == kBuildSizes.op);
static_assert(sizeof(DelegateEntry) == kBuildSizes.delegate);
static_assert(alignof(LoadedMethod) <= kMethodMemoryAlignment &&
              alignof(EValue) <= kMethodMemoryAlignment);

}  // namespace berth::runtime
