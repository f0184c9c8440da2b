// Which dtype an operator on several dtypes computes in: torch's rules.
#pragma once

#include "contract/scalar_type.h"
#include "runtime/kernels/portable/element_blocks.h"

namespace berth::runtime {

// The smallest dtype that holds both. REQUIRES: has_arithmetic of both.
ScalarType promote(ScalarType a, ScalarType b);

// What an operator on tensors and numbers computes in. Tensors with dims decide; tensors of rank 0,
// and after them plain numbers, count only where they are of a higher kind (bool < integer <
// float).
class Promotion {
 public:
  void add(const Tensor& tensor) { add(tensor.rank > 0 ? kWithDims : kRankZero, tensor.dtype); }
  // Int counts as int64, Double as float32, Bool as bool.
  void add_number(ScalarType dtype) {
    add(kNumber, dtype == ScalarType::kDouble ? ScalarType::kFloat : dtype);
  }
  // REQUIRES: something was added.
  ScalarType result() const;

 private:
  enum Rank { kWithDims, kRankZero, kNumber, kRanks };

  void add(Rank rank, ScalarType dtype) {
    dtypes_[rank] = seen_[rank] ? promote(dtypes_[rank], dtype) : dtype;
    seen_[rank] = true;
  }

  ScalarType dtypes_[kRanks] = {};
  bool seen_[kRanks] = {};
};

// Whether a result of dtype `from` may be stored as `to`: not from float to integer, nor from
// either to bool.
bool can_store(ScalarType from, ScalarType to);

}  // namespace berth::runtime
