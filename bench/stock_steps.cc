// The stock runtime's side of pte_steps.cc, against the C++ libraries of the executorch wheel.
//
//   stock_steps FILE.pte [REPEAT]
//
// With REPEAT prints the least microseconds of a load_method and of an execute among so many.
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

using namespace executorch::runtime;
using executorch::extension::BufferDataLoader;
using executorch::extension::MallocMemoryAllocator;

extern "C" {
__attribute__((noinline)) void phase_open(BufferDataLoader* loader, Result<Program>** out) {
  *out = new Result<Program>(Program::load(loader, Program::Verification::InternalConsistency));
}
__attribute__((noinline)) void phase_load(Program* program, MemoryManager* memory,
                                          Result<Method>** out) {
  *out = new Result<Method>(program->load_method("forward", memory));
}
__attribute__((noinline)) Error phase_execute(Method* method) { return method->execute(); }
}

namespace {

void nop(KernelRuntimeContext&, Span<EValue*>) {}

void must(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "stock_steps: %s fails\n", what);
  std::exit(1);
}

double microseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::micro>(now).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int repeat = argc > 2 ? std::atoi(argv[2]) : 1;
  runtime_init();
  must(register_kernel(Kernel("anchor::nop.out", nop)) == Error::Ok, "register_kernel");
  std::ifstream in(argv[1], std::ios::binary);
  std::vector<char> raw{std::istreambuf_iterator<char>(in), {}};
  std::unique_ptr<void, decltype(&std::free)> file(
      std::aligned_alloc(64, (raw.size() + 63) / 64 * 64), &std::free);
  std::copy(raw.begin(), raw.end(), static_cast<char*>(file.get()));
  BufferDataLoader loader(file.get(), raw.size());
  Result<Program>* program = nullptr;
  phase_open(&loader, &program);
  must(program->ok(), "Program::load");

  auto meta = (*program)->method_meta("forward");
  must(meta.ok(), "method_meta");
  std::vector<std::vector<uint8_t>> arenas;
  std::vector<Span<uint8_t>> spans;
  for (size_t i = 0; i < meta->num_memory_planned_buffers(); ++i) {
    arenas.emplace_back(meta->memory_planned_buffer_size(i).get() + 64);
    auto* start = arenas.back().data();
    start += (64 - reinterpret_cast<uintptr_t>(start) % 64) % 64;
    spans.push_back({start, arenas.back().size() - 64});
  }
  HierarchicalAllocator planned({spans.data(), spans.size()});
  double load = 1e30;
  double run = 1e30;
  for (int i = 0; i < repeat; ++i) {
    MallocMemoryAllocator own;
    MallocMemoryAllocator temp;
    MemoryManager memory(&own, &planned, &temp);
    Result<Method>* method = nullptr;
    double begin = microseconds();
    phase_load(&**program, &memory, &method);
    load = std::min(load, microseconds() - begin);
    must(method->ok(), "load_method");
    for (size_t k = 0; k < (*method)->inputs_size(); ++k) {
      auto tensor = meta->input_tensor_meta(k);
      if (!tensor.ok()) continue;
      std::vector<executorch::aten::SizesType> sizes(tensor->sizes().begin(),
                                                     tensor->sizes().end());
      std::vector<executorch::aten::DimOrderType> order(tensor->dim_order().begin(),
                                                        tensor->dim_order().end());
      std::vector<executorch::aten::StridesType> strides(sizes.size());
      int step = 1;
      for (int d = static_cast<int>(order.size()) - 1; d >= 0; --d) {
        strides[order[d]] = step;
        step *= std::max(1, sizes[order[d]]);
      }
      std::vector<uint8_t> bytes(tensor->nbytes() + 16, 0x3d);
      executorch::aten::TensorImpl impl(tensor->scalar_type(), static_cast<ssize_t>(sizes.size()),
                                        sizes.data(), bytes.data(), order.data(), strides.data());
      must((*method)->set_input(EValue(executorch::aten::Tensor(&impl)), k) == Error::Ok,
           "set_input");
    }
    begin = microseconds();
    must(phase_execute(&**method) == Error::Ok, "execute");
    run = std::min(run, microseconds() - begin);
    delete method;
  }
  if (argc > 2) std::printf("%.3f %.3f\n", load, run);
  return 0;
}
