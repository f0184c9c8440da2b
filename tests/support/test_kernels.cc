#include "tests/support/test_kernels.h"

#include <cstring>

#include "runtime/core/resize.h"

namespace berth::testing {
namespace {

using runtime::Args;
using runtime::EValue;
using runtime::Kernel;
using runtime::KernelContext;
using runtime::Tensor;

constexpr OperatorSchema kAdd{"test::add", "out", "TTO"};
constexpr OperatorSchema kCopy{"test::copy", "out", "TO"};
constexpr OperatorSchema kFill{"test::fill", "out", "sO"};
constexpr OperatorSchema kTwice{"test::twice", "out", "TO"};
constexpr OperatorSchema kDouble{"test::double_", "", "M"};
constexpr OperatorSchema kSplit{"test::split", "outs", "TOO"};
constexpr OperatorSchema kParts{"test::parts", "out", "TP"};
constexpr OperatorSchema kSum{"test::sum", "out", "LO"};
constexpr OperatorSchema kScratch{"test::scratch", "out", "TXO"};
constexpr OperatorSchema kIsZero{"test::is_zero", "out", "TO"};
constexpr OperatorSchema kCount{"test::count", "Int", "iY"};
constexpr OperatorSchema kAll{"test::all", "out", "TtLinsdzbIDBalecjkSXO"};
constexpr OperatorSchema kFail{"test::fail", "out", "TO"};
constexpr OperatorSchema kUse{"test::use", "", "T"};
constexpr OperatorSchema kAtenAdd{"aten::add", "out", "TTsO"};

float* floats(Tensor& tensor) { return tensor.as_mutable<float>(); }

Status add(KernelContext&, const Args& args) {
  Tensor &a = args.tensor(0), &b = args.tensor(1), &out = args.tensor(2);
  if (!same_shape(a, b) || !same_shape(a, out)) return Status::kBadShape;
  for (size_t i = 0; i < out.numel(); ++i) floats(out)[i] = floats(a)[i] + floats(b)[i];
  return Status::kOk;
}

Status copy(KernelContext&, const Args& args) {
  Tensor &in = args.tensor(0), &out = args.tensor(1);
  if (in.dtype == out.dtype && in.rank == out.rank) {
    const Status status = resize(out, in.sizes, in.rank);
    if (status != Status::kOk) return status;
  }
  if (in.nbytes() != out.nbytes()) return Status::kBadShape;
  if (in.nbytes() != 0) memmove(out.data, in.data, in.nbytes());
  return Status::kOk;
}

Status fill(KernelContext&, const Args& args) {
  Tensor& out = args.tensor(1);
  for (size_t i = 0; i < out.numel(); ++i) floats(out)[i] = static_cast<float>(args.number(0));
  return Status::kOk;
}

Status twice(KernelContext&, const Args& args) {
  Tensor &in = args.tensor(0), &out = args.tensor(1);
  if (in.numel() != out.numel()) return Status::kBadShape;
  for (size_t i = 0; i < out.numel(); ++i) floats(out)[i] = 2 * floats(in)[i];
  return Status::kOk;
}

Status double_in_place(KernelContext&, const Args& args) {
  Tensor& self = args.tensor(0);
  for (size_t i = 0; i < self.numel(); ++i) floats(self)[i] *= 2;
  return Status::kOk;
}

Status split(KernelContext&, const Args& args) {
  Tensor& in = args.tensor(0);
  for (uint32_t part = 0; part < 2; ++part) {
    Tensor& out = args.tensor(1 + part);
    if (2 * out.numel() != in.numel()) return Status::kBadShape;
    memcpy(out.data, floats(in) + part * out.numel(), out.nbytes());
  }
  return Status::kOk;
}

Status parts(KernelContext&, const Args& args) {
  const float* from = floats(args.tensor(0));
  for (uint32_t e = 0; e < args.list_size(1); ++e) {
    Tensor& out = args.tensor_at(1, e);
    memcpy(out.data, from, out.nbytes());
    from += out.numel();
  }
  return Status::kOk;
}

Status sum(KernelContext&, const Args& args) {
  Tensor& out = args.tensor(1);
  for (size_t i = 0; i < out.numel(); ++i) {
    float total = 0;
    for (uint32_t e = 0; e < args.list_size(0); ++e) total += floats(args.tensor_at(0, e))[i];
    floats(out)[i] = total;
  }
  return Status::kOk;
}

Status by_scratch(KernelContext&, const Args& args) {
  Tensor &in = args.tensor(0), &scratch = args.tensor(1), &out = args.tensor(2);
  if (scratch.nbytes() < in.nbytes()) return Status::kScratchTooSmall;
  memcpy(scratch.data, in.data, in.nbytes());
  memcpy(out.data, scratch.data, in.nbytes());
  return Status::kOk;
}

Status is_zero(KernelContext&, const Args& args) {
  *args.tensor(1).as_mutable<uint8_t>() = *floats(args.tensor(0)) == 0 ? 1 : 0;
  return Status::kOk;
}

Status count(KernelContext&, const Args& args) {
  args.value(1).integer += args.integer(0);
  return Status::kOk;
}

Status touch_all(KernelContext&, const Args& args) {
  *floats(args.tensor(21)) = static_cast<float>(args.count());
  return Status::kOk;
}

Status fail(KernelContext&, const Args&) { return Status::kKernelFailed; }

Status use(KernelContext&, const Args&) { return Status::kOk; }

Status copy_into(KernelContext&, const Args& args) {
  Tensor &self = args.tensor(0), &in = args.tensor(1);
  if (in.nbytes() != self.nbytes()) return Status::kBadShape;
  memmove(self.data, in.data, in.nbytes());
  return Status::kOk;
}

Status view(KernelContext&, const Args& args) {
  Tensor &self = args.tensor(0), &out = args.tensor(2);
  int32_t sizes[runtime::kMaxRank];
  for (uint32_t d = 0; d < args.list_size(1); ++d) {
    sizes[d] = static_cast<int32_t>(args.int_at(1, d));
  }
  const Status status = resize(out, sizes, args.list_size(1));
  if (status != Status::kOk) return status;
  if (self.dtype != out.dtype || self.numel() != out.numel()) return Status::kBadShape;
  out.data = self.data;
  return Status::kOk;
}

Status aten_add(KernelContext&, const Args& args) {
  Tensor &a = args.tensor(0), &b = args.tensor(1), &out = args.tensor(3);
  if (!same_shape(a, b) || !same_shape(a, out)) return Status::kBadShape;
  const float alpha = static_cast<float>(args.number(2));
  for (size_t i = 0; i < out.numel(); ++i) floats(out)[i] = floats(a)[i] + alpha * floats(b)[i];
  return Status::kOk;
}

constexpr Kernel kKernels[] = {
    {&kAdd, add},
    {&kCopy, copy},
    {&kFill, fill},
    {&kTwice, twice},
    {&kDouble, double_in_place},
    {&kSplit, split},
    {&kParts, parts},
    {&kSum, sum},
    {&kScratch, by_scratch},
    {&kIsZero, is_zero},
    {&kCount, count},
    {&kAll, touch_all},
    {&kFail, fail},
    {&kUse, use},
    {&kAtenAdd, aten_add},
    {&ops::kAtenCopyInPlace, copy_into},
    {&ops::kPrimEtView, view},
};

}  // namespace

runtime::Span<const Kernel> kernels() { return kKernels; }

}  // namespace berth::testing
