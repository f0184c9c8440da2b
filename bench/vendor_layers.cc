// An image that runs the layers of the vendor's table (../shared/oracles) through our operators, on
// the data that the oracles' README describes: machine instructions of a call, and the hash of its
// output. bench/vendor_layers.py makes the table, links and runs it.
#include <cstring>

#include "bench/kernel_call.h"
#include "contract/scratch_rules.h"
#include "firmware/instruction_count.h"
#include "firmware/semihosting.h"
#include "firmware/startup.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"

namespace berth::firmware {

namespace {

using runtime::Args;
using runtime::Tensor;

// A row of the table; the columns' meaning is the oracles'.
struct Layer {
  const char* op;
  const char* id;
  int in_n, in_h, in_w, in_c, k_h, k_w, out_h, out_w, out_c, stride_h, stride_w, pad_h, pad_w;
  int dil_h, dil_w, groups_or_mult, in_offset, out_offset, act_min, act_max;
};

constexpr Layer kLayers[] = {
#include "bench/vendor_layers_table.h"
};

alignas(16) int8_t input[48 << 10];
alignas(16) int8_t second_input[20 << 10];
alignas(16) int8_t weights[96 << 10];
alignas(16) int8_t output[48 << 10];
alignas(16) int8_t scratch[24 << 10];
alignas(16) int8_t more_scratch[16 << 10];
int32_t bias[1024], multipliers[1024], shifts[1024], kernel_sums[1024];

int log2_of(int value) {
  int log = 0;
  while (value >> (log + 1) != 0) ++log;
  return log;
}

// Weights, biases and factors; `products` per output.
void fill_factors(int products) {
  fill(3, weights, sizeof(weights));
  for (int8_t& weight : weights) {
    if (weight == -128) weight = -127;
  }
  Draws biases(4), factors(5);
  const int32_t shift = -(7 + log2_of(products) / 2);
  for (size_t i = 0; i < 1024; ++i) {
    bias[i] = static_cast<int32_t>((biases.next() >> 16) & 0x7FF) - 1024;
    multipliers[i] = static_cast<int32_t>(0x40000000u + (factors.next() >> 2));
    shifts[i] = shift;
  }
}

constexpr ScalarType kInt8 = ScalarType::kChar, kInt32 = ScalarType::kInt;

uint64_t scratch_given = 0;  // to the layer at hand

void add_scratch(Call* call, uint64_t bytes, int8_t* room, size_t size) {
  scratch_given += bytes;
  if (bytes > size) {
    print("scratch of the bench is too small\n");
    stop(Outcome::kRunStatus);
  }
  call->tensor(ScalarType::kByte, room, 1, static_cast<int>(bytes));
}

WindowShape shape_of(const Layer& l, int kernel_c) {
  WindowShape s;
  s.batch = l.in_n, s.in_h = l.in_h, s.in_w = l.in_w, s.in_c = l.in_c;
  s.kernel_h = l.k_h, s.kernel_w = l.k_w, s.kernel_c = kernel_c;
  s.out_h = l.out_h, s.out_w = l.out_w, s.out_c = l.out_c;
  s.stride_h = l.stride_h, s.stride_w = l.stride_w, s.pad_h = l.pad_h, s.pad_w = l.pad_w;
  s.dilation_h = l.dil_h, s.dilation_w = l.dil_w;
  return s;
}

bool is(const Layer& layer, const char* op) { return strcmp(layer.op, op) == 0; }

void begin_convolution(const Layer& l, Call* call) {
  call->image(input, l.in_n, l.in_c, l.in_h, l.in_w);
  if (is(l, "depthwise")) {
    call->tensor(kInt8, weights, 4, 1, l.k_h, l.k_w, l.out_c);
  } else {
    const int groups = is(l, "conv") ? l.groups_or_mult : 1;
    call->tensor(kInt8, weights, 4, l.out_c, l.k_h, l.k_w, l.in_c / groups);
  }
  call->tensor(kInt32, bias, 1, l.out_c);
  call->list(l.stride_h, l.stride_w).list(l.pad_h, l.pad_w);
}

void end_sums(const Layer& l, Call* call) {
  call->integer(l.in_offset).integer(l.out_offset);
  call->tensor(kInt32, multipliers, 1, l.out_c).tensor(kInt32, shifts, 1, l.out_c);
  call->integer(l.act_min).integer(l.act_max);
}

// What the compiler would have summed for MVE (kernel_sum).
void sum_weights(const Layer& l) {
  for (int o = 0; o < l.out_c; ++o) {
    kernel_sums[o] = bias[o];
    for (int i = 0; i < l.in_c; ++i) kernel_sums[o] += l.in_offset * weights[o * l.in_c + i];
  }
}

runtime::KernelFunction prepare(const Layer& l, Call* call) {
  constexpr int32_t kAddMultiplier = 1073741824, kOtherMultiplier = 1518500250;
  constexpr int32_t kOutMultiplier = 1482910400;
  const int kernel_c = l.in_c / (is(l, "conv") ? l.groups_or_mult : 1);
  const WindowShape shape = shape_of(l, kernel_c);
  if (is(l, "conv")) {
    fill_factors(l.k_h * l.k_w * kernel_c);
    begin_convolution(l, call);
    call->list(l.dil_h, l.dil_w);
    end_sums(l, call);
    add_scratch(call, conv2d_scratch_bytes(shape, kBuildIsa), scratch, sizeof(scratch));
    call->image(output, l.in_n, l.out_c, l.out_h, l.out_w);
    return runtime::run_quantized_conv2d;
  }
  if (is(l, "depthwise")) {
    fill_factors(l.k_h * l.k_w);
    begin_convolution(l, call);
    call->list(l.dil_h, l.dil_w).integer(l.groups_or_mult);
    end_sums(l, call);
    add_scratch(call, depthwise_conv2d_scratch_bytes(shape, kBuildIsa), scratch, sizeof(scratch));
    call->image(output, l.in_n, l.out_c, l.out_h, l.out_w);
    return runtime::run_quantized_depthwise_conv2d;
  }
  if (is(l, "transpose_conv")) {
    fill_factors(l.k_h * l.k_w * l.in_c);
    begin_convolution(l, call);
    call->list(0, 0).list(l.dil_h, l.dil_w);
    end_sums(l, call);
    add_scratch(call, transpose_conv2d_scratch_bytes(shape, kBuildIsa), scratch, sizeof(scratch));
    add_scratch(call, transpose_conv2d_output_scratch_bytes(shape, kBuildIsa), more_scratch,
                sizeof(more_scratch));
    call->image(output, l.in_n, l.out_c, l.out_h, l.out_w);
    return runtime::run_quantized_transpose_conv2d;
  }
  if (is(l, "fully_connected")) {
    fill_factors(l.in_c);
    sum_weights(l);
    call->tensor(kInt8, input, 2, l.in_n, l.in_c).tensor(kInt8, weights, 2, l.out_c, l.in_c);
    if (kBuildIsa == Isa::kMve) {
      call->none().tensor(kInt32, kernel_sums, 1, l.out_c);
    } else {
      call->tensor(kInt32, bias, 1, l.out_c).none();
    }
    call->integer(l.in_offset).integer(0).integer(l.out_offset);
    call->list(multipliers[0], 0, 1).list(shifts[0], 0, 1);
    call->integer(l.act_max).integer(l.act_min);
    call->tensor(kInt8, output, 2, l.in_n, l.out_c);
    return runtime::run_quantized_linear;
  }
  if (is(l, "batch_matmul")) {
    fill_factors(l.in_c);
    const int batches = l.in_n * l.in_h;
    call->tensor(kInt8, input, 3, batches, l.in_w, l.in_c).integer(l.in_offset);
    call->tensor(kInt8, second_input, 3, batches, l.out_c, l.in_c).integer(0);
    call->integer(l.out_offset).integer(multipliers[0]).integer(shifts[0]);
    add_scratch(call, batch_matmul_scratch_bytes(l.out_c, kBuildIsa), scratch, sizeof(scratch));
    call->tensor(kInt8, output, 3, batches, l.in_w, l.out_c);
    return runtime::run_quantized_batch_matmul;
  }
  if (is(l, "add")) {
    call->image(input, l.in_n, l.in_c, l.in_h, l.in_w).integer(-l.in_offset);
    call->integer(kAddMultiplier).integer(0);
    call->image(second_input, l.in_n, l.in_c, l.in_h, l.in_w).integer(-l.in_offset);
    call->integer(kOtherMultiplier).integer(0);
    call->integer(l.out_offset).integer(kOutMultiplier).integer(-19);
    call->integer(l.act_min).integer(l.act_max);
    call->image(output, l.in_n, l.in_c, l.in_h, l.in_w);
    return runtime::run_quantized_add;
  }
  if (is(l, "mul")) {
    call->image(input, l.in_n, l.in_c, l.in_h, l.in_w).integer(-l.in_offset);
    call->image(second_input, l.in_n, l.in_c, l.in_h, l.in_w).integer(-l.in_offset);
    call->integer(l.out_offset).integer(kOutMultiplier).integer(-7);
    call->image(output, l.in_n, l.in_c, l.in_h, l.in_w);
    return runtime::run_quantized_mul;
  }
  if (is(l, "softmax")) {
    call->tensor(kInt8, input, 2, l.in_n, l.in_c).integer(1).integer(0).integer(-128);
    call->integer(1077952640).integer(23).integer(-248);
    call->tensor(kInt8, output, 2, l.in_n, l.in_c);
    return runtime::run_softmax;
  }
  call->image(input, l.in_n, l.in_c, l.in_h, l.in_w).list(l.k_h, l.k_w);
  call->list(l.stride_h, l.stride_w).list(l.pad_h, l.pad_w);
  if (is(l, "avg_pool")) {
    call->boolean(false).integer(0).integer(1 << 30).integer(1);
    add_scratch(call, avg_pool2d_scratch_bytes(l.in_c, kBuildIsa), scratch, sizeof(scratch));
    call->image(output, l.in_n, l.out_c, l.out_h, l.out_w);
    return runtime::run_quantized_avg_pool2d;
  }
  call->list(1, 1).boolean(false).integer(0).integer(0).integer(l.act_min).integer(l.act_max);
  call->image(output, l.in_n, l.out_c, l.out_h, l.out_w);
  return runtime::run_quantized_max_pool2d;
}

void run_layer(const Layer& l) {
  fill(1, input, sizeof(input));
  fill(2, second_input, sizeof(second_input));
  Call call;
  scratch_given = 0;
  const runtime::KernelFunction run = prepare(l, &call);
  const Args args = call.args();
  const Tensor& out = args.tensor(args.count() - 1);
  memset(output, 0x5A, sizeof(output));
  const uint64_t once = count_calls(run, args, 1);
  const uint32_t hash = hash_of(output, out.nbytes());
  const uint32_t repeats = once > 200000 ? 8 : 400;
  print_all("layer ", l.id, " ", count_call(run, args, repeats), " ");
  print_hex(hash);
  print_all(" ", scratch_given, "\n");
}

}  // namespace

void run_image() {
  start_counting(BERTH_INSTRUCTION_LIMIT);
  for (const Layer& layer : kLayers) run_layer(layer);
  stop(Outcome::kRight);
}

}  // namespace berth::firmware
