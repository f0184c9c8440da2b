// Which values share bytes: a view is its argument's bytes, a join's parts lie one after the other
// inside its result, and an argument of a delegate may lie inside its scratch.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/ir.h"

namespace berth::emit {

struct StorageMap {
  struct Home {
    int32_t group = -1;   // values of one group share bytes
    uint64_t offset = 0;  // from the start of the group
  };
  std::vector<Home> homes;       // per value
  std::vector<uint64_t> nbytes;  // per group
  std::vector<bool> has_join;    // per group: some value is made of parts
};

// `inner` lies `offset` bytes after the start of `outer`.
struct Nested {
  ir::ValueId outer = -1;
  ir::ValueId inner = -1;
  uint64_t offset = 0;
};

// REQUIRES: ir::verify found nothing. Groups are numbered by their first value.
StorageMap map_storages(const ir::Graph& graph, const std::vector<Nested>& nested = {});

}  // namespace berth::emit
