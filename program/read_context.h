// What all parts of the reader share: the file, where in it we are, and copying within the budget.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "contract/result.h"
#include "format/program_generated.h"
#include "program/container.h"
#include "program/field_path.h"
#include "program/program.h"
#include "program/unknown_fields.h"

namespace berth::program {

namespace fb = flatbuffers;
namespace pte = format::pte;
using Scope = FieldPath::Scope;

inline std::span<const std::byte> bytes_of(const fb::Vector<uint8_t>& bytes) {
  return {reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()};
}

struct ReadContext {
  ReadContext(std::span<const std::byte> file, const Container& opened, bool in_place)
      : kept(in_place ? file : std::span<const std::byte>()),
        container(opened),
        wire(*opened.program),
        budget(file.size()),
        unknown(budget),
        used_segments(opened.segments.size(), false) {}

  Error missing(const char* field) const { return path.error(field, "missing"); }
  Error exhausted() const { return Budget::exhausted(path); }

  MaybeError read_text(const char* field, const fb::String* text, bool required, std::string* out) {
    if (text == nullptr) {
      if (required) return missing(field);
      return {};
    }
    if (!budget.take(text->size())) return exhausted();
    *out = text->str();
    return {};
  }

  MaybeError read_bytes(std::span<const std::byte> bytes, Bytes* out) {
    if (!budget.take(bytes.size())) return exhausted();
    out->assign(bytes.begin(), bytes.end());
    return {};
  }

  // Left in place where it lies in the bytes that are kept; what a FlatBuffer holds may lie in a
  // copy of it.
  MaybeError read_blob(std::span<const std::byte> bytes, Blob* out) {
    const auto begin = reinterpret_cast<uintptr_t>(bytes.data());
    const auto kept_begin = reinterpret_cast<uintptr_t>(kept.data());
    if (begin >= kept_begin && begin - kept_begin < kept.size()) {
      *out = Blob::in_place(bytes);
      return {};
    }
    Bytes copy;
    if (auto error = read_bytes(bytes, &copy)) return error;
    *out = std::move(copy);
    return {};
  }

  // A vector of numbers that must be there.
  template <typename To, typename From>
  MaybeError read_numbers(const char* field, const fb::Vector<From>* numbers,
                          std::vector<To>* out) {
    if (numbers == nullptr) return missing(field);
    if (is_misaligned(*numbers)) return path.error(field, kMisaligned);
    if (!budget.take(numbers->size(), sizeof(To))) return exhausted();
    out->resize(numbers->size());
    for (uint32_t i = 0; i < numbers->size(); ++i) (*out)[i] = static_cast<To>(numbers->Get(i));
    return {};
  }

  std::span<const std::byte> kept;  // outlives the program; empty: nothing does
  const Container& container;
  const pte::Program& wire;
  Budget budget;
  UnknownFields unknown;
  FieldPath path;
  std::vector<bool> used_segments;  // those that something known refers to
};

}  // namespace berth::program
