#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/element_types.h"
#include "runtime/kernels/portable/index_kernels.h"
#include "runtime/kernels/portable/index_values.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

// self[indices] by NumPy's rules. The index tensors are broadcast together; that shape stands in
// the result where the indexed dims were if those are neighbours, in front of it otherwise:
//
//     self (2, 3, 4, 5), indices (-, a, b, -), a and b (7)   ->   (2, 7, 5)
//     self (2, 3, 4, 5), indices (a, -, b, -)                ->   (7, 3, 5)
struct IndexedShape {
  struct Index {
    IndexValues values;
    int dim = 0;              // which it indexes
    int64_t size = 0;         // of that dim
    int64_t steps[kMaxRank];  // of the index tensor along `positions`
  };
  Index indices[kMaxRank];
  int count = 0;
  Sizes positions;  // the index tensors' common shape
  int first = 0;    // dim of the result where it stands
  Sizes result;
  int kept[kMaxRank];  // dims of self that are not indexed
  int kept_count = 0;
};

Status join(const Tensor& index, Sizes* common) {
  KERNEL_REQUIRE(index.rank <= kMaxRank, kBadShape);
  if (index.rank > common->rank) {
    const int added = index.rank - common->rank;
    for (int d = common->rank - 1; d >= 0; --d) common->at[d + added] = common->at[d];
    for (int d = 0; d < added; ++d) common->at[d] = 1;
    common->rank = index.rank;
  }
  for (int d = 0; d < index.rank; ++d) {
    int32_t& size = common->at[common->rank - index.rank + d];
    KERNEL_REQUIRE(size == 1 || index.sizes[d] == 1 || index.sizes[d] == size, kBadShape);
    if (size == 1) size = index.sizes[d];
  }
  return Status::kOk;
}

// The tensor list at `list` against self. Checks every index.
Status read_indices(const Args& args, const Tensor& self, uint32_t list, IndexedShape* out) {
  const uint32_t entries = args.list_size(list);
  KERNEL_REQUIRE(entries <= self.rank, kBadShape);
  for (uint32_t i = 0; i < entries; ++i) {
    const Tensor* index = args.optional_tensor_at(list, i);
    if (index == nullptr) continue;
    KERNEL_REQUIRE(is_index(*index), kBadArguments);
    KERNEL_TRY(join(*index, &out->positions));
  }
  bool neighbours = true;
  int last = -1;  // dim indexed last
  for (int d = 0; d < self.rank; ++d) {
    const uint32_t i = static_cast<uint32_t>(d);
    const Tensor* index = i < entries ? args.optional_tensor_at(list, i) : nullptr;
    if (index == nullptr) {
      out->kept[out->kept_count++] = d;
      continue;
    }
    if (last < 0) {
      out->first = out->kept_count;
    } else if (last != d - 1) {
      neighbours = false;
    }
    last = d;
    IndexedShape::Index& entry = out->indices[out->count++];
    entry.values = IndexValues(*index);
    entry.dim = d;
    entry.size = self.sizes[d];
    KERNEL_REQUIRE(entry.values.lie_in(-entry.size, entry.size), kBadArguments);
    const ElementMap steps = map_elements(*index);
    const int added = out->positions.rank - index->rank;
    for (int p = 0; p < out->positions.rank; ++p) {
      const bool repeated = p < added || index->sizes[p - added] == 1;
      entry.steps[p] = repeated ? 0 : steps.steps[p - added];
    }
  }
  if (!neighbours) out->first = 0;
  for (int k = 0; k <= out->kept_count; ++k) {
    if (k == out->first) {
      for (int p = 0; p < out->positions.rank; ++p)
        KERNEL_TRY(append_size(out->positions.at[p], &out->result));
    }
    if (k < out->kept_count) KERNEL_TRY(append_size(self.sizes[out->kept[k]], &out->result));
  }
  return Status::kOk;
}

// Dim of the result that kept dim k became.
int result_dim(const IndexedShape& shape, int k) {
  return k < shape.first ? k : k + shape.positions.rank;
}

// Loops over the kept dims: the result's steps (as `result` has them) first or second.
LoopNest<2> kept_nest(const IndexedShape& shape, const ElementMap& self, const ElementMap& result,
                      bool result_first) {
  LoopNest<2> nest;
  for (int k = 0; k < shape.kept_count; ++k) {
    const int d = result_dim(shape, k);
    const size_t a = static_cast<size_t>(result.steps[d]);
    const size_t b = static_cast<size_t>(self.steps[shape.kept[k]]);
    nest.append(static_cast<size_t>(shape.result.at[d]),
                {result_first ? a : b, result_first ? b : a});
  }
  return nest;
}

// visit(offset in self, offset in result) for every position. REQUIRES: the result has elements.
template <typename Visit>
Status for_each_position(const IndexedShape& shape, const ElementMap& self,
                         const ElementMap& result, const Visit& visit) {
  int32_t at[kMaxRank] = {};
  const int rank = shape.positions.rank;
  for (;;) {
    int64_t self_offset = 0, result_offset = 0;
    for (int i = 0; i < shape.count; ++i) {
      const IndexedShape::Index& entry = shape.indices[i];
      int64_t where = 0;
      for (int p = 0; p < rank; ++p) where += at[p] * entry.steps[p];
      int64_t index = 0;
      KERNEL_TRY(read_index(entry.values.at(static_cast<size_t>(where)), entry.size, &index));
      self_offset += index * self.steps[entry.dim];
    }
    for (int p = 0; p < rank; ++p) result_offset += at[p] * result.steps[shape.first + p];
    visit(self_offset, result_offset);
    int p = rank - 1;
    for (; p >= 0; --p) {
      if (++at[p] < shape.positions.at[p]) break;
      at[p] = 0;
    }
    if (p < 0) return Status::kOk;
  }
}

bool has_elements(const Sizes& sizes) {
  for (int d = 0; d < sizes.rank; ++d) {
    if (sizes.at[d] == 0) return false;
  }
  return true;
}

// Steps of values along the dims of the result it is broadcast to.
Status broadcast_values(const Tensor& values, const IndexedShape& shape, ElementMap* out) {
  KERNEL_REQUIRE(values.rank <= shape.result.rank, kBadShape);
  const ElementMap own = map_elements(values);
  const int added = shape.result.rank - values.rank;
  for (int d = 0; d < shape.result.rank; ++d) {
    const int32_t size = d < added ? 1 : values.sizes[d - added];
    KERNEL_REQUIRE(size == 1 || size == shape.result.at[d], kBadShape);
    out->steps[d] = size == 1 ? 0 : own.steps[d - added];
  }
  return Status::kOk;
}

template <typename T>
Status add_values(const IndexedShape& shape, const ElementMap& target_steps,
                  const ElementMap& value_steps, const LoopNest<2>& nest, const Tensor& values,
                  const Tensor& out) {
  const T* from = values.as<T>();
  T* to = out.as_mutable<T>();
  return for_each_position(shape, target_steps, value_steps, [&](int64_t target, int64_t source) {
    nest.for_each_run([&](const size_t(&offset)[2], size_t count, const size_t(&step)[2]) {
      for (size_t i = 0; i < count; ++i) {
        T& sum = to[static_cast<size_t>(target) + offset[0] + i * step[0]];
        sum = Plus<T>::add(sum, from[static_cast<size_t>(source) + offset[1] + i * step[1]]);
      }
    });
  });
}

// (self, indices, values, accumulate, ...); out: self's elements with those written. May be self.
Status put(const Args& args, Tensor& out) {
  const Tensor& self = args.tensor(0);
  const Tensor& values = args.tensor(2);
  KERNEL_REQUIRE(self.dtype == out.dtype && values.dtype == out.dtype, kBadArguments);
  IndexedShape shape;
  ElementMap value_steps;
  KERNEL_TRY(read_indices(args, self, 1, &shape));
  KERNEL_TRY(broadcast_values(values, shape, &value_steps));
  if (args.boolean(3)) KERNEL_TRY(with_addable(out.dtype, [](auto) { return Status::kOk; }));
  KERNEL_TRY(resize(out, Sizes(self)));
  if (&self != &out) copy_all(self, out);
  if (!has_elements(shape.result)) return Status::kOk;
  const ElementMap target_steps = map_elements(out);
  const LoopNest<2> nest = kept_nest(shape, target_steps, value_steps, false);
  if (args.boolean(3)) {
    return with_addable(out.dtype, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      return add_values<T>(shape, target_steps, value_steps, nest, values, out);
    });
  }
  const size_t size = element_size(out.dtype);
  return for_each_position(shape, target_steps, value_steps, [&](int64_t target, int64_t source) {
    copy_strided(nest, size, values.as<uint8_t>() + static_cast<size_t>(source) * size,
                 out.as_mutable<uint8_t>() + static_cast<size_t>(target) * size);
  });
}

}  // namespace

// (self, indices, out)
Status run_index(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(2);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(&self != &out, kBadArguments);
  IndexedShape shape;
  KERNEL_TRY(read_indices(args, self, 1, &shape));
  for (uint32_t i = 0; i < args.list_size(1); ++i)
    KERNEL_REQUIRE(args.optional_tensor_at(1, i) != &out, kBadArguments);
  KERNEL_TRY(resize(out, shape.result));
  if (!has_elements(shape.result)) return Status::kOk;
  const ElementMap own = map_elements(self), result = map_elements(out);
  const LoopNest<2> nest = kept_nest(shape, own, result, true);
  const size_t size = element_size(out.dtype);
  return for_each_position(shape, own, result, [&](int64_t source, int64_t target) {
    copy_strided(nest, size, self.as<uint8_t>() + static_cast<size_t>(source) * size,
                 out.as_mutable<uint8_t>() + static_cast<size_t>(target) * size);
  });
}

// (self, indices, values, accumulate, out)
Status run_index_put(KernelContext&, const Args& args) { return put(args, args.tensor(4)); }

// (self, indices, values, accumulate)
Status run_index_put_in_place(KernelContext&, const Args& args) {
  return put(args, args.tensor(0));
}

}  // namespace berth::runtime
