// What the runtime says in one byte and four numbers, in words a user can act on.
#pragma once

#include <string>
#include <vector>

#include "contract/result.h"
#include "contract/status.h"

namespace berth::tools {

struct PoolName {
  uint32_t mem_id = 0;
  std::string name;
};

// REQUIRES: status is not kOk. `fault` may be without a field, when the runtime had nothing to say.
Error load_fault_words(Status status, const LoadFault& fault, const std::vector<PoolName>& pools);

}  // namespace berth::tools
