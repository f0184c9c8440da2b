// The five calls of berth.h from a C file (c_api_test_util.c), for its test.
#pragma once

#include "runtime/c_api/berth.h"

#ifdef __cplusplus
extern "C" {
#endif

struct c_memory {
  void* own;
  size_t own_size;
  const berth_pool* pools;
  size_t pool_count;
};

// Opens, loads "forward", sets both inputs to `in`, runs; output 0 goes to `out` (4 floats).
// Answers with the first status that is not BERTH_OK.
berth_status add_in_c(const void* file, size_t size, const berth_kernels* kernels,
                      const struct c_memory* memory, const float* in, float* out,
                      berth_load_fault* fault);

#ifdef __cplusplus
}
#endif
