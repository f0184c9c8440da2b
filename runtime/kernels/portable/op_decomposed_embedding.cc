#include "runtime/kernels/portable/index_values.h"
#include "runtime/kernels/portable/quantized_decomposed_kernels.h"
#include "runtime/kernels/portable/quantized_rows.h"

namespace berth::runtime {
namespace {

struct SignedBytes {
  static constexpr size_t kPerByte = 1;
  static float at(const uint8_t* row, size_t k) {
    return static_cast<float>(static_cast<int8_t>(row[k]));
  }
};
struct UnsignedBytes {
  static constexpr size_t kPerByte = 1;
  static float at(const uint8_t* row, size_t k) { return static_cast<float>(row[k]); }
};
struct Nibbles {
  static constexpr size_t kPerByte = 2;
  static float at(const uint8_t* row, size_t k) {
    const int pair = row[k / 2];
    return static_cast<float>((k % 2 == 0 ? pair >> 4 : pair & 15) - 8);
  }
};

// (weight, scales, zero_points, low, high, indices, ..., out)
template <typename Packing>
Status embed(const Args& args, Tensor& out) {
  const Tensor& weight = args.tensor(0);
  const Tensor& indices = args.tensor(5);
  KERNEL_REQUIRE(has_dtype(out, ScalarType::kFloat) && is_index(indices), kBadArguments);
  QuantizedRows rows;
  KERNEL_TRY(read_quantized_rows(weight, Packing::kPerByte, args.tensor(1), args.optional_tensor(2),
                                 &rows));
  for (uint32_t i = 0; i < 6; ++i) KERNEL_REQUIRE(args.optional_tensor(i) != &out, kBadArguments);
  KERNEL_REQUIRE(is_row_major(indices), kBadShape);
  const IndexValues values(indices);
  const int64_t count = static_cast<int64_t>(rows.rows);
  KERNEL_REQUIRE(values.lie_in(0, count), kBadArguments);
  Sizes sizes(indices);
  KERNEL_TRY(append_size(static_cast<int64_t>(rows.depth), &sizes));
  KERNEL_REQUIRE(out.rank == sizes.rank && is_row_major_at(out, sizes), kBadShape);
  KERNEL_TRY(resize(out, sizes));
  float* to = out.as_mutable<float>();
  const size_t lookups = indices.numel();
  for (size_t i = 0; i < lookups; ++i, to += rows.depth) {
    const int64_t index = values.at(i);
    KERNEL_REQUIRE(index >= 0 && index < count, kBadArguments);
    const size_t row = static_cast<size_t>(index);
    const uint8_t* packed = weight.as<uint8_t>() + row * (rows.depth / Packing::kPerByte);
    for (size_t k = 0; k < rows.depth; ++k)
      to[k] = (Packing::at(packed, k) - rows.zero_point(row, k)) * rows.scale(row, k);
  }
  return Status::kOk;
}

Status embed_bytes(const Args& args, Tensor& out) {
  const bool is_signed = has_dtype(args.tensor(0), ScalarType::kChar);
  KERNEL_REQUIRE(is_signed || has_dtype(args.tensor(0), ScalarType::kByte), kBadArguments);
  return is_signed ? embed<SignedBytes>(args, out) : embed<UnsignedBytes>(args, out);
}

Status embed_nibbles(const Args& args, Tensor& out) {
  KERNEL_REQUIRE(has_dtype(args.tensor(0), ScalarType::kByte), kBadArguments);
  return embed<Nibbles>(args, out);
}

// The dtype asked for, where one is.
Status check_dtype(const Args& args, const Tensor& out) {
  KERNEL_REQUIRE(args.is_none(6) || args.integer(6) == static_cast<int64_t>(out.dtype),
                 kBadArguments);
  return Status::kOk;
}

}  // namespace

Status run_decomposed_embedding_byte(KernelContext&, const Args& args) {
  return embed_bytes(args, args.tensor(6));
}

Status run_decomposed_embedding_byte_dtype(KernelContext&, const Args& args) {
  KERNEL_TRY(check_dtype(args, args.tensor(7)));
  return embed_bytes(args, args.tensor(7));
}

Status run_decomposed_embedding_4bit(KernelContext&, const Args& args) {
  return embed_nibbles(args, args.tensor(6));
}

Status run_decomposed_embedding_4bit_dtype(KernelContext&, const Args& args) {
  KERNEL_TRY(check_dtype(args, args.tensor(7)));
  return embed_nibbles(args, args.tensor(7));
}

}  // namespace berth::runtime
