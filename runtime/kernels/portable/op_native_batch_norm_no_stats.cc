// Batch norm by the batch's own mean and variance.
#include <cmath>

#include "runtime/kernels/portable/network_kernels.h"
#include "runtime/kernels/portable/reduction.h"

namespace berth::runtime {
namespace {

Status check_channels(const Tensor* tensor, int32_t channels) {
  if (tensor == nullptr) return Status::kOk;
  KERNEL_REQUIRE(has_dtype(*tensor, ScalarType::kFloat), kBadArguments);
  KERNEL_REQUIRE(tensor->rank == 1 && tensor->sizes[0] == channels, kBadShape);
  return Status::kOk;
}

}  // namespace

// (input, weight, bias, training, momentum, eps, out, save_mean, save_invstd)
Status run_native_batch_norm_no_stats(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  const Tensor *weight = args.optional_tensor(1), *bias = args.optional_tensor(2);
  Tensor &out = args.tensor(6), &means = args.tensor(7), &inverses = args.tensor(8);
  // Without statistics of its own there is nothing but the batch's.
  KERNEL_REQUIRE(args.boolean(3), kBadArguments);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kFloat) && has_dtype(out, ScalarType::kFloat) &&
                     has_dtype(means, ScalarType::kFloat) &&
                     has_dtype(inverses, ScalarType::kFloat),
                 kBadArguments);
  KERNEL_REQUIRE(&in != &out && &in != &means && &in != &inverses && &out != &means &&
                     &out != &inverses && &means != &inverses,
                 kBadArguments);
  KERNEL_REQUIRE(in.rank >= 2, kBadShape);
  KERNEL_TRY(check_channels(weight, in.sizes[1]));
  KERNEL_TRY(check_channels(bias, in.sizes[1]));
  KERNEL_REQUIRE(weight != &means && weight != &inverses && weight != &out, kBadArguments);
  KERNEL_REQUIRE(bias != &means && bias != &inverses && bias != &out, kBadArguments);
  KERNEL_TRY(resize(out, in.sizes, in.rank));
  const DimSet dims = ((DimSet{1} << in.rank) - 1) & ~DimSet{2};
  ReductionWalk walk, other;
  KERNEL_TRY(other.open(in, dims, false, inverses));
  KERNEL_TRY(walk.open(in, dims, false, means));
  if (walk.outputs() == 0 || walk.combined() == 0) return Status::kOk;

  size_t strides[kMaxRank], out_strides[kMaxRank];
  compute_strides(in, strides);
  compute_strides(out, out_strides);
  LoopNest<2> plane;  // of one channel: out's steps, then in's
  for (int i = 0; i < in.rank; ++i) {
    const int d = in.dim_order[i];
    if (d != 1) plane.append(static_cast<size_t>(in.sizes[d]), {out_strides[d], strides[d]});
  }
  const float count = static_cast<float>(walk.combined());
  const float epsilon = static_cast<float>(args.number(5));
  const float* from = in.as<float>();
  float* to = out.as_mutable<float>();
  for (size_t c = 0; c < walk.outputs(); ++c) {
    const float* channel = from + c * strides[1];
    const auto sum = [&](float mean, bool squares) {
      double total = 0;
      plane.for_each_run([&](const size_t(&offset)[2], size_t length, const size_t(&step)[2]) {
        float part = 0;
        for (size_t i = 0; i < length; ++i) {
          const float x = channel[offset[1] + i * step[1]] - mean;
          part += squares ? x * x : x;
        }
        total += static_cast<double>(part);
      });
      return static_cast<float>(total);
    };
    const float mean = sum(0, false) / count;
    const float inverse = 1.0f / std::sqrt(sum(mean, true) / count + epsilon);
    const float scale = inverse * (weight == nullptr ? 1.0f : weight->as<float>()[c]);
    const float shift = bias == nullptr ? 0.0f : bias->as<float>()[c];
    means.as_mutable<float>()[c] = mean;
    inverses.as_mutable<float>()[c] = inverse;
    float* target = to + c * out_strides[1];
    plane.for_each_run([&](const size_t(&offset)[2], size_t length, const size_t(&step)[2]) {
      for (size_t i = 0; i < length; ++i) {
        target[offset[0] + i * step[0]] = (channel[offset[1] + i * step[1]] - mean) * scale + shift;
      }
    });
  }
  return Status::kOk;
}

}  // namespace berth::runtime
