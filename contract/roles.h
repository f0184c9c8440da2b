// What a buffer is for. The numbers stand in the plan record: append only.
#pragma once

#include <cstdint>

namespace berth {

enum class Role : uint8_t {
  kInput = 0,
  kOutput = 1,
  kActivation = 2,
  kState = 3,            // kept between runs
  kOpScratch = 4,        // one operator call, contents of no interest before and after
  kDelegateScratch = 5,  // the same for one delegate call
  kPersistent = 6,       // kept by a delegate for the life of its handle
};
constexpr int kRoleCount = 7;

constexpr const char* role_name(Role role) {
  constexpr const char* kNames[kRoleCount] = {
      "input", "output", "activation", "state", "op_scratch", "delegate_scratch", "persistent"};
  return kNames[static_cast<int>(role)];
}

}  // namespace berth
