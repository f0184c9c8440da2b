#include "tests/support/probe_backend.h"

#include <cstring>

namespace berth::testing {
namespace {

using runtime::BackendHandle;
using runtime::BackendOption;
using runtime::DelegateArgs;
using runtime::EValue;
using runtime::ExecuteContext;
using runtime::InitContext;
using runtime::Span;
using runtime::Tag;
using runtime::Tensor;

constexpr size_t kWindowAlignment = 64;

struct Probe {
  ProbeLog* log;
  std::string name;
  bool flat;
  uint8_t inputs, outputs, scratch, scratch_bytes;
};

std::string text_of(const InitContext& context, const char* key) {
  Span<const uint8_t> value;
  return context.find_spec(key, &value) ? std::string(value.begin(), value.end()) : "";
}

Status init(InitContext& context, BackendHandle* handle) {
  Span<uint8_t> memory;
  const Status status = context.find_memory("log", sizeof(ProbeLog), alignof(ProbeLog), &memory);
  if (status != Status::kOk) return status;
  auto* log = reinterpret_cast<ProbeLog*>(memory.data());
  const std::string name = text_of(context, "name");
  log->inits.push_back(name);
  Span<const uint8_t> unused;
  if (context.find_spec("fail", &unused)) return Status::kBackendFailed;
  const std::string wanted = text_of(context, "window");
  if (!wanted.empty()) {
    const size_t bytes = std::stoul(wanted);
    const Status given = context.find_memory("window", bytes, kWindowAlignment, &log->window);
    if (given != Status::kOk) return given;
  }
  const std::string kept = text_of(context, "kept");  // persistent memory 1 has so many bytes
  if (!kept.empty()) {
    const Status found = context.check_persistent(1, std::stoul(kept));
    if (found != Status::kOk) return found;
  }
  const std::string scratch = text_of(context, "scratch");  // scratch 2 needs so many
  if (!scratch.empty()) {
    return context.refuse(Status::kScratchTooSmall, runtime::DelegatePart::kScratch, 2,
                          std::stoul(scratch), 8);
  }
  if (context.find_spec("blob", &unused)) {
    return context.refuse(Status::kBadMagic, runtime::DelegatePart::kBlob, 0, 0, 0);
  }
  if (const BackendOption* limit = context.find_option("limit")) log->limit = limit->integer;
  if (const BackendOption* mode = context.find_option("mode")) log->mode = mode->text;
  Span<const uint8_t> data;
  if (context.find_named_data(text_of(context, "data").c_str(), &data)) {
    log->named_data.assign(data.begin(), data.end());
  }
  for (uint32_t i = 0; !context.persistent(i).empty(); ++i) {
    log->persistent.push_back(context.persistent(i));
  }
  const Span<const uint8_t> blob = context.processed();
  if (blob.size() < 4) return Status::kBadValue;
  const bool flat = context.find_spec("flat", &unused);
  ++log->handles;
  *handle = new Probe{log, name, flat, blob[0], blob[1], blob[2], blob[3]};
  return Status::kOk;
}

// The file is a stranger's: the record tells the arguments apart, it does not say what they are.
bool is_like(const EValue& value, const EValue& first) {
  if (value.tag != Tag::kTensor || first.tag != Tag::kTensor) return false;
  const Tensor& tensor = *value.tensor;
  return tensor.dtype == ScalarType::kFloat && tensor.numel() == first.tensor->numel();
}

Status execute(ExecuteContext& context, BackendHandle handle, const DelegateArgs& given) {
  const Probe& probe = *static_cast<Probe*>(handle);
  DelegateArgs args = given;
  if (probe.flat || args.input_count() + args.output_count() == 0) {
    // An older file has no scratch.
    const bool has_scratch = args.count() > uint32_t{probe.inputs} + probe.outputs;
    const Status status =
        given.divide(probe.inputs, probe.outputs, has_scratch ? probe.scratch : 0, &args);
    if (status != Status::kOk) return status;
  }
  ProbeLog::Call call{probe.name, args.count(), args.input_count(), args.output_count(), {}, false};
  for (uint32_t i = 0; i < probe.scratch; ++i) {
    Span<uint8_t> work;
    const Status status = scratch_or_temp(context, args, i, probe.scratch_bytes, 16, &work);
    if (status != Status::kOk) return status;
    memset(work.data(), 0xAB, work.size());
    call.scratch.push_back(work);
    call.from_temp = i >= args.scratch_count();
  }
  for (uint32_t i = 0; i < args.input_count() + args.output_count(); ++i) {
    if (!is_like(args.value(i), args.value(0))) return Status::kBadShape;
  }
  if (context.tracer != nullptr) context.tracer->step_begins();
  for (uint32_t o = 0; o < args.output_count(); ++o) {
    Tensor& out = *args.output(o).tensor;
    for (size_t e = 0; e < out.numel(); ++e) {
      float sum = 0;
      for (uint32_t i = 0; i < args.input_count(); ++i) {
        sum += args.input(i).tensor->as<float>()[e];
      }
      out.as_mutable<float>()[e] = sum;
    }
  }
  if (context.tracer != nullptr) context.tracer->step_ends("Add #1");
  probe.log->calls.push_back(call);
  return Status::kOk;
}

void destroy(BackendHandle handle) {
  auto* probe = static_cast<Probe*>(handle);
  probe->log->destroys.push_back(probe->name);
  --probe->log->handles;
  delete probe;
}

}  // namespace

const runtime::Backend kProbe = {"probe", init, execute, destroy};

BackendOption ProbeLog::option(const char* backend) {
  BackendOption option{backend, "log"};
  option.kind = BackendOption::Kind::kMemory;
  option.memory = {reinterpret_cast<uint8_t*>(this), sizeof *this};
  return option;
}

std::vector<uint8_t> probe_blob(uint8_t inputs, uint8_t outputs, uint8_t scratch,
                                uint8_t scratch_bytes) {
  return {inputs, outputs, scratch, scratch_bytes};
}

}  // namespace berth::testing
