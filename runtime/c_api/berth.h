// The runtime for C (C11): load once, then ask. A thin skin over runtime/runtime.h, which says more
// of every call; it allocates nothing either. Programs without delegates, inputs that are tensors
// of the method's own shape.
//
//     static berth_program program;
//     static berth_method method;
//     berth_status status = berth_open(&program, file, file_size, NULL);
//     status = berth_load(&method, &program, "forward", &kernels, own, sizeof own, pools, 1, NULL);
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

// One of the values below; contract/status.h says what each means, berth_status_words() in a word.
typedef uint8_t berth_status;
enum {
  BERTH_OK = 0,
  BERTH_TRUNCATED = 0x10,
  BERTH_BAD_MAGIC = 0x11,
  BERTH_BAD_COUNT = 0x12,
  BERTH_BAD_INDEX = 0x13,
  BERTH_BAD_VALUE = 0x14,
  BERTH_MISSING_FIELD = 0x15,
  BERTH_UNSUPPORTED = 0x16,
  BERTH_BAD_ARGUMENTS = 0x17,
  BERTH_PLAN_OVERLAP = 0x18,
  BERTH_PLAN_RECORD_MISMATCH = 0x19,
  BERTH_NO_PLAN_RECORD = 0x1a,
  BERTH_WRONG_ISA = 0x1b,
  BERTH_NEWER_FEATURE = 0x1c,
  BERTH_OUT_OF_PLAN = 0x1d,
  BERTH_TOO_SMALL = 0x20,
  BERTH_MISALIGNED = 0x21,
  BERTH_NO_SUCH_METHOD = 0x22,
  BERTH_NO_SUCH_OPERATOR = 0x23,
  BERTH_NO_SUCH_BACKEND = 0x24,
  BERTH_INPUT_NOT_SET = 0x25,
  BERTH_BAD_INPUT = 0x26,
  BERTH_BAD_STATE = 0x27,
  BERTH_NO_SUCH_DATA = 0x28,
  BERTH_KERNEL_FAILED = 0x30,
  BERTH_SCRATCH_TOO_SMALL = 0x31,
  BERTH_BAD_SHAPE = 0x32,
  BERTH_BACKEND_FAILED = 0x33,
  BERTH_TOO_MANY_STEPS = 0x34,
};

// Where a load failed, in the words of the format; contract/status.h says more. Filled when it did.
typedef struct {
  berth_status status;
  const char* field;  // a static string, "" where the image leaves words out
  uint32_t index;     // of the value, instruction, buffer or pool concerned
  uint32_t part;      // of a delegate: which of its buffers
  uint64_t need, have;
} berth_load_fault;

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

// Checks the parts of the file that all methods share. `program` is whole only after BERTH_OK.
// `fault` may be null.
berth_status berth_open(berth_program* program, const void* file, size_t size,
                        berth_load_fault* fault);

// Checks the method and builds it in `own` and the pools, at most 16 of them (BERTH_UNSUPPORTED
// beyond). `method` is whole only after BERTH_OK. `fault` may be null. Loading again into the same
// memory is a reset.
berth_status berth_load(berth_method* method, const berth_program* program, const char* name,
                        const berth_kernels* kernels, void* own, size_t own_size,
                        const berth_pool* pools, size_t pool_count, berth_load_fault* fault);

// REQUIRES, for these: the method is loaded. Output i is null past the last, and for outputs that
// are no tensors; *size, if asked for, is its bytes; the next run writes them.
berth_status berth_set_input(berth_method* method, uint32_t i, const void* data, size_t size);
berth_status berth_execute(berth_method* method);
const void* berth_output(const berth_method* method, uint32_t i, size_t* size);

const char* berth_status_words(berth_status status);

#ifdef __cplusplus
}
#endif
