#include "runtime/kernels/portable/float_rows.h"
#include "runtime/kernels/portable/network_kernels.h"
#include "runtime/kernels/portable/tensor_dims.h"

namespace berth::runtime {
namespace {

bool are_row_major_floats(const Tensor* const* tensors, int count) {
  for (int i = 0; i < count; ++i) {
    if (tensors[i] != nullptr &&
        !(has_dtype(*tensors[i], ScalarType::kFloat) && is_row_major(*tensors[i]))) {
      return false;
    }
  }
  return true;
}

// No output is an input or another output.
bool are_apart(const Args& args, uint32_t inputs_end, uint32_t outs) {
  for (uint32_t o = outs; o < outs + 3; ++o) {
    for (uint32_t i = 0; i < outs + 3; ++i) {
      const bool compared = i < inputs_end || (i >= outs && i < o);
      if (compared && args.optional_tensor(i) == &args.tensor(o)) return false;
    }
  }
  return true;
}

}  // namespace

// (input, normalized_shape, weight, bias, eps, out, mean, rstd)
Status run_native_layer_norm(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  const Tensor* weight = args.optional_tensor(2);
  const Tensor* bias = args.optional_tensor(3);
  Tensor& out = args.tensor(5);
  Tensor& mean = args.tensor(6);
  Tensor& deviation = args.tensor(7);
  const Tensor* tensors[] = {&in, weight, bias, &out, &mean, &deviation};
  KERNEL_REQUIRE(are_row_major_floats(tensors, 6), kBadArguments);
  KERNEL_REQUIRE(are_apart(args, 4, 5), kBadArguments);
  const int dims = static_cast<int>(args.list_size(1) <= kMaxRank ? args.list_size(1) : 0);
  KERNEL_REQUIRE(dims >= 1 && dims <= in.rank, kBadShape);
  const int lead = in.rank - dims;
  Sizes moment_sizes(in);
  size_t rows = 1, depth = 1;
  for (int d = 0; d < in.rank; ++d) {
    if (d < lead) {
      rows *= static_cast<size_t>(in.sizes[d]);
      continue;
    }
    KERNEL_REQUIRE(args.int_at(1, static_cast<uint32_t>(d - lead)) == in.sizes[d], kBadShape);
    depth *= static_cast<size_t>(in.sizes[d]);
    moment_sizes.at[d] = 1;
  }
  for (uint32_t i = 2; i < 4; ++i) {
    const Tensor* factors = args.optional_tensor(i);
    if (factors == nullptr) continue;
    KERNEL_REQUIRE(factors->rank == dims, kBadShape);
    for (int d = 0; d < dims; ++d)
      KERNEL_REQUIRE(factors->sizes[d] == in.sizes[lead + d], kBadShape);
  }
  KERNEL_TRY(resize(out, Sizes(in)));
  KERNEL_TRY(resize(mean, moment_sizes));
  KERNEL_TRY(resize(deviation, moment_sizes));
  const float* scale = weight == nullptr ? nullptr : weight->as<float>();
  const float* shift = bias == nullptr ? nullptr : bias->as<float>();
  for (size_t r = 0; r < rows; ++r) {
    const float* from = in.as<float>() + r * depth;
    float* to = out.as_mutable<float>() + r * depth;
    const RowMoments moments = row_moments(from, depth, args.number(4));
    mean.as_mutable<float>()[r] = moments.mean;
    deviation.as_mutable<float>()[r] = moments.inverse_deviation;
    for (size_t i = 0; i < depth; ++i) to[i] = (from[i] - moments.mean) * moments.inverse_deviation;
    if (scale != nullptr) {
      for (size_t i = 0; i < depth; ++i) to[i] *= scale[i];
    }
    if (shift != nullptr) {
      for (size_t i = 0; i < depth; ++i) to[i] += shift[i];
    }
  }
  return Status::kOk;
}

// (input, weight, bias, N, C, HxW, group, eps, out, mean, rstd)
Status run_native_group_norm(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  const Tensor* weight = args.optional_tensor(1);
  const Tensor* bias = args.optional_tensor(2);
  Tensor& out = args.tensor(8);
  Tensor& mean = args.tensor(9);
  Tensor& deviation = args.tensor(10);
  const Tensor* tensors[] = {&in, weight, bias, &out, &mean, &deviation};
  KERNEL_REQUIRE(are_row_major_floats(tensors, 6), kBadArguments);
  KERNEL_REQUIRE(are_apart(args, 3, 8), kBadArguments);
  KERNEL_REQUIRE(in.rank >= 2, kBadShape);
  const int64_t batch = in.sizes[0], channels = in.sizes[1], groups = args.integer(6);
  uint64_t pixels = 1;
  for (int d = 2; d < in.rank; ++d) pixels *= static_cast<uint64_t>(in.sizes[d]);
  KERNEL_REQUIRE(args.integer(3) == batch && args.integer(4) == channels, kBadShape);
  KERNEL_REQUIRE(args.integer(5) >= 0 && static_cast<uint64_t>(args.integer(5)) == pixels,
                 kBadShape);
  KERNEL_REQUIRE(groups > 0 && channels % groups == 0, kBadShape);
  for (uint32_t i = 1; i < 3; ++i) {
    const Tensor* factors = args.optional_tensor(i);
    KERNEL_REQUIRE(factors == nullptr || (factors->rank == 1 && factors->sizes[0] == channels),
                   kBadShape);
  }
  Sizes moment_sizes;
  KERNEL_TRY(append_size(batch, &moment_sizes));
  KERNEL_TRY(append_size(groups, &moment_sizes));
  KERNEL_TRY(resize(out, Sizes(in)));
  KERNEL_TRY(resize(mean, moment_sizes));
  KERNEL_TRY(resize(deviation, moment_sizes));
  const size_t group_channels = static_cast<size_t>(channels / groups);
  const size_t plane = static_cast<size_t>(pixels), depth = group_channels * plane;
  const size_t rows = mean.numel();
  for (size_t r = 0; r < rows; ++r) {
    const float* from = in.as<float>() + r * depth;
    float* to = out.as_mutable<float>() + r * depth;
    const RowMoments moments = row_moments(from, depth, args.number(7));
    mean.as_mutable<float>()[r] = moments.mean;
    deviation.as_mutable<float>()[r] = moments.inverse_deviation;
    for (size_t c = 0; c < group_channels; ++c) {
      const size_t channel = r % static_cast<size_t>(groups) * group_channels + c;
      float scale = moments.inverse_deviation, shift = 0.0f;
      if (weight != nullptr) scale *= weight->as<float>()[channel];
      if (bias != nullptr) shift = bias->as<float>()[channel];
      for (size_t i = c * plane; i < (c + 1) * plane; ++i)
        to[i] = (from[i] - moments.mean) * scale + shift;
    }
  }
  return Status::kOk;
}

}  // namespace berth::runtime
