#include "firmware/fence.h"

#include "firmware/instruction_count.h"
#include "firmware/semihosting.h"

namespace berth::firmware {
namespace {

using namespace berth::runtime;

const char* name_of(const Instruction& instruction) {
  return instruction.is_kernel() ? instruction.kernel->schema->name : "no kernel";
}

// The next byte after `at` that the instruction may write, and where that run ends; `end` when
// there is none.
void find_written(const LoadedMethod& method, const Instruction& instruction, const uint8_t* at,
                  const uint8_t* end, const uint8_t** first, const uint8_t** last) {
  *first = *last = end;
  const char* letters = instruction.kernel->schema->args;
  for (uint32_t i = 0; i < instruction.count && letters[i] != '\0'; ++i) {
    if (!is_written(letters[i])) continue;
    for (const int32_t index : method.entries(instruction.args[i])) {
      if (index < 0 || method.values[index].tag != Tag::kTensor) continue;
      const Tensor& tensor = *method.values[index].tensor;
      const uint8_t* begin = tensor.as<uint8_t>();
      const uint8_t* behind = begin + tensor.capacity;
      if (behind <= at || begin >= *first) continue;
      *first = begin > at ? begin : at;
      *last = behind < end ? behind : end;
    }
  }
}

// Whether an output of the instruction is kept in method memory: the sizes of a tensor whose shape
// may change, where a view points, a number.
bool writes_method_memory(const LoadedMethod& method, const Instruction& instruction) {
  const char* letters = instruction.kernel->schema->args;
  for (uint32_t i = 0; i < instruction.count && letters[i] != '\0'; ++i) {
    if (!is_written(letters[i])) continue;
    for (const int32_t index : method.entries(instruction.args[i])) {
      if (index < 0) continue;
      const EValue& value = method.values[index];
      if (value.tag != Tag::kTensor || value.tensor->dynamic) return true;
      if (value.tensor->home == Home::kView || value.tensor->home == Home::kOutputView) return true;
    }
  }
  return false;
}

// FNV-1a.
uint32_t add_bytes(uint32_t sum, const uint8_t* begin, const uint8_t* end) {
  for (; begin < end; ++begin) sum = (sum ^ *begin) * 16777619u;
  return sum;
}

}  // namespace

uint32_t Fence::sum_of_others(const LoadedMethod& method, uint32_t at) const {
  const Instruction& instruction = method.instructions[at];
  if (!instruction.is_kernel()) return 0;
  uint32_t sum = 2166136261u;
  for (const PoolMemory& pool : pools_) {
    const uint8_t* const end = pool.bytes.end();
    for (const uint8_t* byte = pool.bytes.begin(); byte < end;) {
      const uint8_t *first = nullptr, *last = nullptr;
      find_written(method, instruction, byte, end, &first, &last);
      sum = add_bytes(sum, byte, first);
      byte = last;
    }
  }
  if (writes_method_memory(method, instruction)) return sum;
  return add_bytes(sum, method_memory_.begin(), method_memory_.end());
}

void Fence::instruction_begins(const LoadedMethod& method, uint32_t instruction) {
  sum_ = sum_of_others(method, instruction);
  begin_ = count_instructions();
}

void Fence::instruction_ends(const LoadedMethod& method, uint32_t instruction, Status) {
  const uint64_t taken = count_instructions() - begin_;
  const char* name = name_of(method.instructions[instruction]);
  if (sum_of_others(method, instruction) != sum_) {
    print_all("instruction ", instruction, " ", name, " wrote bytes that are not its own\n");
    stop(Outcome::kBadMemory);
  }
  print_all("instruction ", instruction, " ", name, ": ", taken, " machine instructions\n");
}

}  // namespace berth::firmware
