#include "tools/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "contract/checked.h"

namespace berth::tools {
namespace {

constexpr size_t kGuardBytes = 256;  // on each side
constexpr uint8_t kGuard = 0xc5;

// Whether this machine could hold so many bytes: a fill would touch them all.
bool is_within_memory(uint64_t bytes) {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  return pages <= 0 || page <= 0 ||
         bytes / static_cast<uint64_t>(page) < static_cast<uint64_t>(pages);
}

}  // namespace

GuardedMemory::~GuardedMemory() { release(); }

GuardedMemory::GuardedMemory(GuardedMemory&& other) noexcept { *this = std::move(other); }

GuardedMemory& GuardedMemory::operator=(GuardedMemory&& other) noexcept {
  if (this == &other) return *this;
  release();
  block_ = std::exchange(other.block_, nullptr);
  block_size_ = std::exchange(other.block_size_, 0);
  data_ = std::exchange(other.data_, nullptr);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

void GuardedMemory::release() {
  if (block_ != nullptr) ::munmap(block_, block_size_);
  block_ = nullptr;
}

bool GuardedMemory::allocate(uint64_t bytes, uint64_t alignment) {
  release();
  uint64_t block = 0;
  if (!checked_add(bytes, 2 * kGuardBytes, &block) || !checked_add(block, 4 * alignment, &block) ||
      block > SIZE_MAX || !is_within_memory(block)) {
    return false;
  }
  void* memory = ::mmap(nullptr, static_cast<size_t>(block), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  block_ = static_cast<uint8_t*>(memory);
  block_size_ = static_cast<size_t>(block);
  const auto start = reinterpret_cast<uintptr_t>(block_);
  data_ = block_ + (align_up(start + kGuardBytes, 2 * alignment) + alignment - start);
  size_ = static_cast<size_t>(bytes);
  std::memset(data_ - kGuardBytes, kGuard, kGuardBytes);
  std::memset(data_ + size_, kGuard, kGuardBytes);
  return true;
}

bool GuardedMemory::is_damaged() const {
  if (block_ == nullptr) return false;
  const auto good = [](uint8_t byte) { return byte == kGuard; };
  const uint8_t* end = data_ + size_;
  return !std::all_of(data_ - kGuardBytes, data_, good) ||
         !std::all_of(end, end + kGuardBytes, good);
}

}  // namespace berth::tools
