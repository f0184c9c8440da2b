// Two quantised tensors of one shape: added as floats, quantised again.
#include "runtime/kernels/portable/quantized_decomposed_kernels.h"
#include "runtime/kernels/portable/quantized_values.h"

namespace berth::runtime {
namespace {

// scale, zero point, quant_min, quant_max from `index` on.
template <typename T>
Status read_side(const Args& args, uint32_t index, QuantParams* params, QuantRange* range) {
  const int64_t zero_point = args.integer(index + 1);
  const int64_t low = args.integer(index + 2), high = args.integer(index + 3);
  KERNEL_REQUIRE(zero_point >= -kZeroPointLimit && zero_point <= kZeroPointLimit, kBadArguments);
  KERNEL_REQUIRE(fits<T>(low) && fits<T>(high) && low <= high, kBadArguments);
  params->scale = static_cast<float>(args.number(index));
  params->zero_point = static_cast<int32_t>(zero_point);
  range->low = static_cast<int32_t>(low);
  range->high = static_cast<int32_t>(high);
  return Status::kOk;
}

template <typename T>
Status add(const Args& args, const Tensor& a, const Tensor& b, Tensor& out) {
  QuantParams a_params, b_params, out_params;
  QuantRange range;
  KERNEL_TRY(read_side<T>(args, 1, &a_params, &range));
  KERNEL_TRY(read_side<T>(args, 6, &b_params, &range));
  KERNEL_TRY(read_side<T>(args, 10, &out_params, &range));
  KERNEL_REQUIRE(out_params.scale > 0, kBadArguments);
  const Quantizer<T> quantize(out_params, range);
  KERNEL_TRY(resize(out, a.sizes, a.rank));
  const T *x = a.as<T>(), *y = b.as<T>();
  T* to = out.as_mutable<T>();
  const size_t count = out.numel();
  for (size_t i = 0; i < count; ++i) {
    to[i] = quantize(dequantize(x[i], a_params) + dequantize(y[i], b_params));
  }
  return Status::kOk;
}

}  // namespace

// (a, scale, zero point, quant_min, quant_max, b, the same, the same of out, out)
Status run_decomposed_add(KernelContext&, const Args& args) {
  const Tensor &a = args.tensor(0), &b = args.tensor(5);
  Tensor& out = args.tensor(14);
  KERNEL_REQUIRE(a.dtype == b.dtype && a.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(same_layout(a, b) && same_dim_order(a, out), kBadShape);
  if (has_dtype(a, ScalarType::kChar)) return add<int8_t>(args, a, b, out);
  if (has_dtype(a, ScalarType::kByte)) return add<uint8_t>(args, a, b, out);
  return Status::kBadArguments;
}

}  // namespace berth::runtime
