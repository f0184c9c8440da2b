// Fields of tables that are newer than our schema: their slots, found in the vtable.
#pragma once

#include <string>
#include <vector>

#include "program/container.h"
#include "program/field_path.h"

namespace berth::program {

class UnknownFields {
 public:
  explicit UnknownFields(Budget& budget) : budget_(budget) {}

  // Notes every slot of `table` beyond `last` (the VT_ constant of the last field known) that holds
  // something. True if there was one.
  template <typename T>
  bool look(const T& table, flatbuffers::voffset_t last, const FieldPath& path) {
    const auto& plain = reinterpret_cast<const flatbuffers::Table&>(table);
    const uint8_t* vtable = plain.GetVTable();
    const auto size = flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable);
    if (size <= last + 2) return false;
    if (!budget_.take(size)) {  // vtables may overlap, too
      exhausted_ = true;
      return false;
    }
    bool found = false;
    for (int at = last + 2; at + 1 < size; at += 2) {
      if (flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable + at) == 0) continue;
      note((path.text().empty() ? "Program" : path.text()) + " slot " +
           std::to_string((at - 4) / 2));
      found = true;
    }
    return found;
  }

  void note(std::string text) {
    if (names_.size() < kMaxNames) names_.push_back(std::move(text));
    if (names_.size() == kMaxNames) names_.push_back("(and more)");
  }

  bool exhausted() const { return exhausted_; }
  std::vector<std::string> take() { return std::move(names_); }

 private:
  static constexpr size_t kMaxNames = 100;
  Budget& budget_;
  std::vector<std::string> names_;
  bool exhausted_ = false;
};

// For tables without fields: the VT_ constant before the first slot.
constexpr flatbuffers::voffset_t kNoFields = 2;

}  // namespace berth::program
