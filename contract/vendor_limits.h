// What the vendor's kernels behind cortex_m::pad, transpose, minimum and maximum take: int8, and
// tensors of at most four dims. A cortex_m:: name is a promise that they take the call; so the
// importer gives the rest the berth:: names, and our own kernels hold to the same limits.
#pragma once

#include <cstddef>

#include "contract/scalar_type.h"

namespace berth {

constexpr size_t kVendorRank = 4;

constexpr bool vendor_takes(ScalarType dtype, size_t rank) {
  return dtype == ScalarType::kChar && rank <= kVendorRank;
}

}  // namespace berth
