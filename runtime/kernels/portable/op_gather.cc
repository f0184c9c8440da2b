#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/element_types.h"
#include "runtime/kernels/portable/index_kernels.h"
#include "runtime/kernels/portable/index_values.h"
#include "runtime/kernels/portable/scalar_bytes.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

// One loop over all positions of `index`: beside it goes `dense`, which has an element at the same
// position, and `base`, a position of the tensor that is indexed with its dim left at 0.
struct IndexWalk {
  LoopNest<3> nest;  // index, dense, base
  IndexValues values;
  int64_t size = 1;  // of the indexed dim
  int64_t step = 0;
};

// Fits index to indexed (all dims but dim) and checks its values.
Status start_walk(const Tensor& indexed, int dim, const Tensor& index, IndexWalk* walk) {
  KERNEL_REQUIRE(is_index(index), kBadArguments);
  KERNEL_REQUIRE(index.rank == indexed.rank, kBadShape);
  for (int d = 0; d < index.rank; ++d)
    KERNEL_REQUIRE(d == dim || index.sizes[d] <= indexed.sizes[d], kBadShape);
  if (indexed.rank > 0) walk->size = indexed.sizes[dim];
  walk->values = IndexValues(index);
  KERNEL_REQUIRE(walk->values.lie_in(0, walk->size), kBadArguments);
  return Status::kOk;
}

// REQUIRES: dense is at least as large as index in every dim; index has elements.
void lay_out(const Tensor& index, const ElementMap& dense, const ElementMap& indexed, int dim,
             IndexWalk* walk) {
  const ElementMap own = map_elements(index);
  for (int i = 0; i < index.rank; ++i) {
    const int d = index.dim_order[i];
    walk->nest.append(static_cast<size_t>(index.sizes[d]),
                      {static_cast<size_t>(own.steps[d]), static_cast<size_t>(dense.steps[d]),
                       d == dim ? 0 : static_cast<size_t>(indexed.steps[d])});
  }
  if (index.rank > 0) walk->step = indexed.steps[dim];
}

// visit(position in dense, position in indexed). False when an index changed under way.
template <typename Visit>
Status for_each_index(const IndexWalk& walk, const Visit& visit) {
  bool inside = true;
  walk.nest.for_each_run([&](const size_t(&offset)[3], size_t count, const size_t(&step)[3]) {
    for (size_t i = 0; i < count; ++i) {
      const int64_t index = walk.values.at(offset[0] + i * step[0]);
      if (index < 0 || index >= walk.size) {
        inside = false;
        continue;
      }
      visit(offset[1] + i * step[1],
            offset[2] + i * step[2] + static_cast<size_t>(index * walk.step));
    }
  });
  return inside ? Status::kOk : Status::kBadArguments;
}

// (self, dim, index, src or value, ..., out): what scatter operators share. src may be null.
Status start_scatter(const Args& args, const Tensor* src, Tensor& out, IndexWalk* walk) {
  const Tensor& self = args.tensor(0);
  const Tensor& index = args.tensor(2);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(&index != &out && src != &out, kBadArguments);
  int dim = 0;
  KERNEL_TRY(read_dim(args.integer(1), self.rank, &dim));
  KERNEL_TRY(start_walk(self, dim, index, walk));
  if (src != nullptr) {
    KERNEL_REQUIRE(src->dtype == out.dtype, kBadArguments);
    KERNEL_REQUIRE(src->rank == index.rank, kBadShape);
    for (int d = 0; d < index.rank; ++d) KERNEL_REQUIRE(index.sizes[d] <= src->sizes[d], kBadShape);
  }
  KERNEL_TRY(resize(out, Sizes(self)));
  copy_all(self, out);
  if (index.numel() > 0)
    lay_out(index, map_elements(src == nullptr ? index : *src), map_elements(out), dim, walk);
  return Status::kOk;
}

}  // namespace

// (self, dim, index, sparse_grad, out)
Status run_gather(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  const Tensor& index = args.tensor(2);
  Tensor& out = args.tensor(4);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(&self != &out && &index != &out, kBadArguments);
  int dim = 0;
  IndexWalk walk;
  KERNEL_TRY(read_dim(args.integer(1), self.rank, &dim));
  KERNEL_TRY(start_walk(self, dim, index, &walk));
  return with_width(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    KERNEL_TRY(resize(out, Sizes(index)));
    if (index.numel() == 0) return Status::kOk;
    lay_out(index, map_elements(out), map_elements(self), dim, &walk);
    const T* from = self.as<T>();
    T* to = out.as_mutable<T>();
    return for_each_index(walk, [=](size_t at, size_t found) { to[at] = from[found]; });
  });
}

// (self, dim, index, src, out)
Status run_scatter_src(KernelContext&, const Args& args) {
  const Tensor& src = args.tensor(3);
  Tensor& out = args.tensor(4);
  return with_width(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    IndexWalk walk;
    KERNEL_TRY(start_scatter(args, &src, out, &walk));
    if (args.tensor(2).numel() == 0) return Status::kOk;
    const T* from = src.as<T>();
    T* to = out.as_mutable<T>();
    return for_each_index(walk, [=](size_t at, size_t found) { to[found] = from[at]; });
  });
}

// (self, dim, index, value, out)
Status run_scatter_value(KernelContext&, const Args& args) {
  Tensor& out = args.tensor(4);
  ScalarBytes value;
  KERNEL_TRY(read_scalar_bytes(args, 3, out.dtype, &value));
  return with_width(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    IndexWalk walk;
    KERNEL_TRY(start_scatter(args, nullptr, out, &walk));
    if (args.tensor(2).numel() == 0) return Status::kOk;
    T element;
    memcpy(&element, value.bytes, sizeof(element));
    T* to = out.as_mutable<T>();
    return for_each_index(walk, [=](size_t, size_t found) { to[found] = element; });
  });
}

// (self, dim, index, src, out)
Status run_scatter_add(KernelContext&, const Args& args) {
  const Tensor& src = args.tensor(3);
  Tensor& out = args.tensor(4);
  return with_addable(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    IndexWalk walk;
    KERNEL_TRY(start_scatter(args, &src, out, &walk));
    if (args.tensor(2).numel() == 0) return Status::kOk;
    const T* from = src.as<T>();
    T* to = out.as_mutable<T>();
    return for_each_index(
        walk, [=](size_t at, size_t found) { to[found] = Plus<T>::add(to[found], from[at]); });
  });
}

}  // namespace berth::runtime
