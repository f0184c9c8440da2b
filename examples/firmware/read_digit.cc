// To copy: a model's file in flash, its memory reserved to the byte by what `berth compile` wrote,
// and only the kernels that it needs. See README.md beside this file.
#include "examples/firmware/read_digit.h"

#include "examples/firmware/digits_memory.h"  // berth compile --header
#include "runtime/kernels/kernel_selection.h"
#include "runtime/runtime.h"

using namespace berth;
using namespace berth::runtime;

extern "C" const uint8_t DIGITS_PTE[], DIGITS_PTE_END[];  // digits_file.s

namespace {

// Each pool of the board in a section of its name, which the linker script puts where it belongs.
#define POOL(name, mem_id, bytes, alignment) \
  alignas(alignment) __attribute__((section(".pool." #name))) uint8_t name##_pool[bytes];
BERTH_DIGITS_POOLS(POOL)
#undef POOL

alignas(BERTH_DIGITS_METHOD_ALIGNMENT) uint8_t method_memory[BERTH_DIGITS_METHOD_BYTES_ARM32];

constexpr OperatorName kOperators[] = {BERTH_DIGITS_OPERATORS};
constexpr auto kSelected = select_kernels(kOperators);

Program program;
Method method;

}  // namespace

uint8_t load_digits() {
  const Span<const uint8_t> file(DIGITS_PTE, static_cast<size_t>(DIGITS_PTE_END - DIGITS_PTE));
  Status status = program.open(file);
  if (status != Status::kOk) return static_cast<uint8_t>(status);
#define POOL(name, mem_id, bytes, alignment) {mem_id, name##_pool},
  const PoolMemory pools[] = {BERTH_DIGITS_POOLS(POOL)};
#undef POOL
  const Span<const Kernel> kernels[] = {kSelected.kernels};
  LoadOptions options;
  options.kernels = kernels;
  status = method.load(program, "forward", options, {method_memory, pools});
  return static_cast<uint8_t>(status);
}

int read_digit(const int8_t* picture) {
  if (method.set_input(0, picture, BERTH_DIGITS_INPUT0_BYTES) != Status::kOk) return -1;
  if (method.execute() != Status::kOk) return -1;
  const int8_t* scores = method.output(0).tensor->as<int8_t>();
  int best = 0;
  for (int digit = 1; digit < 10; ++digit) {
    if (scores[digit] > scores[best]) best = digit;
  }
  return best;
}
