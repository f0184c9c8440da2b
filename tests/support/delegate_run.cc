#include "tests/support/delegate_run.h"

#include <cstring>

namespace berth::testing {
namespace {

const runtime::Backend* g_inner = nullptr;
BackendLog* g_log = nullptr;

Status logged_init(runtime::InitContext& context, runtime::BackendHandle* handle) {
  ++g_log->inits;
  return g_inner->init(context, handle);
}

Status logged_execute(runtime::ExecuteContext& context, runtime::BackendHandle handle,
                      const runtime::DelegateArgs& args) {
  ++g_log->executes;
  BackendLog::Call& call = g_log->calls.emplace_back();
  call.inputs = args.input_count();
  call.outputs = args.output_count();
  for (uint32_t i = 0; i < args.count(); ++i) call.arguments.push_back(*args.value(i).tensor);
  for (uint32_t i = 0; i < args.scratch_count(); ++i) call.scratch.push_back(args.scratch(i));
  return g_inner->execute(context, handle, args);
}

void logged_destroy(runtime::BackendHandle handle) {
  ++g_log->destroys;
  if (g_inner->destroy != nullptr) g_inner->destroy(handle);
}

std::vector<uint8_t> as_octets(const program::Bytes& bytes) {
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  return {data, data + bytes.size()};
}

}  // namespace

const runtime::Backend& logged(const runtime::Backend& inner, BackendLog* log) {
  static runtime::Backend backend = {};
  g_inner = &inner;
  g_log = log;
  backend = {inner.id, logged_init, logged_execute, logged_destroy};
  return backend;
}

DelegateRun::DelegateRun(const program::Bytes& file, const runtime::Backend& backend)
    : file_(as_octets(file)), backends_{&backend} {
  status_ = program_.open({file_.data(), file_.size()});
}

Status DelegateRun::load(const std::string& name, uint8_t fill) {
  if (status_ == Status::kOk) status_ = program_.need(name.c_str(), &need_);
  if (status_ != Status::kOk) return status_;
  for (uint32_t p = 0; pools_.size() < need_.pool_count; ++p) {
    memory_.emplace_back(need_.pools[p].bytes, fill);
    pools_.push_back({need_.pools[p].mem_id, {memory_.back().data(), memory_.back().size()}});
  }
  own_ = AlignedBytes(need_.method_bytes, fill);
  const runtime::Span<const runtime::Kernel> kernels[] = {runtime::portable_kernels()};
  runtime::LoadOptions options;
  options.kernels = kernels;
  options.backends = runtime::Backends(backends_);
  status_ = method_.load(program_, name.c_str(), options,
                         {{own_.data(), own_.size()}, {pools_.data(), pools_.size()}});
  return status_;
}

std::vector<float> DelegateRun::run(const std::vector<float>& input) {
  if (status_ == Status::kOk)
    status_ = method_.set_input(0, input.data(), input.size() * sizeof(float));
  std::vector<float> caller(1 << 16);
  // Only outputs that lie in no pool take memory.
  if (status_ == Status::kOk)
    (void)!static_cast<int>(method_.set_output(0, caller.data(), caller.size() * sizeof(float)));
  if (status_ == Status::kOk) status_ = method_.execute();
  if (status_ != Status::kOk) return {};
  const runtime::Tensor& out = *method_.output(0).tensor;
  return {out.as<float>(), out.as<float>() + out.numel()};
}

runtime::Span<uint8_t> DelegateRun::pool(uint32_t mem_id) {
  for (const runtime::PoolMemory& pool : pools_) {
    if (pool.mem_id == mem_id) return pool.bytes;
  }
  return {};
}

void DelegateRun::set_temp(size_t bytes) {
  temp_ = AlignedBytes(bytes);
  method_.set_temp({temp_.data(), temp_.size()});
}

std::vector<std::byte> model_bytes(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::vector<float> noise(size_t count, uint32_t seed) {
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values.push_back(static_cast<float>(seed >> 8) / 8388608.0f - 1.0f);
  }
  return values;
}

}  // namespace berth::testing
