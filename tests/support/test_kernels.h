// Small kernels for tests of the loader and of control flow: what they do is easy to predict, and
// their schemas use every letter that the loader knows.
#pragma once

#include "runtime/core/kernel.h"

namespace berth::testing {

// test::add.out TTO    out = a + b, float, same shape
// test::copy.out TO    out = in, any type of equal bytes
// test::fill.out sO    out = value, float
// test::twice.out TO   out = 2 in
// test::double_ M      in place, twice
// test::split.outs TOO first and second half
// test::parts.out TP   consecutive parts, as many floats as each holds
// test::sum.out LO     out = sum of all tensors
// test::scratch.out TXO   out = in, by way of the scratch
// test::is_zero.out TO    out (bool) = first element is zero
// test::count.Int iY   cell = cell + value (prim: no return slot)
// test::all.out TtLinsdzbIDBalecjkSXO  every letter that is read
// test::fail.out TO    fails
// test::use T          does nothing
// aten::copy_, executorch_prim::et_view.default, aten::add.out (TTsO)
runtime::Span<const runtime::Kernel> kernels();

}  // namespace berth::testing
