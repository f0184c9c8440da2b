// What a method takes and gives, read from the file: for whoever has to make buffers before
// anything is loaded.
#pragma once

#include <cstdint>

#include "contract/scalar_type.h"
#include "contract/status.h"
#include "runtime/core/evalue.h"
#include "runtime/load/method_tables.h"
#include "runtime/load/program_file.h"

namespace berth::runtime {

// One input or output. The fields after `tag` speak of tensors; sizes and dim order point into the
// program's bytes.
struct ValueMeta {
  Tag tag = Tag::kNone;
  ScalarType dtype = ScalarType::kFloat;
  uint32_t rank = 0;
  const int32_t* sizes = nullptr;      // upper bounds when `dynamic`
  const uint8_t* dim_order = nullptr;  // outermost to innermost
  uint64_t nbytes = 0;                 // at the upper bounds
  bool dynamic = false;
  // Has bytes of its own (a pool or the file); otherwise the caller's are used.
  bool planned = false;
};

class MethodMeta {
 public:
  MethodMeta() = default;
  MethodMeta(const ProgramFile& file, const MethodTables& tables)
      : data_(file.data), size_(file.program_size), tables_(tables) {}

  const char* name() const { return tables_.name; }
  uint32_t input_count() const { return tables_.inputs.count; }
  uint32_t output_count() const { return tables_.outputs.count; }
  // kBadIndex past the last one; otherwise what is wrong with the value in the file.
  Status input(uint32_t i, ValueMeta* out, LoadFault* fault = nullptr) const;
  Status output(uint32_t i, ValueMeta* out, LoadFault* fault = nullptr) const;

 private:
  Status read(const FlatVector& list, uint32_t i, const Slot& slot, ValueMeta* out,
              LoadFaults& faults) const;

  const uint8_t* data_ = nullptr;
  uint32_t size_ = 0;
  MethodTables tables_;
};

}  // namespace berth::runtime
