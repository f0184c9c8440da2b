// The arguments that all convolutions have, int8 and int16, from the call to checked numbers.
#pragma once

#include "contract/scratch_rules.h"
#include "runtime/kernels/sum_stages.h"

namespace berth::runtime {

// Where they stand: in, weights, bias, stride, padding; an argument or two of the operator's own
// around dilation; then in_offset, out_offset, mults, shifts, min, max; scratches; out.
struct ConvSlots {
  static constexpr uint32_t kIn = 0, kWeights = 1, kBias = 2, kStride = 3, kPadding = 4;
  uint32_t dilation, in_offset, scratches;

  constexpr SumSlots sums() const {
    return {kBias, in_offset, in_offset + 1, in_offset + 4, in_offset + 5};
  }
  constexpr uint32_t multipliers() const { return in_offset + 2; }
  constexpr uint32_t shifts() const { return in_offset + 3; }
  constexpr uint32_t scratch() const { return in_offset + 6; }
  constexpr uint32_t out() const { return scratch() + scratches; }
};

// The vendor's int8 operators have a scratch slot, ours for int16 have none.
template <typename T>
constexpr uint32_t kConvScratches = sizeof(T) == 1 ? 1 : 0;

// Input and output: images of T and one batch size. Weights: int8, rank 4, row-major. Fills
// everything but kernel_c of *shape; kernel_h and kernel_w are the weights' dims 1 and 2.
template <typename T>
Status read_convolution(const Args& args, const ConvSlots& at, WindowShape* shape,
                        SumStages<T>* sums) {
  const Tensor& in = args.tensor(ConvSlots::kIn);
  const Tensor& weights = args.tensor(ConvSlots::kWeights);
  const Tensor& out = args.tensor(at.out());
  constexpr ScalarType kType = scalar_type_of<T>();
  KERNEL_REQUIRE(has_dtype(in, kType) && has_dtype(out, kType), kBadArguments);
  KERNEL_REQUIRE(has_dtype(weights, ScalarType::kChar), kBadArguments);
  KERNEL_TRY(read_images(in, out, shape));
  KERNEL_REQUIRE(weights.rank == 4 && is_row_major(weights), kBadShape);
  shape->kernel_h = weights.size(1), shape->kernel_w = weights.size(2);
  KERNEL_TRY(read_pair(args, ConvSlots::kStride, 1, &shape->stride_h, &shape->stride_w));
  KERNEL_TRY(read_pair(args, ConvSlots::kPadding, 0, &shape->pad_h, &shape->pad_w));
  KERNEL_TRY(read_pair(args, at.dilation, 1, &shape->dilation_h, &shape->dilation_w));

  const size_t channels = static_cast<size_t>(shape->out_c);
  const Tensor& multipliers = args.tensor(at.multipliers());
  const Tensor& shifts = args.tensor(at.shifts());
  KERNEL_TRY(sums->read(args, at.sums(), channels));
  KERNEL_TRY(check_channel_scaling(multipliers, shifts, channels, sums->max_shift()));
  sums->set_scaling({multipliers.as<int32_t>(), shifts.as<int32_t>(), 1});
  return Status::kOk;
}

// Scratch slot `which` against what the rule for this shape says; where the operator has no slot,
// that the rule has an answer for the host, whose kernels need none: every size is at least 1.
inline Status check_conv_scratch(const KernelContext& context, const Args& args,
                                 const ConvSlots& at, uint32_t which, const WindowShape& shape,
                                 uint64_t (*rule)(const WindowShape&, Isa)) {
  const auto need = [&](Isa isa) { return rule(shape, isa); };
  if (which < at.scratches) return check_scratch(context, args.tensor(at.scratch() + which), need);
  KERNEL_REQUIRE(need(Isa::kHost) != kNoScratchSize, kBadShape);
  return Status::kOk;
}

}  // namespace berth::runtime
