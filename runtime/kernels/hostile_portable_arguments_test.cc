// Portable kernels that move or find elements, layers and quantised values, and hostile arguments
// (hostile_test_util.h).
#include <gtest/gtest.h>

#include <string>

#include "runtime/kernels/hostile_test_util.h"
#include "runtime/kernels/portable/portable_kernels.h"

namespace berth::runtime {
namespace {

using Ints = std::vector<int64_t>;
using List = std::vector<TestTensor*>;

// Each of these knows the calls of one family: true where it has filled *c for the operator.

bool shape_call(const std::string& op, Tensors& t, Call& c) {
  TestTensor& cube = t.add(kI16, {2, 3, 4});
  if (op == "alias_copy.out" || op == "detach_copy.out" || op == "lift_fresh_copy.out")
    c << cube << t.add(kI16, {2, 3, 4});
  if (op == "as_strided_copy.out")
    c << cube << Ints{3, 2} << Ints{4, 3} << 5 << t.add(kI16, {3, 2});
  if (op == "cat.out")
    c << List{&t.add(kI8, {1, 3}), &t.add(kI8, {2, 3})} << 0 << t.add(kI8, {3, 3});
  if (op == "constant_pad_nd.out") c << cube << Ints{1, -1, 0, 2} << 3 << t.add(kI16, {2, 5, 4});
  if (op == "diagonal_copy.out") c << cube << 1 << 1 << 2 << t.add(kI16, {2, 3});
  if (op == "expand_copy.out")
    c << t.add(kI16, {3, 1}) << Ints{2, -1, 4} << false << t.add(kI16, {2, 3, 4});
  if (op == "flip.out") c << cube << Ints{0, 2} << t.add(kI16, {2, 3, 4});
  if (op == "narrow_copy.out") c << cube << 1 << 1 << 2 << t.add(kI16, {2, 2, 4});
  if (op == "permute_copy.out") c << cube << Ints{2, 0, 1} << t.add(kI16, {4, 2, 3});
  if (op == "pixel_shuffle.out") c << t.add(kI16, {1, 4, 2, 3}) << 2 << t.add(kI16, {1, 1, 4, 6});
  if (op == "pixel_unshuffle.out") c << t.add(kI16, {1, 1, 4, 6}) << 2 << t.add(kI16, {1, 4, 2, 3});
  if (op == "reflection_pad1d.out" || op == "replication_pad1d.out")
    c << t.add(kF32, {2, 5}) << Ints{1, 2} << t.add(kF32, {2, 8});
  if (op == "reflection_pad2d.out" || op == "replication_pad2d.out")
    c << t.add(kF32, {2, 5, 4}) << Ints{1, 2, 0, -1} << t.add(kF32, {2, 4, 7});
  if (op == "reflection_pad3d.out" || op == "replication_pad3d.out") {
    c << t.add(kF32, {2, 3, 2, 2, 3}) << Ints{1, 1, 0, 1, 1, 0} << t.add(kF32, {2, 3, 3, 3, 5});
  }
  if (op == "repeat.out") c << cube << Ints{2, 1, 3, 2} << t.add(kI16, {2, 2, 9, 8});
  if (op == "roll.out") c << cube << Ints{1, 5} << Ints{0, -1} << t.add(kI16, {2, 3, 4});
  if (op == "select_copy.int_out") c << cube << 1 << 2 << t.add(kI16, {2, 4});
  if (op == "slice_copy.Tensor_out") c << cube << 2 << 1 << 4 << 2 << t.add(kI16, {2, 3, 2});
  if (op == "split_copy.Tensor_out")
    c << cube << 2 << 1 << List{&t.add(kI16, {2, 2, 4}), &t.add(kI16, {2, 1, 4})};
  if (op == "split_with_sizes_copy.out")
    c << cube << Ints{1, 2} << 1 << List{&t.add(kI16, {2, 1, 4}), &t.add(kI16, {2, 2, 4})};
  if (op == "squeeze_copy.out") c << t.add(kI16, {1, 3, 1}) << t.add(kI16, {3});
  if (op == "squeeze_copy.dim_out") c << t.add(kI16, {1, 3, 1}) << 2 << t.add(kI16, {1, 3});
  if (op == "squeeze_copy.dims_out")
    c << t.add(kI16, {1, 3, 1}) << Ints{2, 1} << t.add(kI16, {1, 3});
  if (op == "stack.out")
    c << List{&cube, &t.add(kI16, {2, 3, 4})} << 1 << t.add(kI16, {2, 2, 3, 4});
  if (op == "t_copy.out") c << t.add(kI16, {2, 3}) << t.add(kI16, {3, 2});
  if (op == "transpose_copy.int_out") c << cube << 0 << 2 << t.add(kI16, {4, 3, 2});
  if (op == "tril.out" || op == "triu.out") c << cube << 1 << t.add(kI16, {2, 3, 4});
  if (op == "unbind_copy.int_out")
    c << t.add(kI16, {2, 3}) << 0 << List{&t.add(kI16, {3}), &t.add(kI16, {3})};
  if (op == "unfold_copy.out") c << cube << 2 << 3 << 1 << t.add(kI16, {2, 3, 2, 3});
  if (op == "unsqueeze_copy.out") c << cube << 1 << t.add(kI16, {2, 1, 3, 4});
  if (op == "view_copy.out" || op == "_unsafe_view.out")
    c << cube << Ints{6, -1} << t.add(kI16, {6, 4});
  return c.size() > 0;
}

bool index_call(const std::string& op, Tensors& t, Call& c) {
  TestTensor& self = t.add(kF32, {2, 3, 4});
  if (op == "embedding.out")
    c << t.add(kF32, {5, 3}) << t.add(kI64, {2}) << -1 << false << false << t.add(kF32, {2, 3});
  if (op == "gather.out")
    c << self << 1 << t.add(kI64, {2, 5, 4}) << false << t.add(kF32, {2, 5, 4});
  if (op == "index.Tensor_out") {
    (c << self).optional_list({nullptr, &t.add(kI64, {5}), &t.add(kI32, {2, 1})})
        << t.add(kF32, {2, 2, 5});
  }
  if (op == "index_put.out") {
    (c << self).optional_list({&t.add(kI64, {5}), nullptr})
        << t.add(kF32, {3, 1}) << true << t.add(kF32, {2, 3, 4});
  }
  if (op == "index_put_.")
    (c << self).optional_list({&t.add(kI64, {5})}) << t.add(kF32, {4}) << false;
  if (op == "index_select.out") c << self << 1 << t.add(kI64, {5}) << t.add(kF32, {2, 5, 4});
  if (op == "scatter.src_out" || op == "scatter_add.out")
    c << self << 2 << t.add(kI64, {2, 2, 5}) << t.add(kF32, {2, 3, 6}) << t.add(kF32, {2, 3, 4});
  if (op == "scatter.value_out")
    c << self << 2 << t.add(kI64, {2, 2, 5}) << 1.5 << t.add(kF32, {2, 3, 4});
  if (op == "select_scatter.out")
    c << self << t.add(kF32, {2, 4}) << 1 << 2 << t.add(kF32, {2, 3, 4});
  if (op == "slice_scatter.out") {
    c << self << t.add(kF32, {2, 3, 2}) << 2 << 0 << 4 << 2 << t.add(kF32, {2, 3, 4});
  }
  if (op == "sort.values")
    c << self << 1 << true << t.add(kF32, {2, 3, 4}) << t.add(kI64, {2, 3, 4});
  if (op == "topk.values") {
    c << self << 2 << 2 << true << true << t.add(kF32, {2, 3, 2}) << t.add(kI64, {2, 3, 2});
  }
  return c.size() > 0;
}

// Outputs whose length the masks tell: none holds, or none is repeated.
bool masked_call(const std::string& op, Tensors& t, Call& c) {
  const ScalarType flag = ScalarType::kBool;
  if (op == "nonzero.out") c << t.add(kF32, {2, 3}) << t.add(kI64, {0, 2});
  if (op == "masked_select.out") c << t.add(kI16, {2, 3}) << t.add(flag, {3}) << t.add(kI16, {0});
  if (op == "masked_scatter.out")
    c << t.add(kI16, {2, 3}) << t.add(flag, {3}) << t.add(kI16, {4}) << t.add(kI16, {2, 3});
  if (op == "repeat_interleave.Tensor_out") (c << t.add(kI64, {3})).none() << t.add(kI64, {0});
  return c.size() > 0;
}

bool network_call(const std::string& op, Tensors& t, Call& c) {
  const Ints one = {1, 1}, two = {2, 2}, none = {0, 0};
  if (op == "glu.out") c << t.add(kF32, {2, 6}) << 1 << t.add(kF32, {2, 3});
  if (op == "native_dropout.out")
    c << t.add(kF32, {2, 3}) << 0.5 << false << t.add(kF32, {2, 3})
      << t.add(ScalarType::kBool, {2, 3});
  if (op == "_native_batch_norm_legit.no_stats_out")
    c << t.add(kF32, {2, 3, 4}) << t.add(kF32, {3}) << t.add(kF32, {3}) << true << 0.1 << 1e-5
      << t.add(kF32, {2, 3, 4}) << t.add(kF32, {3}) << t.add(kF32, {3});
  TestTensor& image = t.add(kF32, {1, 3, 4, 6});
  if (op == "_adaptive_avg_pool2d.out") c << image << Ints{3, 2} << t.add(kF32, {1, 3, 3, 2});
  if (op == "_softmax.out" || op == "_log_softmax.out")
    c << image << 1 << false << t.add(kF32, {1, 3, 4, 6});
  if (op == "addmm.out") {
    c << t.add(kF32, {5}) << t.add(kF32, {3, 4}) << t.add(kF32, {4, 5}) << 2 << 0.5
      << t.add(kF32, {3, 5});
  }
  if (op == "avg_pool2d.out") {
    (c << image << two << two << none << true << true).none() << t.add(kF32, {1, 3, 2, 3});
  }
  if (op == "baddbmm.out") {
    c << t.add(kF32, {5}) << t.add(kF32, {2, 3, 4}) << t.add(kF32, {2, 4, 5}) << 1 << 1
      << t.add(kF32, {2, 3, 5});
  }
  if (op == "bmm.out")
    c << t.add(kF32, {2, 3, 4}) << t.add(kF32, {2, 4, 5}) << t.add(kF32, {2, 3, 5});
  if (op == "convolution.out") {
    c << image << t.add(kF32, {6, 3, 3, 3}) << t.add(kF32, {6}) << one << one << one << false
      << none << 1 << t.add(kF32, {1, 6, 4, 6});
  }
  if (op == "linear.out") {
    c << t.add(kF32, {2, 3, 4}) << t.add(kF32, {5, 4}) << t.add(kF32, {5})
      << t.add(kF32, {2, 3, 5});
  }
  if (op == "max_pool2d_with_indices.out") {
    c << image << two << two << one << one << false << t.add(kF32, {1, 3, 3, 4})
      << t.add(kI64, {1, 3, 3, 4});
  }
  if (op == "mm.out") c << t.add(kF32, {3, 4}) << t.add(kF32, {4, 5}) << t.add(kF32, {3, 5});
  if (op == "_native_batch_norm_legit_no_training.out") {
    c << image << t.add(kF32, {3}) << t.add(kF32, {3}) << t.add(kF32, {3}) << t.add(kF32, {3})
      << 0.1 << 1e-5 << t.add(kF32, {1, 3, 4, 6}) << t.add(kF32, {0}) << t.add(kF32, {0});
  }
  if (op == "native_group_norm.out") {
    c << t.add(kF32, {2, 4, 3}) << t.add(kF32, {4}) << t.add(kF32, {4}) << 2 << 4 << 3 << 2 << 1e-5
      << t.add(kF32, {2, 4, 3}) << t.add(kF32, {2, 2}) << t.add(kF32, {2, 2});
  }
  if (op == "native_layer_norm.out") {
    c << t.add(kF32, {2, 3, 4}) << Ints{3, 4} << t.add(kF32, {3, 4}) << t.add(kF32, {3, 4}) << 1e-5
      << t.add(kF32, {2, 3, 4}) << t.add(kF32, {2, 1, 1}) << t.add(kF32, {2, 1, 1});
  }
  if (op == "upsample_bilinear2d.vec_out") {
    (c << image << Ints{5, 7} << false).none() << t.add(kF32, {1, 3, 5, 7});
  }
  if (op == "upsample_nearest2d.vec_out") {
    (c << image).none() << std::vector<double>{2.0, 0.5} << t.add(kF32, {1, 3, 8, 3});
  }
  return c.size() > 0;
}

bool quantized_call(const std::string& op, Tensors& t, Call& c) {
  const int i8 = static_cast<int>(kI8), f32 = static_cast<int>(kF32);
  TestTensor &floats = t.add(kF32, {2, 3}), &bytes = t.add(kI8, {2, 3});
  TestTensor &scale = t.add(kF32, {1}), &zero = t.add(kI64, {1});
  TestTensor &scales = t.add(kF32, {3}), &zeros = t.add(kI32, {3});
  TestTensor &row_scales = t.add(kF32, {2}), &row_zeros = t.add(kI64, {2});
  if (op == "add.out")
    c << bytes << 0.5 << 1 << -128 << 127 << bytes << 0.25 << 2 << -128 << 127 << 0.125 << 3 << -128
      << 127 << t.add(kI8, {2, 3});
  if (op == "mixed_mm.out")
    (c << floats << t.add(kI8, {3, 4}) << scales).none() << t.add(kF32, {2, 4});
  if (op == "choose_qparams.Tensor_out")
    c << floats << -128 << 127 << 1e-5 << i8 << t.add(ScalarType::kDouble, {1}) << t.add(kI64, {1});
  if (op == "choose_qparams_per_token_asymmetric.out")
    c << floats << i8 << t.add(kF32, {2, 1}) << t.add(kI64, {2, 1});
  if (op == "quantize_per_tensor.out")
    c << floats << 0.5 << 3 << -128 << 127 << i8 << t.add(kI8, {2, 3});
  if (op == "quantize_per_tensor.Tensor_out")
    c << floats << scale << zero << -128 << 127 << i8 << t.add(kI8, {2, 3});
  if (op == "quantize_per_channel.out")
    c << floats << scales << zeros << 1 << -128 << 127 << i8 << t.add(kI8, {2, 3});
  if (op == "quantize_per_token.out")
    c << floats << row_scales << row_zeros << -128 << 127 << i8 << t.add(kI8, {2, 3});
  if (op == "dequantize_per_tensor.out")
    (c << bytes << 0.5 << 3 << -128 << 127 << i8).none() << t.add(kF32, {2, 3});
  if (op == "dequantize_per_tensor.Tensor_out")
    (c << bytes << scale << zero << -128 << 127 << i8).none() << t.add(kF32, {2, 3});
  if (op == "dequantize_per_channel.out")
    (c << bytes << scales << zeros << 1 << -128 << 127 << i8).none() << t.add(kF32, {2, 3});
  if (op == "dequantize_per_token.out")
    c << bytes << row_scales << row_zeros << -128 << 127 << i8 << f32 << t.add(kF32, {2, 3});
  const bool wide = op == "embedding_byte.dtype_out" || op == "embedding_4bit.dtype_out";
  if (op == "embedding_byte.out" || op == "embedding_byte.dtype_out") {
    c << t.add(kI8, {5, 6}) << t.add(kF32, {5, 2}) << t.add(kF32, {5, 2}) << -128 << 127
      << t.add(kI64, {2});
    if (wide) c << f32;
    c << t.add(kF32, {2, 6});
  }
  if (op == "embedding_4bit.out" || op == "embedding_4bit.dtype_out") {
    (c << t.add(kU8, {5, 3}) << t.add(kF32, {5})).none() << -8 << 7 << t.add(kI64, {2});
    if (wide) c << f32;
    c << t.add(kF32, {2, 6});
  }
  if (op == "mixed_linear.out") {
    (c << floats << t.add(kI8, {4, 3}) << t.add(kF32, {4, 3})).none().none() << t.add(kF32, {2, 4});
  }
  return c.size() > 0;
}

Call valid_call(const OperatorSchema& schema, Tensors& tensors) {
  const std::string name = schema.name;
  const std::string op = name.substr(name.find("::") + 2) + "." + schema.overload;
  const bool quantized = name.rfind("quantized_decomposed::", 0) == 0;
  for (auto* family : {shape_call, index_call, masked_call, network_call}) {
    Call call;
    if (!quantized && family(op, tensors, call)) return call;
  }
  Call call;
  quantized_call(op, tensors, call);
  return call;
}

class HostilePortableArguments : public testing::TestWithParam<Kernel> {};

TEST_P(HostilePortableArguments, AreRefusedOrHarmless) {
  const Kernel kernel = GetParam();
  const MakeCall make = [&](Tensors& tensors) { return valid_call(*kernel.schema, tensors); };
  {
    Tensors tensors;
    Call call = make(tensors);
    ASSERT_GT(call.size(), 0u) << "no call of " << kernel.schema->name << " is known here";
    ASSERT_EQ(call.run(kernel), Status::kOk);
  }
  Spoiler spoiler(kernel, make);
  spoiler.spoil_all();
  EXPECT_GT(spoiler.refused(), 0);
}

std::vector<Kernel> all_kernels() {
  std::vector<Kernel> kernels;
  const auto add = [&](Span<const Kernel> table) {
    for (const Kernel& kernel : table) kernels.push_back(kernel);
  };
  add(kShapeKernels);
  add(kIndexKernels);
  add(kNetworkKernels);
  add(kQuantizedDecomposedKernels);
  return kernels;
}

INSTANTIATE_TEST_SUITE_P(AllKernels, HostilePortableArguments, testing::ValuesIn(all_kernels()),
                         kernel_test_name);

}  // namespace
}  // namespace berth::runtime
