#include "runtime/c_api/c_api_test_util.h"

#include <string.h>

berth_status add_in_c(const void* file, size_t size, const berth_kernels* kernels,
                      const struct c_memory* memory, const float* in, float* out,
                      berth_load_fault* fault) {
  static berth_program program;
  static berth_method method;
  berth_status status = berth_open(&program, file, size, fault);
  if (status != BERTH_OK) return status;
  status = berth_load(&method, &program, "forward", kernels, memory->own, memory->own_size,
                      memory->pools, memory->pool_count, fault);
  for (uint32_t i = 0; i < 2 && status == BERTH_OK; ++i) {
    status = berth_set_input(&method, i, in, 4 * sizeof *in);
  }
  if (status == BERTH_OK) status = berth_execute(&method);
  if (status != BERTH_OK) return status;
  size_t bytes = 0;
  const void* answer = berth_output(&method, 0, &bytes);
  if (bytes != 4 * sizeof *out || berth_output(&method, 1, NULL) != NULL) return BERTH_BAD_STATE;
  memcpy(out, answer, bytes);
  return BERTH_OK;
}
