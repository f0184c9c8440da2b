// The runtime for C (C11): load once, then ask. A thin skin over runtime/runtime.h, which says more
// of every call; it allocates nothing either. Programs without delegates, inputs that are tensors
// of the method's own shape.
//
//     static berth_program program;
//     static berth_method method;
//     berth_status status = berth_open(&program, file, file_size);
//     status = berth_load(&method, &program, "forward", &kernels, own, sizeof own, pools, 1);
//     status = berth_set_input(&method, 0, image, sizeof image);
//     status = berth_execute(&method);
//     const int8_t* answer = berth_output(&method, 0, NULL);
//
// `file`, in memory aligned to 16, `own` (8) and the pools are as large as `berth compile --header`
// says. They stay with the caller, and stay put, while program and method are in use. The kernels
// come from a C++ file of two lines, runtime/c_api/c_kernels.h.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// 0 is ok; contract/status.h has the others, berth_status_words() their names.
typedef uint8_t berth_status;

// Room for what the runtime knows of them; nothing in there is for anyone else.
typedef struct {
  uint64_t room[24];
} berth_program;
typedef struct {
  uint64_t room[4];
} berth_method;

typedef struct {
  uint32_t mem_id;
  void* bytes;
  size_t size;
} berth_pool;

typedef struct berth_kernels berth_kernels;
#ifdef __cplusplus
namespace berth::runtime {
struct Kernel;
}
struct berth_kernels {
  const berth::runtime::Kernel* kernels;
  size_t count;
};
#endif

// Checks the parts of the file that all methods share. `program` is whole only after a 0.
berth_status berth_open(berth_program* program, const void* file, size_t size);

// Checks the method and builds it in `own` and the pools, at most 16 of them. `method` is whole
// only after a 0. Loading again into the same memory is a reset.
berth_status berth_load(berth_method* method, const berth_program* program, const char* name,
                        const berth_kernels* kernels, void* own, size_t own_size,
                        const berth_pool* pools, size_t pool_count);

// REQUIRES, for these: the method is loaded. Output i is null past the last, and for outputs that
// are no tensors; *size, if asked for, is its bytes; the next run writes them.
berth_status berth_set_input(berth_method* method, uint32_t i, const void* data, size_t size);
berth_status berth_execute(berth_method* method);
const void* berth_output(const berth_method* method, uint32_t i, size_t* size);

const char* berth_status_words(berth_status status);

#ifdef __cplusplus
}
#endif
