// The kernels that read_digit.c needs: all of C++ that a C firmware writes.
#include "examples/firmware/digits_memory.h"  // berth compile --header
#include "runtime/c_api/c_kernels.h"

BERTH_C_KERNELS(digits_kernels, BERTH_DIGITS_OPERATORS);
