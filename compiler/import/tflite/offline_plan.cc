#include "compiler/import/tflite/offline_plan.h"

#include <cstring>

namespace berth::import {

MaybeError check_offline_plan(const std::string& place, std::span<const std::byte> data,
                              uint64_t tensors) {
  constexpr uint64_t kHeader = 3;
  constexpr int32_t kAlignment = 16;
  if (data.size() < kHeader * 4 || data.size() % 4 != 0) {
    return Error{place, "has " + std::to_string(data.size()) +
                            " bytes; it holds 32-bit numbers, at least " + std::to_string(kHeader)};
  }
  const auto number = [&](uint64_t i) {
    int32_t value = 0;
    std::memcpy(&value, data.data() + i * 4, sizeof value);
    return value;
  };
  const int32_t count = number(2);
  if (count < 0 || static_cast<uint64_t>(count) != tensors) {
    return Error{place, "plans " + std::to_string(count) + " tensors; the model has " +
                            std::to_string(tensors)};
  }
  const uint64_t offsets = data.size() / 4 - kHeader;
  if (offsets != tensors) {
    return Error{place, "has " + std::to_string(offsets) + " offsets for " +
                            std::to_string(tensors) + " tensors"};
  }
  for (uint64_t i = 0; i < tensors; ++i) {
    const int32_t offset = number(kHeader + i);
    if (offset < -1 || (offset > 0 && offset % kAlignment != 0)) {
      return Error{place, "offset " + std::to_string(i) + " is " + std::to_string(offset) +
                              "; -1 or a multiple of " + std::to_string(kAlignment)};
    }
  }
  return {};
}

}  // namespace berth::import
