// glibc lets a program have its own malloc, and keeps the old one under another name.
#include "tests/support/allocation_count.h"

#include <atomic>
#include <cerrno>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define BERTH_COUNTS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BERTH_COUNTS 0
#endif
#endif
#if !defined(BERTH_COUNTS) && defined(__GLIBC__)
#define BERTH_COUNTS 1
#endif

namespace berth::testing {
namespace {

std::atomic<uint64_t> g_blocks{0};
std::atomic<uint64_t> g_bytes{0};

}  // namespace

AllocationCount allocations() { return {g_blocks.load(), g_bytes.load()}; }

bool counts_allocations() {
#if BERTH_COUNTS
  return true;
#else
  return false;
#endif
}

#if BERTH_COUNTS
void count_block(size_t bytes) {
  g_blocks.fetch_add(1);
  g_bytes.fetch_add(bytes);
}
#endif

}  // namespace berth::testing

#if BERTH_COUNTS
extern "C" {
void* __libc_malloc(size_t);            // NOLINT: glibc's names
void* __libc_calloc(size_t, size_t);    // NOLINT
void* __libc_memalign(size_t, size_t);  // NOLINT

void* malloc(size_t size) {
  berth::testing::count_block(size);
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  berth::testing::count_block(count * size);
  return __libc_calloc(count, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  berth::testing::count_block(size);
  return __libc_memalign(alignment, size);
}
void* memalign(size_t alignment, size_t size) {
  berth::testing::count_block(size);
  return __libc_memalign(alignment, size);
}
// Weak: a backend of the program may count these itself.
__attribute__((weak)) int posix_memalign(void** out, size_t alignment, size_t size) {
  berth::testing::count_block(size);
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}
}
#endif
