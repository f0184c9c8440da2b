// Operators that find elements by indices: against loops over the definition, and with indices of a
// stranger.
#include "runtime/kernels/portable/index_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "runtime/kernels/kernel_test_util.h"

namespace berth::runtime {
namespace {

using Ints = std::vector<int64_t>;
using Order = std::vector<uint8_t>;
constexpr ScalarType kI16 = ScalarType::kShort, kI32 = ScalarType::kInt, kI64 = ScalarType::kLong;
constexpr ScalarType kF32 = ScalarType::kFloat;

void for_each_index(const Tensor& tensor, const std::function<void(const Ints&)>& visit) {
  Ints index(tensor.rank, 0);
  for (size_t count = tensor.numel(); count > 0; --count) {
    visit(index);
    for (int d = tensor.rank - 1; d >= 0; --d) {
      if (++index[d] < tensor.size(d)) break;
      index[d] = 0;
    }
  }
}

int64_t index_at(TestTensor& tensor, const Ints& position) {
  return tensor.tensor().dtype == kI32 ? at<int32_t>(tensor, position)
                                       : at<int64_t>(tensor, position);
}

void fill_indices(TestTensor& tensor, Random& random, int64_t low, int64_t high) {
  if (tensor.tensor().dtype == kI32) {
    random.fill<int32_t>(tensor, low, high);
  } else {
    random.fill<int64_t>(tensor, low, high);
  }
}

TEST(IndexKernels, GatherAndScatterGoByTheirDim) {
  Random random(1);
  for (const ScalarType dtype : {kI64, kI32}) {
    for (const Order& order : {Order{0, 1, 2}, Order{2, 0, 1}}) {
      TestTensor self(kI16, {3, 4, 5}, order), index(dtype, {2, 6, 5}), out(kI16, {2, 6, 5}, order);
      random.fill<int16_t>(self);
      fill_indices(index, random, 0, 3);
      Call gather;
      gather << self << 1 << index << false << out;
      ASSERT_EQ(gather.run(kGatherKernel), Status::kOk);
      for_each_index(out.tensor(), [&](const Ints& i) {
        ASSERT_EQ(at<int16_t>(out, i), at<int16_t>(self, {i[0], index_at(index, i), i[2]}));
      });

      // The last of several sources may win: give each place one.
      TestTensor where(dtype, {3, 3, 5}), src(kI16, {3, 4, 6}, order), into(kI16, {3, 4, 5}, order),
          expected(kI16, {3, 4, 5});
      random.fill<int16_t>(src);
      for_each_index(where.tensor(), [&](const Ints& i) {
        const int64_t place = (i[0] + i[1] + i[2]) % 4;
        if (dtype == kI32) {
          at<int32_t>(where, i) = static_cast<int32_t>(place);
        } else {
          at<int64_t>(where, i) = place;
        }
      });
      for_each_index(self.tensor(),
                     [&](const Ints& i) { at<int16_t>(expected, i) = at<int16_t>(self, i); });
      for_each_index(where.tensor(), [&](const Ints& i) {
        at<int16_t>(expected, {i[0], index_at(where, i), i[2]}) = at<int16_t>(src, i);
      });
      Call scatter, value;
      scatter << self << -2 << where << src << into;
      ASSERT_EQ(scatter.run(kScatterSrcKernel), Status::kOk);
      for_each_index(into.tensor(), [&](const Ints& i) {
        ASSERT_EQ(at<int16_t>(into, i), at<int16_t>(expected, i));
      });
      value << self << 1 << where << 9.7 << into;
      ASSERT_EQ(value.run(kScatterValueKernel), Status::kOk);
      for_each_index(where.tensor(), [&](const Ints& i) {
        ASSERT_EQ((at<int16_t>(into, {i[0], index_at(where, i), i[2]})), 9);
      });
    }
  }
}

TEST(IndexKernels, ScatterAddSumsAllThatMeet) {
  TestTensor self(kF32, {4}), index(kI64, {6}), src(kF32, {6}), out(kF32, {4});
  self.set<float>({1, 2, 3, 4});
  index.set<int64_t>({0, 3, 0, 0, 3, 1});
  src.set<float>({10, 20, 30, 40, 50, 60});
  Call call;
  call << self << 0 << index << src << out;
  ASSERT_EQ(call.run(kScatterAddKernel), Status::kOk);
  EXPECT_EQ(out.elements<float>(), (std::vector<float>{81, 62, 3, 74}));
}

TEST(IndexKernels, IndexTensorsAreBroadcastAndStandWhereNumpyPutsThem) {
  Random random(2);
  for (const Order& order : {Order{0, 1, 2, 3}, Order{3, 1, 0, 2}}) {
    TestTensor self(kI16, {2, 3, 4, 5}, order), a(kI64, {7}), b(kI32, {6, 1}), c(kI64, {});
    random.fill<int16_t>(self);
    random.fill<int64_t>(a, -3, 2);
    random.fill<int32_t>(b, -4, 3);
    c.set<int64_t>({-2});
    const auto index = [&](const std::vector<TestTensor*>& list, TestTensor& out) {
      Call call;
      (call << self).optional_list(list) << out;
      return call.run(kIndexKernel);
    };
    // Neighbours: their common shape takes their place.
    TestTensor middle(kI16, {2, 6, 7, 5}, order);
    ASSERT_EQ(index({nullptr, &a, &b}, middle), Status::kOk);
    for_each_index(middle.tensor(), [&](const Ints& i) {
      const int64_t x = index_at(a, {i[2]}), y = index_at(b, {i[1], 0});
      ASSERT_EQ(at<int16_t>(middle, i), at<int16_t>(self, {i[0], (x + 3) % 3, (y + 4) % 4, i[3]}));
    });
    // Apart: it comes first.
    TestTensor front(kI16, {7, 2, 4}, {2, 0, 1});
    ASSERT_EQ(index({nullptr, &a, nullptr, &c}, front), Status::kOk);
    for_each_index(front.tensor(), [&](const Ints& i) {
      const int64_t x = index_at(a, {i[0]});
      ASSERT_EQ(at<int16_t>(front, i), at<int16_t>(self, {i[1], (x + 3) % 3, i[2], 3}));
    });
    TestTensor element(kI16, {3, 4, 5});
    ASSERT_EQ(index({&c}, element), Status::kOk);
    for_each_index(element.tensor(), [&](const Ints& i) {
      ASSERT_EQ(at<int16_t>(element, i), at<int16_t>(self, {0, i[0], i[1], i[2]}));
    });
  }
}

TEST(IndexKernels, IndexPutWritesOrAddsWhatIsBroadcast) {
  Random random(3);
  TestTensor self(kF32, {3, 4, 5}, {2, 0, 1}), index(kI64, {2}), values(kF32, {1, 4, 1}),
      out(kF32, {3, 4, 5});
  for (size_t i = 0; i < self.numel(); ++i) self.data<float>()[i] = static_cast<float>(i);
  index.set<int64_t>({-1, -1});
  values.set<float>({100, 200, 300, 400});
  for (const bool accumulate : {false, true}) {
    Call call;
    (call << self).optional_list({&index}) << values << accumulate << out;
    ASSERT_EQ(call.run(kIndexPutKernel), Status::kOk);
    for_each_index(out.tensor(), [&](const Ints& i) {
      const float own = at<float>(self, i), value = static_cast<float>(100 * (i[1] + 1));
      const float expected = i[0] != 2 ? own : accumulate ? own + 2 * value : value;
      ASSERT_EQ(at<float>(out, i), expected);
    });
  }
  Call in_place;
  (in_place << self).optional_list({&index}) << values << false;
  // What is in place has no out; its return is self again.
  ASSERT_EQ(in_place.run(kIndexPutInPlaceKernel), Status::kOk);
  for_each_index(out.tensor(), [&](const Ints& i) {
    if (i[0] == 2) {
      ASSERT_EQ(at<float>(self, i), static_cast<float>(100 * (i[1] + 1)));
    }
  });
}

TEST(IndexKernels, IndexSelectAndEmbeddingTakeRows) {
  Random random(4);
  TestTensor self(kI16, {3, 4, 5}, {1, 2, 0}), index(kI32, {6}), out(kI16, {3, 6, 5}, {2, 1, 0});
  random.fill<int16_t>(self);
  random.fill<int32_t>(index, 0, 3);
  Call select;
  select << self << 1 << index << out;
  ASSERT_EQ(select.run(kIndexSelectKernel), Status::kOk);
  for_each_index(out.tensor(), [&](const Ints& i) {
    ASSERT_EQ(at<int16_t>(out, i), at<int16_t>(self, {i[0], index_at(index, {i[1]}), i[2]}));
  });
  TestTensor weight(kF32, {7, 3}), words(kI64, {2, 2}), rows(kF32, {2, 2, 3});
  for (size_t i = 0; i < 21; ++i) weight.data<float>()[i] = static_cast<float>(i);
  words.set<int64_t>({6, 0, 3, 6});
  Call embed;
  embed << weight << words << -1 << false << false << rows;
  ASSERT_EQ(embed.run(kEmbeddingKernel), Status::kOk);
  EXPECT_EQ(rows.elements<float>(),
            (std::vector<float>{18, 19, 20, 0, 1, 2, 9, 10, 11, 18, 19, 20}));
}

TEST(IndexKernels, SlicesAndSelectionsAreScattered) {
  Random random(5);
  TestTensor self(kI16, {3, 7}), src(kI16, {3, 3}, {1, 0}), row(kI16, {3}), out(kI16, {3, 7});
  random.fill<int16_t>(self);
  random.fill<int16_t>(src);
  random.fill<int16_t>(row);
  Call slice, select;
  slice << self << src << 1 << -6 << 100 << 2 << out;
  ASSERT_EQ(slice.run(kSliceScatterKernel), Status::kOk);
  for_each_index(out.tensor(), [&](const Ints& i) {
    ASSERT_EQ(at<int16_t>(out, i),
              i[1] % 2 == 1 ? at<int16_t>(src, {i[0], i[1] / 2}) : at<int16_t>(self, i));
  });
  select << self << row << -1 << -2 << out;
  ASSERT_EQ(select.run(kSelectScatterKernel), Status::kOk);
  for_each_index(out.tensor(), [&](const Ints& i) {
    ASSERT_EQ(at<int16_t>(out, i), i[1] == 5 ? at<int16_t>(row, {i[0]}) : at<int16_t>(self, i));
  });
}

template <typename T>
void check_sorted(TestTensor& self, TestTensor& values, TestTensor& indices, int64_t rows,
                  int64_t size, int64_t count, bool largest) {
  for (int64_t r = 0; r < rows; ++r) {
    std::vector<int64_t> order(static_cast<size_t>(size));
    for (int64_t i = 0; i < size; ++i) order[static_cast<size_t>(i)] = i;
    std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
      const T a = at<T>(self, {i, r}), b = at<T>(self, {j, r});
      const bool a_nan = a != a, b_nan = b != b;
      if (a_nan || b_nan) return largest ? a_nan && !b_nan : b_nan && !a_nan;
      return largest ? a > b : a < b;
    });
    for (int64_t i = 0; i < count; ++i) {
      ASSERT_EQ((at<int64_t>(indices, {i, r})), order[static_cast<size_t>(i)]);
      const T expected = at<T>(self, {order[static_cast<size_t>(i)], r});
      ASSERT_EQ(memcmp(&at<T>(values, {i, r}), &expected, sizeof(T)), 0);
    }
  }
}

TEST(IndexKernels, SortAndTopkKeepTheFirstOfEqualsFirst) {
  Random random(6);
  for (int round = 0; round < 60; ++round) {
    const int32_t size = static_cast<int32_t>(random.between(1, 40));
    const int64_t k = random.between(0, size);
    const bool largest = round % 2 == 0;
    const Order order = round % 3 == 0 ? Order{1, 0} : Order{0, 1};
    TestTensor self(kF32, {size, 3}, order), values(kF32, {size, 3}),
        indices(kI64, {size, 3}, order);
    TestTensor best(kF32, {static_cast<int32_t>(k), 3}, order),
        where(kI64, {static_cast<int32_t>(k), 3});
    for (size_t i = 0; i < self.numel(); ++i) {
      const int64_t pick = random.between(-6, 6);
      self.data<float>()[i] = pick == 6 ? NAN : static_cast<float>(pick);
    }
    Call sort, topk;
    sort << self << 0 << largest << values << indices;
    ASSERT_EQ(sort.run(kSortKernel), Status::kOk);
    check_sorted<float>(self, values, indices, 3, size, size, largest);
    topk << self << k << -2 << largest << true << best << where;
    ASSERT_EQ(topk.run(kTopkKernel), Status::kOk);
    check_sorted<float>(self, best, where, 3, size, k, largest);
    if (HasFatalFailure()) return;
  }
  TestTensor scalar(kI64, {}), value(kI64, {}), index(kI64, {});
  scalar.set<int64_t>({5});
  Call call;
  call << scalar << 0 << false << value << index;
  ASSERT_EQ(call.run(kSortKernel), Status::kOk);
  EXPECT_EQ(value.elements<int64_t>()[0], 5);
  EXPECT_EQ(index.elements<int64_t>()[0], 0);
}

TEST(IndexKernels, IndicesOutsideAreRefusedBeforeAnythingIsWritten) {
  TestTensor self(kI16, {3, 4}), out(kI16, {3, 4}), index(kI64, {3, 4}), line(kI64, {2}),
      src(kI16, {3, 4}), rows(kI16, {2, 4}), columns(kI16, {3, 2});
  for (TestTensor* tensor : {&out, &rows, &columns}) {
    for (size_t i = 0; i < tensor->numel(); ++i) tensor->data<int16_t>()[i] = 77;
  }
  const auto untouched = [](TestTensor& tensor) {
    for (int16_t value : tensor.elements<int16_t>()) EXPECT_EQ(value, 77);
  };
  for (int64_t bad : {int64_t{4}, int64_t{-5}, INT64_MAX, INT64_MIN}) {
    index.data<int64_t>()[11] = bad;
    line.set<int64_t>({0, bad});
    Call gather, scatter, add, put, pick, select, embed;
    gather << self << 1 << index << false << out;
    scatter << self << 1 << index << src << out;
    add << self << 1 << index << src << out;
    (put << self).optional_list({nullptr, &line}) << columns << false << out;
    (pick << self).optional_list({nullptr, &line}) << columns;
    select << self << 1 << line << columns;
    embed << self << line << 0 << false << false << rows;
    EXPECT_EQ(gather.run(kGatherKernel), Status::kBadArguments);
    EXPECT_EQ(scatter.run(kScatterSrcKernel), Status::kBadArguments);
    EXPECT_EQ(add.run(kScatterAddKernel), Status::kBadArguments);
    EXPECT_EQ(put.run(kIndexPutKernel), Status::kBadArguments);
    EXPECT_EQ(pick.run(kIndexKernel), Status::kBadArguments);
    EXPECT_EQ(select.run(kIndexSelectKernel), Status::kBadArguments);
    EXPECT_EQ(embed.run(kEmbeddingKernel), Status::kBadArguments);
    untouched(out);
    untouched(rows);
    untouched(columns);
  }
}

// A stranger's plan may put the output on the indices: they change under way, and nothing may be
// reached by what they change to.
TEST(IndexKernels, IndicesThatTheOutputOverwritesReachNothing) {
  for (const int64_t poison : {int64_t{1} << 40, int64_t{-1} << 40}) {
    TestTensor self(kI64, {4}), index(kI64, {4}), out(kI64, {4}), table(kI64, {4, 1}),
        rows(kI64, {4, 1});
    const auto reset = [&] {
      self.set<int64_t>({poison, poison, poison, poison});
      table.set<int64_t>({poison, poison, poison, poison});
      index.set<int64_t>({3, 2, 1, 0});
    };
    out.tensor().data = index.tensor().data;
    rows.tensor().data = index.tensor().data;
    Call gather, select, pick, scatter, embed;
    gather << self << 0 << index << false << out;
    select << self << 0 << index << out;
    (pick << self).optional_list({&index}) << out;
    scatter << self << 0 << index << self << out;
    embed << table << index << 0 << false << false << rows;
    reset();
    EXPECT_EQ(gather.run(kGatherKernel), Status::kOk);  // each index is read before it is lost
    reset();
    EXPECT_EQ(select.run(kIndexSelectKernel), Status::kOk);
    reset();
    EXPECT_EQ(pick.run(kIndexKernel), Status::kOk);
    reset();
    EXPECT_EQ(scatter.run(kScatterSrcKernel), Status::kBadArguments);
    reset();
    EXPECT_EQ(embed.run(kEmbeddingKernel), Status::kOk);
    // One element further on, the next index is gone before it is read.
    out.tensor().data = index.data<int64_t>() + 1;
    TestTensor short_index(kI64, {3}), short_out(kI64, {3});
    short_index.tensor().data = index.tensor().data;
    short_out.tensor().data = index.data<int64_t>() + 1;
    Call late;
    late << self << 0 << short_index << false << short_out;
    reset();
    EXPECT_EQ(late.run(kGatherKernel), Status::kBadArguments);
  }
}

}  // namespace
}  // namespace berth::runtime
