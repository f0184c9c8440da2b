// Every kernel with every argument spoiled, one at a time: numbers and list entries at their
// extremes, tensors of other dtypes, ranks, sizes and orders (with as many bytes as they claim:
// that much the loader has checked). Any status will do; what counts is that sanitizers stay silent
// and that a refused call leaves the output alone.
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <string>

#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/kernel_test_util.h"
#include "runtime/kernels/portable/portable_kernels.h"

namespace berth::runtime {
namespace {

using Ints = std::vector<int64_t>;
constexpr ScalarType kI8 = ScalarType::kChar, kI16 = ScalarType::kShort, kI32 = ScalarType::kInt;
constexpr ScalarType kI64 = ScalarType::kLong, kF32 = ScalarType::kFloat, kU8 = ScalarType::kByte;

// The tensors of a call live here.
class Tensors {
 public:
  TestTensor& add(ScalarType dtype, std::vector<int32_t> sizes, std::vector<uint8_t> order = {}) {
    return tensors_.emplace_back(dtype, std::move(sizes), std::move(order));
  }
  TestTensor& image(ScalarType dtype, int32_t channels, int32_t height, int32_t width) {
    return add(dtype, {1, channels, height, width}, nhwc());
  }
  TestTensor& factors(int32_t channels) {
    TestTensor& tensor = add(kI32, {channels});
    for (int32_t i = 0; i < channels; ++i) tensor.data<int32_t>()[i] = 1 << 30;
    return tensor;
  }
  TestTensor& nothing() { return add(kU8, {0}); }

 private:
  std::deque<TestTensor> tensors_;
};

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
  if (name == "aten::cat") {
    c << std::vector<TestTensor*>{&t.add(kI8, {1, 3}), &t.add(kI8, {2, 3})} << 0
      << t.add(kI8, {3, 3});
  }
  if (name == "aten::clamp") c << t.add(kI8, {6}) << -3 << 4 << t.add(kI8, {6});
  if (name == "aten::copy_") c << t.add(kI8, {2, 3}) << t.add(kI8, {3}) << false;
  if (name == "executorch_prim::et_view")
    c << t.add(kI8, {2, 6}) << Ints{3, -1} << t.add(kI8, {3, 4});
  return c;
}

constexpr int64_t kNumbers[] = {0,
                                1,
                                -1,
                                2,
                                3,
                                31,
                                32,
                                -31,
                                -32,
                                63,
                                127,
                                128,
                                -128,
                                -129,
                                255,
                                32767,
                                -32768,
                                65536,
                                INT32_MAX,
                                INT32_MIN,
                                int64_t{INT32_MAX} + 1,
                                int64_t{INT32_MIN} - 1,
                                INT64_MAX,
                                INT64_MIN};

// Shapes and types a stranger may put in any tensor's place.
void for_each_other_tensor(const std::function<void(TestTensor&)>& visit) {
  const std::vector<int32_t> shapes[] = {
      {},           {0},          {1},          {3},          {6},          {256},
      {2, 3},       {0, 9},       {2, 3, 4},    {1, 3, 0, 5}, {1, 4, 5, 6}, {2, 4, 5, 6},
      {1, 1, 1, 1}, {1, 3, 3, 6}, {6, 3, 3, 2}, {6, 3, 3, 0}, {0, 3, 3, 2}, {1, 1, 2, 3, 4}};
  for (const std::vector<int32_t>& shape : shapes) {
    for (ScalarType dtype : {kI8, kI16, kI32, kI64, kF32, ScalarType::kComplexDouble}) {
      TestTensor plain(dtype, shape);
      visit(plain);
      if (shape.size() < 2) continue;
      std::vector<uint8_t> order;
      for (size_t d = shape.size(); d > 0; --d) order.push_back(static_cast<uint8_t>(d - 1));
      TestTensor reversed(dtype, shape, order);
      visit(reversed);
      if (shape.size() != 4) continue;
      TestTensor image(dtype, shape, nhwc());
      visit(image);
    }
  }
}

class HostileArguments : public testing::TestWithParam<Kernel> {};

TEST_P(HostileArguments, AreRefusedOrHarmless) {
  const Kernel kernel = GetParam();
  const std::string name = kernel.schema->name, letters = kernel.schema->args;
  {
    Tensors tensors;
    ASSERT_EQ(valid_call(name, tensors).run(kernel), Status::kOk);
  }
  int refused = 0;
  const auto spoil = [&](const std::function<void(Call&)>& change) {
    Tensors tensors;
    Call call = valid_call(name, tensors);
    change(call);
    Tensor* out = call.tensor(letters.size() - 1);
    if (out != nullptr && out->nbytes() > 0) memset(out->data, 0x5a, out->nbytes());
    if (call.run(kernel) == Status::kOk) return;
    ++refused;
    for (size_t i = 0; out != nullptr && i < out->nbytes(); ++i) {
      ASSERT_EQ(static_cast<uint8_t*>(out->data)[i], 0x5a) << "refused, but written to";
    }
  };
  for (size_t i = 0; i < letters.size(); ++i) {
    if (letters[i] == 'i' || letters[i] == 'd' || letters[i] == 'z') {
      for (int64_t number : kNumbers) spoil([&](Call& call) { call.replace(i, number); });
    }
    if (letters[i] == 'I') {
      Tensors tensors;
      const size_t entries = valid_call(name, tensors).list_size(i);
      for (size_t entry = 0; entry < entries; ++entry) {
        for (int64_t number : kNumbers)
          spoil([&](Call& call) { call.replace_entry(i, entry, number); });
      }
    }
    if (letters[i] == 'T' || letters[i] == 'O' || letters[i] == 'M' || letters[i] == 't') {
      for_each_other_tensor(
          [&](TestTensor& other) { spoil([&](Call& call) { call.replace(i, other); }); });
    }
  }
  EXPECT_GT(refused, 0);
}

std::vector<Kernel> all_kernels() {
  std::vector<Kernel> kernels;
  for (Span<const Kernel> table : {cortex_m_kernels(), berth_kernels(), portable_kernels()}) {
    kernels.insert(kernels.end(), table.begin(), table.end());
  }
  return kernels;
}

std::string test_name(const testing::TestParamInfo<Kernel>& info) {
  std::string name = info.param.schema->name;
  for (char& letter : name) letter = letter == ':' ? '_' : letter;
  return name;
}

INSTANTIATE_TEST_SUITE_P(AllKernels, HostileArguments, testing::ValuesIn(all_kernels()), test_name);

}  // namespace
}  // namespace berth::runtime
