// BERTH_TRY(f()): returns from the function what f() answers, unless that is kOk.
#pragma once

#include "contract/status.h"

#define BERTH_TRY(expression)                              \
  do {                                                     \
    const ::berth::Status berth_try_status = (expression); \
    if (berth_try_status != ::berth::Status::kOk) {        \
      return berth_try_status;                             \
    }                                                      \
  } while (false)
