// The table that int16 LOGISTIC and TANH interpolate in: sigmoid(i / 24) in 1/65536, i = 0 .. 255.
// The steps of 1/24 spread it over 0 .. 10.6, where the function reaches 1 within 16 bits.
//
// Straight lines between points of a curve that bends down run below it; so every entry is raised
// by half of what they miss at most, h^2 / 16 times the second derivative, which halves the largest
// error. The last entry is 65535, where the saturated part begins. A test computes every entry
// again. The values are TFLite's.
#pragma once

#include <cstdint>

#include "runtime/kernels/strided.h"

namespace berth::runtime {

// clang-format off
inline constexpr uint16_t kSigmoidTable[256] = {
    32768, 33451, 34133, 34813, 35493, 36169, 36843, 37513, 38180, 38841, 39498, 40149, 40794,
    41432, 42064, 42688, 43304, 43912, 44511, 45102, 45683, 46255, 46817, 47369, 47911, 48443,
    48964, 49475, 49975, 50464, 50942, 51409, 51865, 52311, 52745, 53169, 53581, 53983, 54374,
    54755, 55125, 55485, 55834, 56174, 56503, 56823, 57133, 57433, 57724, 58007, 58280, 58544,
    58800, 59048, 59288, 59519, 59743, 59959, 60168, 60370, 60565, 60753, 60935, 61110, 61279,
    61441, 61599, 61750, 61896, 62036, 62172, 62302, 62428, 62549, 62666, 62778, 62886, 62990,
    63090, 63186, 63279, 63368, 63454, 63536, 63615, 63691, 63765, 63835, 63903, 63968, 64030,
    64090, 64148, 64204, 64257, 64308, 64357, 64405, 64450, 64494, 64536, 64576, 64614, 64652,
    64687, 64721, 64754, 64786, 64816, 64845, 64873, 64900, 64926, 64950, 64974, 64997, 65019,
    65039, 65060, 65079, 65097, 65115, 65132, 65149, 65164, 65179, 65194, 65208, 65221, 65234,
    65246, 65258, 65269, 65280, 65291, 65301, 65310, 65319, 65328, 65337, 65345, 65352, 65360,
    65367, 65374, 65381, 65387, 65393, 65399, 65404, 65410, 65415, 65420, 65425, 65429, 65433,
    65438, 65442, 65445, 65449, 65453, 65456, 65459, 65462, 65465, 65468, 65471, 65474, 65476,
    65479, 65481, 65483, 65485, 65488, 65489, 65491, 65493, 65495, 65497, 65498, 65500, 65501,
    65503, 65504, 65505, 65507, 65508, 65509, 65510, 65511, 65512, 65513, 65514, 65515, 65516,
    65517, 65517, 65518, 65519, 65520, 65520, 65521, 65522, 65522, 65523, 65523, 65524, 65524,
    65525, 65525, 65526, 65526, 65526, 65527, 65527, 65528, 65528, 65528, 65529, 65529, 65529,
    65529, 65530, 65530, 65530, 65530, 65531, 65531, 65531, 65531, 65531, 65532, 65532, 65532,
    65532, 65532, 65532, 65533, 65533, 65533, 65533, 65533, 65533, 65533, 65533, 65534, 65534,
    65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65535,
};
// clang-format on

// A position in the table and how far the function lies along it, on either side of 0.
struct TablePosition {
  bool is_negative;
  uint64_t distance;
};

// (x * multiplier + half) >> shift, in 64 bits: no argument overflows. REQUIRES: 0 <= shift <= 31.
inline TablePosition to_table_position(int16_t x, int32_t multiplier, int32_t shift) {
  const int64_t half = shift > 0 ? int64_t{1} << (shift - 1) : 0;
  const int64_t position = (int64_t{x} * multiplier + half) >> shift;
  return {position < 0, static_cast<uint64_t>(position < 0 ? -position : position)};
}

// The sigmoid at `distance` in 1/2^kBits of an entry, with 16 + kBits fraction bits; `beyond` where
// the table ends.
template <int kBits>
int32_t interpolate_sigmoid(uint64_t distance, int32_t beyond) {
  const uint64_t entry = distance >> kBits;
  if (entry >= 255) return beyond;
  const int32_t low = kSigmoidTable[entry], high = kSigmoidTable[entry + 1];
  constexpr uint64_t kPart = (uint64_t{1} << kBits) - 1;
  return (low << kBits) + static_cast<int32_t>(distance & kPart) * (high - low);
}

// out = at(position of in). Arguments: in, multiplier, shift, out; int16, one shape.
template <typename At>
Status apply_table_function(const Args& args, const At& at) {
  const Tensor& in = args.tensor(0);
  const Tensor& out = args.tensor(3);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kShort) && has_dtype(out, ScalarType::kShort),
                 kBadArguments);
  KERNEL_REQUIRE(same_shape(in, out), kBadShape);
  Scaling scaling;
  KERNEL_TRY(read_scaling(args, 1, 2, &scaling));
  KERNEL_REQUIRE(scaling.shift >= 0, kBadArguments);
  apply_unary<int16_t, int16_t>(in, out, [&at, scaling](int16_t x) {
    return at(to_table_position(x, scaling.multiplier, scaling.shift));
  });
  return Status::kOk;
}

}  // namespace berth::runtime
