#include <new>

#include "runtime/c_api/berth.h"
#include "runtime/runtime.h"

using namespace berth;
using namespace berth::runtime;

namespace {

template <typename T, typename Room>
T& inside(Room* room) {
  static_assert(sizeof(T) <= sizeof(Room) && alignof(T) <= alignof(Room), "raise berth.h's room");
  return *reinterpret_cast<T*>(room);
}
template <typename T, typename Room>
const T& inside(const Room* room) {
  return *reinterpret_cast<const T*>(room);
}

berth_status answer(Status status) { return static_cast<berth_status>(status); }

}  // namespace

berth_status berth_open(berth_program* program, const void* file, size_t size) {
  Program& opened = *new (program) Program();
  return answer(opened.open({static_cast<const uint8_t*>(file), size}));
}

berth_status berth_load(berth_method* method, const berth_program* program, const char* name,
                        const berth_kernels* kernels, void* own, size_t own_size,
                        const berth_pool* pools, size_t pool_count) {
  if (pool_count > kMaxPools) return answer(Status::kUnsupported);
  PoolMemory given[kMaxPools];
  for (size_t i = 0; i < pool_count; ++i) {
    given[i] = {pools[i].mem_id, {static_cast<uint8_t*>(pools[i].bytes), pools[i].size}};
  }
  const Span<const Kernel> table[] = {{kernels->kernels, kernels->count}};
  LoadOptions options;
  options.kernels = table;
  const MemoryGiven memory{{static_cast<uint8_t*>(own), own_size}, {given, pool_count}};
  Method& loaded = *new (method) Method();
  return answer(loaded.load(inside<Program>(program), name, options, memory));
}

berth_status berth_set_input(berth_method* method, uint32_t i, const void* data, size_t size) {
  return answer(inside<Method>(method).set_input(i, data, size));
}

berth_status berth_execute(berth_method* method) {
  return answer(inside<Method>(method).execute());
}

const void* berth_output(const berth_method* method, uint32_t i, size_t* size) {
  const Method& loaded = inside<Method>(method);
  if (i >= loaded.output_count() || loaded.output(i).tag != Tag::kTensor) return nullptr;
  const Tensor& tensor = *loaded.output(i).tensor;
  if (size != nullptr) *size = tensor.nbytes();
  return tensor.data;
}

const char* berth_status_words(berth_status status) {
  return status_words(static_cast<Status>(status));
}
