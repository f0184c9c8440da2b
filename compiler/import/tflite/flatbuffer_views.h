// FlatBuffers' vectors and strings, absent ones too, as views; and numbers as text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "format/tflite_generated.h"

namespace berth::import {

inline std::string text(uint64_t value) { return std::to_string(value); }

template <typename T>
std::span<const T> as_span(const flatbuffers::Vector<T>* vector) {
  if (vector == nullptr) return {};
  return {vector->data(), vector->size()};
}

inline std::string_view as_view(const flatbuffers::String* string) {
  if (string == nullptr) return {};
  return {string->c_str(), string->size()};
}

template <typename T>
uint32_t count_of(const flatbuffers::Vector<T>* vector) {
  return vector == nullptr ? 0 : vector->size();
}

}  // namespace berth::import
