#include "compiler/import/tflite/allowance.h"

#include <limits>
#include <utility>

#include "contract/checked.h"

namespace berth::import {

namespace {
constexpr uint64_t kPerFileByte = 16;
constexpr uint64_t kBase = 1 << 20;
}  // namespace

Allowance::Allowance(uint64_t file_size) : limit_(kBase) {
  uint64_t scaled = 0;
  if (!checked_mul(file_size, kPerFileByte, &scaled) || !checked_add(limit_, scaled, &limit_)) {
    limit_ = std::numeric_limits<uint64_t>::max();
  }
  left_ = limit_;
}

bool Allowance::spend(uint64_t bytes) {
  if (bytes > left_) return false;
  left_ -= bytes;
  return true;
}

Error Allowance::error(std::string place) const {
  return {std::move(place),
          "the file refers to the same parts so often that reading it would take more than " +
              std::to_string(limit_) + " bytes; files that TFLite tools write stay far below"};
}

}  // namespace berth::import
