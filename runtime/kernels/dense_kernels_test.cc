// Linear layers and batch matmul against plain sums.
#include <gtest/gtest.h>

#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/kernel_test_util.h"

namespace berth::runtime {
namespace {

struct Linear {
  int32_t rows, depth, outputs;
  int64_t in_offset, filter_offset, out_offset;
};

Linear random_linear(Random& random) {
  return {static_cast<int32_t>(random.between(1, 20)),
          static_cast<int32_t>(random.between(1, 400)),
          static_cast<int32_t>(random.between(1, 70)),
          random.between(-127, 128),
          random.between(0, 2) == 0 ? random.between(-127, 128) : 0,
          random.between(-128, 127)};
}

struct Tensors8 {
  Tensors8(const Linear& s, Random& random)
      : in(ScalarType::kChar, {s.rows, s.depth}),
        weights(ScalarType::kChar, {s.outputs, s.depth}),
        bias(ScalarType::kInt, {s.outputs}),
        kernel_sum(ScalarType::kInt, {1, s.outputs}),
        out(ScalarType::kChar, {s.rows, s.outputs}) {
    random.fill<int8_t>(in);
    random.fill<int8_t>(weights);
    random.fill<int32_t>(bias, -50000, 50000);
    for (int32_t o = 0; o < s.outputs; ++o) {
      int32_t sum = bias.data<int32_t>()[o];
      for (int32_t k = 0; k < s.depth; ++k) {
        sum += static_cast<int32_t>(s.in_offset *
                                    (weights.data<int8_t>()[o * s.depth + k] + s.filter_offset));
      }
      kernel_sum.data<int32_t>()[o] = sum;
    }
  }
  TestTensor in, weights, bias, kernel_sum, out;
};

template <typename In>
std::vector<int64_t> sums(const Linear& s, const std::vector<In>& in,
                          const std::vector<int8_t>& weights) {
  std::vector<int64_t> result;
  for (int32_t r = 0; r < s.rows; ++r) {
    for (int32_t o = 0; o < s.outputs; ++o) {
      int64_t sum = 0;
      for (int32_t k = 0; k < s.depth; ++k) {
        sum += (in[r * s.depth + k] + s.in_offset) * (weights[o * s.depth + k] + s.filter_offset);
      }
      result.push_back(sum);
    }
  }
  return result;
}

TEST(DenseKernels, LinearEqualsPlainSumsWithBiasOrKernelSum) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const Linear s = random_linear(random);
    Tensors8 t(s, random);
    const int32_t multiplier = random.multiplier();
    const int64_t shift = random.between(-14, 1);
    const int64_t low = random.between(-128, 0), high = random.between(low, 127);
    const int mode = round % 3;  // bias, kernel_sum, neither
    Call call;
    call << t.in << t.weights << (mode == 0 ? &t.bias : nullptr)
         << (mode == 1 ? &t.kernel_sum : nullptr) << s.in_offset << s.filter_offset << s.out_offset
         << std::vector<int64_t>{multiplier} << std::vector<int64_t>{shift} << high << low << t.out;
    ASSERT_EQ(call.run(kQuantizedLinearKernel), Status::kOk);
    const std::vector<int64_t> sum = sums(s, t.in.elements<int8_t>(), t.weights.elements<int8_t>());
    for (size_t i = 0; i < sum.size(); ++i) {
      const int64_t bias = mode == 2 ? 0 : t.bias.data<int32_t>()[i % s.outputs];
      const int64_t scaled = reference_scale(sum[i] + bias, multiplier, static_cast<int>(shift));
      ASSERT_EQ(t.out.data<int8_t>()[i], reference_clamp<int8_t>(scaled + s.out_offset, low, high))
          << round;
    }
  }
}

TEST(DenseKernels, LinearWithAScalePerOutputEqualsPlainSums) {
  Random random(2);
  for (int round = 0; round < 100; ++round) {
    const Linear s = random_linear(random);
    Tensors8 t(s, random);
    std::vector<int64_t> multipliers, shifts;
    for (int32_t o = 0; o < s.outputs; ++o) {
      multipliers.push_back(random.multiplier());
      shifts.push_back(random.between(-14, 1));
    }
    Call call;
    call << t.in << t.weights << t.bias;
    call.none() << s.in_offset << s.filter_offset << s.out_offset << multipliers << shifts << 127
                << -128 << t.out;
    ASSERT_EQ(call.run(kBerthLinearKernel), Status::kOk);
    const std::vector<int64_t> sum = sums(s, t.in.elements<int8_t>(), t.weights.elements<int8_t>());
    for (size_t i = 0; i < sum.size(); ++i) {
      const size_t o = i % s.outputs;
      const int64_t scaled =
          reference_scale(sum[i] + t.bias.data<int32_t>()[o], static_cast<int32_t>(multipliers[o]),
                          static_cast<int>(shifts[o]));
      ASSERT_EQ(t.out.data<int8_t>()[i], reference_clamp<int8_t>(scaled + s.out_offset)) << round;
    }
  }
}

template <typename Bias>
void check_int16_linear(uint32_t seed, bool has_bias) {
  Random random(seed);
  for (int round = 0; round < 60; ++round) {
    Linear s = random_linear(random);
    s.in_offset = s.filter_offset = 0;
    TestTensor in(ScalarType::kShort, {s.rows, 1, s.depth}),
        weights(ScalarType::kChar, {s.outputs, s.depth});
    TestTensor bias(DtypeOf<Bias>::kType, {s.outputs}),
        out(ScalarType::kShort, {s.rows, 1, s.outputs});
    random.fill<int16_t>(in);
    random.fill<int8_t>(weights);
    random.fill<Bias>(bias, -1000000, 1000000);
    const int32_t multiplier = random.multiplier();
    const int64_t shift = random.between(-20, -4);
    Call call;
    call << in << weights << (has_bias ? &bias : nullptr);
    call.none() << 0 << 0 << s.out_offset << std::vector<int64_t>{multiplier}
                << std::vector<int64_t>{shift} << 32767 << -32768 << out;
    ASSERT_EQ(call.run(kBerthLinearKernel), Status::kOk);
    const std::vector<int64_t> sum = sums(s, in.elements<int16_t>(), weights.elements<int8_t>());
    for (size_t i = 0; i < sum.size(); ++i) {
      const int64_t total = sum[i] + (has_bias ? bias.template data<Bias>()[i % s.outputs] : 0);
      const int64_t scaled = sizeof(Bias) == 8
                                 ? reference_scale64(total, multiplier, static_cast<int>(shift))
                                 : reference_scale(total, multiplier, static_cast<int>(shift));
      ASSERT_EQ(out.data<int16_t>()[i], reference_clamp<int16_t>(scaled + s.out_offset)) << round;
    }
  }
}

TEST(DenseKernels, Int16LinearEqualsPlainSums) {
  check_int16_linear<int64_t>(3, true);
  check_int16_linear<int64_t>(4, false);
  check_int16_linear<int32_t>(5, true);
}

TEST(DenseKernels, BatchMatmulEqualsPlainSums) {
  Random random(6);
  for (int round = 0; round < 100; ++round) {
    Linear s = random_linear(random);
    s.filter_offset = random.between(-127, 128);
    const int32_t batches = static_cast<int32_t>(random.between(1, 3));
    TestTensor lhs(ScalarType::kChar, {batches, s.rows, s.depth}),
        rhs(ScalarType::kChar, {batches, s.outputs, s.depth});
    TestTensor scratch(ScalarType::kByte, {0}),
        out(ScalarType::kChar, {batches, s.rows, s.outputs});
    random.fill<int8_t>(lhs);
    random.fill<int8_t>(rhs);
    const int32_t multiplier = random.multiplier();
    const int64_t shift = random.between(-14, 0);
    Call call;
    call << lhs << s.in_offset << rhs << s.filter_offset << s.out_offset << multiplier << shift
         << scratch << out;
    ASSERT_EQ(call.run(kQuantizedBatchMatmulKernel), Status::kOk);
    for (int32_t b = 0; b < batches; ++b) {
      const int8_t* left = lhs.data<int8_t>() + b * s.rows * s.depth;
      const int8_t* right = rhs.data<int8_t>() + b * s.outputs * s.depth;
      const std::vector<int64_t> sum =
          sums(s, std::vector<int8_t>(left, left + s.rows * s.depth),
               std::vector<int8_t>(right, right + s.outputs * s.depth));
      for (size_t i = 0; i < sum.size(); ++i) {
        const int64_t scaled =
            reference_scale(sum[i], multiplier, static_cast<int>(shift)) + s.out_offset;
        ASSERT_EQ(out.data<int8_t>()[b * s.rows * s.outputs + i], reference_clamp<int8_t>(scaled))
            << round;
      }
    }
  }
}

TEST(DenseKernels, HostileArgumentsAreRefused) {
  Random random(7);
  const Linear s{3, 8, 5, 1, 0, 0};
  const auto refuses = [&](const Kernel& kernel, auto spoil, Status status) {
    Tensors8 t(s, random);
    Call call;
    call << t.in << t.weights << t.bias;
    call.none() << 1 << 0 << 0 << std::vector<int64_t>{1 << 30} << std::vector<int64_t>{-3} << 127
                << -128 << t.out;
    spoil(t, call);
    EXPECT_EQ(call.run(kernel), status);
  };
  std::vector<int32_t> wrong;
  for (const Kernel* kernel : {&kQuantizedLinearKernel, &kBerthLinearKernel}) {
    for (int64_t bad : {int64_t{-32}, int64_t{32}, INT64_MIN, INT64_MAX}) {
      refuses(
          *kernel, [&](Tensors8&, Call& call) { call.replace_entry(8, 0, bad); },
          Status::kBadArguments);
    }
    for (int64_t bad : {int64_t{INT32_MIN}, int64_t{1} << 31, INT64_MIN}) {
      refuses(
          *kernel, [&](Tensors8&, Call& call) { call.replace_entry(7, 0, bad); },
          Status::kBadArguments);
    }
    for (size_t offset : {4, 5, 6}) {
      refuses(
          *kernel, [&](Tensors8&, Call& call) { call.replace(offset, 129); },
          Status::kBadArguments);
    }
    refuses(
        *kernel, [](Tensors8&, Call& call) { call.replace(9, -3), call.replace(10, -2); },
        Status::kBadArguments);
    wrong = {3, 7};
    refuses(
        *kernel, [&](Tensors8& t, Call&) { t.in.tensor().sizes = wrong.data(); },
        Status::kBadShape);
    refuses(
        *kernel, [&](Tensors8& t, Call&) { t.bias.tensor().rank = 0; }, Status::kBadShape);
    refuses(
        *kernel, [&](Tensors8& t, Call&) { t.weights.tensor().dtype = ScalarType::kByte; },
        Status::kBadArguments);
    const uint8_t column_major[] = {1, 0};
    refuses(
        *kernel, [&](Tensors8& t, Call&) { t.weights.tensor().dim_order = column_major; },
        Status::kBadShape);
  }
  TestTensor a(ScalarType::kChar, {1, 2, 3}), b(ScalarType::kChar, {1, 4, 5}),
      c(ScalarType::kChar, {1, 2, 4});
  TestTensor scratch(ScalarType::kByte, {0});
  Call call;
  call << a << 0 << b << 0 << 0 << (1 << 30) << 0 << scratch << c;
  EXPECT_EQ(call.run(kQuantizedBatchMatmulKernel), Status::kBadShape);
}

}  // namespace
}  // namespace berth::runtime
