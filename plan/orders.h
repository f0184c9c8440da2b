// Orders in which to place roots. Each is a permutation of the roots that are not fixed; ties end
// with the index.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/model.h"

namespace berth::plan {

enum class Key {
  kSize,       // biggest first
  kSizeLater,  // biggest first, of equals the later: the order of `greedy`
  kArea,       // bytes x steps alive, most first
  kLength,     // longest alive first
  kBegin,      // first alive first
  kCrowd,      // highest sum of live bytes during its life first
};
constexpr Key kAllKeys[] = {Key::kSize,   Key::kSizeLater, Key::kArea,
                            Key::kLength, Key::kBegin,     Key::kCrowd};
const char* key_name(Key key);

std::vector<int32_t> order_by(const Model& model, Key key);
// Ties of the first key by the second.
std::vector<int32_t> order_by(const Model& model, Key first, Key second);

}  // namespace berth::plan
