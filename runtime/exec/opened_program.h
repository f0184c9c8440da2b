// A .pte ready to ask and to load from.
#pragma once

#include <cstdint>

#include "contract/isa.h"
#include "contract/status.h"
#include "runtime/core/span.h"
#include "runtime/exec/method_meta.h"
#include "runtime/load/method_need.h"
#include "runtime/load/program_file.h"

namespace berth::runtime {

class Program {
 public:
  // Checks the parts of the file that all methods share. `bytes` start at kProgramAlignment; they
  // stay with the caller, who keeps them unchanged while this program or a method of it is in use.
  // On failure the program stays as it was and *fault, if given, says which field is wrong.
  Status open(Span<const uint8_t> bytes, LoadFault* fault = nullptr);

  uint32_t method_count() const { return file_.plans.count; }
  // The name of method i, in the program's bytes. kBadIndex past the last.
  Status method_name(uint32_t i, const char** out, LoadFault* fault = nullptr) const;

  // The memory that loading `method` takes, to the byte.
  Status need(const char* method, MethodNeed* out, LoadFault* fault = nullptr) const;

  // Inputs and outputs of `method`, without loading it.
  Status describe(const char* method, MethodMeta* out, LoadFault* fault = nullptr) const;

  // Whether the file says when each buffer is live, so that its plan can be proven; and for which
  // instruction set its scratch was sized (kHost without a record).
  bool has_plan_record() const { return file_.has_record(); }
  Isa isa() const { return file_.record_isa; }

  const ProgramFile& file() const { return file_; }

 private:
  ProgramFile file_;
};

}  // namespace berth::runtime
