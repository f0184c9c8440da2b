#include "runtime/kernels/portable/quantized_decomposed_kernels.h"
#include "runtime/kernels/portable/quantized_values.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

// One scale and zero point, as numbers or as tensors of one element, at arguments 1 and 2.
Status read_numbers(const Args& args, QuantParams* out) {
  const int64_t zero_point = args.integer(2);
  KERNEL_REQUIRE(zero_point >= -kZeroPointLimit && zero_point <= kZeroPointLimit, kBadArguments);
  out->scale = static_cast<float>(args.number(1));
  out->zero_point = static_cast<int32_t>(zero_point);
  return Status::kOk;
}

Status read_tensors(const Args& args, QuantParams* out) {
  const Tensor& scale = args.tensor(1);
  const Tensor& zero_point = args.tensor(2);
  KERNEL_REQUIRE(QuantValues::are_scales(scale) && QuantValues::are_zero_points(zero_point),
                 kBadArguments);
  KERNEL_REQUIRE(scale.numel() == 1 && zero_point.numel() == 1, kBadShape);
  out->scale = QuantValues(scale).scale(0);
  out->zero_point = QuantValues(zero_point).zero_point(0);
  return Status::kOk;
}

// Arguments (low, high, dtype) from 3 on.
Status quantize_all(const Args& args, const QuantParams& params, Tensor& out) {
  const Tensor& in = args.tensor(0);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kFloat), kBadArguments);
  QuantRange range;
  KERNEL_TRY(read_quant_range(args, 3, out.dtype, &range));
  KERNEL_TRY(resize(out, Sizes(in)));
  return with_quantized(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    apply_unary<T, float>(in, out, Quantizer<T>(params, range));
    return Status::kOk;
  });
}

// Arguments (low, high, dtype, out dtype) from 3 on.
Status dequantize_all(const Args& args, const QuantParams& params, Tensor& out) {
  const Tensor& in = args.tensor(0);
  KERNEL_REQUIRE(has_dtype(out, ScalarType::kFloat), kBadArguments);
  KERNEL_REQUIRE(args.is_none(6) || args.integer(6) == static_cast<int64_t>(out.dtype),
                 kBadArguments);
  QuantRange range;
  KERNEL_TRY(read_quant_range(args, 3, in.dtype, &range));
  KERNEL_TRY(resize(out, Sizes(in)));
  return with_quantized(in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    apply_unary<float, T>(in, out, [=](T value) { return dequantize(value, params); });
    return Status::kOk;
  });
}

// A tensor as memory has it: `outer` times the axis, each of its indices followed by `inner`.
struct AxisWalk {
  size_t outer = 1, count = 1, inner = 1;
  QuantValues scales, zero_points;

  QuantParams params(size_t i) const { return {scales.scale(i), zero_points.zero_point(i)}; }
};

// (input, scales, zero points, axis): in and out lie in one order.
Status read_axis(const Args& args, const Tensor& out, AxisWalk* walk) {
  const Tensor& in = args.tensor(0);
  const Tensor& scales = args.tensor(1);
  const Tensor* zero_points = args.optional_tensor(2);
  KERNEL_REQUIRE(QuantValues::are_scales(scales), kBadArguments);
  KERNEL_REQUIRE(zero_points == nullptr || QuantValues::are_zero_points(*zero_points),
                 kBadArguments);
  KERNEL_REQUIRE(in.rank > 0 && out.rank == in.rank, kBadShape);
  int axis = 0;
  KERNEL_TRY(read_dim(args.integer(3), in.rank, &axis));
  Tensor shaped = out;
  shaped.sizes = in.sizes;
  KERNEL_REQUIRE(same_layout(in, shaped), kBadShape);
  walk->count = static_cast<size_t>(in.sizes[axis]);
  KERNEL_REQUIRE(scales.rank == 1 && scales.numel() == walk->count, kBadShape);
  KERNEL_REQUIRE(zero_points == nullptr || zero_points->numel() == walk->count, kBadShape);
  walk->scales = QuantValues(scales);
  if (zero_points != nullptr) walk->zero_points = QuantValues(*zero_points);
  bool inside = false;
  for (int i = 0; i < in.rank; ++i) {
    const int dim = in.dim_order[i];
    if (dim == axis) {
      inside = true;
    } else {
      (inside ? walk->inner : walk->outer) *= static_cast<size_t>(in.sizes[dim]);
    }
  }
  return Status::kOk;
}

// (input, scales, zero points): a pair for each row of the last dim.
Status read_tokens(const Args& args, const Tensor& out, AxisWalk* walk) {
  const Tensor& in = args.tensor(0);
  const Tensor& scales = args.tensor(1);
  const Tensor& zero_points = args.tensor(2);
  KERNEL_REQUIRE(QuantValues::are_scales(scales) && QuantValues::are_zero_points(zero_points),
                 kBadArguments);
  KERNEL_REQUIRE(in.rank > 0 && is_row_major(in) && out.rank == in.rank, kBadShape);
  KERNEL_REQUIRE(is_row_major_at(out, Sizes(in)), kBadShape);
  walk->inner = static_cast<size_t>(in.sizes[in.rank - 1]);
  for (int d = 0; d + 1 < in.rank; ++d) walk->count *= static_cast<size_t>(in.sizes[d]);
  KERNEL_REQUIRE(scales.numel() == walk->count && zero_points.numel() == walk->count, kBadShape);
  walk->scales = QuantValues(scales);
  walk->zero_points = QuantValues(zero_points);
  return Status::kOk;
}

// make(params) gives the function of one element.
template <typename In, typename Out, typename Make>
void walk_axis(const AxisWalk& walk, const In* in, Out* out, const Make& make) {
  for (size_t o = 0; o < walk.outer; ++o) {
    for (size_t c = 0; c < walk.count; ++c) {
      const auto apply = make(walk.params(c));
      for (size_t i = 0; i < walk.inner; ++i) *out++ = apply(*in++);
    }
  }
}

// Arguments (low, high, dtype) from `range_at` on.
Status quantize_axis(const Args& args, uint32_t range_at, const AxisWalk& walk, Tensor& out) {
  const Tensor& in = args.tensor(0);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kFloat), kBadArguments);
  QuantRange range;
  KERNEL_TRY(read_quant_range(args, range_at, out.dtype, &range));
  KERNEL_TRY(resize(out, Sizes(in)));
  return with_quantized(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    walk_axis(walk, in.as<float>(), out.as_mutable<T>(),
              [&](const QuantParams& params) { return Quantizer<T>(params, range); });
    return Status::kOk;
  });
}

// Arguments (low, high, dtype, out dtype) from `range_at` on.
Status dequantize_axis(const Args& args, uint32_t range_at, const AxisWalk& walk, Tensor& out) {
  const Tensor& in = args.tensor(0);
  KERNEL_REQUIRE(has_dtype(out, ScalarType::kFloat), kBadArguments);
  KERNEL_REQUIRE(
      args.is_none(range_at + 3) || args.integer(range_at + 3) == static_cast<int64_t>(out.dtype),
      kBadArguments);
  QuantRange range;
  KERNEL_TRY(read_quant_range(args, range_at, in.dtype, &range));
  KERNEL_TRY(resize(out, Sizes(in)));
  return with_quantized(in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    walk_axis(walk, in.as<T>(), out.as_mutable<float>(), [](const QuantParams& params) {
      return [=](T value) { return dequantize(value, params); };
    });
    return Status::kOk;
  });
}

}  // namespace

Status run_decomposed_quantize_per_tensor(KernelContext&, const Args& args) {
  QuantParams params;
  KERNEL_TRY(read_numbers(args, &params));
  return quantize_all(args, params, args.tensor(6));
}

Status run_decomposed_quantize_per_tensor_tensor(KernelContext&, const Args& args) {
  QuantParams params;
  KERNEL_TRY(read_tensors(args, &params));
  return quantize_all(args, params, args.tensor(6));
}

Status run_decomposed_dequantize_per_tensor(KernelContext&, const Args& args) {
  QuantParams params;
  KERNEL_TRY(read_numbers(args, &params));
  return dequantize_all(args, params, args.tensor(7));
}

Status run_decomposed_dequantize_per_tensor_tensor(KernelContext&, const Args& args) {
  QuantParams params;
  KERNEL_TRY(read_tensors(args, &params));
  return dequantize_all(args, params, args.tensor(7));
}

// (input, scales, zero_points, axis, low, high, dtype, out)
Status run_decomposed_quantize_per_channel(KernelContext&, const Args& args) {
  AxisWalk walk;
  KERNEL_TRY(read_axis(args, args.tensor(7), &walk));
  return quantize_axis(args, 4, walk, args.tensor(7));
}

// (input, scales, zero_points, axis, low, high, dtype, out_dtype, out)
Status run_decomposed_dequantize_per_channel(KernelContext&, const Args& args) {
  AxisWalk walk;
  KERNEL_TRY(read_axis(args, args.tensor(8), &walk));
  return dequantize_axis(args, 4, walk, args.tensor(8));
}

// (input, scales, zero_points, low, high, dtype, out)
Status run_decomposed_quantize_per_token(KernelContext&, const Args& args) {
  AxisWalk walk;
  KERNEL_TRY(read_tokens(args, args.tensor(6), &walk));
  return quantize_axis(args, 3, walk, args.tensor(6));
}

// (input, scales, zero_points, low, high, dtype, out_dtype, out)
Status run_decomposed_dequantize_per_token(KernelContext&, const Args& args) {
  AxisWalk walk;
  KERNEL_TRY(read_tokens(args, args.tensor(7), &walk));
  return dequantize_axis(args, 3, walk, args.tensor(7));
}

}  // namespace berth::runtime
