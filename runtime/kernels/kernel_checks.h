// What every kernel asks before it touches a byte. The loader has checked kinds and counts of
// arguments and that each tensor's data holds nbytes(); shapes, dtypes and values still come from a
// file, so a kernel refuses whatever its arithmetic is not made for. All sums and products of
// shapes are 64-bit.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "contract/fixed_point.h"
#include "contract/scratch_rules.h"
#include "contract/status.h"
#include "runtime/core/kernel.h"
#include "runtime/core/tensor.h"
#include "runtime/kernels/scaling.h"

#define KERNEL_REQUIRE(condition, status)    \
  do {                                       \
    if (!(condition)) return Status::status; \
  } while (false)

#define KERNEL_TRY(call)                                            \
  do {                                                              \
    const Status kernel_try_status = (call);                        \
    if (kernel_try_status != Status::kOk) return kernel_try_status; \
  } while (false)

namespace berth::runtime {

template <typename T>
constexpr bool fits(int64_t value) {
  return static_cast<T>(value) == value;
}

inline bool has_dtype(const Tensor& tensor, ScalarType dtype) { return tensor.dtype == dtype; }

inline bool all_have_dtype(ScalarType dtype, const Tensor& a, const Tensor& b, const Tensor& c) {
  return has_dtype(a, dtype) && has_dtype(b, dtype) && has_dtype(c, dtype);
}

// The dtype whose elements are T.
template <typename T>
constexpr ScalarType scalar_type_of() {
  if constexpr (std::is_same_v<T, uint8_t>) {
    return ScalarType::kByte;
  } else if constexpr (std::is_same_v<T, int8_t>) {
    return ScalarType::kChar;
  } else if constexpr (std::is_same_v<T, int16_t>) {
    return ScalarType::kShort;
  } else {
    static_assert(std::is_same_v<T, int32_t>, "no quantised operator takes this type");
    return ScalarType::kInt;
  }
}

// run(T{}) with the one of Types that dtype stands for; kBadArguments where it is none of them.
template <typename... Types, typename Run>
Status dispatch_dtype(ScalarType dtype, const Run& run) {
  Status status = Status::kBadArguments;
  static_cast<void>(((dtype == scalar_type_of<Types>() && (status = run(Types{}), true)) || ...));
  return status;
}

// As lies_in_order, for a tensor whose dim order is another one.
[[gnu::noinline]] inline bool lies_almost_in_order(const Tensor& tensor, const uint8_t* order) {
  int next = 0;
  for (int i = 0; i < tensor.rank; ++i) {
    const int dim = tensor.dim_order[i];
    if (tensor.sizes[dim] == 1) continue;
    while (next < tensor.rank && tensor.sizes[order[next]] == 1) ++next;
    if (next == tensor.rank || order[next] != dim) return false;
    ++next;
  }
  return true;
}

// The dims of size other than 1 lie in memory in the order of `order`; dims of size 1 may stand
// anywhere.
inline bool lies_in_order(const Tensor& tensor, const uint8_t* order) {
  for (int i = 0; i < tensor.rank; ++i) {
    if (tensor.dim_order[i] != order[i]) return lies_almost_in_order(tensor, order);
  }
  return true;
}

constexpr uint8_t kRowMajorOrder[kMaxRank] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

inline bool is_row_major(const Tensor& tensor) { return lies_in_order(tensor, kRowMajorOrder); }

// numel() == count, fast for what has one dim: biases and factors.
inline bool has_elements(const Tensor& tensor, size_t count) {
  return (tensor.rank == 1 ? static_cast<size_t>(tensor.sizes[0]) : tensor.numel()) == count;
}

// Elements of all dims but the last, fast for a matrix. REQUIRES: rank >= 1.
inline size_t count_rows(const Tensor& tensor) {
  if (tensor.rank == 2) return static_cast<size_t>(tensor.sizes[0]);
  size_t rows = 1;
  for (int d = 0; d < tensor.rank - 1; ++d) rows *= static_cast<size_t>(tensor.sizes[d]);
  return rows;
}

constexpr uint8_t kNhwcOrder[4] = {0, 2, 3, 1};

// An image batch: sizes (N, C, H, W), bytes in the order N, H, W, C.
inline bool is_nhwc_image(const Tensor& tensor) {
  return tensor.rank == 4 && lies_in_order(tensor, kNhwcOrder);
}

// Input and output of an operator that moves a window over images: one batch size, and the sizes
// that *shape has for them.
inline Status read_images(const Tensor& in, const Tensor& out, WindowShape* shape) {
  KERNEL_REQUIRE(is_nhwc_image(in) && is_nhwc_image(out), kBadShape);
  KERNEL_REQUIRE(in.size(0) == out.size(0), kBadShape);
  shape->batch = in.size(0), shape->in_c = in.size(1), shape->in_h = in.size(2),
  shape->in_w = in.size(3);
  shape->out_c = out.size(1), shape->out_h = out.size(2), shape->out_w = out.size(3);
  return Status::kOk;
}

// Same sizes, and element i of one's memory is element i of the other's.
inline bool same_layout(const Tensor& a, const Tensor& b) {
  return same_shape(a, b) && lies_in_order(a, b.dim_order);
}

// An Int argument that must be an int32.
inline Status read_int32(const Args& args, uint32_t index, int32_t* out) {
  const int64_t value = args.integer(index);
  KERNEL_REQUIRE(fits<int32_t>(value), kBadArguments);
  *out = static_cast<int32_t>(value);
  return Status::kOk;
}

// A list (height, width) with both entries in [low, 2^31).
inline Status read_pair(const Args& args, uint32_t index, int64_t low, int64_t* first,
                        int64_t* second) {
  KERNEL_REQUIRE(args.list_size(index) == 2, kBadArguments);
  *first = args.int_at(index, 0);
  *second = args.int_at(index, 1);
  KERNEL_REQUIRE(*first >= low && fits<int32_t>(*first) && *second >= low && fits<int32_t>(*second),
                 kBadArguments);
  return Status::kOk;
}

// -2^31 is no multiplier, nor the vendor's.
inline Status read_scaling(const Args& args, uint32_t multiplier, uint32_t shift, Scaling* out) {
  KERNEL_TRY(read_int32(args, multiplier, &out->multiplier));
  KERNEL_TRY(read_int32(args, shift, &out->shift));
  KERNEL_REQUIRE(is_valid_shift(out->shift) && out->multiplier != kInt32Min, kBadArguments);
  return Status::kOk;
}

// A zero point of T.
template <typename T>
Status read_zero_point(const Args& args, uint32_t index, int32_t* out) {
  KERNEL_REQUIRE(fits<T>(args.integer(index)), kBadArguments);
  *out = static_cast<int32_t>(args.integer(index));
  return Status::kOk;
}

// Bounds of an output of T.
struct Range {
  int32_t low = 0;
  int32_t high = 0;
};

template <typename T>
Status read_range(const Args& args, uint32_t low, uint32_t high, Range* out) {
  KERNEL_REQUIRE(fits<T>(args.integer(low)) && fits<T>(args.integer(high)), kBadArguments);
  out->low = static_cast<int32_t>(args.integer(low));
  out->high = static_cast<int32_t>(args.integer(high));
  KERNEL_REQUIRE(out->low <= out->high, kBadArguments);
  return Status::kOk;
}

template <typename T>
constexpr Range full_range() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

// Per-channel multipliers and shifts: int32 tensors of exactly `channels` elements. max_shift: 31,
// or 14 with 64-bit accumulators. -2^31 is no multiplier (nor the vendor's): without it the high
// multiply cannot saturate.
inline Status check_channel_scaling(const Tensor& multipliers, const Tensor& shifts,
                                    size_t channels, int32_t max_shift = 31) {
  KERNEL_REQUIRE(has_dtype(multipliers, ScalarType::kInt) && has_dtype(shifts, ScalarType::kInt),
                 kBadArguments);
  KERNEL_REQUIRE(has_elements(multipliers, channels) && has_elements(shifts, channels), kBadShape);
  const int32_t* multiplier = multipliers.as<int32_t>();
  const int32_t* shift = shifts.as<int32_t>();
  bool good = true;
  for (size_t i = 0; i < channels; ++i) {
    good = good && shift[i] >= -31 && shift[i] <= max_shift && multiplier[i] != kInt32Min;
  }
  KERNEL_REQUIRE(good, kBadArguments);
  return Status::kOk;
}

// The scratch given against what rule(isa) asks for on this ISA; asked before anything is written.
// With BERTH_RUNTIME_CHECKS also that it has exactly the bytes that the rule gives for the ISA it
// was sized for: compiler and kernel have one rule, and more or less means that they differ.
template <typename Rule>
Status check_scratch([[maybe_unused]] const KernelContext& context, const Tensor& scratch,
                     const Rule& rule) {
  const uint64_t need = rule(kBuildIsa);
  KERNEL_REQUIRE(need != kNoScratchSize, kBadShape);
  KERNEL_REQUIRE(scratch.nbytes() >= need, kScratchTooSmall);
#ifdef BERTH_RUNTIME_CHECKS
  KERNEL_REQUIRE(context.isa == Isa::kUnstated || scratch.nbytes() == rule(context.isa),
                 kBadArguments);
#endif
  return Status::kOk;
}

// Where kernels keep words in it. Plans align scratch to 16; a file may say otherwise.
inline bool is_word_aligned(const Tensor& scratch) {
  return reinterpret_cast<uintptr_t>(scratch.data) % alignof(int32_t) == 0;
}

}  // namespace berth::runtime
