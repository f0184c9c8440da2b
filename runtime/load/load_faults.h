// Where a load failed. Every check ends in `return faults.fail(status, field, need, have)`. With
// BERTH_NO_LOAD_FAULT the words vanish from the image and only the Status is left. With
// BERTH_TRUST_FILE the checks of the file vanish too: a program that a host has checked, in flash
// that nobody else writes, cannot fail them, and what would happen if it did is undefined.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/status.h"
#include "runtime/core/try.h"

namespace berth::runtime {

// What is known of a field besides its place. Without one of these it is optional, and a number of
// 4 bytes, a table or a vector of either.
constexpr uint8_t kRequired = 0x10;              // a table without it is refused
constexpr uint8_t kByte = 0x20, kLong = 0x40;    // numbers of 1 and 8 bytes
constexpr uint8_t kBytes = 0x60, kLongs = 0x80;  // vectors of them; a text is one of bytes
constexpr uint8_t kPairs = 0xA0, kQuads = 0xC0;  // vectors of two and four numbers of 4 bytes

#ifdef BERTH_TRUST_FILE
constexpr bool kTrustFile = true;
#else
constexpr bool kTrustFile = false;
#endif

// A field of a table: where its offset stands in the vtable, and its name for faults. Also the name
// of anything else that can be wrong. The words stand right behind the one byte, so that a slot
// costs an image little more than they.
class Slot {
 public:
  constexpr Slot(int id, uint8_t traits) : code_(static_cast<uint8_t>((2 + id) | traits)) {}
  Slot(const Slot&) = delete;  // would lose its words
  constexpr uint32_t offset() const { return 2u * (code_ & 15); }
  constexpr bool is_required() const { return (code_ & kRequired) != 0; }
  // Of the field in its table: what it says, or the offset of what it leads to.
  constexpr uint32_t bytes() const { return is_byte() ? 1 : (code_ & kKinds) == kLong ? 8 : 4; }
  constexpr bool is_byte() const { return (code_ & kKinds) == kByte; }
  // Of an element of the vector: its bytes are a power of two.
  constexpr uint32_t element_shift() const { return pick(0x4330002); }
  constexpr uint32_t element_alignment() const { return 1u << pick(0x2230002); }
  const char* words() const;

 private:
  static constexpr uint8_t kKinds = 0xE0;
  // A digit of a number that has one for each kind of field.
  constexpr uint32_t pick(uint32_t digits) const { return digits >> 4 * (code_ >> 5) & 15; }

  uint8_t code_;
};

template <size_t N>
struct SlotWithWords : Slot {
  char text[N] = {};
  constexpr SlotWithWords(int id, const char (&name)[N], uint8_t traits = 0) : Slot(id, traits) {
    for (size_t i = 0; i < N; ++i) text[i] = name[i];
  }
};

// BERTH_SLOT(name, number of the field in format/*.fbs, words, traits)
#ifndef BERTH_NO_LOAD_FAULT
inline const char* Slot::words() const {
  return static_cast<const SlotWithWords<1>*>(this)->text;  // at the same place whatever its length
}
#define BERTH_SLOT(name, id, ...)                                    \
  inline constexpr auto name##Text = SlotWithWords{id, __VA_ARGS__}; \
  inline constexpr const Slot& name = name##Text
#else
constexpr uint8_t slot_traits(const char*, uint8_t traits = 0) { return traits; }
#define BERTH_SLOT(name, id, ...) \
  inline constexpr Slot name { id, slot_traits(__VA_ARGS__) }
#endif

#ifdef BERTH_NO_LOAD_FAULT
constexpr bool kTellsFaults = false;
#else
constexpr bool kTellsFaults = true;
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
  template <typename Need, typename Have = FaultNumber>
  Status fail(Status status, const Slot& field, Need need, Have have = 0) {
    if (is_ruled_out(status)) __builtin_unreachable();
    return refuse(status, field, need, have);
  }
  // The same for what the caller asks, whatever the file says.
  template <typename Need, typename Have>
  Status refuse(Status status, const Slot& field, Need need, Have have) {
#ifdef BERTH_NO_LOAD_FAULT
    static_cast<void>(field), static_cast<void>(need), static_cast<void>(have);
    return status;
#else
    write(field, static_cast<FaultNumber>(need), static_cast<FaultNumber>(have));
    return status;
#endif
  }

  Status fail(Status status, const Slot& field) {
    if (is_ruled_out(status)) __builtin_unreachable();
#ifdef BERTH_NO_LOAD_FAULT
    static_cast<void>(field);
#else
    write(field);
#endif
    return status;
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
  // What a file can be guilty of, if it is the right one for this processor.
  static constexpr bool is_ruled_out(Status status) {
    return kTrustFile && status >= Status::kTruncated && status <= Status::kOutOfPlan &&
           status != Status::kBadMagic && status != Status::kNoPlanRecord &&
           status != Status::kWrongIsa;
  }
  // Out of line and with few arguments, so that a check costs its caller a compare and a jump.
  void write(const Slot& field, FaultNumber need, FaultNumber have);
  void write(const Slot& field);

  LoadFault* out_;
};

}  // namespace berth::runtime
