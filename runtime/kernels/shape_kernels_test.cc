// Operators that move elements or reduce them: pools, mean, softmax, resize, pad, transpose, cat,
// copy, views.
#include <gtest/gtest.h>

#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/kernel_checks.h"
#include "runtime/kernels/kernel_test_util.h"
#include "runtime/kernels/portable/portable_kernels.h"

namespace berth::runtime {
namespace {

using Ints = std::vector<int64_t>;

// The element of a tensor at a logical index.
template <typename T>
T& at(TestTensor& tensor, const std::vector<int64_t>& index) {
  size_t strides[kMaxRank];
  compute_strides(tensor.tensor(), strides);
  size_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d) offset += static_cast<size_t>(index[d]) * strides[d];
  return tensor.data<T>()[offset];
}

struct Pool {
  int64_t n, c, h, w, k_h, k_w, s_h, s_w, p_h, p_w, out_h, out_w;
};

Pool random_pool(Random& random) {
  Pool p{};
  p.n = random.between(1, 2), p.c = random.between(1, 100), p.h = random.between(1, 9),
  p.w = random.between(1, 9);
  p.k_h = random.between(1, 5), p.k_w = random.between(1, 5), p.s_h = random.between(1, 3),
  p.s_w = random.between(1, 3);
  p.p_h = random.between(0, p.k_h - 1), p.p_w = random.between(0, p.k_w - 1);
  p.out_h = (p.h + p.p_h - 1) / p.s_h + 1, p.out_w = (p.w + p.p_w - 1) / p.s_w + 1;
  return p;
}

template <typename T>
void check_pools(uint32_t seed) {
  Random random(seed);
  for (int round = 0; round < 100; ++round) {
    const Pool p = random_pool(random);
    TestTensor in(DtypeOf<T>::kType, {int32_t(p.n), int32_t(p.c), int32_t(p.h), int32_t(p.w)},
                  nhwc());
    TestTensor out(DtypeOf<T>::kType,
                   {int32_t(p.n), int32_t(p.c), int32_t(p.out_h), int32_t(p.out_w)}, nhwc());
    TestTensor vendor(DtypeOf<T>::kType,
                      {int32_t(p.n), int32_t(p.c), int32_t(p.out_h), int32_t(p.out_w)}, nhwc());
    TestTensor scratch(ScalarType::kByte, {0});
    random.fill<T>(in);
    const int64_t low = random.between(-128, 0), high = random.between(low, 127);
    for (bool average : {false, true}) {
      Call call;
      call << in << Ints{p.k_h, p.k_w} << Ints{p.s_h, p.s_w} << Ints{p.p_h, p.p_w} << low << high
           << out;
      ASSERT_EQ(call.run(average ? kBerthAvgPool2dKernel : kBerthMaxPool2dKernel), Status::kOk);
      const bool has_vendor = sizeof(T) == 1;
      if (has_vendor && average) {
        Call other;
        other << in << Ints{p.k_h, p.k_w} << Ints{p.s_h, p.s_w} << Ints{p.p_h, p.p_w} << false << 0
              << 0 << 0 << scratch << vendor;
        ASSERT_EQ(other.run(kQuantizedAvgPool2dKernel), Status::kOk);
      } else if (has_vendor) {
        Call other;
        other << in << Ints{p.k_h, p.k_w} << Ints{p.s_h, p.s_w} << Ints{p.p_h, p.p_w} << Ints{1, 1}
              << false << 4 << 4 << low << high << vendor;
        ASSERT_EQ(other.run(kQuantizedMaxPool2dKernel), Status::kOk);
      }
      for (int64_t n = 0; n < p.n; ++n) {
        for (int64_t c = 0; c < p.c; ++c) {
          for (int64_t y = 0; y < p.out_h; ++y) {
            for (int64_t x = 0; x < p.out_w; ++x) {
              int64_t sum = 0, taps = 0, largest = INT64_MIN;
              for (int64_t iy = y * p.s_h - p.p_h; iy < y * p.s_h - p.p_h + p.k_h; ++iy) {
                for (int64_t ix = x * p.s_w - p.p_w; ix < x * p.s_w - p.p_w + p.k_w; ++ix) {
                  if (iy < 0 || ix < 0 || iy >= p.h || ix >= p.w) continue;
                  const int64_t value = at<T>(in, {n, c, iy, ix});
                  sum += value, ++taps;
                  largest = value > largest ? value : largest;
                }
              }
              const int64_t value =
                  average ? std::lround(static_cast<double>(sum) / static_cast<double>(taps))
                          : largest;
              ASSERT_EQ(at<T>(out, {n, c, y, x}), reference_clamp<T>(value, low, high)) << round;
              if (!has_vendor) continue;
              ASSERT_EQ(at<T>(vendor, {n, c, y, x}),
                        average ? reference_clamp<T>(value) : reference_clamp<T>(value, low, high));
            }
          }
        }
      }
    }
  }
}

TEST(ShapeKernels, PoolsEqualTheLoops) {
  check_pools<int8_t>(1);
  check_pools<int16_t>(2);
}

TEST(ShapeKernels, PoolsRefuseWindowsThatMissTheImage) {
  TestTensor in(ScalarType::kChar, {1, 2, 4, 4}, nhwc()),
      out(ScalarType::kChar, {1, 2, 4, 4}, nhwc());
  const auto run = [&](Ints kernel, Ints stride, Ints padding) {
    Call call;
    call << in << kernel << stride << padding << -128 << 127 << out;
    return call.run(kBerthAvgPool2dKernel);
  };
  EXPECT_EQ(run({2, 2}, {1, 1}, {0, 0}), Status::kOk);
  EXPECT_EQ(run({2, 2}, {1, 1}, {2, 0}), Status::kBadShape);
  EXPECT_EQ(run({2, 2}, {1, 2}, {0, 1}), Status::kBadShape);
  EXPECT_EQ(run({2, 2}, {2, 1}, {0, 0}), Status::kBadShape);
  EXPECT_EQ(run({0, 2}, {1, 1}, {0, 0}), Status::kBadArguments);
  EXPECT_EQ(run({2, 2}, {0, 1}, {0, 0}), Status::kBadArguments);
  EXPECT_EQ(run({2, 2}, {1, 1}, {-1, 0}), Status::kBadArguments);
  EXPECT_EQ(run({2, 2, 2}, {1, 1}, {0, 0}), Status::kBadArguments);
  EXPECT_EQ(run({INT32_MAX, INT32_MAX}, {1, 1}, {INT32_MAX - 1, 0}), Status::kOk);
  EXPECT_EQ(run({INT64_MAX, 1}, {1, 1}, {0, 0}), Status::kBadArguments);
}

TEST(ShapeKernels, MeanIsTheScaledSumOverAnyDims) {
  Random random(3);
  for (int round = 0; round < 120; ++round) {
    const bool keep = round % 2 == 0;
    std::vector<int32_t> sizes(4);
    for (int32_t& size : sizes)
      size = static_cast<int32_t>(random.between(1, round % 5 == 0 ? 80 : 6));
    if (round % 5 == 0) sizes[0] = sizes[2] = 2;
    const std::vector<uint8_t> order = round % 3 == 0 ? nhwc() : std::vector<uint8_t>{0, 1, 2, 3};
    const unsigned mask = static_cast<unsigned>(random.between(1, 15));
    Ints dims;
    std::vector<int32_t> out_sizes;
    int64_t count = 1;
    for (int d = 0; d < 4; ++d) {
      const bool reduce = (mask & (1u << d)) != 0;
      if (reduce) dims.push_back(round % 4 == 0 ? d - 4 : d), count *= sizes[d];
      if (!reduce || keep) out_sizes.push_back(reduce ? 1 : sizes[d]);
    }
    TestTensor in(ScalarType::kChar, sizes, order),
        out(ScalarType::kChar, out_sizes, keep ? order : std::vector<uint8_t>());
    random.fill<int8_t>(in);
    const int64_t zero_point = random.between(-128, 127);
    const int32_t multiplier = random.multiplier();
    const int shift = static_cast<int>(random.between(-10, 0));
    Call call;
    call << in << dims << keep << zero_point << 5 << multiplier << shift << out;
    ASSERT_EQ(call.run(kBerthMeanKernel), Status::kOk);
    std::vector<int64_t> index(4);
    std::vector<int64_t> sums(out.numel(), 0);
    size_t out_strides[kMaxRank];
    compute_strides(out.tensor(), out_strides);
    for (index[0] = 0; index[0] < sizes[0]; ++index[0]) {
      for (index[1] = 0; index[1] < sizes[1]; ++index[1]) {
        for (index[2] = 0; index[2] < sizes[2]; ++index[2]) {
          for (index[3] = 0; index[3] < sizes[3]; ++index[3]) {
            size_t offset = 0, dim = 0;
            for (int d = 0; d < 4; ++d) {
              const bool reduce = (mask & (1u << d)) != 0;
              if (!reduce) offset += static_cast<size_t>(index[d]) * out_strides[dim];
              if (!reduce || keep) ++dim;
            }
            sums[offset] += at<int8_t>(in, index) - zero_point;
          }
        }
      }
    }
    for (size_t i = 0; i < sums.size(); ++i) {
      ASSERT_EQ(out.data<int8_t>()[i],
                reference_clamp<int8_t>(reference_scale(sums[i], multiplier, shift) + 5))
          << round;
    }
  }
}

TEST(ShapeKernels, MeanRefusesDimsItDoesNotHave) {
  TestTensor in(ScalarType::kChar, {2, 3}), out(ScalarType::kChar, {2});
  const auto run = [&](Ints dims, bool keep) {
    Call call;
    call << in << dims << keep << 0 << 0 << (1 << 30) << 0 << out;
    return call.run(kBerthMeanKernel);
  };
  EXPECT_EQ(run({1}, false), Status::kOk);
  EXPECT_EQ(run({-1}, false), Status::kOk);
  EXPECT_EQ(run({2}, false), Status::kBadArguments);
  EXPECT_EQ(run({-3}, false), Status::kBadArguments);
  EXPECT_EQ(run({1, 1}, false), Status::kBadArguments);
  EXPECT_EQ(run({INT64_MIN}, false), Status::kBadArguments);
  EXPECT_EQ(run({}, false), Status::kBadArguments);
  EXPECT_EQ(run({0}, false), Status::kBadShape);
  EXPECT_EQ(run({1}, true), Status::kBadShape);
}

TEST(ShapeKernels, SoftmaxFollowsTheFunctionAlongAnyDimAlsoInPlace) {
  Random random(4);
  // beta * scale = 0.1: 0.1 * 2^26 = 0.8 * 2^23.
  const int32_t multiplier = 1717986918, shift = 23, diff_min = -248;
  for (int dim = -4; dim < 4; ++dim) {
    for (bool channels_last : {false, true}) {
      const std::vector<uint8_t> order = channels_last ? nhwc() : std::vector<uint8_t>();
      TestTensor in(ScalarType::kChar, {2, 3, 4, 5}, order),
          out(ScalarType::kChar, {2, 3, 4, 5}, order);
      random.fill<int8_t>(in);
      Call call;
      call << in << dim << 17 << -128 << multiplier << shift << diff_min << out;
      ASSERT_EQ(call.run(kSoftmaxKernel), Status::kOk);
      const int along = dim < 0 ? dim + 4 : dim;
      const int64_t sizes[] = {2, 3, 4, 5};
      std::vector<int64_t> index(4);
      for (index[0] = 0; index[0] < 2; ++index[0]) {
        for (index[1] = 0; index[1] < 3; ++index[1]) {
          for (index[2] = 0; index[2] < 4; ++index[2]) {
            for (index[3] = 0; index[3] < 5; ++index[3]) {
              double total = 0;
              std::vector<int64_t> other = index;
              for (other[along] = 0; other[along] < sizes[along]; ++other[along]) {
                total += std::exp(0.1 * at<int8_t>(in, other));
              }
              const double p = std::exp(0.1 * at<int8_t>(in, index)) / total;
              ASSERT_NEAR(at<int8_t>(out, index), 256 * p - 128, 1.01);
            }
          }
        }
      }
      const std::vector<int8_t> apart = out.elements<int8_t>();
      out.share(in);
      ASSERT_EQ(call.run(kSoftmaxKernel), Status::kOk);
      EXPECT_EQ(in.elements<int8_t>(), apart);
    }
  }
}

TEST(ShapeKernels, SoftmaxOverVeryLongAndHostileRowsIsDefined) {
  TestTensor in(ScalarType::kChar, {1, 10000}), out(ScalarType::kChar, {1, 10000});
  Call call;
  call << in << 1 << 0 << -128 << 1717986918 << 23 << -248 << out;
  ASSERT_EQ(call.run(kSoftmaxKernel), Status::kOk);
  for (int8_t value : out.elements<int8_t>()) ASSERT_EQ(value, -128);  // 1/10000 of 256
  Random random(5);
  random.fill<int8_t>(in);
  for (int64_t multiplier : {int64_t{0}, int64_t{INT32_MAX}}) {
    for (int64_t shift : {0, 31}) {
      for (int64_t diff_min : {int64_t{0}, int64_t{INT32_MIN}}) {
        call.replace(4, multiplier), call.replace(5, shift), call.replace(6, diff_min);
        EXPECT_EQ(call.run(kSoftmaxKernel), Status::kOk);
      }
    }
  }
  call.replace(6, 1);
  EXPECT_EQ(call.run(kSoftmaxKernel), Status::kBadArguments);
  call.replace(6, -1), call.replace(5, -1);
  EXPECT_EQ(call.run(kSoftmaxKernel), Status::kBadArguments);
  call.replace(5, 1), call.replace(1, 2);
  EXPECT_EQ(call.run(kSoftmaxKernel), Status::kBadArguments);
  call.replace(1, 0), call.replace(3, 0);
  EXPECT_EQ(call.run(kSoftmaxKernel), Status::kBadArguments);
}

TEST(ShapeKernels, ResizingByTwoCopiesOrInterpolates) {
  TestTensor in(ScalarType::kChar, {1, 1, 2, 2}), out(ScalarType::kChar, {1, 1, 4, 4});
  in.set<int8_t>({0, 100, -100, 40});
  Call nearest, bilinear, aligned;
  nearest << in << false << false << out;
  ASSERT_EQ(nearest.run(kBerthResizeNearestKernel), Status::kOk);
  EXPECT_EQ(out.elements<int8_t>(), (std::vector<int8_t>{0, 0, 100, 100, 0, 0, 100, 100, -100, -100,
                                                         40, 40, -100, -100, 40, 40}));
  bilinear << in << false << false << out;
  ASSERT_EQ(bilinear.run(kBerthResizeBilinearKernel), Status::kOk);
  EXPECT_EQ(out.elements<int8_t>(), (std::vector<int8_t>{0, 50, 100, 100, -50, 10, 70, 70, -100,
                                                         -30, 40, 40, -100, -30, 40, 40}));
  aligned << in << true << false << out;
  ASSERT_EQ(aligned.run(kBerthResizeBilinearKernel), Status::kOk);
  EXPECT_EQ(at<int8_t>(out, {0, 0, 0, 0}), 0);
  EXPECT_EQ(at<int8_t>(out, {0, 0, 0, 3}), 100);
  EXPECT_EQ(at<int8_t>(out, {0, 0, 3, 0}), -100);
  EXPECT_EQ(at<int8_t>(out, {0, 0, 3, 3}), 40);
}

TEST(ShapeKernels, ResizingStaysInsideTheImage) {
  // Under ASan: sizes whose rounded scale would run past the edge.
  Random random(6);
  for (int round = 0; round < 200; ++round) {
    const int32_t h = static_cast<int32_t>(random.between(1, 3)),
                  w = static_cast<int32_t>(random.between(1, 3));
    const int32_t out_h = static_cast<int32_t>(random.between(1, 3000)),
                  out_w = static_cast<int32_t>(random.between(1, 4));
    TestTensor in(ScalarType::kChar, {1, 1, h, w}), out(ScalarType::kChar, {1, 1, out_h, out_w});
    random.fill<int8_t>(in, 5, 9);
    const bool align = round % 3 == 1, half = round % 3 == 2;
    for (const Kernel* kernel : {&kBerthResizeNearestKernel, &kBerthResizeBilinearKernel}) {
      Call call;
      call << in << align << half << out;
      ASSERT_EQ(call.run(*kernel), Status::kOk);
      for (int8_t value : out.elements<int8_t>())
        ASSERT_TRUE(value >= 5 && value <= 9) << int{value};
    }
  }
}

TEST(ShapeKernels, PaddingListsFollowMemoryOrder) {
  Random random(7);
  TestTensor in(ScalarType::kChar, {1, 3, 2, 2}, nhwc()),
      out(ScalarType::kChar, {1, 3, 4, 5}, nhwc());
  random.fill<int8_t>(in);
  Call call;
  call << in << Ints{0, 1, 2, 0} << Ints{0, 1, 1, 0} << -7 << out;
  ASSERT_EQ(call.run(kPadKernel), Status::kOk);
  for (int64_t c = 0; c < 3; ++c) {
    for (int64_t y = 0; y < 4; ++y) {
      for (int64_t x = 0; x < 5; ++x) {
        const bool inside = y >= 1 && y < 3 && x >= 2 && x < 4;
        EXPECT_EQ(at<int8_t>(out, {0, c, y, x}),
                  inside ? at<int8_t>(in, {0, c, y - 1, x - 2}) : -7);
      }
    }
  }
  TestTensor row(ScalarType::kShort, {3}), longer(ScalarType::kShort, {6});
  row.set<int16_t>({1, 2, 3});
  Call one_dim;
  one_dim << row << Ints{0, 0, 0, 1} << Ints{0, 0, 0, 2} << 300 << longer;
  ASSERT_EQ(one_dim.run(kPadKernel), Status::kOk);
  EXPECT_EQ(longer.elements<int16_t>(), (std::vector<int16_t>{300, 1, 2, 3, 300, 300}));
  for (size_t entry = 0; entry < 4; ++entry) {
    for (int64_t bad : {int64_t{-1}, INT64_MAX, int64_t{5}}) {
      Call hostile;
      hostile << row << Ints{0, 0, 0, 1} << Ints{0, 0, 0, 2} << 0 << longer;
      hostile.replace_entry(1, entry, bad);
      EXPECT_NE(hostile.run(kPadKernel), Status::kOk);
    }
  }
  one_dim.replace(3, 40000);
  EXPECT_EQ(one_dim.run(kPadKernel), Status::kBadArguments);
}

TEST(ShapeKernels, TransposeFollowsThePermutationInAnyOrderAndWidth) {
  Random random(8);
  for (int round = 0; round < 50; ++round) {
    Ints permutation = {0, 1, 2, 3};
    for (int i = 3; i > 0; --i) std::swap(permutation[i], permutation[random.between(0, i)]);
    std::vector<int32_t> sizes, out_sizes(4);
    for (int d = 0; d < 4; ++d) sizes.push_back(static_cast<int32_t>(random.between(1, 5)));
    for (int d = 0; d < 4; ++d) out_sizes[d] = sizes[permutation[d]];
    TestTensor in(ScalarType::kShort, sizes, round % 2 == 0 ? nhwc() : std::vector<uint8_t>());
    TestTensor out(ScalarType::kShort, out_sizes, round % 3 == 0 ? nhwc() : std::vector<uint8_t>());
    random.fill<int16_t>(in);
    Call call;
    call << in << permutation << out;
    ASSERT_EQ(call.run(kTransposeKernel), Status::kOk);
    std::vector<int64_t> i(4), o(4);
    for (i[0] = 0; i[0] < sizes[0]; ++i[0]) {
      for (i[1] = 0; i[1] < sizes[1]; ++i[1]) {
        for (i[2] = 0; i[2] < sizes[2]; ++i[2]) {
          for (i[3] = 0; i[3] < sizes[3]; ++i[3]) {
            for (int d = 0; d < 4; ++d) o[d] = i[permutation[d]];
            ASSERT_EQ(at<int16_t>(out, o), at<int16_t>(in, i));
          }
        }
      }
    }
  }
  TestTensor in(ScalarType::kChar, {2, 2}), out(ScalarType::kChar, {2, 2});
  for (const Ints& bad : {Ints{0, 0}, Ints{0, 2}, Ints{-3, 0}, Ints{INT64_MIN, 0}}) {
    Call call;
    call << in << bad << out;
    EXPECT_EQ(call.run(kTransposeKernel), Status::kBadArguments);
  }
  Call short_list;
  short_list << in << Ints{0} << out;
  EXPECT_EQ(short_list.run(kTransposeKernel), Status::kBadShape);
}

TEST(ShapeKernels, CatPutsOneAfterTheOther) {
  Random random(9);
  for (int dim = -4; dim < 4; ++dim) {
    const int along = dim < 0 ? dim + 4 : dim;
    std::vector<int32_t> sizes[3] = {{2, 3, 4, 5}, {2, 3, 4, 5}, {2, 3, 4, 5}};
    sizes[0][along] = 1, sizes[1][along] = 7;
    std::vector<int32_t> total = sizes[2];
    total[along] += 8;
    TestTensor a(ScalarType::kInt, sizes[0], nhwc()), b(ScalarType::kInt, sizes[1], nhwc()),
        c(ScalarType::kInt, sizes[2]);
    TestTensor nothing(ScalarType::kInt, {0}), out(ScalarType::kInt, total, nhwc());
    TestTensor* parts[] = {&a, &b, &c};
    for (TestTensor* part : parts) random.fill<int32_t>(*part);
    Call call;
    call << std::vector<TestTensor*>{&a, &nothing, &b, &c} << dim << out;
    ASSERT_EQ(call.run(kCatKernel), Status::kOk);
    int64_t start = 0;
    for (int p = 0; p < 3; ++p) {
      std::vector<int64_t> i(4);
      for (i[0] = 0; i[0] < sizes[p][0]; ++i[0]) {
        for (i[1] = 0; i[1] < sizes[p][1]; ++i[1]) {
          for (i[2] = 0; i[2] < sizes[p][2]; ++i[2]) {
            for (i[3] = 0; i[3] < sizes[p][3]; ++i[3]) {
              std::vector<int64_t> o = i;
              o[along] += start;
              ASSERT_EQ(at<int32_t>(out, o), at<int32_t>(*parts[p], i));
            }
          }
        }
      }
      start += sizes[p][along];
    }
  }
}

TEST(ShapeKernels, CatLeavesAloneWhatLiesInPlaceAndRefusesMisfits) {
  TestTensor a(ScalarType::kChar, {2, 2}), b(ScalarType::kChar, {1, 2}),
      out(ScalarType::kChar, {3, 2});
  out.set<int8_t>({1, 2, 3, 4, 9, 9});
  b.set<int8_t>({5, 6});
  a.share(out);
  Call call;
  call << std::vector<TestTensor*>{&a, &b} << 0 << out;
  ASSERT_EQ(call.run(kCatKernel), Status::kOk);
  EXPECT_EQ(out.elements<int8_t>(), (std::vector<int8_t>{1, 2, 3, 4, 5, 6}));
  TestTensor wide(ScalarType::kChar, {1, 3}), other(ScalarType::kShort, {1, 2}),
      tall(ScalarType::kChar, {2, 2});
  const auto run = [&](std::vector<TestTensor*> list, int dim) {
    Call bad;
    bad << list << dim << out;
    return bad.run(kCatKernel);
  };
  EXPECT_EQ(run({&a, &wide}, 0), Status::kBadShape);
  EXPECT_EQ(run({&a, &tall}, 0), Status::kBadShape);
  EXPECT_EQ(run({&a}, 0), Status::kBadShape);
  EXPECT_EQ(run({}, 0), Status::kBadShape);
  EXPECT_EQ(run({&a, &other}, 0), Status::kBadArguments);
  EXPECT_EQ(run({&a, &b}, 2), Status::kBadArguments);
}

TEST(ShapeKernels, CopyBroadcastsIntoSelf) {
  TestTensor self(ScalarType::kFloat, {2, 3}), src(ScalarType::kFloat, {3});
  src.set<float>({1, 2, 3});
  Call call;
  call << self << src << false;
  // Its schema is MTb: the returned value is self, not the last argument.
  ASSERT_EQ(call.run(kCopyKernel), Status::kOk);
  EXPECT_EQ(self.elements<float>(), (std::vector<float>{1, 2, 3, 1, 2, 3}));
  TestTensor four(ScalarType::kFloat, {4}), bytes(ScalarType::kChar, {3});
  Call misfit, other;
  misfit << self << four << false;
  other << self << bytes << false;
  EXPECT_EQ(misfit.run(kCopyKernel), Status::kBadShape);
  EXPECT_EQ(other.run(kCopyKernel), Status::kBadArguments);
}

TEST(ShapeKernels, AViewTakesTheBytesOfItsBase) {
  TestTensor self(ScalarType::kChar, {2, 6}), out(ScalarType::kChar, {3, 4});
  const auto run = [&](TestTensor& base, Ints sizes) {
    Call call;
    call << base << sizes << out;
    return call.run(kEtViewKernel);
  };
  EXPECT_EQ(run(self, {3, 5}), Status::kBadShape);
  EXPECT_EQ(run(self, {3}), Status::kBadShape);
  EXPECT_EQ(run(self, {-1, -1}), Status::kBadArguments);
  EXPECT_EQ(run(self, {-2, 4}), Status::kBadShape);
  TestTensor small(ScalarType::kChar, {2, 5}), wide(ScalarType::kShort, {2, 6});
  EXPECT_EQ(run(small, {3, 4}), Status::kBadShape);
  EXPECT_EQ(run(wide, {3, 4}), Status::kBadArguments);
  EXPECT_NE(out.tensor().data, self.tensor().data);
  EXPECT_EQ(run(self, {-1, 4}), Status::kOk);
  EXPECT_EQ(out.tensor().data, self.tensor().data);
}

TEST(ShapeKernels, EveryOperatorHasOneKernel) {
  int found = 0;
  for (const OperatorSchema* schema : ops::kAll) {
    int count = 0;
    for (Span<const Kernel> table : {cortex_m_kernels(), berth_kernels(), portable_kernels()}) {
      for (const Kernel& kernel : table) count += kernel.schema == schema ? 1 : 0;
    }
    EXPECT_EQ(count, 1) << schema->name;
    found += count;
  }
  EXPECT_EQ(static_cast<size_t>(found),
            cortex_m_kernels().size() + berth_kernels().size() + portable_kernels().size());
}

TEST(ShapeKernels, ScratchBelowTheRuleIsRefused) {
  TestTensor scratch(ScalarType::kByte, {100});
  EXPECT_EQ(check_scratch(scratch.tensor(), 0), Status::kOk);
  EXPECT_EQ(check_scratch(scratch.tensor(), 100), Status::kOk);
  EXPECT_EQ(check_scratch(scratch.tensor(), 101), Status::kScratchTooSmall);
  EXPECT_EQ(check_scratch(scratch.tensor(), kNoScratchSize), Status::kBadShape);
  for (Isa isa : {Isa::kScalar, Isa::kDsp, Isa::kMve}) {
    WindowShape shape;
    shape.in_h = shape.in_w = shape.out_h = shape.out_w = 8,
    shape.in_c = shape.kernel_c = shape.out_c = 4;
    shape.kernel_h = shape.kernel_w = 3;
    EXPECT_EQ(check_scratch(scratch.tensor(), conv2d_scratch_bytes(shape, isa)),
              Status::kScratchTooSmall);
  }
}

}  // namespace
}  // namespace berth::runtime
