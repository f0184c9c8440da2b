#include <cmath>

#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/network_kernels.h"

namespace berth::runtime {
namespace {

struct Line {
  const float* from;
  float* to;
  size_t from_step, to_step;
};

float largest(const Line& line, size_t count) {
  float high = line.from[0];
  for (size_t i = 1; i < count; ++i) {
    const float value = line.from[i * line.from_step];
    high = value > high || value != value ? value : high;  // a NaN stays
  }
  return high;
}

void softmax_line(const Line& line, size_t count) {
  const float high = largest(line, count);
  float sum = 0.0f;
  for (size_t i = 0; i < count; ++i) {
    const float value = std::exp(line.from[i * line.from_step] - high);
    line.to[i * line.to_step] = value;
    sum += value;
  }
  for (size_t i = 0; i < count; ++i) line.to[i * line.to_step] /= sum;
}

void log_softmax_line(const Line& line, size_t count) {
  const float high = largest(line, count);
  float sum = 0.0f;
  for (size_t i = 0; i < count; ++i) sum += std::exp(line.from[i * line.from_step] - high);
  const float base = std::log(sum);
  for (size_t i = 0; i < count; ++i)
    line.to[i * line.to_step] = line.from[i * line.from_step] - high - base;
}

// (self, dim, half_to_float, out)
Status for_each_line(const Args& args, void (*compute)(const Line&, size_t)) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(3);
  KERNEL_REQUIRE(has_dtype(self, ScalarType::kFloat) && has_dtype(out, ScalarType::kFloat),
                 kBadArguments);
  KERNEL_REQUIRE(!args.boolean(2), kBadArguments);
  int dim = 0;
  KERNEL_TRY(read_dim(args.integer(1), self.rank, &dim));
  KERNEL_TRY(resize(out, Sizes(self)));
  if (out.numel() == 0) return Status::kOk;
  Line line{self.as<float>(), out.as_mutable<float>(), 1, 1};
  if (self.rank == 0) {
    compute(line, 1);
    return Status::kOk;
  }
  const ElementMap from = map_elements(self), to = map_elements(out);
  line.from_step = static_cast<size_t>(from.steps[dim]);
  line.to_step = static_cast<size_t>(to.steps[dim]);
  const size_t count = static_cast<size_t>(self.sizes[dim]);
  int32_t at[kMaxRank] = {};
  for (;;) {
    compute(line, count);
    int d = self.rank - 1;
    for (; d >= 0; --d) {
      if (d == dim) continue;
      line.from += from.steps[d];
      line.to += to.steps[d];
      if (++at[d] < self.sizes[d]) break;
      line.from -= self.sizes[d] * from.steps[d];
      line.to -= self.sizes[d] * to.steps[d];
      at[d] = 0;
    }
    if (d < 0) return Status::kOk;
  }
}

}  // namespace

Status run_aten_softmax(KernelContext&, const Args& args) {
  return for_each_line(args, softmax_line);
}

Status run_log_softmax(KernelContext&, const Args& args) {
  return for_each_line(args, log_softmax_line);
}

}  // namespace berth::runtime
