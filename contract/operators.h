// The operators both halves know, with their arguments in the order of the file. The compiler
// checks nodes and finds the out slot by it; the loader checks every call once, so that kernels
// need not check kinds again.
//
// One letter per argument:
//
//     T  tensor               t  tensor or none
//     L  tensor list          O  out tensor
//     X  scratch: byte tensor, 0 bytes is legal
//     M  tensor that is read, written and returned (in-place operators)
//     i  int                  n  int or none
//     d  double (an int is taken too)
//     s  scalar: int, double or bool
//     z  scalar or none       b  bool
//     I  int list             D  double list
//     B  bool list            a  string
//     Y  the cell a scalar result is written to: int, double or bool
//
// A call in a file has one more slot: the out (or M) value again (facts of the .pte format: "the
// return"); with several outs it is a tensor list of them. Prim operators (executorch_prim::) and
// those without O and M have no such slot.
//
// cortex_m:: names, argument order and arithmetic are the vendor stack's; berth:: is ours alone.
#pragma once

#include <cstdint>

namespace berth {

struct OperatorSchema {
  const char* name;      // "cortex_m::quantized_conv2d"
  const char* overload;  // "out"; "" for none
  const char* args;      // letters as above
};

namespace ops {

// int8 NCHW tensors in channels-last dim order; padding is (top, left), the output's shape gives
// the rest.
inline constexpr OperatorSchema kQuantizePerTensor{"cortex_m::quantize_per_tensor", "out",
                                                   "TdiiiiO"};
inline constexpr OperatorSchema kDequantizePerTensor{"cortex_m::dequantize_per_tensor", "out",
                                                     "TdiiiiO"};
inline constexpr OperatorSchema kQuantizedAdd{"cortex_m::quantized_add", "out", "TiiiTiiiiiiiiO"};
inline constexpr OperatorSchema kQuantizedMul{"cortex_m::quantized_mul", "out", "TiTiiiiO"};
inline constexpr OperatorSchema kQuantizedActivation{"cortex_m::quantized_activation", "out",
                                                     "TTO"};
inline constexpr OperatorSchema kMinimum{"cortex_m::minimum", "out", "TTO"};
inline constexpr OperatorSchema kMaximum{"cortex_m::maximum", "out", "TTO"};
inline constexpr OperatorSchema kQuantizedLinear{"cortex_m::quantized_linear", "out",
                                                 "TTttiiiIIiiO"};
inline constexpr OperatorSchema kSoftmax{"cortex_m::softmax", "out", "TiiiiiiO"};
inline constexpr OperatorSchema kTranspose{"cortex_m::transpose", "out", "TIO"};
inline constexpr OperatorSchema kPad{"cortex_m::pad", "out", "TIIiO"};
inline constexpr OperatorSchema kQuantizedConv2d{"cortex_m::quantized_conv2d", "out",
                                                 "TTtIIIiiTTiiXO"};
inline constexpr OperatorSchema kQuantizedDepthwiseConv2d{"cortex_m::quantized_depthwise_conv2d",
                                                          "out", "TTtIIIiiiTTiiXO"};
inline constexpr OperatorSchema kQuantizedTransposeConv2d{"cortex_m::quantized_transpose_conv2d",
                                                          "out", "TTtIIIIiiTTiiXXO"};
inline constexpr OperatorSchema kQuantizedAvgPool2d{"cortex_m::quantized_avg_pool2d", "out",
                                                    "TIIIbiiiXO"};
inline constexpr OperatorSchema kQuantizedMaxPool2d{"cortex_m::quantized_max_pool2d", "out",
                                                    "TIIIIbiiiiO"};
inline constexpr OperatorSchema kQuantizedBatchMatmul{"cortex_m::quantized_batch_matmul", "out",
                                                      "TiTiiiiXO"};

// (self, self_zp, self_mult, self_shift, other, other_zp, other_mult, other_shift, out_zp,
// out_mult, out_shift, act_min, act_max): left shift 20 for int8, 15 for int16; NumPy broadcasting.
inline constexpr OperatorSchema kBerthAdd{"berth::quantized_add", "out", "TiiiTiiiiiiiiO"};
inline constexpr OperatorSchema kBerthSub{"berth::quantized_sub", "out", "TiiiTiiiiiiiiO"};
// (self, self_zp, other, other_zp, out_zp, out_mult, out_shift, act_min, act_max): int8, int16.
inline constexpr OperatorSchema kBerthMul{"berth::quantized_mul", "out", "TiTiiiiiiO"};
// (input, dims, keepdim, in_zp, out_zp, mult, shift): mult and shift hold 1/count already.
inline constexpr OperatorSchema kBerthMean{"berth::quantized_mean", "out", "TIbiiiiO"};
// (input NCHW, align_corners, half_pixel_centers): the size is the output's.
inline constexpr OperatorSchema kBerthResizeBilinear{"berth::resize_bilinear", "out", "TbbO"};
inline constexpr OperatorSchema kBerthResizeNearest{"berth::resize_nearest", "out", "TbbO"};
// (input, in_zp, out_zp, mult, shift): integer to integer of any width.
inline constexpr OperatorSchema kBerthRequantize{"berth::requantize", "out", "TiiiiO"};
// (input float32, scale, zp, quant_min, quant_max): x / scale rounded half away from zero.
inline constexpr OperatorSchema kBerthQuantize{"berth::quantize", "out", "TdiiiO"};
// int16, table with interpolation: (input, mult, shift).
inline constexpr OperatorSchema kBerthTanh{"berth::quantized_tanh", "out", "TiiO"};
inline constexpr OperatorSchema kBerthLogistic{"berth::quantized_logistic", "out", "TiiO"};
// int16: (input, in_zp, out_zp, mult, shift, alpha_mult, alpha_shift).
inline constexpr OperatorSchema kBerthLeakyRelu{"berth::quantized_leaky_relu", "out", "TiiiiiiO"};
// int16 activations, int8 weights, bias int64 or int32 or none; arguments as the cortex_m:: ones
// without scratch.
inline constexpr OperatorSchema kBerthConv2d{"berth::quantized_conv2d", "out", "TTtIIIiiTTiiO"};
inline constexpr OperatorSchema kBerthDepthwiseConv2d{"berth::quantized_depthwise_conv2d", "out",
                                                      "TTtIIIiiiTTiiO"};
inline constexpr OperatorSchema kBerthLinear{"berth::quantized_linear", "out", "TTttiiiIIiiO"};
// int16 pooling: (input, kernel, stride, padding, act_min, act_max).
inline constexpr OperatorSchema kBerthAvgPool2d{"berth::quantized_avg_pool2d", "out", "TIIIiiO"};
inline constexpr OperatorSchema kBerthMaxPool2d{"berth::quantized_max_pool2d", "out", "TIIIiiO"};

// Stock operators.
inline constexpr OperatorSchema kCat{"aten::cat", "out", "LiO"};
inline constexpr OperatorSchema kClamp{"aten::clamp", "out", "TzzO"};
inline constexpr OperatorSchema kCopy{"aten::copy_", "", "MTb"};
// A view made at run time: out stands for self's bytes from then on.
inline constexpr OperatorSchema kEtView{"executorch_prim::et_view", "default", "TIO"};

inline constexpr const OperatorSchema* kAll[] = {
    &kQuantizePerTensor,
    &kDequantizePerTensor,
    &kQuantizedAdd,
    &kQuantizedMul,
    &kQuantizedActivation,
    &kMinimum,
    &kMaximum,
    &kQuantizedLinear,
    &kSoftmax,
    &kTranspose,
    &kPad,
    &kQuantizedConv2d,
    &kQuantizedDepthwiseConv2d,
    &kQuantizedTransposeConv2d,
    &kQuantizedAvgPool2d,
    &kQuantizedMaxPool2d,
    &kQuantizedBatchMatmul,
    &kBerthAdd,
    &kBerthSub,
    &kBerthMul,
    &kBerthMean,
    &kBerthResizeBilinear,
    &kBerthResizeNearest,
    &kBerthRequantize,
    &kBerthQuantize,
    &kBerthTanh,
    &kBerthLogistic,
    &kBerthLeakyRelu,
    &kBerthConv2d,
    &kBerthDepthwiseConv2d,
    &kBerthLinear,
    &kBerthAvgPool2d,
    &kBerthMaxPool2d,
    &kCat,
    &kClamp,
    &kCopy,
    &kEtView,
};

}  // namespace ops

constexpr bool same_text(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

// Operators of the executor itself, executorch_prim::.
constexpr bool is_prim(const OperatorSchema& schema) {
  const char* prefix = "executorch_prim::";
  const char* name = schema.name;
  while (*prefix != '\0' && *prefix == *name) {
    ++prefix;
    ++name;
  }
  return *prefix == '\0';
}

// The schema of name and overload, or null.
constexpr const OperatorSchema* find_operator(const char* name, const char* overload) {
  for (const OperatorSchema* schema : ops::kAll) {
    if (same_text(schema->name, name) && same_text(schema->overload, overload)) return schema;
  }
  return nullptr;
}

}  // namespace berth
