#include "runtime/core/resize.h"
#include "runtime/kernels/kernel_checks.h"
#include "runtime/kernels/portable/float_convolution.h"
#include "runtime/kernels/portable/network_kernels.h"

namespace berth::runtime {
namespace {

// As read_window_list; a one-dimensional convolution has a list of one, for the columns.
Status read_conv_list(const Args& args, uint32_t index, bool one_dim, int64_t low, int64_t* rows,
                      int64_t* columns) {
  KERNEL_REQUIRE(!one_dim || args.list_size(index) <= 1, kBadArguments);
  const int64_t kept = *rows;
  KERNEL_TRY(read_window_list(args, index, low, rows, columns));
  if (one_dim) *rows = kept;
  return Status::kOk;
}

// Of a rank 4 tensor, or a rank 3 one (batch, channel, column) as an image of one row.
ImageSteps conv_steps(const Tensor& tensor) {
  if (tensor.rank == 4) return image_steps(tensor);
  size_t strides[kMaxRank];
  compute_strides(tensor, strides);
  const size_t row = static_cast<size_t>(tensor.sizes[2]) * strides[2];
  return {strides[0], strides[1], row, strides[2]};
}

// Elements of one filter follow each other, channels outermost or innermost.
bool is_filter_dense(const Tensor& weights) {
  if (is_row_major(weights)) return true;
  constexpr uint8_t kChannelsLast3[3] = {0, 2, 1};
  return lies_in_order(weights, weights.rank == 4 ? kNhwcOrder : kChannelsLast3);
}

// Up to so many filters over one channel are faster one by one.
constexpr int64_t kFewOutputs = 4;

Status out_size(int64_t in, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation,
                int64_t* out) {
  const int64_t room = in + 2 * pad - dilation * (kernel - 1) - 1;
  KERNEL_REQUIRE(room >= 0, kBadShape);
  *out = room / stride + 1;
  KERNEL_REQUIRE(fits<int32_t>(*out), kBadShape);
  return Status::kOk;
}

Status transposed_out_size(int64_t in, int64_t kernel, int64_t stride, int64_t pad,
                           int64_t dilation, int64_t extra, int64_t* out) {
  KERNEL_REQUIRE(extra < stride || extra < dilation, kBadArguments);
  // Each product is below 2^62; so is what remains.
  const int64_t steps = (in - 1) * stride, reach = dilation * (kernel - 1);
  *out = steps - 2 * pad + reach + extra + 1;
  KERNEL_REQUIRE(*out > 0 && fits<int32_t>(*out), kBadShape);
  return Status::kOk;
}

}  // namespace

// (input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, out)
Status run_convolution(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  const Tensor& weights = args.tensor(1);
  const Tensor* bias = args.optional_tensor(2);
  const bool transposed = args.boolean(6);
  Tensor& out = args.tensor(9);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kFloat) && has_dtype(weights, ScalarType::kFloat) &&
                     has_dtype(out, ScalarType::kFloat),
                 kBadArguments);
  KERNEL_REQUIRE(in.rank == 3 || in.rank == 4, kBadShape);
  KERNEL_REQUIRE(weights.rank == in.rank && out.rank == in.rank, kBadShape);
  const bool one_dim = in.rank == 3;
  const int last = in.rank - 1;

  FloatConvolution c;
  KERNEL_TRY(read_conv_list(args, 3, one_dim, 1, &c.rows.stride, &c.columns.stride));
  KERNEL_TRY(read_conv_list(args, 4, one_dim, 0, &c.rows.pad, &c.columns.pad));
  KERNEL_TRY(read_conv_list(args, 5, one_dim, 1, &c.rows.dilation, &c.columns.dilation));
  int64_t extra_h = 0, extra_w = 0;
  if (transposed) KERNEL_TRY(read_conv_list(args, 7, one_dim, 0, &extra_h, &extra_w));
  c.groups = args.integer(8);
  KERNEL_REQUIRE(c.groups >= 1, kBadArguments);
  c.batch = in.size(0);
  c.rows.in = one_dim ? 1 : in.size(2);
  c.columns.in = in.size(last);
  c.rows.kernel = one_dim ? 1 : weights.size(2);
  c.columns.kernel = weights.size(last);
  KERNEL_REQUIRE(c.rows.kernel > 0 && c.columns.kernel > 0, kBadShape);
  KERNEL_REQUIRE(in.size(1) % c.groups == 0, kBadShape);
  c.in_c = in.size(1) / c.groups;
  int64_t channels = 0;  // of the output
  if (transposed) {
    KERNEL_REQUIRE(weights.size(0) == in.size(1), kBadShape);
    c.out_c = weights.size(1);
    channels = c.out_c * c.groups;
    KERNEL_TRY(transposed_out_size(c.rows.in, c.rows.kernel, c.rows.stride, c.rows.pad,
                                   c.rows.dilation, extra_h, &c.rows.out));
    KERNEL_TRY(transposed_out_size(c.columns.in, c.columns.kernel, c.columns.stride, c.columns.pad,
                                   c.columns.dilation, extra_w, &c.columns.out));
  } else {
    KERNEL_REQUIRE(weights.size(1) == c.in_c && weights.size(0) % c.groups == 0, kBadShape);
    channels = weights.size(0);
    c.out_c = channels / c.groups;
    KERNEL_REQUIRE(is_filter_dense(weights), kBadShape);
    KERNEL_TRY(out_size(c.rows.in, c.rows.kernel, c.rows.stride, c.rows.pad, c.rows.dilation,
                        &c.rows.out));
    KERNEL_TRY(out_size(c.columns.in, c.columns.kernel, c.columns.stride, c.columns.pad,
                        c.columns.dilation, &c.columns.out));
  }
  KERNEL_REQUIRE(fits<int32_t>(channels), kBadShape);
  if (bias != nullptr) {
    KERNEL_REQUIRE(has_dtype(*bias, ScalarType::kFloat), kBadArguments);
    KERNEL_REQUIRE(bias->rank == 1 && bias->size(0) == channels, kBadShape);
    c.bias = bias->as<float>();
  }
  c.in = in.as<float>();
  c.in_steps = conv_steps(in);
  c.weights = weights.as<float>();
  c.weight_steps = conv_steps(weights);
  const int32_t sizes[4] = {static_cast<int32_t>(c.batch), static_cast<int32_t>(channels),
                            static_cast<int32_t>(one_dim ? c.columns.out : c.rows.out),
                            static_cast<int32_t>(c.columns.out)};
  KERNEL_TRY(resize(out, sizes, in.rank));
  if (out.numel() == 0) return Status::kOk;

  c.out = out.as_mutable<float>();
  c.out_steps = conv_steps(out);
  if (transposed) {
    convolve_floats_transposed(c);
  } else if (c.in_c == 1 && c.out_c <= kFewOutputs &&
             ((c.in_steps.column == 1 && c.out_steps.column == 1) ||
              (c.out_c == 1 && c.in_steps.channel == 1 && c.out_steps.channel == 1))) {
    convolve_floats_depthwise(c);
  } else {
    convolve_floats(c);
  }
  return Status::kOk;
}

}  // namespace berth::runtime
