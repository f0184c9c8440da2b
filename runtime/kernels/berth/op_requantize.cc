// By blocks of values on the stack: elements of each type are loaded and stored in one place,
// however many pairs of types there are.
#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/cortex_m/rescaling.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

constexpr size_t kBlock = 64;

// Elements from `from` on, less the zero point.
template <typename T>
void load_elements(const T* from, size_t step, size_t count, int32_t zero_point, int32_t* values) {
  for (int32_t* const end = values + count; values != end; from += step) {
    *values++ = wrapping_sub(*from, zero_point);
  }
}

template <typename T>
void store_elements(const int32_t* values, size_t count, T* to, size_t step) {
  for (const int32_t* const end = values + count; values != end; to += step) {
    *to = static_cast<T>(*values++);
  }
}

template <typename Run>
Status dispatch_integers(ScalarType dtype, const Run& run) {
  return dispatch_dtype<uint8_t, int8_t, int16_t, int32_t>(dtype, run);
}

}  // namespace

Status run_requantize(KernelContext&, const Args& args) {
  enum : uint32_t { kIn, kInZeroPoint, kOutZeroPoint, kMultiplier, kShift, kOut };
  const Tensor& in = args.tensor(kIn);
  const Tensor& out = args.tensor(kOut);
  KERNEL_REQUIRE(same_shape(in, out), kBadShape);
  int32_t in_zero_point = 0, out_zero_point = 0;
  Range range;
  Scaling scaling;
  KERNEL_TRY(dispatch_integers(in.dtype, [&](auto zero) {
    return read_zero_point<decltype(zero)>(args, kInZeroPoint, &in_zero_point);
  }));
  KERNEL_TRY(dispatch_integers(out.dtype, [&](auto zero) {
    range = full_range<decltype(zero)>();
    return read_zero_point<decltype(zero)>(args, kOutZeroPoint, &out_zero_point);
  }));
  KERNEL_TRY(read_scaling(args, kMultiplier, kShift, &scaling));
  if (out.numel() == 0) return Status::kOk;
  const Rescaling by(scaling, out_zero_point, range.low, range.high);
  alignas(16) int32_t values[kBlock] = {};
  pair_nest(in, out).for_each_run([&](const size_t(&offset)[2], size_t count,
                                      const size_t(&step)[2]) {
    for (size_t first = 0; first < count; first += kBlock) {
      const size_t block = count - first < kBlock ? count - first : kBlock;
      const auto load = [&](auto zero) {
        using T = decltype(zero);
        load_elements(in.as<T>() + offset[1] + first * step[1], step[1], block, in_zero_point,
                      values);
        return Status::kOk;
      };
      const auto store = [&](auto zero) {
        using T = decltype(zero);
        store_elements(values, block, out.as_mutable<T>() + offset[0] + first * step[0], step[0]);
        return Status::kOk;
      };
      static_cast<void>(dispatch_integers(in.dtype, load));
      rescale(by, block, values);
      static_cast<void>(dispatch_integers(out.dtype, store));
    }
  });
  return Status::kOk;
}

}  // namespace berth::runtime
