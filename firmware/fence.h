// A tracer that sees to it that an instruction writes what its operator may write, and nothing
// else: all other bytes of the pools are the same before and behind it, those around its scratch
// too. It counts the instruction's machine instructions on the way.
#pragma once

#include "runtime/runtime.h"

namespace berth::firmware {

class Fence : public runtime::Tracer {
 public:
  explicit Fence(runtime::Span<const runtime::PoolMemory> pools) : pools_(pools) {}

  void instruction_begins(const runtime::LoadedMethod& method, uint32_t instruction) override;
  // Ends the image where a byte has changed that is not the instruction's.
  void instruction_ends(const runtime::LoadedMethod& method, uint32_t instruction,
                        Status status) override;

 private:
  uint32_t sum_of_others(const runtime::LoadedMethod& method, uint32_t instruction) const;

  runtime::Span<const runtime::PoolMemory> pools_;
  uint32_t sum_ = 0;
  uint64_t begin_ = 0;
};

}  // namespace berth::firmware
