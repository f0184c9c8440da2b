// Convolution, depthwise and transpose convolution against six loops written for reading.
#include <gtest/gtest.h>

#include <functional>

#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/kernel_test_util.h"

namespace berth::runtime {
namespace {

struct Layer {
  int64_t batch, in_h, in_w, in_c, k_h, k_w, out_h, out_w, out_c, stride_h, stride_w, pad_h, pad_w,
      dil_h, dil_w;
  int64_t groups = 1, depth_multiplier = 1;
  int64_t in_offset = 0, out_offset = 0, low = -128, high = 127;
  bool has_bias = true;
};

Layer random_layer(Random& random) {
  Layer s{};
  s.batch = random.between(1, 2), s.in_h = random.between(1, 11), s.in_w = random.between(1, 11);
  s.k_h = random.between(1, 4), s.k_w = random.between(1, 4);
  s.stride_h = random.between(1, 3), s.stride_w = random.between(1, 3);
  s.dil_h = random.between(1, 2), s.dil_w = random.between(1, 2);
  s.pad_h = random.between(0, 3), s.pad_w = random.between(0, 3);
  s.out_h = random.between(1, 9), s.out_w = random.between(1, 9);
  s.in_offset = random.between(-127, 128), s.out_offset = random.between(-128, 127);
  s.low = random.between(-128, 0), s.high = random.between(s.low, 127);
  s.has_bias = random.between(0, 3) != 0;
  s.groups = 1, s.depth_multiplier = 1;
  return s;
}

std::vector<int64_t> pair(int64_t a, int64_t b) { return {a, b}; }
std::vector<int32_t> sizes(int64_t a, int64_t b, int64_t c, int64_t d) {
  return {static_cast<int32_t>(a), static_cast<int32_t>(b), static_cast<int32_t>(c),
          static_cast<int32_t>(d)};
}

// All tensors of one convolution-like call.
template <typename In, typename Bias>
struct Tensors {
  Tensors(const Layer& s, std::vector<int32_t> weight_sizes, Random& random, int max_shift = 0)
      : in(DtypeOf<In>::kType, sizes(s.batch, s.in_c, s.in_h, s.in_w), nhwc()),
        weights(ScalarType::kChar, weight_sizes),
        bias(DtypeOf<Bias>::kType, {static_cast<int32_t>(s.out_c)}),
        multipliers(ScalarType::kInt, {static_cast<int32_t>(s.out_c)}),
        shifts(ScalarType::kInt, {static_cast<int32_t>(s.out_c)}),
        scratch(ScalarType::kByte, {0}),
        output_scratch(ScalarType::kByte, {0}),
        out(DtypeOf<In>::kType, sizes(s.batch, s.out_c, s.out_h, s.out_w), nhwc()) {
    random.fill<In>(in);
    random.fill<int8_t>(weights);
    random.fill<Bias>(bias, -20000, 20000);
    for (size_t i = 0; i < multipliers.numel(); ++i) {
      multipliers.data<int32_t>()[i] = random.multiplier();
      shifts.data<int32_t>()[i] =
          static_cast<int32_t>(random.between(-12 - (sizeof(In) > 1 ? 8 : 0), max_shift));
    }
  }
  TestTensor in, weights, bias, multipliers, shifts, scratch, output_scratch, out;
};

// Sum over the taps of one output; `tap(ky, kx)` gives the input position or nothing.
template <typename In, typename Bias>
std::vector<In> expected(const Layer& s, Tensors<In, Bias>& t, bool depthwise, bool transposed,
                         bool wide) {
  const std::vector<In> in = t.in.template elements<In>();
  const std::vector<int8_t> weights = t.weights.template elements<int8_t>();
  std::vector<In> out;
  const int64_t group_in = s.in_c / s.groups, group_out = s.out_c / s.groups;
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t y = 0; y < s.out_h; ++y) {
      for (int64_t x = 0; x < s.out_w; ++x) {
        for (int64_t o = 0; o < s.out_c; ++o) {
          int64_t sum = s.has_bias ? t.bias.template data<Bias>()[o] : 0;
          for (int64_t ky = 0; ky < s.k_h; ++ky) {
            for (int64_t kx = 0; kx < s.k_w; ++kx) {
              int64_t iy = y * s.stride_h - s.pad_h + ky * s.dil_h;
              int64_t ix = x * s.stride_w - s.pad_w + kx * s.dil_w;
              if (transposed) {
                const int64_t ny = y + s.pad_h - ky, nx = x + s.pad_w - kx;
                if (ny % s.stride_h != 0 || nx % s.stride_w != 0) continue;
                iy = ny / s.stride_h, ix = nx / s.stride_w;
              }
              if (iy < 0 || iy >= s.in_h || ix < 0 || ix >= s.in_w) continue;
              const int64_t pixel = ((n * s.in_h + iy) * s.in_w + ix) * s.in_c;
              if (depthwise) {
                sum += (in[pixel + o / s.depth_multiplier] + s.in_offset) *
                       weights[(ky * s.k_w + kx) * s.out_c + o];
                continue;
              }
              for (int64_t c = 0; c < group_in; ++c) {
                sum += (in[pixel + o / group_out * group_in + c] + s.in_offset) *
                       weights[((o * s.k_h + ky) * s.k_w + kx) * group_in + c];
              }
            }
          }
          const int32_t multiplier = t.multipliers.template data<int32_t>()[o];
          const int shift = t.shifts.template data<int32_t>()[o];
          const int64_t scaled = wide ? reference_scale64(sum, multiplier, shift)
                                      : reference_scale(sum, multiplier, shift);
          out.push_back(reference_clamp<In>(scaled + s.out_offset, s.low, s.high));
        }
      }
    }
  }
  return out;
}

template <typename In, typename Bias>
Call conv_call(const Layer& s, Tensors<In, Bias>& t) {
  Call call;
  call << t.in << t.weights << (s.has_bias ? &t.bias : nullptr) << pair(s.stride_h, s.stride_w)
       << pair(s.pad_h, s.pad_w) << pair(s.dil_h, s.dil_w) << s.in_offset << s.out_offset
       << t.multipliers << t.shifts << s.low << s.high;
  return call;
}

TEST(ConvKernels, ConvolutionEqualsTheLoopsOnRandomShapes) {
  Random random(1);
  for (int round = 0; round < 400; ++round) {
    Layer s = random_layer(random);
    s.groups = random.between(0, 2) == 0 ? random.between(2, 3) : 1;
    s.in_c = s.groups * random.between(1, round % 10 == 0 ? 70 : 9);
    s.out_c = s.groups * random.between(1, round % 7 == 0 ? 40 : 9);
    Tensors<int8_t, int32_t> t(s, sizes(s.out_c, s.k_h, s.k_w, s.in_c / s.groups), random);
    Call call = conv_call(s, t);
    call << t.scratch << t.out;
    ASSERT_EQ(call.run(kQuantizedConv2dKernel), Status::kOk);
    ASSERT_EQ(t.out.elements<int8_t>(), expected(s, t, false, false, false)) << "round " << round;
  }
}

TEST(ConvKernels, PixelwiseConvolutionEqualsTheLoops) {
  Random random(2);
  for (int round = 0; round < 60; ++round) {
    Layer s = random_layer(random);
    s.k_h = s.k_w = s.stride_h = s.stride_w = s.dil_h = s.dil_w = 1;
    s.pad_h = s.pad_w = 0;
    s.out_h = s.in_h, s.out_w = s.in_w;
    s.in_c = random.between(1, 300), s.out_c = random.between(1, 70);
    Tensors<int8_t, int32_t> t(s, sizes(s.out_c, 1, 1, s.in_c), random);
    Call call = conv_call(s, t);
    call << t.scratch << t.out;
    ASSERT_EQ(call.run(kQuantizedConv2dKernel), Status::kOk);
    ASSERT_EQ(t.out.elements<int8_t>(), expected(s, t, false, false, false)) << "round " << round;
  }
}

TEST(ConvKernels, DepthwiseEqualsTheLoopsWithMultipliersAndBatches) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    Layer s = random_layer(random);
    s.in_c = random.between(1, round % 5 == 0 ? 150 : 9);
    s.depth_multiplier = random.between(1, 3);
    s.out_c = s.in_c * s.depth_multiplier;
    Tensors<int8_t, int32_t> t(s, sizes(1, s.k_h, s.k_w, s.out_c), random);
    Call call;
    call << t.in << t.weights << (s.has_bias ? &t.bias : nullptr) << pair(s.stride_h, s.stride_w)
         << pair(s.pad_h, s.pad_w) << pair(s.dil_h, s.dil_w) << s.depth_multiplier << s.in_offset
         << s.out_offset << t.multipliers << t.shifts << s.low << s.high << t.scratch << t.out;
    ASSERT_EQ(call.run(kQuantizedDepthwiseConv2dKernel), Status::kOk);
    ASSERT_EQ(t.out.elements<int8_t>(), expected(s, t, true, false, false)) << "round " << round;
  }
}

TEST(ConvKernels, TransposeConvolutionEqualsTheLoops) {
  Random random(4);
  for (int round = 0; round < 300; ++round) {
    Layer s = random_layer(random);
    s.dil_h = s.dil_w = 1;
    s.in_c = random.between(1, round % 5 == 0 ? 60 : 9), s.out_c = random.between(1, 9);
    s.out_h = random.between(1, 20), s.out_w = random.between(1, 20);
    Tensors<int8_t, int32_t> t(s, sizes(s.out_c, s.k_h, s.k_w, s.in_c), random);
    Call call;
    call << t.in << t.weights << (s.has_bias ? &t.bias : nullptr) << pair(s.stride_h, s.stride_w)
         << pair(s.pad_h, s.pad_w) << pair(0, 0) << pair(1, 1) << s.in_offset << s.out_offset
         << t.multipliers << t.shifts << s.low << s.high << t.scratch << t.output_scratch << t.out;
    ASSERT_EQ(call.run(kQuantizedTransposeConv2dKernel), Status::kOk);
    ASSERT_EQ(t.out.elements<int8_t>(), expected(s, t, false, true, false)) << "round " << round;
  }
}

template <typename Bias>
void check_int16_convolutions(uint32_t seed) {
  Random random(seed);
  for (int round = 0; round < 150; ++round) {
    Layer s = random_layer(random);
    const bool wide = sizeof(Bias) == 8;
    s.in_offset = 0, s.low = random.between(-32768, 0), s.high = random.between(s.low, 32767);
    s.out_offset = random.between(-100, 100);
    if (!wide) s.has_bias = true;  // without bias the sums are 64-bit
    s.in_c = random.between(1, round % 5 == 0 ? 150 : 9);
    const bool depthwise = round % 2 == 1;
    s.depth_multiplier = depthwise ? random.between(1, 2) : 1;
    s.out_c = depthwise ? s.in_c * s.depth_multiplier : random.between(1, 20);
    Tensors<int16_t, Bias> t(
        s, depthwise ? sizes(1, s.k_h, s.k_w, s.out_c) : sizes(s.out_c, s.k_h, s.k_w, s.in_c),
        random);
    Call call;
    call << t.in << t.weights << (s.has_bias ? &t.bias : nullptr) << pair(s.stride_h, s.stride_w)
         << pair(s.pad_h, s.pad_w) << pair(s.dil_h, s.dil_w);
    if (depthwise) call << s.depth_multiplier;
    call << s.in_offset << s.out_offset << t.multipliers << t.shifts << s.low << s.high << t.out;
    ASSERT_EQ(call.run(depthwise ? kBerthDepthwiseConv2dKernel : kBerthConv2dKernel), Status::kOk);
    ASSERT_EQ(t.out.template elements<int16_t>(), expected(s, t, depthwise, false, wide))
        << "round " << round;
  }
}

TEST(ConvKernels, Int16WithInt64BiasEqualsTheLoops) { check_int16_convolutions<int64_t>(5); }

TEST(ConvKernels, Int16WithInt32BiasEqualsTheLoops) { check_int16_convolutions<int32_t>(6); }

TEST(ConvKernels, SumsOfInt16BeyondInt32AreKept) {
  Random random(7);
  Layer s{1, 1, 1, 2000, 1, 1, 1, 1, 2, 1, 1, 0, 0, 1, 1};
  s.low = -32768, s.high = 32767;
  Tensors<int16_t, int64_t> t(s, sizes(2, 1, 1, 2000), random);
  t.in.set(std::vector<int16_t>(2000, 32767));
  t.weights.set(std::vector<int8_t>(4000, 127));
  t.bias.set<int64_t>({int64_t{1} << 40, -(int64_t{1} << 40)});
  t.shifts.set<int32_t>({-26, -26});
  Call call = conv_call(s, t);
  call << t.out;
  ASSERT_EQ(call.run(kBerthConv2dKernel), Status::kOk);
  EXPECT_EQ(t.out.elements<int16_t>(), expected(s, t, false, false, true));
}

TEST(ConvKernels, InputsWithOneChannelMayStandInAnyDimOrder) {
  Random random(8);
  Layer s{1, 5, 5, 1, 3, 3, 5, 5, 4, 1, 1, 1, 1, 1, 1};
  Tensors<int8_t, int32_t> t(s, sizes(4, 3, 3, 1), random);
  TestTensor row_major(ScalarType::kChar, {1, 1, 5, 5});
  row_major.set(t.in.elements<int8_t>());
  Call call;
  call << row_major << t.weights << t.bias << pair(1, 1) << pair(1, 1) << pair(1, 1) << 0 << 0
       << t.multipliers << t.shifts << -128 << 127 << t.scratch << t.out;
  ASSERT_EQ(call.run(kQuantizedConv2dKernel), Status::kOk);
  EXPECT_EQ(t.out.elements<int8_t>(), expected(s, t, false, false, false));
}

TEST(ConvKernels, FullOffsetsAndWeightsDoNotOverflow) {
  for (int64_t offset : {-127, 128}) {
    for (int8_t element : {int8_t{-128}, int8_t{127}}) {
      Random random(9);
      Layer s{1, 8, 8, 32, 5, 5, 8, 8, 32, 1, 1, 2, 2, 1, 1};
      s.in_offset = offset;
      Tensors<int8_t, int32_t> t(s, sizes(32, 5, 5, 32), random);
      t.in.set(std::vector<int8_t>(t.in.numel(), element));
      t.weights.set(std::vector<int8_t>(t.weights.numel(), -128));
      Call call = conv_call(s, t);
      call << t.scratch << t.out;
      ASSERT_EQ(call.run(kQuantizedConv2dKernel), Status::kOk);
      ASSERT_EQ(t.out.elements<int8_t>(), expected(s, t, false, false, false));
      Tensors<int8_t, int32_t> d(s, sizes(1, 5, 5, 32), random);
      d.in.set(std::vector<int8_t>(d.in.numel(), element));
      d.weights.set(std::vector<int8_t>(d.weights.numel(), -128));
      Call depthwise;
      depthwise << d.in << d.weights << d.bias << pair(1, 1) << pair(2, 2) << pair(1, 1) << 1
                << offset << 0 << d.multipliers << d.shifts << -128 << 127 << d.scratch << d.out;
      ASSERT_EQ(depthwise.run(kQuantizedDepthwiseConv2dKernel), Status::kOk);
      ASSERT_EQ(d.out.elements<int8_t>(), expected(s, d, true, false, false));
    }
  }
}

TEST(ConvKernels, HostileArgumentsAreRefused) {
  Random random(10);
  Layer s{1, 6, 6, 4, 3, 3, 6, 6, 8, 1, 1, 1, 1, 1, 1};
  const auto refuses = [&](const std::function<void(Tensors<int8_t, int32_t>&, Call&)>& spoil,
                           Status status) {
    Tensors<int8_t, int32_t> t(s, sizes(8, 3, 3, 4), random);
    Call call = conv_call(s, t);
    call << t.scratch << t.out;
    const std::vector<int8_t> before = t.out.elements<int8_t>();
    spoil(t, call);
    EXPECT_EQ(call.run(kQuantizedConv2dKernel), status);
    EXPECT_EQ(t.out.elements<int8_t>(), before);
  };
  using T = Tensors<int8_t, int32_t>;
  for (int64_t bad : {int64_t{0}, int64_t{-1}, INT64_MIN, INT64_MAX, int64_t{1} << 31}) {
    refuses([&](T&, Call& call) { call.replace_entry(3, 0, bad); },
            Status::kBadArguments);  // stride
    refuses([&](T&, Call& call) { call.replace_entry(5, 1, bad); },
            Status::kBadArguments);  // dilation
  }
  for (int64_t bad : {int64_t{-1}, INT64_MIN, INT64_MAX}) {
    refuses([&](T&, Call& call) { call.replace_entry(4, 0, bad); },
            Status::kBadArguments);  // padding
  }
  for (int64_t bad : {int64_t{-128}, int64_t{129}, INT64_MAX, INT64_MIN}) {
    refuses([&](T&, Call& call) { call.replace(6, bad); }, Status::kBadArguments);  // input offset
  }
  refuses([](T&, Call& call) { call.replace(7, 128); }, Status::kBadArguments);    // output offset
  refuses([](T&, Call& call) { call.replace(10, -129); }, Status::kBadArguments);  // range
  refuses([](T&, Call& call) { call.replace(11, -129); }, Status::kBadArguments);
  refuses([](T&, Call& call) { call.replace(10, 5), call.replace(11, 4); }, Status::kBadArguments);
  for (int32_t bad : {32, -32, INT32_MAX, INT32_MIN}) {
    refuses([&](T& t, Call&) { t.shifts.data<int32_t>()[7] = bad; }, Status::kBadArguments);
  }
  refuses([](T& t, Call&) { t.multipliers.data<int32_t>()[0] = INT32_MIN; }, Status::kBadArguments);
  refuses([](T& t, Call&) { t.in.tensor().dtype = ScalarType::kByte; }, Status::kBadArguments);
  refuses([](T& t, Call&) { t.bias.tensor().dtype = ScalarType::kFloat; }, Status::kBadArguments);
  refuses([](T& t, Call&) { t.in.tensor().rank = 3; }, Status::kBadShape);

  const auto refuses_sizes = [&](TestTensor T::*member, std::vector<int32_t> wrong) {
    refuses([&](T& t, Call&) { (t.*member).tensor().sizes = wrong.data(); }, Status::kBadShape);
  };
  refuses_sizes(&T::multipliers, {7});
  refuses_sizes(&T::shifts, {7});
  refuses_sizes(&T::bias, {7});
  refuses_sizes(&T::weights, {7, 3, 3, 4});
  refuses_sizes(&T::weights, {8, 3, 3, 3});
  refuses_sizes(&T::weights, {8, 0, 3, 4});
  refuses_sizes(&T::weights, {8, 3, 3, 0});
  refuses_sizes(&T::in, {2, 4, 3, 6});
  refuses_sizes(&T::in, {1, 0, 6, 6});
  const uint8_t row_major[] = {0, 1, 2, 3};
  refuses([&](T& t, Call&) { t.in.tensor().dim_order = row_major; }, Status::kBadShape);
  refuses([&](T& t, Call&) { t.out.tensor().dim_order = row_major; }, Status::kBadShape);
}

TEST(ConvKernels, HugePaddingAndStridesReachNothing) {
  Random random(11);
  Layer s{1, 6,         6,         4,         3,         3,         2,        2,
          8, INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
  Tensors<int8_t, int32_t> t(s, sizes(8, 3, 3, 4), random);
  Call call = conv_call(s, t);
  call << t.scratch << t.out;
  ASSERT_EQ(call.run(kQuantizedConv2dKernel), Status::kOk);
  EXPECT_EQ(t.out.elements<int8_t>(), expected(s, t, false, false, false));
}

TEST(ConvKernels, NothingToDoForAnEmptyBatch) {
  Random random(12);
  Layer s{0, 6, 6, 4, 3, 3, 6, 6, 8, 1, 1, 1, 1, 1, 1};
  Tensors<int8_t, int32_t> t(s, sizes(8, 3, 3, 4), random);
  Call call = conv_call(s, t);
  call << t.scratch << t.out;
  EXPECT_EQ(call.run(kQuantizedConv2dKernel), Status::kOk);
}

}  // namespace
}  // namespace berth::runtime
