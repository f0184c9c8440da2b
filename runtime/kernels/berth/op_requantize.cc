#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

template <typename Out, typename In>
Status run_pair(const Args& args) {
  enum : uint32_t { kIn, kInZeroPoint, kOutZeroPoint, kMultiplier, kShift, kOut };
  int32_t in_zero_point = 0, out_zero_point = 0;
  Scaling scaling;
  KERNEL_TRY(read_zero_point<In>(args, kInZeroPoint, &in_zero_point));
  KERNEL_TRY(read_zero_point<Out>(args, kOutZeroPoint, &out_zero_point));
  KERNEL_TRY(read_scaling(args, kMultiplier, kShift, &scaling));
  apply_unary<Out, In>(args.tensor(kIn), args.tensor(kOut), [=](In value) {
    const int64_t moved =
        int64_t{scaling.apply(wrapping_sub(value, in_zero_point))} + out_zero_point;
    constexpr Range kRange = full_range<Out>();
    return static_cast<Out>(moved < kRange.low    ? kRange.low
                            : moved > kRange.high ? kRange.high
                                                  : moved);
  });
  return Status::kOk;
}

template <typename In>
Status run_from(const Args& args) {
  switch (args.tensor(5).dtype) {
    case ScalarType::kByte:
      return run_pair<uint8_t, In>(args);
    case ScalarType::kChar:
      return run_pair<int8_t, In>(args);
    case ScalarType::kShort:
      return run_pair<int16_t, In>(args);
    case ScalarType::kInt:
      return run_pair<int32_t, In>(args);
    default:
      return Status::kBadArguments;
  }
}

}  // namespace

Status run_requantize(KernelContext&, const Args& args) {
  KERNEL_REQUIRE(same_shape(args.tensor(0), args.tensor(5)), kBadShape);
  switch (args.tensor(0).dtype) {
    case ScalarType::kByte:
      return run_from<uint8_t>(args);
    case ScalarType::kChar:
      return run_from<int8_t>(args);
    case ScalarType::kShort:
      return run_from<int16_t>(args);
    case ScalarType::kInt:
      return run_from<int32_t>(args);
    default:
      return Status::kBadArguments;
  }
}

}  // namespace berth::runtime
