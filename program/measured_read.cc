#include "program/measured_read.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include "program/read.h"

namespace {

constexpr size_t kHead = 16;  // keeps what we hand out aligned
std::atomic<size_t> live_bytes{0};
std::atomic<size_t> peak_bytes{0};

void* counted_alloc(size_t size) {
  auto* block = static_cast<char*>(std::malloc(size + kHead));
  if (block == nullptr) throw std::bad_alloc();
  *reinterpret_cast<size_t*>(block) = size;
  const size_t now = live_bytes += size;
  if (now > peak_bytes) peak_bytes = now;
  return block + kHead;
}

void counted_free(void* pointer) {
  if (pointer == nullptr) return;
  char* block = static_cast<char*>(pointer) - kHead;
  live_bytes -= *reinterpret_cast<size_t*>(block);
  std::free(block);
}

}  // namespace

void* operator new(size_t size) { return counted_alloc(size); }
void* operator new[](size_t size) { return counted_alloc(size); }
void operator delete(void* pointer) noexcept { counted_free(pointer); }
void operator delete[](void* pointer) noexcept { counted_free(pointer); }
void operator delete(void* pointer, size_t) noexcept { counted_free(pointer); }
void operator delete[](void* pointer, size_t) noexcept { counted_free(pointer); }

namespace berth::program {

Outcome read_measured(std::span<const std::byte> file) {
  const size_t before = live_bytes;
  peak_bytes = before;
  auto program = read(file);
  Outcome outcome{program.ok(), {}, peak_bytes - before};
  if (!program.ok()) outcome.error = program.error();
  return outcome;
}

}  // namespace berth::program
