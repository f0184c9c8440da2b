// The blob is a stranger's: every number is checked against the memory it is about before that is
// touched. With BERTH_REFERENCE_CANARIES, in builds for tests, a call marks what it does not use of
// its buffers, and looks at the marks when it is done.
#include "backends/reference/runtime/reference_runtime.h"

#include <cstring>

#include "backends/reference/shared/reference_blob.h"

namespace berth::reference {
namespace {

using runtime::DelegateArgs;
using runtime::elements_of;
using runtime::Span;
using Floats = Span<float>;

// The last step's result is no slot's.
uint32_t slot_count(const Header& header) { return header.steps > 2 ? 2 : header.steps - 1; }

Status init(runtime::InitContext& context, runtime::BackendHandle* handle) {
  const Span<const uint8_t> blob = context.processed();
  const auto refuse_blob = [&](Status status, size_t need) {
    return context.refuse(status, runtime::DelegatePart::kBlob, 0, need, blob.size());
  };
  if (blob.size() < sizeof(Header)) return refuse_blob(Status::kTruncated, sizeof(Header));
  Header header;
  memcpy(&header, blob.data(), sizeof header);
  if (header.magic != kMagic) return refuse_blob(Status::kBadMagic, 0);
  if (header.blob_bytes != blob.size()) return refuse_blob(Status::kTruncated, header.blob_bytes);
  if (header.steps == 0 || header.steps > (blob.size() - sizeof(Header)) / sizeof(Step)) {
    return refuse_blob(Status::kBadCount, 0);
  }
  for (uint32_t slot = 0; header.shares != 0 && slot < slot_count(header); ++slot) {
    BERTH_TRY(context.check_persistent(slot, header.slot_bytes[slot]));
  }
  *handle = const_cast<uint8_t*>(blob.data());
  return Status::kOk;
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

// The place of an element on each axis, and back to where it lies.
struct Index {
  uint64_t on[4];
};
Index index_of(uint64_t element, const Axes& axes) {
  Index index;
  for (int i = 3; i >= 0; element /= axes.size[i--]) index.on[i] = element % axes.size[i];
  return index;
}
float& at(const Floats& floats, const Axes& axes, const Index& index) {
  uint64_t position = 0;
  for (int i = 0; i < 4; ++i) position += index.on[i] * axes.stride[i];
  return floats[static_cast<size_t>(position)];
}

bool run(const Step& s, const Floats& x, const Floats& w, const Floats& bias, const Floats& y) {
  if (s.kind == Step::kAdd) {
    if (x.size() < s.count || w.size() < s.count || y.size() < s.count) return false;
    for (size_t i = 0; i < s.count; ++i) y[i] = x[i] + w[i];
    return true;
  }
  const uint64_t outs = s.y.size[1], channels = s.w.size[1];
  const bool has_bias = s.operands[2].where != Place::kNone;
  if (!covers(x, s.x) || !covers(w, s.w) || !covers(y, s.y) || s.x.size[0] < s.y.size[0] ||
      s.w.size[0] < outs || s.groups == 0 || outs % s.groups != 0 ||
      s.x.size[1] / s.groups < channels || (has_bias && bias.size() < outs)) {
    return false;
  }
  // A row or column of x; in the padding it is too large, also in front.
  const auto row = [&](uint64_t out, uint64_t k, int d) {
    return out * s.step[d] + k * s.dilation[d] - s.pad[d];
  };
  const uint64_t terms = channels * s.w.size[2] * s.w.size[3];
  for (uint64_t i = 0; i < s.y.size[0] * outs * s.y.size[2] * s.y.size[3]; ++i) {
    const Index to = index_of(i, s.y);
    const uint64_t out = to.on[1], first = out / (outs / s.groups) * channels;
    double total = has_bias ? static_cast<double>(bias[static_cast<size_t>(out)]) : 0;
    for (uint64_t k = 0; k < terms; ++k) {
      Index of = index_of(k, s.w);
      of.on[0] = out;
      const Index from = {
          {to.on[0], first + of.on[1], row(to.on[2], of.on[2], 0), row(to.on[3], of.on[3], 1)}};
      if (from.on[2] >= s.x.size[2] || from.on[3] >= s.x.size[3]) continue;
      total += static_cast<double>(at(x, s.x, from)) * static_cast<double>(at(w, s.w, of));
    }
    at(y, s.y, to) = static_cast<float>(total);
  }
  return true;
}

// Marks what a call does not use. False where there was something else.
bool mark([[maybe_unused]] const Span<uint8_t> (&unused)[3]) {
  bool is_marked = true;
#ifdef BERTH_REFERENCE_CANARIES
  constexpr uint8_t kMark = 0xa5;
  for (const Span<uint8_t>& memory : unused) {
    for (uint8_t& byte : memory) {
      is_marked = is_marked && byte == kMark;
      byte = kMark;
    }
  }
#endif
  return is_marked;
}

Status execute(runtime::ExecuteContext& context, runtime::BackendHandle handle,
               const DelegateArgs& given) {
  auto* blob = static_cast<uint8_t*>(handle);
  Header header;
  memcpy(&header, blob, sizeof header);
  DelegateArgs args = given;
  BERTH_TRY(given.expect(header.inputs, 1, 3, &args));
  Floats slots[2];
  Span<uint8_t> unused[3];  // of each slot, and what is there besides
  const uint32_t count = slot_count(header);
  for (uint32_t i = 0; i < count; ++i) {
    const size_t used = header.slot_bytes[i];
    Span<uint8_t> memory;
    BERTH_TRY(find_work(context, args, header.shares != 0, i, used, alignof(float), &memory));
    slots[i] = elements_of<float>({memory.data(), used});
    unused[i] = {memory.data() + used, memory.size() - used};
  }
  if (count < args.scratch_count()) unused[2] = args.scratch(count);
  (void)mark(unused);
  for (uint32_t i = 0; i < header.steps; ++i) {
    const auto floats = [&](const Place& place) -> Floats {
      if (place.where == Place::kPrevious) return slots[(i + 1) % 2];
      if (place.where == Place::kInput && place.at < header.inputs)
        return elements_of<float>(bytes_of(args.input(place.at)));
      if (place.where != Place::kConstant || place.at >= header.blob_bytes) return {};
      return elements_of<float>({blob + place.at, header.blob_bytes - place.at});
    };
    Step step;
    memcpy(&step, blob + sizeof(Header) + i * sizeof(Step), sizeof step);
    const bool is_last = i + 1 == header.steps;
    const Floats out = is_last ? elements_of<float>(bytes_of(args.output(0))) : slots[i % 2];
    const auto& [x, w, bias] = step.operands;
    if (!run(step, floats(x), floats(w), floats(bias), out)) return Status::kBadArguments;
  }
  return mark(unused) ? Status::kOk : Status::kBackendFailed;
}

}  // namespace

const runtime::Backend& runtime_backend() {
  static constexpr runtime::Backend kBackend = {kBackendId, init, execute, nullptr};
  return kBackend;
}

}  // namespace berth::reference
