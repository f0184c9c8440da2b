// Tensors made from numbers.
#include <cmath>
#include <cstring>

#include "runtime/core/resize.h"
#include "runtime/kernels/portable/copy_kernels.h"
#include "runtime/kernels/portable/elementwise.h"

namespace berth::runtime {
namespace {

// Every element of out becomes the one at `element`, as wide as out's.
void repeat_element(const void* element, const Tensor& out) {
  const size_t size = element_size(out.dtype);
  const size_t bytes = out.nbytes();
  if (bytes == 0) return;
  uint8_t* to = out.as_mutable<uint8_t>();
  memcpy(to, element, size);
  // What is filled already is copied behind itself, twice as much each time.
  for (size_t done = size; done < bytes;) {
    const size_t next = done < bytes - done ? done : bytes - done;
    memcpy(to + done, to, next);
    done += next;
  }
}

Status fill(const Number& number, const Tensor& out) {
  KERNEL_REQUIRE(has_arithmetic(out.dtype), kBadArguments);
  const bool exact = number.dtype != ScalarType::kDouble;
  // By way of the float type that out has, or of the number's own.
  const Compute compute = is_floating(out.dtype) ? compute_of(out.dtype)
                          : exact                ? Compute::kInteger
                                                 : Compute::kDouble;
  alignas(8) uint8_t converted[8], element[8];
  const void* from = exact ? static_cast<const void*>(&number.integer) : &number.number;
  load_block(compute, exact ? ScalarType::kLong : ScalarType::kDouble, from, 0, 1, 1, converted);
  store_block(compute, out.dtype, converted, 1, element, 0, 1);
  repeat_element(element, out);
  return Status::kOk;
}

Status resize_to_list(const Args& args, Tensor& out) {
  int32_t sizes[kMaxRank];
  KERNEL_REQUIRE(args.list_size(0) == out.rank, kBadShape);
  for (uint32_t d = 0; d < out.rank; ++d) {
    const int64_t size = args.int_at(0, d);
    KERNEL_REQUIRE(size >= 0 && fits<int32_t>(size), kBadShape);
    sizes[d] = static_cast<int32_t>(size);
  }
  return resize(out, sizes, out.rank);
}

Status fill_list_shape(const Args& args, Tensor& out, const Number& number) {
  KERNEL_REQUIRE(has_arithmetic(out.dtype), kBadArguments);
  KERNEL_TRY(resize_to_list(args, out));
  return fill(number, out);
}

Status fill_like(const Args& args, Tensor& out, const Number& number) {
  KERNEL_REQUIRE(has_arithmetic(out.dtype), kBadArguments);
  KERNEL_TRY(resize(out, args.tensor(0).sizes, args.tensor(0).rank));
  return fill(number, out);
}

Number whole(int64_t integer) {
  Number number;
  number.integer = integer;
  number.number = static_cast<double>(integer);
  number.dtype = ScalarType::kLong;
  return number;
}

// out[i] = start + i * step
template <typename T>
void count_up(T start, T step, Compute compute, const Tensor& out) {
  T block[kBlock];
  const size_t count = out.numel();
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t length = count - begin < kBlock ? count - begin : kBlock;
    for (size_t i = 0; i < length; ++i) {
      block[i] = plus(start, times(static_cast<T>(begin + i), step));
    }
    store_block(compute, out.dtype, block, length, out.data, begin, 1);
  }
}

Status arange(const Number& start, const Number& end, const Number& step, Tensor& out) {
  KERNEL_REQUIRE(has_arithmetic(out.dtype) && out.dtype != ScalarType::kBool, kBadArguments);
  const double length = std::ceil((end.number - start.number) / step.number);
  // Not for a step of 0, one that leads away, or NaN.
  KERNEL_REQUIRE(length >= 0 && length <= static_cast<double>(INT32_MAX), kBadArguments);
  KERNEL_REQUIRE(step.number != 0, kBadArguments);
  const int32_t size = static_cast<int32_t>(length);
  KERNEL_TRY(resize(out, &size, 1));
  const bool exact = start.dtype != ScalarType::kDouble && step.dtype != ScalarType::kDouble;
  if (exact && !is_floating(out.dtype)) {
    count_up(start.integer, step.integer, Compute::kInteger, out);
  } else {
    count_up(start.number, step.number, Compute::kDouble, out);
  }
  return Status::kOk;
}

}  // namespace

// (size, value, out)
Status run_full(KernelContext&, const Args& args) {
  return fill_list_shape(args, args.tensor(2), read_number(args.value(1)));
}
Status run_zeros(KernelContext&, const Args& args) {
  return fill_list_shape(args, args.tensor(1), whole(0));
}
Status run_ones(KernelContext&, const Args& args) {
  return fill_list_shape(args, args.tensor(1), whole(1));
}

// Nobody may read what is in there; the shape counts.
Status run_empty(KernelContext&, const Args& args) { return resize_to_list(args, args.tensor(2)); }

// (self, value, memory format or none, out)
Status run_full_like(KernelContext&, const Args& args) {
  return fill_like(args, args.tensor(3), read_number(args.value(1)));
}
Status run_zeros_like(KernelContext&, const Args& args) {
  return fill_like(args, args.tensor(2), whole(0));
}
Status run_ones_like(KernelContext&, const Args& args) {
  return fill_like(args, args.tensor(2), whole(1));
}

// (self, value, out)
Status run_fill_scalar(KernelContext&, const Args& args) {
  KERNEL_REQUIRE(args.tensor(0).dtype == args.tensor(2).dtype, kBadArguments);
  return fill_like(args, args.tensor(2), read_number(args.value(1)));
}
Status run_fill_tensor(KernelContext&, const Args& args) {
  const Tensor& value = args.tensor(1);
  Tensor& out = args.tensor(2);
  KERNEL_REQUIRE(args.tensor(0).dtype == out.dtype && has_arithmetic(out.dtype), kBadArguments);
  KERNEL_REQUIRE(value.numel() == 1, kBadShape);
  KERNEL_REQUIRE(has_arithmetic(value.dtype), kBadArguments);
  const Compute compute = is_floating(value.dtype) ? compute_of(value.dtype)
                          : is_floating(out.dtype) ? compute_of(out.dtype)
                                                   : Compute::kInteger;
  alignas(8) uint8_t converted[8], element[8];
  load_block(compute, value.dtype, value.data, 0, 1, 1, converted);
  KERNEL_TRY(resize(out, args.tensor(0).sizes, args.tensor(0).rank));
  store_block(compute, out.dtype, converted, 1, element, 0, 1);
  repeat_element(element, out);
  return Status::kOk;
}

Status run_scalar_tensor(KernelContext&, const Args& args) {
  Tensor& out = args.tensor(1);
  KERNEL_REQUIRE(out.rank == 0, kBadShape);
  return fill(read_number(args.value(0)), out);
}

Status run_arange(KernelContext&, const Args& args) {
  return arange(whole(0), read_number(args.value(0)), whole(1), args.tensor(1));
}
// (start, end, step, out)
Status run_arange_start(KernelContext&, const Args& args) {
  return arange(read_number(args.value(0)), read_number(args.value(1)), read_number(args.value(2)),
                args.tensor(3));
}

}  // namespace berth::runtime
