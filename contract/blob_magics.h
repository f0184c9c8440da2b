// How the blobs of our backends begin: what their halves check, and by what a report tells them.
#pragma once

#include <cstdint>

namespace berth {

// Four characters as the number that a little-endian machine reads of them.
constexpr uint32_t blob_magic(const char (&text)[5]) {
  uint32_t number = 0;
  for (int i = 3; i >= 0; --i) number = number << 8 | static_cast<uint8_t>(text[i]);
  return number;
}

inline constexpr char kReferenceMagic[] = "REF1";
inline constexpr char kOnednnMagic[] = "DNN1";

}  // namespace berth
