// A tracer that sees to it that an instruction writes what its operator may write, and nothing
// else: all other bytes of the pools are the same before and behind it, those around its scratch
// too, and those of the method's own memory, unless it may set a shape, a view or a number there.
// It counts the instruction's machine instructions on the way.
#pragma once

#include "runtime/runtime.h"

namespace berth::firmware {

class Fence : public runtime::Tracer {
 public:
  Fence(runtime::Span<const runtime::PoolMemory> pools, runtime::Span<const uint8_t> method_memory)
      : pools_(pools), method_memory_(method_memory) {}

  void instruction_begins(const runtime::LoadedMethod& method, uint32_t instruction) override;
  // Ends the image where a byte has changed that is not the instruction's.
  void instruction_ends(const runtime::LoadedMethod& method, uint32_t instruction,
                        Status status) override;

 private:
  uint32_t sum_of_others(const runtime::LoadedMethod& method, uint32_t instruction) const;

  runtime::Span<const runtime::PoolMemory> pools_;
  runtime::Span<const uint8_t> method_memory_;
  uint32_t sum_ = 0;
  uint64_t begin_ = 0;
};

}  // namespace berth::firmware
