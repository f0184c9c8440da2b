// The oneDNN primitives of a model: called by Berth's delegates, and called directly, one after the
// other, with the library's own scratchpad. Same primitives, same process, by turns.
//
//   onednn_direct MODEL.tflite SECONDS
//
// Prints {"calls", "direct_ms", "delegates_ms", "method_ms"}: the fastest round of each; the method
// is all of it, with the operators that stayed with our kernels.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "backends/onednn/compile/onednn_backend.h"
#include "backends/onednn/runtime/onednn_runtime.h"
#include "backends/onednn/shared/onednn_primitive.h"
#include "compiler/compiler.h"
#include "runtime/kernels/portable/portable_kernels.h"
#include "runtime/runtime.h"

namespace berth {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "error: %s\n", why.c_str());
  std::exit(1);
}

// Time within delegates, gathered over the calls of a run.
double g_inside = 0;

Status timed_execute(runtime::ExecuteContext& context, runtime::BackendHandle handle,
                     const runtime::DelegateArgs& args) {
  const auto start = Clock::now();
  const Status status = onednn::runtime_backend().execute(context, handle, args);
  g_inside += seconds_since(start);
  return status;
}

// One primitive with everything that it reads and writes, in memory of its own.
class DirectCall {
 public:
  explicit DirectCall(const onednn::Op& op) : stream_(onednn::cpu_engine()) {
    const std::unique_ptr<onednn::Primitive> made =
        onednn::make_primitive(op, dnnl::scratchpad_mode::library);
    if (!made) stop("the library does not do an operator that was compiled");
    primitive_ = dnnl::primitive(made->desc.get());
    const bool is_binary = op.kind == static_cast<uint32_t>(onednn::Kind::kBinary);
    add(is_binary ? DNNL_ARG_SRC_0 : DNNL_ARG_SRC, onednn::desc_of(op.src));
    if (is_binary) add(DNNL_ARG_SRC_1, onednn::desc_of(op.other));
    for (size_t i = 0; i < op.posts.size(); ++i) {
      if (op.posts[i].input >= 0)
        add(DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i)) | DNNL_ARG_SRC_1,
            onednn::desc_of(op.dst));
    }
    add(DNNL_ARG_DST, onednn::desc_of(op.dst));
    if (op.kind == static_cast<uint32_t>(onednn::Kind::kConvolution)) {
      add(DNNL_ARG_WEIGHTS, made->weights);
      if (op.bias_at != 0)
        add(DNNL_ARG_BIAS, dnnl::memory::desc({op.dst.sizes[1]}, dnnl::memory::data_type::f32,
                                              dnnl::memory::format_tag::x));
    }
  }
  void run() {
    if (dnnl_primitive_execute(primitive_.get(), stream_.get(), static_cast<int>(arguments_.size()),
                               arguments_.data()) != dnnl_success ||
        dnnl_stream_wait(stream_.get()) != dnnl_success) {
      stop("a primitive failed");
    }
  }

 private:
  void add(int what, const dnnl::memory::desc& desc) {
    memories_.emplace_back(desc, onednn::cpu_engine());
    std::memset(memories_.back().get_data_handle(), 0, desc.get_size());
    arguments_.push_back({what, memories_.back().get()});
  }
  dnnl::primitive primitive_;
  dnnl::stream stream_;
  std::vector<dnnl::memory> memories_;
  std::vector<dnnl_exec_arg_t> arguments_;
};

int run(const char* path, double seconds) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  std::vector<std::byte> model(bytes.size());
  if (!bytes.empty()) std::memcpy(model.data(), bytes.data(), bytes.size());
  CompileOptions options;
  options.backends = {{&onednn::compile_backend(), {}}};
  Diagnostics notes;
  Result<Compiled> compiled = compile(model, options, &notes);
  if (!compiled.ok()) stop(compiled.error().place + ": " + compiled.error().message);

  const onednn::ThreadCount threads(1);
  std::vector<DirectCall> direct;
  for (const ir::LoweredModule& module : compiled.value().module.lowered) {
    onednn::Op op;
    if (!onednn::read_op(module.processed.data(), module.processed.size(), &op)) stop("a blob");
    direct.emplace_back(op);
  }

  const auto block = [](std::vector<uint8_t>* storage, uint64_t size) {
    storage->assign(size + 64, 0);
    const auto at = reinterpret_cast<uintptr_t>(storage->data());
    return runtime::Span<uint8_t>(storage->data() + (64 - at % 64) % 64, size);
  };
  std::vector<uint8_t> file_storage, own_storage;
  const program::Bytes& file = compiled.value().file;
  const runtime::Span<uint8_t> given = block(&file_storage, file.size());
  std::memcpy(given.data(), file.data(), file.size());
  runtime::Program program;
  runtime::MethodNeed need;
  if (program.open(given) != Status::kOk || program.need("forward", &need) != Status::kOk)
    stop("the file is refused");
  std::vector<std::vector<uint8_t>> pool_storage(need.pool_count);
  std::vector<runtime::PoolMemory> pools;
  for (uint32_t p = 0; p < need.pool_count; ++p)
    pools.push_back({need.pools[p].mem_id, block(&pool_storage[p], need.pools[p].bytes)});
  const runtime::Backend timed = {onednn::kBackendId, onednn::runtime_backend().init, timed_execute,
                                  onednn::runtime_backend().destroy};
  const runtime::Backend* const backends[] = {&timed};
  const runtime::Span<const runtime::Kernel> kernels[] = {runtime::portable_kernels()};
  runtime::LoadOptions load;
  load.kernels = kernels;
  load.backends = runtime::Backends(backends);
  runtime::Method method;
  if (method.load(program, "forward", load,
                  {block(&own_storage, need.method_bytes), {pools.data(), pools.size()}}) !=
      Status::kOk) {
    stop("the method is refused");
  }
  const size_t input_bytes = method.input(0).tensor->nbytes();
  const std::vector<uint8_t> input(input_bytes, 0);

  double least_direct = 1e9, least_inside = 1e9, least_method = 1e9;
  for (const auto begin = Clock::now(); seconds_since(begin) < seconds;) {
    const auto start = Clock::now();
    for (DirectCall& call : direct) call.run();
    least_direct = std::min(least_direct, seconds_since(start));
    if (method.set_input(0, input.data(), input.size()) != Status::kOk) stop("input");
    g_inside = 0;
    const auto whole = Clock::now();
    if (method.execute() != Status::kOk) stop("the run failed");
    least_method = std::min(least_method, seconds_since(whole));
    least_inside = std::min(least_inside, g_inside);
  }
  method.unload();
  std::printf(
      "{\"calls\": %zu, \"direct_ms\": %.4f, \"delegates_ms\": %.4f, \"method_ms\": %.4f}\n",
      direct.size(), least_direct * 1e3, least_inside * 1e3, least_method * 1e3);
  return 0;
}

}  // namespace
}  // namespace berth

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: onednn_direct MODEL.tflite SECONDS\n");
    return 2;
  }
  return berth::run(argv[1], std::atof(argv[2]));
}
