// Memory of exactly so many bytes for a run, with marked bytes on both sides: what a kernel writes
// beyond its pool is seen after the run.
#pragma once

#include <cstddef>
#include <cstdint>

namespace berth::tools {

class GuardedMemory {
 public:
  GuardedMemory() = default;
  ~GuardedMemory();
  GuardedMemory(GuardedMemory&& other) noexcept;
  GuardedMemory& operator=(GuardedMemory&& other) noexcept;

  // False when the system has no such block, or the machine less memory: a file may ask for any
  // number. The bytes are zero and cost nothing until they are touched. They start at a multiple of
  // `alignment` that is none of twice as much, so that nobody can rely on more than was asked.
  // REQUIRES: alignment is a power of two.
  bool allocate(uint64_t bytes, uint64_t alignment);

  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  std::byte* bytes() const { return reinterpret_cast<std::byte*>(data_); }
  // Whether bytes outside were written.
  bool is_damaged() const;

 private:
  void release();
  uint8_t* block_ = nullptr;  // of the system; the guards lie within
  size_t block_size_ = 0;
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace berth::tools
