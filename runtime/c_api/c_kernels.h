// The kernels of one model for a C program, in a C++ file of its own:
//
//     #include "digits_memory.h"  // berth compile --header
//     #include "runtime/c_api/c_kernels.h"
//     BERTH_C_KERNELS(digits_kernels, BERTH_DIGITS_OPERATORS);
//
// In C: extern const berth_kernels digits_kernels;
#pragma once

#include "runtime/c_api/berth.h"
#include "runtime/core/kernel.h"
#include "runtime/kernels/kernel_selection.h"

#define BERTH_C_KERNELS(name, ...)                                                          \
  static constexpr berth::runtime::OperatorName name##_operators[] = {__VA_ARGS__};         \
  static constexpr auto name##_selected = berth::runtime::select_kernels(name##_operators); \
  extern "C" const berth_kernels name;                                                      \
  const berth_kernels name = {name##_selected.kernels,                                      \
                              sizeof(name##_operators) / sizeof(name##_operators[0])}
