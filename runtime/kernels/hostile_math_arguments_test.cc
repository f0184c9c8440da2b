// Hostile arguments (hostile_test_util.h) for the portable kernels that compute: elementwise
// operators, comparisons, copies and fills, reductions, and the executor's own. Most calls are made
// from the letters of their schema.
#include <gtest/gtest.h>

#include <string>

#include "runtime/kernels/hostile_test_util.h"
#include "runtime/kernels/portable/comparison_kernels.h"
#include "runtime/kernels/portable/copy_kernels.h"
#include "runtime/kernels/portable/math_kernels.h"
#include "runtime/kernels/portable/prim_kernels.h"
#include "runtime/kernels/portable/reduction_kernels.h"

namespace berth::runtime {
namespace {

using Ints = std::vector<int64_t>;
constexpr ScalarType kFlag = ScalarType::kBool;

// One more argument, as its letter asks; tensors are of `dtype`.
void add_argument(char letter, ScalarType dtype, TestTensor& in, TestTensor& out, Call& c) {
  switch (letter) {
    case 'T':
    case 't':
    case 'M':
      c << in;
      break;
    case 'O':
      c << out;
      break;
    case 'b':
    case 'c':
      c << false;
      break;
    case 'a':
      c << "none";
      break;
    case 'S':
      c << "floor";
      break;
    case 'I':
    case 'j':
      c << Ints{1};
      break;
    case 'i':
      c << 1;
      break;
    case 'n':
      c.none();
      break;
    case 'Y':
      c.cell(Tag::kInt);
      break;
    case 'd':
    case 'e':
      c << 0.5;
      break;
    default:
      if (dtype == kF32) {
        c << 2.0;
      } else {
        c << 2;
      }
  }
}

Call call_by_letters(const OperatorSchema& schema, Tensors& t, ScalarType dtype,
                     const std::vector<int32_t>& out_sizes, ScalarType out_dtype) {
  Call c;
  for (const char* letter = schema.args; *letter != '\0'; ++letter) {
    TestTensor& in = t.add(dtype, {2, 3});
    for (size_t i = 0; dtype == kI32 && i < in.numel(); ++i) in.data<int32_t>()[i] = 3;
    add_argument(*letter, dtype, in, t.add(out_dtype, out_sizes), c);
  }
  return c;
}

bool starts_with(const std::string& text, const char* start) { return text.rfind(start, 0) == 0; }

// Where letters do not say enough. True where it has filled *c.
bool special_call(const std::string& op, Tensors& t, Call& c) {
  TestTensor& in = t.add(kF32, {2, 3});
  if (op == "where.self_out") c << t.add(kFlag, {2, 3}) << in << in << t.add(kF32, {2, 3});
  if (starts_with(op, "masked_fill")) {
    c << in << t.add(kFlag, {2, 3});
    if (op == "masked_fill.Scalar_out") {
      c << 0.5;
    } else {
      c << t.add(kF32, {});
    }
    c << t.add(kF32, {2, 3});
  }
  if (op == "copy_.") c << in << t.add(kF32, {3}) << false;
  if (op == "full.out") c << Ints{2, 3} << 0.5 << t.add(kF32, {2, 3});
  if (op == "zeros.out" || op == "ones.out") c << Ints{2, 3} << t.add(kF32, {2, 3});
  if (op == "empty.out") (c << Ints{2, 3}).none() << t.add(kF32, {2, 3});
  if (op == "_empty_dim_order.out") (c << Ints{2, 3}).none() << t.add(kF32, {2, 3});
  if (op == "_to_dim_order_copy.out" || op == "_clone_dim_order.out")
    c << in << false << Ints{0, 1} << t.add(kF32, {2, 3});
  if (op == "fill.Tensor_out") c << in << t.add(kF32, {}) << t.add(kF32, {2, 3});
  if (op == "scalar_tensor.out") c << 0.5 << t.add(kF32, {});
  if (op == "arange.out") c << 4 << t.add(kI64, {4});
  if (op == "arange.start_out") c << 0.5 << 4.5 << 1 << t.add(kF32, {4});
  if (op == "et_view.default") c << t.add(kI8, {2, 6}) << Ints{3, -1} << t.add(kI8, {3, 4});
  if (op == "et_copy_index.tensor") c << t.add(kF32, {2, 3}) << t.add(kF32, {3}) << 1;
  if (op == "sym_size.int") (c << in << 1).cell(Tag::kInt);
  if (op == "sym_numel.") (c << in).cell(Tag::kInt);
  if (op == "_local_scalar_dense.") (c << in).cell(Tag::kDouble);
  if (starts_with(op, "max.dim") || starts_with(op, "min.dim"))
    c << in << 1 << false << t.add(kF32, {2}) << t.add(kI64, {2});
  if (starts_with(op, "argm")) c << in << 1 << false << t.add(kI64, {2});
  if (op == "aminmax.out") c << in << 1 << false << t.add(kF32, {2}) << t.add(kF32, {2});
  if (op == "any.all_out" || op == "all.all_out") c << in << t.add(kFlag, {});
  if (op == "max.unary_out" || op == "min.unary_out") c << in << t.add(kF32, {});
  if (starts_with(op, "cum")) (c << in << 1).none() << t.add(kF32, {2, 3});
  if (op == "norm.dtype_out") c << in << 2 << Ints{1} << false << 6 << t.add(kF32, {2});
  if (op == "prod.out" || op == "sum.out" || op == "mean.dtype_out")
    (c << in).none() << t.add(kF32, {});
  return c.size() > 0;
}

Call prim_call(const std::string& op, const OperatorSchema& schema) {
  Call c;
  const bool logical = op == "sym_not.Scalar";
  for (const char* letter = schema.args; *letter != '\0'; ++letter) {
    if (*letter == 'Y') {
      const std::string name = op.substr(0, op.find('.'));
      const bool compares = name == "eq" || name == "ne" || name == "lt" || name == "le" ||
                            name == "gt" || name == "ge" || logical;
      const bool floats = name == "truediv" || name == "sym_float";
      c.cell(compares ? Tag::kBool : floats ? Tag::kDouble : Tag::kInt);
    } else if (logical || (op == "sym_ite.Scalar" && letter == schema.args)) {
      c << true;
    } else {
      c << 7;
    }
  }
  return c;
}

bool is_reduction(const Kernel& kernel) {
  for (const Kernel& other : kReductionKernels) {
    if (other.schema == kernel.schema) return true;
  }
  return false;
}

Call valid_call(const Kernel& kernel, Tensors& t) {
  const OperatorSchema& schema = *kernel.schema;
  const std::string name = schema.name;
  const std::string op = name.substr(name.find("::") + 2) + "." + schema.overload;
  Call c;
  if (special_call(op, t, c)) return c;
  if (starts_with(name, "executorch_prim::")) return prim_call(op, schema);
  if (is_reduction(kernel)) {
    const bool truth = starts_with(op, "any") || starts_with(op, "all");
    return call_by_letters(schema, t, kF32, {2}, truth ? kFlag : kF32);
  }
  if (starts_with(op, "bitwise")) return call_by_letters(schema, t, kI32, {2, 3}, kI32);
  return call_by_letters(schema, t, kF32, {2, 3}, kF32);
}

// The same call on int32 where it was on float32: integer arithmetic has loops, and divisors, of
// its own. Need not be accepted.
Call integer_call(const Kernel& kernel, Tensors& tensors) {
  Call call = valid_call(kernel, tensors);
  for (size_t i = 0; i < strlen(kernel.schema->args); ++i) {
    const Tensor* tensor = call.tensor(i);
    if (tensor == nullptr || tensor->dtype != kF32) continue;
    TestTensor& whole =
        tensors.add(kI32, std::vector<int32_t>(tensor->sizes, tensor->sizes + tensor->rank));
    for (size_t e = 0; e < whole.numel(); ++e) whole.data<int32_t>()[e] = 3;
    call.replace(i, whole);
  }
  return call;
}

class HostileMathArguments : public testing::TestWithParam<Kernel> {};

TEST_P(HostileMathArguments, AreRefusedOrHarmless) {
  const Kernel kernel = GetParam();
  const MakeCall make = [&](Tensors& tensors) { return valid_call(kernel, tensors); };
  {
    Tensors tensors;
    Call call = make(tensors);
    ASSERT_EQ(call.run(kernel), Status::kOk);
  }
  Spoiler spoiler(kernel, make);
  spoiler.spoil_all();
  // Additions of Ints, for example, cannot go wrong.
  if (std::string(kernel.schema->args).find('Y') == std::string::npos) {
    EXPECT_GT(spoiler.refused(), 0);
  }
  Spoiler of_integers(kernel, [&](Tensors& tensors) { return integer_call(kernel, tensors); });
  of_integers.spoil_all();
}

std::vector<Kernel> all_kernels() {
  std::vector<Kernel> kernels;
  const auto add = [&](Span<const Kernel> table) {
    for (const Kernel& kernel : table) kernels.push_back(kernel);
  };
  add(kMathKernels);
  add(kComparisonKernels);
  add(kCopyKernels);
  add(kReductionKernels);
  add(kPrimKernels);
  return kernels;
}

INSTANTIATE_TEST_SUITE_P(AllKernels, HostileMathArguments, testing::ValuesIn(all_kernels()),
                         kernel_test_name);

}  // namespace
}  // namespace berth::runtime
