// read_digit.cc for a firmware in C. See README.md beside this file.
#include "examples/firmware/read_digit.h"

#include "examples/firmware/digits_memory.h"  // berth compile --header
#include "runtime/c_api/berth.h"

extern const uint8_t DIGITS_PTE[], DIGITS_PTE_END[];  // digits_file.s
extern const berth_kernels digits_kernels;            // digits_kernels.cc

// Each pool of the board in a section of its name, which the linker script puts where it belongs.
#define POOL(name, mem_id, bytes, alignment) \
  static uint8_t name##_pool[bytes] __attribute__((aligned(alignment), section(".pool." #name)));
BERTH_DIGITS_POOLS(POOL)
#undef POOL

static uint8_t method_memory[BERTH_DIGITS_METHOD_BYTES_ARM32]
    __attribute__((aligned(BERTH_DIGITS_METHOD_ALIGNMENT)));
static berth_program program;
static berth_method method;

uint8_t load_digits(void) {
  const berth_status status =
      berth_open(&program, DIGITS_PTE, (size_t)(DIGITS_PTE_END - DIGITS_PTE), NULL);
  if (status != BERTH_OK) return status;
#define POOL(name, mem_id, bytes, alignment) {mem_id, name##_pool, bytes},
  const berth_pool pools[] = {BERTH_DIGITS_POOLS(POOL)};
#undef POOL
  return berth_load(&method, &program, "forward", &digits_kernels, method_memory,
                    sizeof method_memory, pools, sizeof pools / sizeof pools[0], NULL);
}

int read_digit(const int8_t* picture) {
  if (berth_set_input(&method, 0, picture, BERTH_DIGITS_INPUT0_BYTES) != BERTH_OK) return -1;
  if (berth_execute(&method) != BERTH_OK) return -1;
  const int8_t* scores = berth_output(&method, 0, NULL);
  int best = 0;
  for (int digit = 1; digit < 10; ++digit) {
    if (scores[digit] > scores[best]) best = digit;
  }
  return best;
}
