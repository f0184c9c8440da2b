#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/element_types.h"
#include "runtime/kernels/portable/index_kernels.h"

namespace berth::runtime {
namespace {

// The best elements of one row, being sorted where they lie in the two outputs: first a heap with
// the last of them at its root, which later elements try to replace, then the root goes to the end
// again and again.
template <typename T>
struct Row {
  T* values;
  int64_t* indices;
  int64_t value_step, index_step;
  bool largest;

  T& value(int64_t i) const { return values[i * value_step]; }
  int64_t& index(int64_t i) const { return indices[i * index_step]; }

  // NaN is larger than all numbers; of equals the first stays first.
  bool comes_before(T a, int64_t a_index, T b, int64_t b_index) const {
    const bool a_nan = a != a, b_nan = b != b;
    if (a_nan != b_nan) return a_nan == largest;
    if (a != b && !a_nan) return largest ? a > b : a < b;
    return a_index < b_index;
  }

  // Puts an element where it belongs in the heap of `count` from `hole` down.
  void sift(T value_in, int64_t index_in, int64_t hole, int64_t count) const {
    for (;;) {
      int64_t child = 2 * hole + 1;
      if (child >= count) break;
      if (child + 1 < count &&
          comes_before(value(child), index(child), value(child + 1), index(child + 1))) {
        ++child;
      }
      if (!comes_before(value_in, index_in, value(child), index(child))) break;
      value(hole) = value(child);
      index(hole) = index(child);
      hole = child;
    }
    value(hole) = value_in;
    index(hole) = index_in;
  }
};

template <typename T>
void select_row(const T* from, int64_t step, int64_t size, int64_t count, const Row<T>& row) {
  for (int64_t i = 0; i < count; ++i) {
    row.value(i) = from[i * step];
    row.index(i) = i;
  }
  for (int64_t i = count / 2 - 1; i >= 0; --i) row.sift(row.value(i), row.index(i), i, count);
  for (int64_t i = count; i < size; ++i) {
    const T value = from[i * step];
    if (row.comes_before(value, i, row.value(0), row.index(0))) row.sift(value, i, 0, count);
  }
  for (int64_t end = count - 1; end > 0; --end) {
    const T value = row.value(end);
    const int64_t index = row.index(end);
    row.value(end) = row.value(0);
    row.index(end) = row.index(0);
    row.sift(value, index, 0, end);
  }
}

// `count` elements of dim, in order, to values and their positions to indices.
Status select(const Tensor& self, int64_t asked_dim, int64_t count, bool largest, Tensor& values,
              Tensor& indices) {
  KERNEL_REQUIRE(values.dtype == self.dtype && indices.dtype == ScalarType::kLong, kBadArguments);
  KERNEL_REQUIRE(&self != &values && &self != &indices && &values != &indices, kBadArguments);
  int dim = 0;
  KERNEL_TRY(read_dim(asked_dim, self.rank, &dim));
  const int64_t size = self.rank == 0 ? 1 : self.sizes[dim];
  KERNEL_REQUIRE(count >= 0 && count <= size, kBadArguments);
  Sizes sizes(self);
  sizes.at[dim] = static_cast<int32_t>(count);  // not read where rank is 0
  return with_ordered(self.dtype, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    KERNEL_TRY(resize(values, sizes));
    KERNEL_TRY(resize(indices, sizes));
    if (values.numel() == 0) return Status::kOk;
    const ElementMap from = map_elements(self), to = map_elements(values),
                     index_to = map_elements(indices);
    Row<T> row{values.as_mutable<T>(), indices.as_mutable<int64_t>(), 0, 0, largest};
    const T* source = self.as<T>();
    if (self.rank == 0) {
      select_row(source, 0, 1, count, row);
      return Status::kOk;
    }
    row.value_step = to.steps[dim];
    row.index_step = index_to.steps[dim];
    int32_t at[kMaxRank] = {};
    for (;;) {
      select_row(source, from.steps[dim], size, count, row);
      int d = self.rank - 1;
      for (; d >= 0; --d) {
        if (d == dim) continue;
        source += from.steps[d];
        row.values += to.steps[d];
        row.indices += index_to.steps[d];
        if (++at[d] < self.sizes[d]) break;
        source -= self.sizes[d] * from.steps[d];
        row.values -= self.sizes[d] * to.steps[d];
        row.indices -= self.sizes[d] * index_to.steps[d];
        at[d] = 0;
      }
      if (d < 0) return Status::kOk;
    }
  });
}

}  // namespace

// (self, k, dim, largest, sorted, values, indices): sorted either way.
Status run_topk(KernelContext&, const Args& args) {
  return select(args.tensor(0), args.integer(2), args.integer(1), args.boolean(3), args.tensor(5),
                args.tensor(6));
}

// (self, dim, descending, values, indices)
Status run_sort(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  int dim = 0;
  KERNEL_TRY(read_dim(args.integer(1), self.rank, &dim));
  return select(self, args.integer(1), self.rank == 0 ? 1 : self.sizes[dim], args.boolean(2),
                args.tensor(3), args.tensor(4));
}

}  // namespace berth::runtime
