#include "runtime/kernels/portable/type_promotion.h"

namespace berth::runtime {
namespace {

// bool < integer < float.
int kind_of(ScalarType dtype) {
  return is_floating(dtype) ? 2 : dtype == ScalarType::kBool ? 0 : 1;
}

}  // namespace

ScalarType promote(ScalarType a, ScalarType b) {
  if (a == b) return a;
  const int a_kind = kind_of(a), b_kind = kind_of(b);
  if (a_kind != b_kind) return a_kind > b_kind ? a : b;
  const uint32_t a_size = element_size(a), b_size = element_size(b);
  if (a_size != b_size) {
    // uint8 fits in every wider integer.
    return a_size > b_size ? a : b;
  }
  // float16 and bfloat16; int8 and uint8.
  return a_kind == 2 ? ScalarType::kFloat : ScalarType::kShort;
}

ScalarType Promotion::result() const {
  ScalarType result = ScalarType::kBool;
  bool any = false;
  for (int rank = 0; rank < kRanks; ++rank) {
    if (!seen_[rank]) continue;
    if (!any || kind_of(dtypes_[rank]) > kind_of(result)) result = dtypes_[rank];
    any = true;
  }
  return result;
}

bool can_store(ScalarType from, ScalarType to) {
  if (to == ScalarType::kBool) return from == ScalarType::kBool;
  return is_floating(to) || !is_floating(from);
}

}  // namespace berth::runtime
