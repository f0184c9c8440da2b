// Integer kernels and hostile arguments (hostile_test_util.h).
#include <gtest/gtest.h>

#include <string>

#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/hostile_test_util.h"

namespace berth::runtime {
namespace {

using Ints = std::vector<int64_t>;

// A call that is accepted.
Call valid_call(const std::string& name, Tensors& t) {
  Call c;
  const int32_t m = 1 << 30;
  const Ints one = {1, 1}, zero = {0, 0}, two = {2, 2};
  const auto sum = [&](ScalarType dtype) {
    c << t.add(dtype, {2, 3, 4}) << 0 << m << 0 << t.add(dtype, {3, 1}) << 0 << m << 0 << 0 << m
      << -3 << -100 << 100 << t.add(dtype, {2, 3, 4});
  };
  if (name == "cortex_m::quantize_per_tensor")
    c << t.add(kF32, {5}) << 0.5 << 1 << -128 << 127 << 1 << t.add(kI8, {5});
  if (name == "cortex_m::dequantize_per_tensor")
    c << t.add(kI8, {5}) << 0.5 << 1 << -128 << 127 << 1 << t.add(kF32, {5});
  if (name == "cortex_m::quantized_add" || name == "berth::quantized_add") sum(kI8);
  if (name == "berth::quantized_sub") sum(kI16);
  if (name == "cortex_m::quantized_mul") {
    c << t.add(kI8, {2, 3}) << 1 << t.add(kI8, {3}) << 2 << 3 << m << -4 << t.add(kI8, {2, 3});
  }
  if (name == "berth::quantized_mul") {
    c << t.add(kI16, {2, 3}) << 0 << t.add(kI16, {3}) << 0 << 0 << m << -4 << -9 << 9
      << t.add(kI16, {2, 3});
  }
  if (name == "cortex_m::quantized_activation")
    c << t.add(kI8, {7}) << t.add(kI8, {256}) << t.add(kI8, {7});
  if (name == "cortex_m::minimum" || name == "cortex_m::maximum" || name == "berth::minimum" ||
      name == "berth::maximum") {
    c << t.add(kI8, {2, 3}) << t.add(kI8, {3}) << t.add(kI8, {2, 3});
  }
  if (name == "cortex_m::quantized_linear" || name == "berth::quantized_linear") {
    c << t.add(kI8, {2, 9}) << t.add(kI8, {4, 9}) << t.add(kI32, {4});
    c.none() << 1 << 0 << 0 << Ints{m} << Ints{-3} << 127 << -128 << t.add(kI8, {2, 4});
  }
  if (name == "cortex_m::softmax")
    c << t.add(kI8, {2, 5}) << 1 << 0 << -128 << m << 20 << -100 << t.add(kI8, {2, 5});
  if (name == "cortex_m::transpose" || name == "berth::transpose")
    c << t.add(kI8, {2, 3, 4}) << Ints{2, 0, 1} << t.add(kI8, {4, 2, 3});
  if (name == "cortex_m::pad" || name == "berth::pad") {
    c << t.image(kI8, 2, 3, 4) << Ints{0, 1, 0, 0} << Ints{0, 0, 2, 0} << 5
      << t.image(kI8, 2, 4, 6);
  }
  if (name == "cortex_m::quantized_conv2d") {
    c << t.image(kI8, 4, 5, 6) << t.add(kI8, {6, 3, 3, 2}) << t.add(kI32, {6}) << one << one << one
      << 1 << 0 << t.factors(6) << t.add(kI32, {6}) << -128 << 127 << t.nothing()
      << t.image(kI8, 6, 5, 6);
  }
  if (name == "berth::quantized_conv2d") {
    c << t.image(kI16, 4, 5, 6) << t.add(kI8, {6, 3, 3, 2}) << t.add(kI64, {6}) << one << one << one
      << 0 << 0 << t.factors(6) << t.add(kI32, {6}) << -128 << 127 << t.image(kI16, 6, 5, 6);
  }
  if (name == "cortex_m::quantized_depthwise_conv2d") {
    c << t.image(kI8, 3, 5, 6) << t.add(kI8, {1, 3, 3, 6}) << t.add(kI32, {6}) << one << one << one
      << 2 << 1 << 0 << t.factors(6) << t.add(kI32, {6}) << -128 << 127 << t.nothing()
      << t.image(kI8, 6, 5, 6);
  }
  if (name == "berth::quantized_depthwise_conv2d") {
    c << t.image(kI16, 3, 5, 6) << t.add(kI8, {1, 3, 3, 6}) << t.add(kI32, {6}) << one << one << one
      << 2 << 0 << 0 << t.factors(6) << t.add(kI32, {6}) << -128 << 127 << t.image(kI16, 6, 5, 6);
  }
  if (name == "cortex_m::quantized_transpose_conv2d") {
    c << t.image(kI8, 3, 4, 5) << t.add(kI8, {2, 3, 3, 3}) << t.add(kI32, {2}) << two << one << zero
      << one << 1 << 0 << t.factors(2) << t.add(kI32, {2}) << -128 << 127 << t.nothing()
      << t.nothing() << t.image(kI8, 2, 7, 9);
  }
  if (name == "cortex_m::quantized_avg_pool2d") {
    c << t.image(kI8, 3, 6, 6) << two << two << zero << false << 0 << m << 0 << t.nothing()
      << t.image(kI8, 3, 3, 3);
  }
  if (name == "cortex_m::quantized_max_pool2d") {
    c << t.image(kI8, 3, 6, 6) << two << two << zero << one << false << 3 << 3 << -128 << 127
      << t.image(kI8, 3, 3, 3);
  }
  if (name == "berth::quantized_avg_pool2d" || name == "berth::quantized_max_pool2d") {
    c << t.image(kI16, 3, 6, 6) << two << two << zero << -128 << 127 << t.image(kI16, 3, 3, 3);
  }
  if (name == "cortex_m::quantized_batch_matmul") {
    c << t.add(kI8, {2, 3, 9}) << 1 << t.add(kI8, {2, 4, 9}) << 2 << 0 << m << -3 << t.nothing()
      << t.add(kI8, {2, 3, 4});
  }
  if (name == "berth::quantized_mean") {
    c << t.image(kI8, 3, 4, 5) << Ints{2, 3} << false << 1 << 2 << m << -3 << t.add(kI8, {1, 3});
  }
  if (name == "berth::resize_bilinear" || name == "berth::resize_nearest") {
    c << t.image(kI8, 3, 2, 2) << false << true << t.image(kI8, 3, 5, 4);
  }
  if (name == "berth::requantize") c << t.add(kI16, {6}) << 1 << 2 << m << -3 << t.add(kI8, {6});
  if (name == "berth::quantize")
    c << t.add(kF32, {6}) << 0.25 << 2 << -128 << 127 << t.add(kI8, {6});
  if (name == "berth::dequantize") c << t.add(kI16, {6}) << 0.25 << 2 << t.add(kF32, {6});
  if (name == "berth::quantized_tanh" || name == "berth::quantized_logistic") {
    c << t.add(kI16, {6}) << 3 << 2 << t.add(kI16, {6});
  }
  if (name == "berth::quantized_leaky_relu")
    c << t.add(kI16, {6}) << 0 << 0 << m << 1 << m << -2 << t.add(kI16, {6});
  return c;
}

class HostileArguments : public testing::TestWithParam<Kernel> {};

TEST_P(HostileArguments, AreRefusedOrHarmless) {
  const Kernel kernel = GetParam();
  const MakeCall make = [&](Tensors& tensors) { return valid_call(kernel.schema->name, tensors); };
  Tensors tensors;
  ASSERT_EQ(make(tensors).run(kernel), Status::kOk);
  Spoiler spoiler(kernel, make);
  spoiler.spoil_all();
  EXPECT_GT(spoiler.refused(), 0);
}

std::vector<Kernel> all_kernels() {
  std::vector<Kernel> kernels;
  for (Span<const Kernel> table : {cortex_m_kernels(), berth_kernels()}) {
    kernels.insert(kernels.end(), table.begin(), table.end());
  }
  return kernels;
}

INSTANTIATE_TEST_SUITE_P(AllKernels, HostileArguments, testing::ValuesIn(all_kernels()),
                         kernel_test_name);

}  // namespace
}  // namespace berth::runtime
