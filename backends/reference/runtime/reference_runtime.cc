// The blob is a stranger's: every number is checked against the memory it is about before that is
// touched. With BERTH_REFERENCE_CANARIES, in builds for tests, a call marks what it does not use of
// its scratch, and looks at the marks when it is done.
#include "backends/reference/runtime/reference_runtime.h"

#include <cstring>

#include "backends/reference/shared/reference_blob.h"

namespace berth::reference {
namespace {

using runtime::DelegateArgs;
using runtime::Span;
using Floats = Span<float>;

// What calls that share a handle keep, at the begin of their persistent memory.
struct Shared {
  uint32_t magic;  // another than a blob's: so a handle tells which it is
  uint32_t bytes;
  const uint8_t* blob;
};
static_assert(sizeof(Shared) <= kSharedHeadBytes, "the compile half counts so many bytes");
constexpr uint32_t kSharedMagic = 0x53464552;

template <typename T>
T read(const uint8_t* at) {
  T out;
  memcpy(&out, at, sizeof out);
  return out;
}

Status init(runtime::InitContext& context, runtime::BackendHandle* handle) {
  const Span<const uint8_t> blob = context.processed();
  if (blob.size() < sizeof(Header)) return Status::kTruncated;
  const auto header = read<Header>(blob.data());
  if (header.magic != kMagic) return Status::kBadMagic;
  if (header.blob_bytes != blob.size() || header.steps == 0 ||
      header.steps > (blob.size() - sizeof(Header)) / sizeof(Step)) {
    return Status::kTruncated;
  }
  *handle = const_cast<uint8_t*>(blob.data());
  if (header.shares == 0) return Status::kOk;
  const Span<uint8_t> kept = context.persistent(0);
  if (kept.size() < kSharedHeadBytes) return Status::kTooSmall;
  const Shared shared = {kSharedMagic, static_cast<uint32_t>(kept.size()), blob.data()};
  memcpy(kept.data(), &shared, sizeof shared);
  *handle = kept.data();
  return Status::kOk;
}

// None where memory is not aligned for floats.
Floats floats_of(uint8_t* data, size_t bytes) {
  if (reinterpret_cast<uintptr_t>(data) % alignof(float) != 0) return {};
  return {reinterpret_cast<float*>(data), bytes / sizeof(float)};
}
Floats floats_of(const runtime::EValue& value) {
  return floats_of(value.tensor->as_mutable<uint8_t>(), value.tensor->nbytes());
}

// Whether all elements lie in the memory, and none is reached twice: no blob keeps a call busy for
// ever. No sum of four such products overflows.
bool covers(const Floats& floats, const Axes& axes) {
  uint64_t last = 0, count = 1;
  for (int i = 0; i < 4; ++i) {
    if (axes.size[i] == 0 || axes.size[i] > INT32_MAX || axes.stride[i] > INT32_MAX) return false;
    last += (axes.size[i] - uint64_t{1}) * axes.stride[i];
    count *= axes.size[i];
    if (count > floats.size()) return false;
  }
  return last < floats.size();
}

bool sum(const Step& s, const Floats& x, const Floats& w, const Floats& bias, const Floats& y) {
  const Axes &xa = s.x_axes, &wa = s.w_axes, &ya = s.y_axes;
  const uint32_t outs = ya.size[1], channels = wa.size[1];
  if (!covers(x, xa) || !covers(w, wa) || !covers(y, ya) || xa.size[0] < ya.size[0] ||
      wa.size[0] < outs || s.groups == 0 || outs % s.groups != 0 ||
      xa.size[1] / s.groups < channels || (s.bias.where != Place::kNone && bias.size() < outs)) {
    return false;
  }
  // A row of x, outside where it is padding.
  const auto row = [&](uint64_t out, uint64_t k, int d) {
    return static_cast<int64_t>(out * s.step[d] + k * s.dilation[d]) - s.pad[d];
  };
  // Within the tensor, so within what this machine can address.
  const auto at = [](const auto& elements, uint64_t i) -> auto& {
    return elements[static_cast<size_t>(i)];
  };
  const uint64_t image = uint64_t{ya.size[2]} * ya.size[3];
  for (uint64_t i = 0; i < ya.size[0] * outs * image; ++i) {
    const uint64_t n = i / image / outs, o = i / image % outs;
    const uint64_t h = i % image / ya.size[3], v = i % ya.size[3];
    double total = s.bias.where == Place::kNone ? 0 : static_cast<double>(at(bias, o));
    for (uint64_t k = 0; k < uint64_t{channels} * wa.size[2] * wa.size[3]; ++k) {
      const uint64_t c = k / wa.size[3] / wa.size[2], kh = k / wa.size[3] % wa.size[2];
      const uint64_t kw = k % wa.size[3], from = o / (outs / s.groups) * channels + c;
      const int64_t ih = row(h, kh, 0), iw = row(v, kw, 1);
      if (ih < 0 || ih >= xa.size[2] || iw < 0 || iw >= xa.size[3]) continue;
      const float a =
          at(x, n * xa.stride[0] + from * xa.stride[1] + static_cast<uint64_t>(ih) * xa.stride[2] +
                    static_cast<uint64_t>(iw) * xa.stride[3]);
      const float b =
          at(w, o * wa.stride[0] + c * wa.stride[1] + kh * wa.stride[2] + kw * wa.stride[3]);
      total += static_cast<double>(a) * static_cast<double>(b);
    }
    at(y, n * ya.stride[0] + o * ya.stride[1] + h * ya.stride[2] + v * ya.stride[3]) =
        static_cast<float>(total);
  }
  return true;
}

bool run(const Step& step, const Floats& x, const Floats& w, const Floats& bias, const Floats& y) {
  if (step.kind == Step::kSum) return sum(step, x, w, bias, y);
  if (x.size() < step.count || w.size() < step.count || y.size() < step.count) return false;
  for (size_t i = 0; i < step.count; ++i) y[i] = x[i] + w[i];
  return true;
}

// The buffers "even" and "odd", then what a call does not use.
struct Buffers {
  Span<uint8_t> memory[3];
  size_t used[3] = {0, 0, 0};
};

// Marks what the call does not use. False when `look`, and there is something else there.
bool mark([[maybe_unused]] const Buffers& buffers, [[maybe_unused]] bool look) {
#ifdef BERTH_REFERENCE_CANARIES
  constexpr uint8_t kMark = 0xa5;
  for (int b = 0; b < 3; ++b) {
    for (size_t i = buffers.used[b]; i < buffers.memory[b].size(); ++i) {
      if (look && buffers.memory[b][i] != kMark) return false;
      buffers.memory[b][i] = kMark;
    }
  }
#endif
  return true;
}

// From what calls share, from the call's scratch, or from what the caller lends.
Status find_buffers(const Header& header, Shared* shared, const DelegateArgs& args,
                    runtime::ExecuteContext& context, Buffers* out) {
  uint32_t next = 0;
  size_t at = kSharedHeadBytes;
  for (int slot = 0; slot < 2; ++slot) {
    const uint32_t bytes = header.slot_bytes[slot];
    out->used[slot] = bytes;
    if (bytes == 0) continue;
    if (shared == nullptr) {
      const Status status =
          runtime::scratch_or_temp(context, args, next++, bytes, sizeof(float), &out->memory[slot]);
      if (status != Status::kOk) return status;
    } else {
      if (bytes > shared->bytes - at) return Status::kTooSmall;
      out->memory[slot] = {reinterpret_cast<uint8_t*>(shared) + at, bytes};
      at += bytes;
    }
  }
  if (next < args.scratch_count()) out->memory[2] = args.scratch(next);
  return Status::kOk;
}

Status execute(runtime::ExecuteContext& context, runtime::BackendHandle handle,
               const DelegateArgs& given) {
  const auto* blob = static_cast<const uint8_t*>(handle);
  auto* shared = read<uint32_t>(blob) == kSharedMagic ? static_cast<Shared*>(handle) : nullptr;
  if (shared != nullptr) blob = shared->blob;
  const auto header = read<Header>(blob);
  // A file without a plan record tells all arguments alike.
  DelegateArgs args = given;
  if (args.input_count() == 0 && args.count() > header.inputs) {
    const uint32_t scratch = args.count() - header.inputs - 1;
    const Status status = given.divide(header.inputs, 1, scratch, &args);
    if (status != Status::kOk) return status;
  }
  for (uint32_t i = 0; i < args.count(); ++i) {
    if (args.value(i).tag != runtime::Tag::kTensor) return Status::kBadArguments;
  }
  if (args.input_count() != header.inputs || args.output_count() != 1) return Status::kBadArguments;
  Buffers buffers;
  const Status status = find_buffers(header, shared, args, context, &buffers);
  if (status != Status::kOk) return status;
  mark(buffers, false);
  Floats previous;
  const auto floats = [&](const Place& place) -> Floats {
    if (place.where == Place::kPrevious) return previous;
    if (place.where == Place::kInput && place.at < header.inputs)
      return floats_of(args.input(place.at));
    if (place.where != Place::kConstant || place.at >= header.blob_bytes) return {};
    return floats_of(const_cast<uint8_t*>(blob) + place.at, header.blob_bytes - place.at);
  };
  for (uint32_t i = 0; i < header.steps; ++i) {
    const auto step = read<Step>(blob + sizeof(Header) + i * sizeof(Step));
    const Floats out = i + 1 == header.steps
                           ? floats_of(args.output(0))
                           : floats_of(buffers.memory[i % 2].data(), header.slot_bytes[i % 2]);
    if (!run(step, floats(step.x), floats(step.w), floats(step.bias), out))
      return Status::kBadArguments;
    previous = out;
  }
  return mark(buffers, true) ? Status::kOk : Status::kBackendFailed;
}

}  // namespace

const runtime::Backend& runtime_backend() {
  static constexpr runtime::Backend kBackend = {kBackendId, init, execute, nullptr};
  return kBackend;
}

}  // namespace berth::reference
