// Operators that move elements: each output element is looked up where the definition says it comes
// from, for several orders of memory on both sides.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "runtime/kernels/kernel_test_util.h"
#include "runtime/kernels/portable/shape_kernels.h"

namespace berth::runtime {
namespace {

using Ints = std::vector<int64_t>;
using Order = std::vector<uint8_t>;
constexpr ScalarType kI16 = ScalarType::kShort;

// Calls visit for every index of a shape.
void for_each_index(const Tensor& tensor, const std::function<void(const Ints&)>& visit) {
  Ints index(tensor.rank, 0);
  if (tensor.numel() == 0) return;
  for (;;) {
    visit(index);
    int d = tensor.rank - 1;
    for (; d >= 0; --d) {
      if (++index[d] < tensor.size(d)) break;
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

// out[i] == in[source(i)] for all i.
void expect_moved(TestTensor& in, TestTensor& out, const std::function<Ints(const Ints&)>& source) {
  for_each_index(out.tensor(), [&](const Ints& index) {
    ASSERT_EQ(at<int16_t>(out, index), at<int16_t>(in, source(index)));
  });
}

const Order kOrders[] = {{0, 1, 2}, {0, 2, 1}, {2, 0, 1}, {2, 1, 0}};

// Runs `test` with a (3, 4, 5) tensor in all orders of both sides.
void for_orders(const std::function<void(TestTensor&, const Order&)>& test) {
  Random random(1);
  for (const Order& in_order : kOrders) {
    TestTensor in(kI16, {3, 4, 5}, in_order);
    random.fill<int16_t>(in);
    for (const Order& out_order : kOrders) test(in, out_order);
  }
}

TEST(MoveKernels, PermuteAndTransposeSwapDims) {
  for_orders([](TestTensor& in, const Order& order) {
    TestTensor permuted(kI16, {5, 3, 4}, order), swapped(kI16, {3, 5, 4}, order);
    Call permute, transpose;
    permute << in << Ints{-1, 0, 1} << permuted;
    ASSERT_EQ(permute.run(kPermuteCopyKernel), Status::kOk);
    expect_moved(in, permuted, [](const Ints& i) { return Ints{i[1], i[2], i[0]}; });
    transpose << in << 2 << -2 << swapped;
    ASSERT_EQ(transpose.run(kTransposeCopyKernel), Status::kOk);
    expect_moved(in, swapped, [](const Ints& i) { return Ints{i[0], i[2], i[1]}; });
  });
  TestTensor in(kI16, {40, 70}), out(kI16, {70, 40}), scalar(kI16, {}), same(kI16, {});
  Random random(2);
  random.fill<int16_t>(in);
  Call call, rank_0;
  call << in << out;
  ASSERT_EQ(call.run(kTCopyKernel), Status::kOk);
  expect_moved(in, out, [](const Ints& i) { return Ints{i[1], i[0]}; });
  scalar.set<int16_t>({7});
  rank_0 << scalar << same;
  ASSERT_EQ(rank_0.run(kTCopyKernel), Status::kOk);
  EXPECT_EQ(same.elements<int16_t>(), std::vector<int16_t>{7});
}

TEST(MoveKernels, ElementsOfEveryWidthAreMoved) {
  for (ScalarType dtype : {ScalarType::kByte, ScalarType::kHalf, ScalarType::kFloat,
                           ScalarType::kDouble, ScalarType::kComplexDouble}) {
    TestTensor in(dtype, {17, 35}), out(dtype, {35, 17});
    const size_t size = element_size(dtype);
    uint8_t* bytes = static_cast<uint8_t*>(in.tensor().data);
    for (size_t i = 0; i < in.tensor().nbytes(); ++i) bytes[i] = static_cast<uint8_t>(i * 7 % 251);
    Call call;
    call << in << Ints{1, 0} << out;
    ASSERT_EQ(call.run(kPermuteCopyKernel), Status::kOk);
    for (size_t i = 0; i < 35; ++i) {
      for (size_t j = 0; j < 17; ++j) {
        const uint8_t* got = static_cast<uint8_t*>(out.tensor().data) + (i * 17 + j) * size;
        ASSERT_EQ(memcmp(got, bytes + (j * 35 + i) * size, size), 0);
      }
    }
  }
}

TEST(MoveKernels, ExpandAndRepeatReadElementsAgain) {
  Random random(3);
  TestTensor in(kI16, {3, 1, 5}), wide(kI16, {2, 3, 4, 5}), tiled(kI16, {2, 6, 4, 5});
  random.fill<int16_t>(in);
  Call expand, repeat;
  expand << in << Ints{2, -1, 4, 5} << false << wide;
  ASSERT_EQ(expand.run(kExpandCopyKernel), Status::kOk);
  expect_moved(in, wide, [](const Ints& i) { return Ints{i[1], 0, i[3]}; });
  repeat << in << Ints{2, 2, 4, 1} << tiled;
  ASSERT_EQ(repeat.run(kRepeatKernel), Status::kOk);
  expect_moved(in, tiled, [](const Ints& i) { return Ints{i[1] % 3, 0, i[3]}; });
  for_orders([](TestTensor& cube, const Order& order) {
    TestTensor out(kI16, {6, 12, 10}, order);
    Call call;
    call << cube << Ints{2, 3, 2} << out;
    ASSERT_EQ(call.run(kRepeatKernel), Status::kOk);
    expect_moved(cube, out, [](const Ints& i) { return Ints{i[0] % 3, i[1] % 4, i[2] % 5}; });
  });
  TestTensor nothing(kI16, {3, 0, 5});
  Call none, bad;
  none << in << Ints{1, 0, 1} << nothing;
  EXPECT_EQ(none.run(kRepeatKernel), Status::kOk);
  bad << in << Ints{2, 3, 4, 6} << false << wide;
  EXPECT_EQ(bad.run(kExpandCopyKernel), Status::kBadShape);
}

TEST(MoveKernels, SqueezeAndUnsqueezeDropAndAddDims) {
  Random random(4);
  TestTensor in(kI16, {1, 3, 1, 5}, {3, 0, 1, 2}), all(kI16, {3, 5}), one(kI16, {1, 3, 5}),
      some(kI16, {1, 3, 5}), more(kI16, {1, 3, 1, 1, 5});
  random.fill<int16_t>(in);
  Call squeeze, squeeze_dim, squeeze_dims, unsqueeze;
  squeeze << in << all;
  ASSERT_EQ(squeeze.run(kSqueezeCopyKernel), Status::kOk);
  expect_moved(in, all, [](const Ints& i) { return Ints{0, i[0], 0, i[1]}; });
  squeeze_dim << in << -2 << one;
  ASSERT_EQ(squeeze_dim.run(kSqueezeCopyDimKernel), Status::kOk);
  expect_moved(in, one, [](const Ints& i) { return Ints{i[0], i[1], 0, i[2]}; });
  // A dim that is not of size 1 stays.
  squeeze_dims << in << Ints{2, 1} << some;
  ASSERT_EQ(squeeze_dims.run(kSqueezeCopyDimsKernel), Status::kOk);
  expect_moved(in, some, [](const Ints& i) { return Ints{i[0], i[1], 0, i[2]}; });
  unsqueeze << in << -2 << more;
  ASSERT_EQ(unsqueeze.run(kUnsqueezeCopyKernel), Status::kOk);
  expect_moved(in, more, [](const Ints& i) { return Ints{i[0], i[1], i[2], i[4]}; });
}

TEST(MoveKernels, SlicesAreCutToTheDim) {
  for_orders([](TestTensor& in, const Order& order) {
    struct Case {
      int64_t start, end, step, first, count;
    };
    for (const Case& c : {Case{1, INT64_MAX, 1, 1, 4}, Case{-4, -1, 2, 1, 2}, Case{0, 5, 3, 0, 2},
                          Case{INT64_MIN, 2, 1, 0, 2}, Case{3, 1, 1, 3, 0}, Case{9, 12, 1, 5, 0},
                          Case{4, 5, INT64_MAX, 4, 1}}) {
      TestTensor out(kI16, {3, 4, static_cast<int32_t>(c.count)}, order);
      Call call;
      call << in << -1 << c.start << c.end << c.step << out;
      ASSERT_EQ(call.run(kSliceCopyKernel), Status::kOk);
      expect_moved(in, out, [&](const Ints& i) {
        return Ints{i[0], i[1], c.first + i[2] * (c.count > 1 ? c.step : 0)};
      });
    }
    TestTensor whole(kI16, {3, 4, 5}, order), part(kI16, {3, 2, 5}, order);
    Call open, narrow;
    (open << in << 0).none().none() << 1 << whole;
    ASSERT_EQ(open.run(kSliceCopyKernel), Status::kOk);
    expect_moved(in, whole, [](const Ints& i) { return i; });
    narrow << in << 1 << -3 << 2 << part;
    ASSERT_EQ(narrow.run(kNarrowCopyKernel), Status::kOk);
    expect_moved(in, part, [](const Ints& i) { return Ints{i[0], i[1] + 1, i[2]}; });
  });
}

TEST(MoveKernels, SelectAndUnbindDropADim) {
  for_orders([](TestTensor& in, const Order&) {
    TestTensor row(kI16, {3, 5}, {1, 0});
    Call select;
    select << in << 1 << -1 << row;
    ASSERT_EQ(select.run(kSelectCopyKernel), Status::kOk);
    expect_moved(in, row, [](const Ints& i) { return Ints{i[0], 3, i[1]}; });
    TestTensor a(kI16, {4, 5}), b(kI16, {4, 5}, {1, 0}), c(kI16, {4, 5});
    Call unbind;
    unbind << in << 0 << std::vector<TestTensor*>{&a, &b, &c};
    ASSERT_EQ(unbind.run(kUnbindCopyKernel), Status::kOk);
    int64_t at = 0;
    for (TestTensor* part : {&a, &b, &c}) {
      expect_moved(in, *part, [&](const Ints& i) { return Ints{at, i[0], i[1]}; });
      ++at;
    }
  });
  TestTensor in(kI16, {3, 4}), out(kI16, {4});
  Call past;
  past << in << 0 << 3 << out;
  EXPECT_EQ(past.run(kSelectCopyKernel), Status::kBadArguments);
}

TEST(MoveKernels, SplitsCoverTheDim) {
  for_orders([](TestTensor& in, const Order& order) {
    TestTensor a(kI16, {3, 4, 2}, order), b(kI16, {3, 4, 2}), c(kI16, {3, 4, 1}, order);
    Call even, sized;
    even << in << 2 << 2 << std::vector<TestTensor*>{&a, &b, &c};
    ASSERT_EQ(even.run(kSplitCopyKernel), Status::kOk);
    expect_moved(in, a, [](const Ints& i) { return i; });
    expect_moved(in, b, [](const Ints& i) { return Ints{i[0], i[1], i[2] + 2}; });
    expect_moved(in, c, [](const Ints& i) { return Ints{i[0], i[1], i[2] + 4}; });
    sized << in << Ints{1, 2, 2} << -1 << std::vector<TestTensor*>{&c, &a, &b};
    ASSERT_EQ(sized.run(kSplitWithSizesCopyKernel), Status::kOk);
    expect_moved(in, c, [](const Ints& i) { return i; });
    expect_moved(in, a, [](const Ints& i) { return Ints{i[0], i[1], i[2] + 1}; });
    expect_moved(in, b, [](const Ints& i) { return Ints{i[0], i[1], i[2] + 3}; });
  });
  TestTensor in(kI16, {5}), a(kI16, {2}), b(kI16, {2});
  Call short_of, beyond, zero;
  short_of << in << Ints{2, 2} << 0 << std::vector<TestTensor*>{&a, &b};
  EXPECT_EQ(short_of.run(kSplitWithSizesCopyKernel), Status::kBadShape);
  beyond << in << Ints{INT64_MAX, INT64_MAX} << 0 << std::vector<TestTensor*>{&a, &b};
  EXPECT_EQ(beyond.run(kSplitWithSizesCopyKernel), Status::kBadShape);
  zero << in << 0 << 0 << std::vector<TestTensor*>{&a, &b};
  EXPECT_EQ(zero.run(kSplitCopyKernel), Status::kBadArguments);
}

TEST(MoveKernels, CatAndStackJoin) {
  for_orders([](TestTensor& in, const Order& order) {
    TestTensor longer(kI16, {3, 2, 5}), out(kI16, {3, 6, 5}, order), pile(kI16, {3, 4, 2, 5});
    Random(5).fill<int16_t>(longer);
    Call cat, stack;
    cat << std::vector<TestTensor*>{&in, &longer} << 1 << out;
    ASSERT_EQ(cat.run(kCatKernel), Status::kOk);
    for_each_index(out.tensor(), [&](const Ints& i) {
      ASSERT_EQ(at<int16_t>(out, i),
                i[1] < 4 ? at<int16_t>(in, i) : at<int16_t>(longer, {i[0], i[1] - 4, i[2]}));
    });
    stack << std::vector<TestTensor*>{&in, &in} << -2 << pile;
    ASSERT_EQ(stack.run(kStackKernel), Status::kOk);
    expect_moved(in, pile, [](const Ints& i) { return Ints{i[0], i[1], i[3]}; });
  });
  // The output takes the sum; an output among its own inputs would grow under way.
  TestTensor a(kI16, {2}), grown(kI16, {6});
  grown.tensor().dynamic = true;
  Call good, bad;
  good << std::vector<TestTensor*>{&a, &a} << 0 << grown;
  ASSERT_EQ(good.run(kCatKernel), Status::kOk);
  EXPECT_EQ(grown.tensor().size(0), 4);
  bad << std::vector<TestTensor*>{&a, &grown} << 0 << grown;
  EXPECT_EQ(bad.run(kCatKernel), Status::kBadArguments);
  EXPECT_EQ(grown.tensor().size(0), 4);
}

TEST(MoveKernels, CatConvertsToItsOutput) {
  TestTensor a(ScalarType::kInt, {2, 1}), b(ScalarType::kFloat, {2, 70}, {1, 0}),
      out(ScalarType::kFloat, {2, 71});
  a.set<int32_t>({-7, 1 << 20});
  for (size_t i = 0; i < 140; ++i) b.data<float>()[i] = static_cast<float>(i) + 0.5f;
  Call call, narrowing;
  call << std::vector<TestTensor*>{&a, &b} << -1 << out;
  ASSERT_EQ(call.run(kCatKernel), Status::kOk);
  EXPECT_EQ((at<float>(out, {0, 0})), -7.0f);
  EXPECT_EQ((at<float>(out, {1, 0})), 1048576.0f);
  for (int64_t i = 0; i < 140; ++i)
    ASSERT_EQ((at<float>(out, {i % 2, 1 + i / 2})), at<float>(b, {i % 2, i / 2}));
  TestTensor whole(ScalarType::kInt, {2, 71});
  narrowing << std::vector<TestTensor*>{&a, &b} << -1 << whole;
  EXPECT_EQ(narrowing.run(kCatKernel), Status::kBadArguments);
}

TEST(MoveKernels, FlipAndRollTurnDims) {
  for_orders([](TestTensor& in, const Order& order) {
    TestTensor out(kI16, {3, 4, 5}, order);
    Call flip, roll;
    flip << in << Ints{0, -1} << out;
    ASSERT_EQ(flip.run(kFlipKernel), Status::kOk);
    expect_moved(in, out, [](const Ints& i) { return Ints{2 - i[0], i[1], 4 - i[2]}; });
    roll << in << Ints{-7, 2, 11} << Ints{2, 1, 2} << out;
    ASSERT_EQ(roll.run(kRollKernel), Status::kOk);
    expect_moved(in, out, [](const Ints& i) { return Ints{i[0], (i[1] + 2) % 4, (i[2] + 1) % 5}; });
  });
  TestTensor in(kI16, {2, 3}), out(kI16, {2, 3});
  in.set<int16_t>({0, 1, 2, 3, 4, 5});
  const std::pair<int64_t, int> rolls[] = {{2, 4}, {-1, 1}, {INT64_MIN, 2}};
  for (const auto& [shift, first] : rolls) {
    Call call;
    call << in << Ints{shift} << Ints{} << out;
    ASSERT_EQ(call.run(kRollKernel), Status::kOk);
    for (int16_t i = 0; i < 6; ++i) EXPECT_EQ(out.data<int16_t>()[i], (first + i) % 6) << shift;
  }
}

TEST(MoveKernels, PadsAreConstantMirroredOrRepeated) {
  for_orders([](TestTensor& in, const Order& order) {
    TestTensor constant(kI16, {3, 3, 9}, order), mirrored(kI16, {3, 5, 9}, order);
    Call pad, reflect, replicate;
    pad << in << Ints{1, 3, 1, -2} << 77 << constant;
    ASSERT_EQ(pad.run(kConstantPadNdKernel), Status::kOk);
    for_each_index(constant.tensor(), [&](const Ints& i) {
      const bool inside = i[1] >= 1 && i[2] >= 1 && i[2] < 6;
      ASSERT_EQ(at<int16_t>(constant, i),
                inside ? at<int16_t>(in, {i[0], i[1] - 1, i[2] - 1}) : 77);
    });
    const auto mirror = [](int64_t i, int64_t size) {
      return i < 0 ? -i : i >= size ? 2 * size - 2 - i : i;
    };
    reflect << in << Ints{4, 0, 3, -2} << mirrored;
    ASSERT_EQ(reflect.run(kReflectionPad2dKernel), Status::kOk);
    expect_moved(in, mirrored, [&](const Ints& i) {
      return Ints{i[0], mirror(i[1] - 3, 4), mirror(i[2] - 4, 5)};
    });
    replicate << in << Ints{-1, 5, 0, 1} << mirrored;
    ASSERT_EQ(replicate.run(kReplicationPad2dKernel), Status::kOk);
    expect_moved(in, mirrored, [&](const Ints& i) {
      return Ints{i[0], std::min<int64_t>(i[1], 3), std::min<int64_t>(i[2] + 1, 4)};
    });
  });
  TestTensor in(kI16, {2, 3}), out(kI16, {2, 6});
  Call too_far, half_list;
  too_far << in << Ints{3, 0} << out;
  EXPECT_EQ(too_far.run(kReflectionPad1dKernel), Status::kBadArguments);
  half_list << in << Ints{3} << 0 << out;
  EXPECT_EQ(half_list.run(kConstantPadNdKernel), Status::kBadArguments);
}

TEST(MoveKernels, PixelShuffleMovesChannelsIntoTheImage) {
  Random random(6);
  for (const Order& order : {Order{0, 1, 2, 3}, nhwc()}) {
    TestTensor folded(kI16, {2, 12, 3, 5}, order), spread(kI16, {2, 3, 6, 10}, order),
        back(kI16, {2, 12, 3, 5});
    random.fill<int16_t>(folded);
    Call shuffle, unshuffle;
    shuffle << folded << 2 << spread;
    ASSERT_EQ(shuffle.run(kPixelShuffleKernel), Status::kOk);
    expect_moved(folded, spread, [](const Ints& i) {
      return Ints{i[0], i[1] * 4 + i[2] % 2 * 2 + i[3] % 2, i[2] / 2, i[3] / 2};
    });
    unshuffle << spread << 2 << back;
    ASSERT_EQ(unshuffle.run(kPixelUnshuffleKernel), Status::kOk);
    expect_moved(folded, back, [](const Ints& i) { return i; });
  }
}

TEST(MoveKernels, StridesWindowsAndDiagonalsStayInside) {
  TestTensor in(kI16, {24}), out(kI16, {3, 4});
  for (int16_t i = 0; i < 24; ++i) in.data<int16_t>()[i] = i;
  const auto as_strided = [&](const Ints& sizes, const Ints& strides, int64_t offset) {
    Call call;
    call << in << sizes << strides << offset << out;
    return call.run(kAsStridedCopyKernel);
  };
  ASSERT_EQ(as_strided({3, 4}, {5, 2}, 7), Status::kOk);
  expect_moved(in, out, [](const Ints& i) { return Ints{7 + 5 * i[0] + 2 * i[1]}; });
  EXPECT_EQ(as_strided({3, 4}, {5, 2}, 8), Status::kBadShape);
  EXPECT_EQ(as_strided({3, 4}, {-1, 2}, 8), Status::kBadArguments);
  EXPECT_EQ(as_strided({3, 4}, {INT64_MAX, INT64_MAX}, 0), Status::kBadShape);
  EXPECT_EQ(as_strided({3, 4}, {1, 1}, INT64_MAX), Status::kBadShape);

  for_orders([](TestTensor& cube, const Order&) {
    TestTensor windows(kI16, {3, 2, 5, 3}), diagonal(kI16, {4, 2});
    Call unfold, diagonals;
    unfold << cube << 1 << 3 << 1 << windows;
    ASSERT_EQ(unfold.run(kUnfoldCopyKernel), Status::kOk);
    expect_moved(cube, windows, [](const Ints& i) { return Ints{i[0], i[1] + i[3], i[2]}; });
    diagonals << cube << 3 << 0 << -1 << diagonal;
    ASSERT_EQ(diagonals.run(kDiagonalCopyKernel), Status::kOk);
    expect_moved(cube, diagonal, [](const Ints& i) { return Ints{i[1], i[0], i[1] + 3}; });
  });
}

TEST(MoveKernels, TrianglesKeepTheirSide) {
  for (const bool lower : {true, false}) {
    for_orders([lower](TestTensor& in, const Order& order) {
      for (int64_t diagonal : {int64_t{0}, int64_t{-2}, int64_t{3}, INT64_MAX, INT64_MIN}) {
        TestTensor out(kI16, {3, 4, 5}, order);
        Call call;
        call << in << diagonal << out;
        ASSERT_EQ(call.run(lower ? kTrilKernel : kTriuKernel), Status::kOk);
        for_each_index(out.tensor(), [&](const Ints& i) {
          const bool kept = lower ? i[2] - i[1] <= diagonal : i[2] - i[1] >= diagonal;
          ASSERT_EQ(at<int16_t>(out, i), kept ? at<int16_t>(in, i) : 0);
        });
      }
    });
  }
}

TEST(MoveKernels, ViewsAreRowMajorOrOfOneShape) {
  Random random(7);
  TestTensor in(kI16, {4, 6}), out(kI16, {2, 3, 4}), odd(kI16, {4, 6}, {1, 0});
  random.fill<int16_t>(in);
  const auto view = [](TestTensor& self, const Ints& sizes, TestTensor& to) {
    Call call;
    call << self << sizes << to;
    return call.run(kViewCopyKernel);
  };
  ASSERT_EQ(view(in, {2, -1, 4}, out), Status::kOk);
  EXPECT_EQ(out.elements<int16_t>(), in.elements<int16_t>());
  ASSERT_EQ(view(in, {4, 6}, odd), Status::kOk);
  expect_moved(in, odd, [](const Ints& i) { return i; });
  EXPECT_EQ(view(odd, {2, 3, 4}, out), Status::kBadShape);
  EXPECT_EQ(view(in, {2, 3, 5}, out), Status::kBadShape);
  EXPECT_EQ(view(in, {-1, -1, 4}, out), Status::kBadArguments);
  Call alias;
  alias << in << odd;
  ASSERT_EQ(alias.run(kAliasCopyKernel), Status::kOk);
  expect_moved(in, odd, [](const Ints& i) { return i; });
}

}  // namespace
}  // namespace berth::runtime
