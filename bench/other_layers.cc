// An image that runs operators for which the vendor's table (../shared/oracles) has no rows:
// machine instructions of a call. bench/vendor_layers.py links and runs it.
#include "bench/kernel_call.h"
#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/portable/shape_kernels.h"

namespace berth::firmware {

namespace {

using runtime::Args;

alignas(16) int8_t input[16 << 10];
alignas(16) int8_t second_input[16 << 10];
alignas(16) int8_t output[16 << 10];

constexpr ScalarType kInt8 = ScalarType::kChar, kInt16 = ScalarType::kShort,
                     kFloat = ScalarType::kFloat;
// One of a scale below 1, for all that is scaled.
constexpr int64_t kMultiplier = 1518500250, kShift = -1;
constexpr double kScale = 0.0235;

// Elements of a run, and of a feature map that is padded, turned round or joined.
constexpr int kCount = 2000, kSide = 16, kChannels = 8;

struct Layer {
  const char* op;
  const char* id;
  runtime::KernelFunction run;
  void (*prepare)(Call*);
};

void fill_floats(Call*) {
  Draws draws(6);
  float* floats = reinterpret_cast<float*>(input);
  for (int i = 0; i < kCount; ++i) {
    floats[i] = static_cast<float>(static_cast<int32_t>(draws.next())) * 0x1p-29f;
  }
}

void map(Call* call, int8_t* data) { call->image(data, 1, kChannels, kSide, kSide); }

void pad_by_one(Call* call, int channels) {
  constexpr int64_t kRound[] = {0, 1, 1, 0};
  call->image(input, 1, channels, kSide, kSide).entries(kRound, 4).entries(kRound, 4).integer(-3);
  call->image(output, 1, channels, kSide + 2, kSide + 2);
}

void transpose(Call* call, int a, int b, int c, const int64_t* order) {
  const int sizes[] = {a, b, c};
  call->tensor(kInt8, input, 3, a, b, c).entries(order, 3);
  call->tensor(kInt8, output, 3, sizes[order[0]], sizes[order[1]], sizes[order[2]]);
}

void mean(Call* call, int64_t first, int64_t second, int dims, int h, int w, int c) {
  constexpr int kHigh = 8, kWide = 8, kDeep = 64;
  call->tensor(kInt8, input, 4, 1, kHigh, kWide, kDeep).list(first, second, dims).boolean(true);
  call->integer(-5).integer(7).integer(kMultiplier).integer(-6);
  call->tensor(kInt8, output, 4, 1, h, w, c);
}

void pair(Call* call, ScalarType dtype) {
  call->tensor(dtype, input, 1, kCount).tensor(dtype, second_input, 1, kCount);
  call->tensor(dtype, output, 1, kCount);
}

void sum(Call* call, ScalarType dtype) {
  const int bound = dtype == kInt8 ? 127 : 32767;
  call->tensor(dtype, input, 1, kCount).integer(0).integer(kMultiplier).integer(kShift);
  call->tensor(dtype, second_input, 1, kCount).integer(0).integer(kMultiplier).integer(kShift);
  call->integer(0).integer(kMultiplier).integer(dtype == kInt8 ? -19 : -14);
  call->integer(-bound - 1).integer(bound).tensor(dtype, output, 1, kCount);
}

const Layer kLayers[] = {
    {"quantize_per_tensor", "2000 floats", runtime::run_quantize_per_tensor,
     [](Call* call) {
       fill_floats(call);
       call->tensor(kFloat, input, 1, kCount).number(kScale).integer(-4);
       call->integer(-128).integer(127).integer(static_cast<int>(kInt8));
       call->tensor(kInt8, output, 1, kCount);
     }},
    {"quantize", "2000 floats", runtime::run_berth_quantize,
     [](Call* call) {
       fill_floats(call);
       call->tensor(kFloat, input, 1, kCount).number(kScale).integer(-4);
       call->integer(-128).integer(127).tensor(kInt8, output, 1, kCount);
     }},
    {"dequantize_per_tensor", "2000 bytes", runtime::run_dequantize_per_tensor,
     [](Call* call) {
       call->tensor(kInt8, input, 1, kCount).number(kScale).integer(-4);
       call->integer(-128).integer(127).integer(static_cast<int>(kInt8));
       call->tensor(kFloat, output, 1, kCount);
     }},
    {"dequantize", "2000 of int16", runtime::run_berth_dequantize,
     [](Call* call) {
       call->tensor(kInt16, input, 1, kCount).number(kScale).integer(0);
       call->tensor(kFloat, output, 1, kCount);
     }},
    {"requantize", "2000 bytes to bytes", runtime::run_requantize,
     [](Call* call) {
       call->tensor(kInt8, input, 1, kCount).integer(3).integer(-4).integer(kMultiplier);
       call->integer(kShift).tensor(kInt8, output, 1, kCount);
     }},
    {"quantized_activation", "2000 bytes", runtime::run_quantized_activation,
     [](Call* call) {
       call->tensor(kInt8, input, 1, kCount).tensor(kInt8, second_input, 1, 256);
       call->tensor(kInt8, output, 1, kCount);
     }},
    {"quantized_logistic", "2000 of int16", runtime::run_berth_quantized_logistic,
     [](Call* call) {
       call->tensor(kInt16, input, 1, kCount).integer(3).integer(0);
       call->tensor(kInt16, output, 1, kCount);
     }},
    {"quantized_leaky_relu", "2000 of int16", runtime::run_berth_quantized_leaky_relu,
     [](Call* call) {
       call->tensor(kInt16, input, 1, kCount).integer(0).integer(0).integer(kMultiplier);
       call->integer(kShift).integer(kMultiplier).integer(-3);
       call->tensor(kInt16, output, 1, kCount);
     }},
    {"maximum", "2000 and 2000 bytes", runtime::run_maximum, [](Call* call) { pair(call, kInt8); }},
    {"minimum", "2000 bytes and one", runtime::run_minimum,
     [](Call* call) {
       call->tensor(kInt8, input, 1, kCount).tensor(kInt8, second_input, 1, 1);
       call->tensor(kInt8, output, 1, kCount);
     }},
    {"quantized_sub", "2000 and 2000 bytes", runtime::run_berth_quantized_sub,
     [](Call* call) { sum(call, kInt8); }},
    {"quantized_add", "2000 and 2000 of int16", runtime::run_berth_quantized_add,
     [](Call* call) { sum(call, kInt16); }},
    {"quantized_mean", "8x8x64 over height and width", runtime::run_berth_quantized_mean,
     [](Call* call) { mean(call, 1, 2, 2, 1, 1, 64); }},
    {"quantized_mean", "8x8x64 over height", runtime::run_berth_quantized_mean,
     [](Call* call) { mean(call, 1, 0, 1, 1, 8, 64); }},
    {"quantized_mean", "8x8x64 over channels", runtime::run_berth_quantized_mean,
     [](Call* call) { mean(call, 3, 0, 1, 8, 8, 1); }},
    {"pad", "16x16x8 by one", runtime::run_pad, [](Call* call) { pad_by_one(call, 8); }},
    {"pad", "16x16x3 by one", runtime::run_pad, [](Call* call) { pad_by_one(call, 3); }},
    {"transpose", "16x16x8, channels to the front", runtime::run_transpose,
     [](Call* call) {
       constexpr int64_t kOrder[] = {2, 0, 1};
       transpose(call, kSide, kSide, kChannels, kOrder);
     }},
    {"transpose", "8x16x16, channels to the end", runtime::run_transpose,
     [](Call* call) {
       constexpr int64_t kOrder[] = {1, 2, 0};
       transpose(call, kChannels, kSide, kSide, kOrder);
     }},
    {"transpose", "16x16x8, height and width", runtime::run_transpose,
     [](Call* call) {
       constexpr int64_t kOrder[] = {1, 0, 2};
       transpose(call, kSide, kSide, kChannels, kOrder);
     }},
    {"cat", "16x16x8 and 16x16x8 along channels", runtime::run_cat,
     [](Call* call) {
       map(call, input), map(call, second_input);
       call->join_tensors(2).integer(1).image(output, 1, 2 * kChannels, kSide, kSide);
     }},
    {"cat", "16x16x8 and 16x16x8 along height", runtime::run_cat,
     [](Call* call) {
       map(call, input), map(call, second_input);
       call->join_tensors(2).integer(2).image(output, 1, kChannels, 2 * kSide, kSide);
     }},
};

void run_layer(const Layer& layer) {
  fill(1, input, sizeof(input));
  fill(2, second_input, sizeof(second_input));
  Call call;
  layer.prepare(&call);
  const Args args = call.args();
  const runtime::Tensor& out = args.tensor(args.count() - 1);
  const size_t taken = args.value(0).tag == runtime::Tag::kTensor ? args.tensor(0).numel() : 0;
  const size_t elements = taken > out.numel() ? taken : out.numel();
  print_all("layer ", layer.op, "; ", layer.id, "; ", static_cast<uint32_t>(elements), "; ",
            count_call(layer.run, args, 40), "; ");
  print_hex(hash_of(output, out.nbytes()));
  print("\n");
}

}  // namespace

void run_image() {
  start_counting(BERTH_INSTRUCTION_LIMIT);
  for (const Layer& layer : kLayers) run_layer(layer);
  stop(Outcome::kRight);
}

}  // namespace berth::firmware
