#include "tests/onednn_cases.h"

#include <string>

#include "tests/support/delegate_run.h"

namespace berth::testing {
namespace {

const std::vector<OnednnCase> kCases = {
    {"convolution, padding and stride, then relu", 3 * 17 * 16, 1,
     "  input %x : f32[1,3,17,16]\n"
     "  const %w : f32[8,3,3,3] = random seed 1\n"
     "  const %b : f32[8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]\n"
     "  %c : f32[1,8,9,8] = aten::convolution.out(%x, %w, %b, [2, 2], [1, 1], [1, 1], false, [0, "
     "0], "
     "1)\n"
     "  %y : f32[1,8,9,8] = aten::relu.out(%c)\n"
     "  output %y\n"},
    {"the same, channels last", 3 * 17 * 16, 1,
     "  input %x : f32[1,3,17,16]{0,2,3,1}\n"
     "  const %w : f32[8,3,3,3]{0,2,3,1} = random seed 1\n"
     "  %c : f32[1,8,9,8]{0,2,3,1} = aten::convolution.out(%x, %w, none, [2, 2], [1, 1], [1, 1], "
     "false, [0, 0], 1)\n"
     "  %y : f32[1,8,9,8]{0,2,3,1} = aten::clamp.out(%c, -0.5, 0.5)\n"
     "  output %y\n"},
    {"depthwise", 16 * 12 * 12, 1,
     "  input %x : f32[1,16,12,12]{0,2,3,1}\n"
     "  const %w : f32[16,1,3,3]{0,2,3,1} = random seed 2\n"
     "  %y : f32[1,16,12,12]{0,2,3,1} = aten::convolution.out(%x, %w, none, [1, 1], [1, 1], [1, "
     "1], "
     "false, [0, 0], 16)\n"
     "  output %y\n"},
    {"groups and dilation", 16 * 12 * 12, 1,
     "  input %x : f32[1,16,12,12]\n"
     "  const %w : f32[32,8,3,3] = random seed 2\n"
     "  %y : f32[1,32,8,8] = aten::convolution.out(%x, %w, none, [1, 1], [0, 0], [2, 2], false, "
     "[0, "
     "0], 2)\n"
     "  output %y\n"},
    {"kernel 1 with stride", 16 * 32 * 32, 1,
     "  input %x : f32[1,16,32,32]{0,2,3,1}\n"
     "  const %w : f32[32,16,1,1]{0,2,3,1} = random seed 2\n"
     "  %y : f32[1,32,16,16]{0,2,3,1} = aten::convolution.out(%x, %w, none, [2, 2], [0, 0], [1, "
     "1], "
     "false, [0, 0], 1)\n"
     "  output %y\n"},
    {"a residual block", 8 * 8 * 8, 2,
     "  input %x : f32[1,8,8,8]{0,2,3,1}\n"
     "  const %w : f32[8,8,3,3]{0,2,3,1} = random seed 2\n"
     "  const %v : f32[8,8,3,3]{0,2,3,1} = random seed 3\n"
     "  %a : f32[1,8,8,8]{0,2,3,1} = aten::convolution.out(%x, %w, none, [1, 1], [1, 1], [1, 1], "
     "false, [0, 0], 1)\n"
     "  %b : f32[1,8,8,8]{0,2,3,1} = aten::relu.out(%a)\n"
     "  %c : f32[1,8,8,8]{0,2,3,1} = aten::convolution.out(%b, %v, none, [1, 1], [1, 1], [1, 1], "
     "false, [0, 0], 1)\n"
     "  %d : f32[1,8,8,8]{0,2,3,1} = aten::add.out(%b, %c, 1)\n"
     "  %y : f32[1,8,8,8]{0,2,3,1} = aten::relu.out(%d)\n"
     "  output %y\n"},
    {"addmm, then relu", 5 * 100, 1,
     "  input %x : f32[5,100]\n"
     "  const %w : f32[100,77] = random seed 4\n"
     "  const %b : f32[77] = random seed 5\n"
     "  %a : f32[5,77] = aten::addmm.out(%b, %x, %w, 1, 1)\n"
     "  %y : f32[5,77] = aten::relu.out(%a)\n"
     "  output %y\n"},
    {"mm and linear", 64, 2,
     "  input %x : f32[1,64]\n"
     "  const %w : f32[64,16] = random seed 4\n"
     "  const %v : f32[10,16] = random seed 5\n"
     "  const %b : f32[10] = random seed 6\n"
     "  %a : f32[1,16] = aten::mm.out(%x, %w)\n"
     "  %t : f32[1,16] = aten::tanh.out(%a)\n"
     "  %y : f32[1,10] = aten::linear.out(%t, %v, %b)\n"
     "  output %y\n"},
    {"mm of two matrices that are given, then relu", 48, 1,
     "  input %x : f32[6,8]\n"
     "  %n : f32[6,8] = aten::neg.out(%x)\n"
     "  %w : f32[8,6] = view(%n)\n"
     "  %a : f32[6,6] = aten::mm.out(%x, %w)\n"
     "  %y : f32[6,6] = aten::relu.out(%a)\n"
     "  output %y\n"},
    {"addmm of two matrices that are given", 64, 1,
     "  input %x : f32[8,8]\n"
     "  %n : f32[8,8] = aten::neg.out(%x)\n"
     "  const %b : f32[8] = random seed 6\n"
     "  %y : f32[8,8] = aten::addmm.out(%b, %x, %n, 1, 1)\n"
     "  output %y\n"},
    {"linear of what is given, and of one value alone", 2 * 3 * 8, 2,
     "  input %x : f32[2,3,8]\n"
     "  %m : f32[6,8] = view(%x)\n"
     "  %n : f32[6,8] = aten::neg.out(%m)\n"
     "  const %b : f32[6] = random seed 6\n"
     "  %a : f32[2,3,6] = aten::linear.out(%x, %n, %b)\n"
     "  %r : f32[6,6] = view(%a)\n"
     "  %y : f32[6,6] = aten::mm.out(%r, %r)\n"
     "  output %y\n"},
    {"stacks of matrices", 3 * 4 * 5, 2,
     "  input %x : f32[3,4,5]\n"
     "  %n : f32[3,4,5] = aten::neg.out(%x)\n"
     "  %w : f32[3,5,4] = view(%n)\n"
     "  %a : f32[3,4,4] = aten::bmm.out(%x, %w)\n"
     "  %t : f32[3,4,4] = aten::tanh.out(%a)\n"
     "  %y : f32[3,4,4] = aten::bmm.out(%t, %t)\n"
     "  output %y\n"},
    {"a convolution of one axis, in groups", 2 * 6 * 20, 1,
     "  input %x : f32[2,6,20]\n"
     "  const %w : f32[8,3,5] = random seed 6\n"
     "  const %b : f32[8] = random seed 7\n"
     "  %c : f32[2,8,9] = aten::convolution.out(%x, %w, %b, [2], [1], [1], false, [0], 2)\n"
     "  %y : f32[2,8,9] = aten::relu.out(%c)\n"
     "  output %y\n"},
    {"the same, channels last", 2 * 6 * 20, 1,
     "  input %x : f32[2,6,20]{0,2,1}\n"
     "  const %w : f32[8,6,3]{0,2,1} = random seed 6\n"
     "  %y : f32[2,8,16]{0,2,1} = aten::convolution.out(%x, %w, none, [1], [0], [2], false, [0], "
     "1)\n"
     "  output %y\n"},
    {"numbers and hardswish", 100, 4,
     "  input %x : f32[4,25]\n"
     "  %a : f32[4,25] = aten::mul.Scalar_out(%x, 3.5)\n"
     "  %b : f32[4,25] = aten::add.Scalar_out(%a, 0.5, 2)\n"
     "  %c : f32[4,25] = aten::hardswish.out(%b)\n"
     "  %y : f32[4,25] = aten::sub.Scalar_out(%c, 2, 0.25)\n"
     "  output %y\n"},
    {"pools", 16 * 12 * 12, 2,
     "  input %x : f32[1,16,12,12]{0,2,3,1}\n"
     "  %m : f32[1,16,6,6]{0,2,3,1}, %i : i64[1,16,6,6]{0,2,3,1} = "
     "aten::max_pool2d_with_indices.out(%x, [3, 3], [2, 2], [1, 1], [1, 1], false)\n"
     "  %y : f32[1,16,3,3]{0,2,3,1} = aten::avg_pool2d.out(%m, [2, 2], [], [0, 0], false, true, "
     "none)\n"
     "  output %y\n"},
    {"a mean over pixels, then softmax", 16 * 12 * 12, 2,
     "  input %x : f32[1,16,12,12]{0,2,3,1}\n"
     "  %m : f32[1,16] = aten::mean.out(%x, [2, 3], false, none)\n"
     "  %y : f32[1,16] = aten::_softmax.out(%m, 1, false)\n"
     "  output %y\n"},
    {"an elementwise chain", 100, 3,
     "  input %x : f32[4,25]\n"
     "  %a : f32[4,25] = aten::sigmoid.out(%x)\n"
     "  %b : f32[4,25] = aten::mul.out(%x, %a)\n"
     "  %c : f32[4,25] = aten::sub.out(%b, %x, 1)\n"
     "  %d : f32[4,25] = aten::gelu.out(%c, \"none\")\n"
     "  %y : f32[4,25] = aten::elu.out(%d, 1.0, 1, 1)\n"
     "  output %y\n"},
    {"a pair and what follows", 100, 1,
     "  input %x : f32[4,25]\n"
     "  %a : f32[4,25] = aten::add.out(%x, %x, 1)\n"
     "  %y : f32[4,25] = aten::leaky_relu.out(%a, 0.1)\n"
     "  output %y\n"},
};

}  // namespace

const std::vector<OnednnCase>& onednn_cases() { return kCases; }

std::vector<std::byte> model_of(const OnednnCase& one) {
  return model_bytes(std::string("berth.ir 1\ngraph forward {\n") + one.lines + "}\n");
}

}  // namespace berth::testing
