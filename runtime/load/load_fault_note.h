// Where a load failed. Every check ends in `return note.fail(status, "field.in.words", index, need,
// have)`; with BERTH_NO_LOAD_FAULT the words vanish from the image and only the Status is left.
#pragma once

#include <cstdint>

#include "contract/status.h"

#define BERTH_TRY(expression)                              \
  do {                                                     \
    const ::berth::Status berth_try_status = (expression); \
    if (berth_try_status != ::berth::Status::kOk) {        \
      return berth_try_status;                             \
    }                                                      \
  } while (false)

namespace berth::runtime {

#ifdef BERTH_NO_LOAD_FAULT

class FaultNote {
 public:
  explicit FaultNote(LoadFault*) {}
  Status fail(Status status, const char*, uint32_t = 0, uint64_t = 0, uint64_t = 0) {
    return status;
  }
};

#else

class FaultNote {
 public:
  // `out` may be null: then only the Status is told.
  explicit FaultNote(LoadFault* out) : out_(out) {}

  // Out of line and cold, so that a check costs its caller a compare and a jump.
  Status fail(Status status, const char* field, uint32_t index = 0, uint64_t need = 0,
              uint64_t have = 0);

 private:
  LoadFault* out_;
};

#endif

}  // namespace berth::runtime
