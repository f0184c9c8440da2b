#include "runtime/kernels/portable/reduction.h"

namespace berth::runtime {
namespace {

constexpr size_t kComputeSizes[] = {sizeof(float), sizeof(double), sizeof(int64_t)};

// Runs one operator over a walk.
class Reducer {
 public:
  Reducer(const ReductionWalk& walk, const ReductionLoops& loops, Compute compute, const Tensor& in,
          const Tensor& out, const void* numbers)
      : walk_(walk),
        loops_(loops),
        compute_(compute),
        size_(kComputeSizes[static_cast<int>(compute)]),
        in_(in),
        out_(out),
        numbers_(numbers) {}

  void run() const {
    walk_.kept().for_each_run([&](const size_t(&offset)[2], size_t count, const size_t(&step)[2]) {
      // Rows, where outputs are neighbours in the input and what they combine is not.
      if (step[1] == 1 && count >= 4 && !walk_.runs_are_dense()) {
        for (size_t begin = 0; begin < count; begin += kBlock) {
          const size_t length = count - begin < kBlock ? count - begin : kBlock;
          reduce_rows(offset[0] + begin * step[0], step[0], offset[1] + begin, length);
        }
        return;
      }
      for (size_t i = 0; i < count; ++i) {
        reduce_one(offset[0] + i * step[0], offset[1] + i * step[1]);
      }
    });
  }

 private:
  // `count` elements from `offset` on: where they are, or converted into the block.
  const void* elements(size_t offset, size_t step, size_t count, void* block) const {
    if (in_.dtype == native_dtype(compute_) && step == 1) {
      return static_cast<const uint8_t*>(in_.data) + offset * size_;
    }
    load_block(compute_, in_.dtype, in_.data, offset, step, count, block);
    return block;
  }

  // Native elements need no block, so a run of them goes in at once.
  size_t longest(size_t step, size_t count) const {
    return in_.dtype == native_dtype(compute_) && step == 1 ? count : kBlock;
  }

  void reduce_one(size_t out_at, size_t in_at) const {
    alignas(8) uint8_t result[sizeof(double)];
    loops_.start(numbers_, result, 1);
    if (walk_.combined() != 0) {
      walk_.for_each_run(in_at, [&](size_t offset, size_t count, size_t step) {
        alignas(8) uint8_t block[kBlockBytes];
        const size_t most = longest(step, count);
        for (size_t begin = 0; begin < count; begin += most) {
          const size_t length = count - begin < most ? count - begin : most;
          loops_.run(numbers_, result, elements(offset + begin * step, step, length, block),
                     length);
        }
      });
    }
    loops_.finish(numbers_, result, 1, walk_.combined());
    store_block(compute_, out_.dtype, result, 1, out_.data, out_at, 1);
  }

  void reduce_rows(size_t out_at, size_t out_step, size_t in_at, size_t length) const {
    alignas(8) uint8_t results[kBlockBytes];
    alignas(8) uint8_t block[kBlockBytes];
    loops_.start(numbers_, results, length);
    if (walk_.combined() != 0) {
      walk_.for_each_run(in_at, [&](size_t offset, size_t count, size_t step) {
        for (size_t i = 0; i < count; ++i) {
          loops_.row(numbers_, results, elements(offset + i * step, 1, length, block), length);
        }
      });
    }
    loops_.finish(numbers_, results, length, walk_.combined());
    store_block(compute_, out_.dtype, results, length, out_.data, out_at, out_step);
  }

  const ReductionWalk& walk_;
  const ReductionLoops& loops_;
  Compute compute_;
  size_t size_;
  const Tensor& in_;
  const Tensor& out_;
  const void* numbers_;
};

}  // namespace

Status read_dim_set(const Args& args, uint32_t index, int rank, DimSet* dims) {
  *dims = 0;
  if (args.is_none(index) || args.list_size(index) == 0) {
    *dims = (DimSet{1} << rank) - 1;
    return Status::kOk;
  }
  for (uint32_t i = 0; i < args.list_size(index); ++i) {
    int dim = 0;
    KERNEL_TRY(read_dim(args.int_at(index, i), rank, &dim));
    KERNEL_REQUIRE(!holds(*dims, dim), kBadArguments);
    *dims |= DimSet{1} << dim;
  }
  return Status::kOk;
}

Status read_one_dim(const Args& args, uint32_t index, int rank, DimSet* dims) {
  if (args.is_none(index)) {
    *dims = (DimSet{1} << rank) - 1;
    return Status::kOk;
  }
  int dim = 0;
  KERNEL_TRY(read_dim(args.integer(index), rank, &dim));
  *dims = DimSet{1} << dim;
  return Status::kOk;
}

Status ReductionWalk::open(const Tensor& in, DimSet dims, bool keepdim, Tensor& out,
                           WalkOrder order) {
  const Sizes sizes(in);
  size_t in_strides[kMaxRank], out_strides[kMaxRank];
  compute_strides(in, in_strides);
  Sizes reduced;
  int in_dims[kMaxRank] = {};  // of each dim of out
  for (int d = 0; d < sizes.rank; ++d) {
    if (holds(dims, d)) combined_ *= static_cast<size_t>(sizes.at[d]);
    if (holds(dims, d) && !keepdim) continue;
    in_dims[reduced.rank] = d;
    KERNEL_TRY(append_size(holds(dims, d) ? 1 : sizes.at[d], &reduced));
  }
  for (int i = 0; i < sizes.rank; ++i) {
    const int d = order == WalkOrder::kDims ? i : in.dim_order[i];
    if (holds(dims, d)) reduced_.append(static_cast<size_t>(sizes.at[d]), {in_strides[d]});
  }
  KERNEL_TRY(resize(out, reduced));
  outputs_ = out.numel();
  compute_strides(out, out_strides);
  for (int i = 0; i < out.rank; ++i) {
    const int dim = out.dim_order[i];
    if (holds(dims, in_dims[dim])) continue;
    kept_.append(static_cast<size_t>(reduced.at[dim]),
                 {out_strides[dim], in_strides[in_dims[dim]]});
  }
  return Status::kOk;
}

bool ReductionWalk::runs_are_dense() const {
  return reduced_.rank == 0 || reduced_.steps[0][reduced_.rank - 1] == 1;
}

Status run_reduction(const ReductionOperator& op, ScalarType common, const Tensor& in, DimSet dims,
                     bool keepdim, Tensor& out, double number) {
  KERNEL_REQUIRE(has_arithmetic(in.dtype) && has_arithmetic(out.dtype), kBadArguments);
  const Compute compute = compute_of(common);
  const ReductionLoops& loops = op.loops[static_cast<int>(compute)];
  KERNEL_REQUIRE(loops.start != nullptr, kBadArguments);
  ReductionWalk walk;
  KERNEL_TRY(walk.open(in, dims, keepdim, out));
  if (walk.outputs() == 0) return Status::kOk;
  KERNEL_REQUIRE(op.takes_nothing || walk.combined() != 0, kBadShape);
  alignas(8) uint8_t numbers[sizeof(double)];
  load_block(compute, ScalarType::kDouble, &number, 0, 1, 1, numbers);
  Reducer(walk, loops, compute, in, out, numbers).run();
  return Status::kOk;
}

}  // namespace berth::runtime
