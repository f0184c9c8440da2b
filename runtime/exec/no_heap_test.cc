// Every allocator is replaced by one that aborts while the runtime works: opening, asking, loading,
// proving, running.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "runtime/runtime.h"
#include "tests/support/pte_builder.h"
#include "tests/support/test_kernels.h"

// The sanitizer brings an allocator of its own: there only operator new is replaced.
#if defined(__SANITIZE_ADDRESS__)
#define BERTH_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BERTH_SANITIZED 1
#endif
#endif

namespace {

bool heap_is_closed = false;

void* take(size_t size) {
  if (heap_is_closed) abort();
  return aligned_alloc(64, (size + 63) / 64 * 64);
}

}  // namespace

// The C library's own allocator stands behind these names in every other call.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
#ifndef BERTH_SANITIZED
void* malloc(size_t size) {
  if (heap_is_closed) abort();
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  if (heap_is_closed) abort();
  return __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  if (heap_is_closed) abort();
  return __libc_realloc(old, size);
}
#endif
}

void* operator new(size_t size) { return take(size); }
void* operator new[](size_t size) { return take(size); }
void operator delete(void* p) noexcept { free(p); }
void operator delete[](void* p) noexcept { free(p); }
void operator delete(void* p, size_t) noexcept { free(p); }
void operator delete[](void* p, size_t) noexcept { free(p); }

namespace berth::runtime {
namespace {

namespace make = berth::testing;

struct Outcome {
  Status status = Status::kOk;
  float answer = 0;
};

// A backend that asks for all it can and copies its input.
Status init(InitContext& context, BackendHandle*) {
  Span<const uint8_t> found;
  const bool has_all = context.processed().size() == 1 && context.find_spec("key", &found) &&
                       context.find_named_data("data", &found) &&
                       context.find_option("option") != nullptr && context.persistent(0).empty();
  return has_all ? Status::kOk : Status::kBackendFailed;
}

Status execute(ExecuteContext&, BackendHandle, const DelegateArgs& args) {
  memcpy(args.output(0).tensor->data, args.input(0).tensor->data, args.output(0).tensor->nbytes());
  return Status::kOk;
}

constexpr Backend kCopier = {"copier", init, execute, nullptr};

Outcome run(Span<const uint8_t> file, Span<uint8_t> own, Span<uint8_t> pool) {
  const Span<const Kernel> kernels[] = {make::kernels()};
  const PoolMemory pools[] = {{1, pool}};
  const Backend* const backends[] = {&kCopier};
  const BackendOption option{"copier", "option"};
  LoadOptions options{kernels, true};
  options.backends = Backends(backends, {&option, 1});
  Program program;
  Method method;
  MethodNeed need;
  LoadFault fault;
  const float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
  Outcome outcome;
  const auto ok = [&](Status status) {
    outcome.status = status;
    return status == Status::kOk;
  };
  if (ok(program.open(file, &fault)) && ok(program.need("forward", &need, &fault)) &&
      ok(method.load(program, "forward", options, {own, pools}, &fault)) &&
      ok(method.set_input(0, a, 16)) && ok(method.set_input(1, b, 16)) && ok(method.execute())) {
    outcome.answer = method.output(0).tensor->as<float>()[3];
  }
  method.unload();
  return outcome;
}

TEST(NoHeapTest, LoadsProvesAndRunsWithEveryAllocatorClosed) {
  make::TestFile file;
  make::TestMethod& m = file.method();
  m.operators = {{"test::add", "out"}, {"test::sum", "out"}};
  m.values = {make::planned({4}, 0),  make::planned({4}, 16),
              make::planned({4}, 32), make::list_value(make::kTensorList, {0, 2}),
              make::planned({4}, 48), make::planned({4}, 64)};
  m.inputs = {0, 1};
  m.outputs = {5};
  m.code() = {make::call(0, {0, 1, 2, 2}), make::call(1, {3, 4, 4}),
              make::delegate_call(0, {4, 5})};
  m.pool_sizes = {0, 80};
  m.delegates = {{"copier", 1, 0, {{"key", {}}}}};
  file.segments = {{7}};
  file.named_data = {{"data", 0}};
  file.record = make::TestRecord();
  make::TestMethodRecord record;
  record.instruction_count = 3;
  record.value_buffer = {0, 1, 2, -1, 3, 4};
  record.buffers = {{0, {{0, 2}}, 0, 16},
                    {1, {{0, 1}}, 0, 16},
                    {2, {{0, 2}}, 2, 16},
                    {4, {{1, 3}}, 2, 16},
                    {5, {{2, 3}}, 1, 16}};
  record.calls = {{2, 1, 1, 0}};
  file.record->methods = {record};
  const make::AlignedBytes bytes(build_file(file));
  make::AlignedBytes own(2048), pool(80);

  heap_is_closed = true;
  const Outcome good =
      run({bytes.data(), bytes.size()}, {own.data(), own.size()}, {pool.data(), 80});
  const Outcome bad =
      run({bytes.data(), bytes.size()}, {own.data(), own.size()}, {pool.data(), 79});
  heap_is_closed = false;

  EXPECT_EQ(good.status, Status::kOk);
  EXPECT_EQ(good.answer, 16.0f);
  EXPECT_EQ(bad.status, Status::kTooSmall);
}

TEST(NoHeapDeathTest, AClosedHeapAborts) {
#ifndef BERTH_SANITIZED
  EXPECT_DEATH(
      {
        heap_is_closed = true;
        void* volatile kept = malloc(1);
        free(kept);
      },
      "");
#endif
  EXPECT_DEATH(
      {
        heap_is_closed = true;
        int* volatile kept = new int(1);
        delete kept;
      },
      "");
}

}  // namespace
}  // namespace berth::runtime
