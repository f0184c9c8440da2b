// Where a load failed. Every check ends in `return faults.fail(status, field, need, have)`. With
// BERTH_NO_LOAD_FAULT the words vanish from the image and only the Status is left.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/status.h"
#include "runtime/core/try.h"

namespace berth::runtime {

// A field of a table: where its offset stands in the vtable, and its name for faults. Also the name
// of anything else that can be wrong. The words stand right behind the offset, so that a slot costs
// an image little more than they.
struct Slot {
  uint8_t offset;
  const char* words() const;
  constexpr explicit Slot(int id) : offset(static_cast<uint8_t>(4 + 2 * id)) {}
  Slot(const Slot&) = delete;  // would lose its words
};

template <size_t N>
struct SlotWithWords : Slot {
  char text[N] = {};
  constexpr SlotWithWords(int id, const char (&name)[N]) : Slot(id) {
    for (size_t i = 0; i < N; ++i) text[i] = name[i];
  }
};

// A field of format/*.fbs by its number there.
#ifndef BERTH_NO_LOAD_FAULT
inline const char* Slot::words() const {
  return static_cast<const SlotWithWords<1>*>(this)->text;  // at the same place whatever its length
}
#define BERTH_SLOT(name, id, words)                                    \
  inline constexpr SlotWithWords<sizeof(words)> name##Text{id, words}; \
  inline constexpr const Slot& name = name##Text
#else
#define BERTH_SLOT(name, id, words) \
  inline constexpr Slot name { id }
#endif

// Numbers beside a fault: as wide as an address, so that a check costs a small device little.
using FaultNumber = uintptr_t;

class LoadFaults {
 public:
  // `out` may be null: then only the Status is told.
  explicit LoadFaults(LoadFault* out) : out_(out) {}
  LoadFaults(const LoadFaults&) = delete;
  LoadFaults& operator=(const LoadFaults&) = delete;

  // The value, instruction, buffer or entry that is being checked.
  uint32_t item = 0;

  // Numbers of any kind are taken.
  template <typename Need = FaultNumber, typename Have = FaultNumber>
  Status fail(Status status, const Slot& field, Need need = 0, Have have = 0) {
#ifdef BERTH_NO_LOAD_FAULT
    static_cast<void>(field), static_cast<void>(need), static_cast<void>(have);
    return status;
#else
    write(field, static_cast<FaultNumber>(need), static_cast<FaultNumber>(have));
    return status;
#endif
  }

  // After fail(): which of the item's parts it is.
  void of_part([[maybe_unused]] uint32_t part) {
#ifndef BERTH_NO_LOAD_FAULT
    if (out_ != nullptr) out_->part = part;
#endif
  }

  // What whoever made this answers with: notes the status beside the rest.
  Status tell(Status status) const {
#ifndef BERTH_NO_LOAD_FAULT
    if (out_ != nullptr) out_->status = status;
#endif
    return status;
  }

 private:
  // Out of line and with few arguments, so that a check costs its caller a compare and a jump.
  void write(const Slot& field, FaultNumber need, FaultNumber have);

  LoadFault* out_;
};

}  // namespace berth::runtime
