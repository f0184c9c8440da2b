// What a kernel is: a name, the schema of its arguments, a plain function. Kernels come to the
// loader as tables given by the caller; there is no registry. The loader has checked the number and
// the kinds of the arguments against the schema, once per call, so a kernel checks shapes, dtypes
// and values only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/isa.h"
#include "contract/operators.h"
#include "contract/status.h"
#include "runtime/core/evalue.h"
#include "runtime/core/span.h"
#include "runtime/core/tensor.h"

namespace berth::runtime {

// The arguments of one call: indices from the file into the value table. A kernel asks by position.
// REQUIRES: the position's kind is what the schema says (the loader has made sure).
class Args {
 public:
  Args(const int32_t* indices, uint32_t count, EValue* values)
      : indices_(indices), values_(values), count_(count) {}

  uint32_t count() const { return count_; }
  EValue& value(uint32_t i) const { return values_[indices_[i]]; }
  Tensor& tensor(uint32_t i) const { return *value(i).tensor; }
  // Null when the argument is none.
  Tensor* optional_tensor(uint32_t i) const {
    return value(i).tag == Tag::kTensor ? value(i).tensor : nullptr;
  }
  bool is_none(uint32_t i) const { return value(i).tag == Tag::kNone; }
  int64_t integer(uint32_t i) const { return value(i).integer; }
  bool boolean(uint32_t i) const { return value(i).boolean; }
  // An Int, Double or Bool as a double.
  double number(uint32_t i) const {
    const EValue& v = value(i);
    return v.tag == Tag::kDouble ? v.number
           : v.tag == Tag::kBool ? (v.boolean ? 1.0 : 0.0)
                                 : as_double(v.integer);
  }
  // The characters of a string, list_size(i) of them and a NUL.
  const char* text(uint32_t i) const { return value(i).string; }
  // Of a list or a string.
  uint32_t list_size(uint32_t i) const { return value(i).count; }
  int64_t int_at(uint32_t i, uint32_t element) const {
    return values_[value(i).int_list[element]].integer;
  }
  double double_at(uint32_t i, uint32_t element) const { return value(i).double_list[element]; }
  Tensor& tensor_at(uint32_t i, uint32_t element) const {
    return *values_[value(i).tensor_list[element]].tensor;
  }
  // Null when the entry is none.
  Tensor* optional_tensor_at(uint32_t i, uint32_t element) const {
    const int32_t index = value(i).tensor_list[element];
    const EValue* entry = index < 0 ? nullptr : &values_[index];
    return entry == nullptr || entry->tag != Tag::kTensor ? nullptr : entry->tensor;
  }

 private:
  static double as_double(int64_t value) {
#if defined(__ARM_FP) && (__ARM_FP & 8)
    // The processor converts halves; for the whole it would need a kilobyte of library. The sum is
    // rounded once, as the conversion is.
    return static_cast<double>(static_cast<int32_t>(value >> 32)) * 4294967296.0 +
           static_cast<double>(static_cast<uint32_t>(value));
#else
    return static_cast<double>(value);
#endif
  }

  const int32_t* indices_;
  EValue* values_;
  uint32_t count_;
};

// What a kernel may know of the run besides its arguments.
struct KernelContext {
  Isa isa = kBuildIsa;  // the instruction set that scratch was sized for; kUnstated: nobody says
};

using KernelFunction = Status (*)(KernelContext& context, const Args& args);

struct Kernel {
  const OperatorSchema* schema;
  KernelFunction run;
};

}  // namespace berth::runtime
