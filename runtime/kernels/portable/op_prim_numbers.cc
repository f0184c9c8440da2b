// Numbers in value cells: what the exporter leaves of symbolic sizes. Int with Int gives Int; a
// Double among them gives Double. The cell keeps its kind, which lists of Ints rely on: a result of
// another kind is refused, but a Double cell takes an Int.
#include <cmath>

#include "runtime/kernels/kernel_checks.h"
#include "runtime/kernels/portable/element_blocks.h"
#include "runtime/kernels/portable/integer_division.h"
#include "runtime/kernels/portable/prim_kernels.h"

namespace berth::runtime {
namespace {

Status give(EValue& cell, int64_t integer) {
  if (cell.tag == Tag::kDouble) {
    cell.number = static_cast<double>(integer);
    return Status::kOk;
  }
  KERNEL_REQUIRE(cell.tag == Tag::kInt, kBadArguments);
  cell.integer = integer;
  return Status::kOk;
}

Status give(EValue& cell, double number) {
  KERNEL_REQUIRE(cell.tag == Tag::kDouble, kBadArguments);
  cell.number = number;
  return Status::kOk;
}

Status give(EValue& cell, bool boolean) {
  KERNEL_REQUIRE(cell.tag == Tag::kBool, kBadArguments);
  cell.boolean = boolean;
  return Status::kOk;
}

bool has_double(const Args& args) {
  return args.value(0).tag == Tag::kDouble || args.value(1).tag == Tag::kDouble;
}

int64_t integer_of(const EValue& value) {
  return value.tag == Tag::kBool ? (value.boolean ? 1 : 0) : value.integer;
}

// (a, b, result)
template <typename Integers, typename Doubles>
Status compute(const Args& args, const Integers& integers, const Doubles& doubles) {
  if (has_double(args)) return give(args.value(2), doubles(args.number(0), args.number(1)));
  return give(args.value(2), integers(integer_of(args.value(0)), integer_of(args.value(1))));
}

uint64_t bits(int64_t integer) { return static_cast<uint64_t>(integer); }

// A whole number as Int. REQUIRES nothing: what is out of range is refused.
Status give_whole(EValue& cell, double number) {
  KERNEL_REQUIRE(number >= -9223372036854775808.0 && number < 9223372036854775808.0, kBadArguments);
  return give(cell, static_cast<int64_t>(number));
}

}  // namespace

Status run_prim_add(KernelContext&, const Args& args) {
  return compute(
      args, [](int64_t a, int64_t b) { return static_cast<int64_t>(bits(a) + bits(b)); },
      [](double a, double b) { return a + b; });
}
Status run_prim_sub(KernelContext&, const Args& args) {
  return compute(
      args, [](int64_t a, int64_t b) { return static_cast<int64_t>(bits(a) - bits(b)); },
      [](double a, double b) { return a - b; });
}
Status run_prim_mul(KernelContext&, const Args& args) {
  return compute(
      args, [](int64_t a, int64_t b) { return static_cast<int64_t>(bits(a) * bits(b)); },
      [](double a, double b) { return a * b; });
}
Status run_prim_floordiv(KernelContext&, const Args& args) {
  KERNEL_REQUIRE(has_double(args) || integer_of(args.value(1)) != 0, kBadArguments);
  return compute(args, floored_quotient, [](double a, double b) { return std::floor(a / b); });
}
Status run_prim_floordiv_int(KernelContext&, const Args& args) {
  KERNEL_REQUIRE(!has_double(args) && integer_of(args.value(1)) != 0, kBadArguments);
  return give(args.value(2),
              truncated_quotient(integer_of(args.value(0)), integer_of(args.value(1))));
}
Status run_prim_mod(KernelContext&, const Args& args) {
  KERNEL_REQUIRE(has_double(args) || integer_of(args.value(1)) != 0, kBadArguments);
  return compute(args, truncated_rest, [](double a, double b) { return std::fmod(a, b); });
}
Status run_prim_truediv(KernelContext&, const Args& args) {
  return give(args.value(2), args.number(0) / args.number(1));
}

Status run_prim_eq(KernelContext&, const Args& args) {
  return compute(
      args, [](int64_t a, int64_t b) { return a == b; }, [](double a, double b) { return a == b; });
}
Status run_prim_ne(KernelContext&, const Args& args) {
  return compute(
      args, [](int64_t a, int64_t b) { return a != b; }, [](double a, double b) { return a != b; });
}
Status run_prim_lt(KernelContext&, const Args& args) {
  return compute(
      args, [](int64_t a, int64_t b) { return a < b; }, [](double a, double b) { return a < b; });
}
Status run_prim_le(KernelContext&, const Args& args) {
  return compute(
      args, [](int64_t a, int64_t b) { return a <= b; }, [](double a, double b) { return a <= b; });
}
Status run_prim_gt(KernelContext&, const Args& args) {
  return compute(
      args, [](int64_t a, int64_t b) { return a > b; }, [](double a, double b) { return a > b; });
}
Status run_prim_ge(KernelContext&, const Args& args) {
  return compute(
      args, [](int64_t a, int64_t b) { return a >= b; }, [](double a, double b) { return a >= b; });
}
Status run_sym_max(KernelContext&, const Args& args) {
  return compute(
      args, [](int64_t a, int64_t b) { return a > b ? a : b; },
      [](double a, double b) { return a > b ? a : b; });
}
Status run_sym_min(KernelContext&, const Args& args) {
  return compute(
      args, [](int64_t a, int64_t b) { return a < b ? a : b; },
      [](double a, double b) { return a < b ? a : b; });
}

Status run_prim_neg(KernelContext&, const Args& args) {
  const EValue& value = args.value(0);
  if (value.tag == Tag::kDouble) return give(args.value(1), -value.number);
  return give(args.value(1), static_cast<int64_t>(0 - bits(integer_of(value))));
}
Status run_sym_float(KernelContext&, const Args& args) {
  return give(args.value(1), args.number(0));
}
Status run_sym_int(KernelContext&, const Args& args) {
  const EValue& value = args.value(0);
  if (value.tag == Tag::kDouble) return give_whole(args.value(1), std::trunc(value.number));
  return give(args.value(1), integer_of(value));
}
Status run_sym_not(KernelContext&, const Args& args) {
  KERNEL_REQUIRE(args.value(0).tag == Tag::kBool, kBadArguments);
  return give(args.value(1), !args.boolean(0));
}
// (condition, yes, no, result)
Status run_sym_ite(KernelContext&, const Args& args) {
  KERNEL_REQUIRE(args.value(0).tag == Tag::kBool, kBadArguments);
  const EValue& chosen = args.value(args.boolean(0) ? 1 : 2);
  if (chosen.tag == Tag::kDouble) return give(args.value(3), chosen.number);
  if (chosen.tag == Tag::kBool) return give(args.value(3), chosen.boolean);
  return give(args.value(3), chosen.integer);
}
Status run_prim_ceil(KernelContext&, const Args& args) {
  return give_whole(args.value(1), std::ceil(args.number(0)));
}
Status run_prim_round(KernelContext&, const Args& args) {
  return give_whole(args.value(1), std::nearbyint(args.number(0)));
}
Status run_prim_trunc(KernelContext&, const Args& args) {
  return give_whole(args.value(1), std::trunc(args.number(0)));
}

Status run_sym_size(KernelContext&, const Args& args) {
  const Tensor& tensor = args.tensor(0);
  int64_t dim = args.integer(1);
  if (dim < 0) dim += tensor.rank;
  KERNEL_REQUIRE(dim >= 0 && dim < tensor.rank, kBadArguments);
  return give(args.value(2), int64_t{tensor.sizes[dim]});
}
Status run_sym_numel(KernelContext&, const Args& args) {
  return give(args.value(1), static_cast<int64_t>(args.tensor(0).numel()));
}
Status run_local_scalar(KernelContext&, const Args& args) {
  const Tensor& tensor = args.tensor(0);
  KERNEL_REQUIRE(tensor.numel() != 0, kBadShape);
  KERNEL_REQUIRE(has_arithmetic(tensor.dtype), kBadArguments);
  if (is_floating(tensor.dtype)) {
    double number = 0;
    load_block(Compute::kDouble, tensor.dtype, tensor.data, 0, 1, 1, &number);
    return give(args.value(1), number);
  }
  int64_t integer = 0;
  load_block(Compute::kInteger, tensor.dtype, tensor.data, 0, 1, 1, &integer);
  if (tensor.dtype == ScalarType::kBool) return give(args.value(1), integer != 0);
  return give(args.value(1), integer);
}

}  // namespace berth::runtime
