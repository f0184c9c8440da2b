// What sharing a handle is worth: a oneDNN module of some 20 MB of weights, called ten times, with
// a handle per call and with one for all. Prints for both the time of the load, the bytes that are
// there once it is loaded (the file, and the memory given), and the time of a run.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "backends/onednn/compile/onednn_backend.h"
#include "backends/onednn/runtime/onednn_runtime.h"
#include "compiler/compiler.h"
#include "compiler/ir/archive.h"
#include "runtime/runtime.h"

namespace berth {
namespace {

constexpr int kCalls = 10;
constexpr int kLoads = 5;
// 2304 x 2304 floats: 21 MB.
constexpr char kLayer[] =
    "berth.ir 1\n"
    "graph forward {\n"
    "  input %x : f32[1,2304]\n"
    "  const %w : f32[2304,2304] = random seed 1\n"
    "  %a : f32[1,2304] = aten::mm.out(%x, %w)\n"
    "  %y : f32[1,2304] = aten::tanh.out(%a)\n"
    "  output %y\n"
    "}\n";

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

[[noreturn]] void stop(const char* where, const std::string& why) {
  std::fprintf(stderr, "error: %s: %s\n", where, why.c_str());
  std::exit(1);
}

Compiled compile_or_stop(const std::vector<std::byte>& model, const CompileOptions& options) {
  Diagnostics notes;
  Result<Compiled> compiled = compile(model, options, &notes);
  if (!compiled.ok()) stop("compile", compiled.error().place + ": " + compiled.error().message);
  return compiled.take();
}

// The layer, called on what it made.
Compiled ten_calls(bool share) {
  CompileOptions options;
  delegate::CompileSpecs specs;
  if (share) specs.push_back({"share", {std::byte{'1'}}});
  options.backends = {{&onednn::compile_backend(), specs}};
  std::vector<std::byte> text(sizeof kLayer - 1);
  std::memcpy(text.data(), kLayer, text.size());
  ir::Module module = compile_or_stop(text, options).module;
  ir::Graph& graph = module.graphs[0];
  for (ir::Node& node : graph.nodes) {
    if (node.kind == ir::NodeKind::kDelegate) node.args.resize(1);
  }
  ir::remove_unused(graph);
  for (int i = 1; i < kCalls; ++i) {
    ir::Node next = graph.nodes.back();
    next.args = {ir::Ref{next.results[0]}};
    next.results = {graph.add_value(graph.value(graph.outputs[0]))};
    graph.outputs = {next.results[0]};
    graph.nodes.push_back(next);
  }
  Result<std::vector<std::byte>> archive = ir::write_archive(module);
  if (!archive.ok()) stop("archive", archive.error().message);
  return compile_or_stop(archive.value(), {});
}

struct Measured {
  double load = 0, run = 0;  // milliseconds, the fastest
  uint64_t bytes = 0;
  std::vector<float> answer;
};

Measured measure(const program::Bytes& file) {
  using namespace runtime;
  Measured out;
  // 64-byte boundaries, as the file's segments and the pools ask for.
  const auto block = [](std::vector<uint8_t>* storage, uint64_t bytes) {
    storage->assign(bytes + 64, 0);
    const auto at = reinterpret_cast<uintptr_t>(storage->data());
    return Span<uint8_t>(storage->data() + (64 - at % 64) % 64, bytes);
  };
  std::vector<uint8_t> file_storage, own_storage;
  const Span<uint8_t> bytes = block(&file_storage, file.size());
  std::memcpy(bytes.data(), file.data(), file.size());
  Program program;
  MethodNeed need;
  if (program.open(bytes) != Status::kOk || program.need("forward", &need) != Status::kOk)
    stop("open", "refused");
  std::vector<std::vector<uint8_t>> pool_storage(need.pool_count);
  std::vector<PoolMemory> pools;
  const Span<uint8_t> own = block(&own_storage, need.method_bytes);
  out.bytes = file.size() + need.method_bytes;
  for (uint32_t p = 0; p < need.pool_count; ++p) {
    pools.push_back({need.pools[p].mem_id, block(&pool_storage[p], need.pools[p].bytes)});
    out.bytes += need.pools[p].bytes;
  }
  const Backend* const backends[] = {&onednn::runtime_backend()};
  LoadOptions options;
  options.backends = Backends(backends);
  std::vector<float> input(2304);
  for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<float>(i % 17) / 17 - 0.5f;
  for (int i = 0; i < kLoads; ++i) {
    Method method;
    const auto start = Clock::now();
    const Status status =
        method.load(program, "forward", options, {own, {pools.data(), pools.size()}});
    const double load = milliseconds_since(start);
    if (status != Status::kOk) stop("load", status_words(status));
    out.load = i == 0 ? load : std::min(out.load, load);
    if (method.set_input(0, input.data(), input.size() * sizeof(float)) != Status::kOk)
      stop("input", "refused");
    const auto begin = Clock::now();
    if (method.execute() != Status::kOk) stop("run", "failed");
    const double run = milliseconds_since(begin);
    out.run = i == 0 ? run : std::min(out.run, run);
    const Tensor& answer = *method.output(0).tensor;
    out.answer.assign(answer.as<float>(), answer.as<float>() + answer.numel());
    method.unload();
  }
  return out;
}

int run() {
  const Measured apart = measure(ten_calls(false).file), shared = measure(ten_calls(true).file);
  if (apart.answer != shared.answer) stop("answers", "differ");
  constexpr double kMiB = 1 << 20;
  std::printf("oneDNN, a module of 21 MB of weights called %d times\n", kCalls);
  std::printf("  %-18s %10s %12s %10s\n", "", "load ms", "MiB", "run ms");
  for (const auto& [name, m] :
       {std::pair<const char*, const Measured&>("a handle per call", apart),
        std::pair<const char*, const Measured&>("one shared handle", shared)})
    std::printf("  %-18s %10.1f %12.1f %10.1f\n", name, m.load, static_cast<double>(m.bytes) / kMiB,
                m.run);
  std::printf("  %-18s %10.1f %12.1f\n", "times less", apart.load / shared.load,
              static_cast<double>(apart.bytes) / static_cast<double>(shared.bytes));
  return 0;
}

}  // namespace
}  // namespace berth

int main() { return berth::run(); }
