// Which taps of a window are inside the image.
#pragma once

#include <cstdint>

#include "contract/fixed_point.h"

namespace berth::runtime {

// One axis of a window: the first tap inside the image, and how many are.
struct TapRange {
  int32_t first, count;
};

inline TapRange taps_inside(int32_t begin, int32_t taps, int32_t dilation, int32_t size) {
  if (begin >= 0 && begin + (taps - 1) * dilation < size) return {0, taps};
  const int32_t first = begin >= 0 ? 0 : (-begin + dilation - 1) / dilation;
  const int32_t last = begin >= size ? 0 : (size - begin + dilation - 1) / dilation;
  return {first, clamp_to(last, first, taps > first ? taps : first) - first};
}

}  // namespace berth::runtime
