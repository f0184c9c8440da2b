// How many bytes sets of roots take in one pool: what is known of it, found by search and kept.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "plan/model.h"

namespace berth::plan {

class PoolHeights {
 public:
  struct Height {
    uint64_t low = 0;               // no layout takes less
    uint64_t high = 0;              // this one takes so much:
    std::vector<uint64_t> offsets;  // per root of the set
    bool is_spent = false;          // nothing more will be learned
  };

  // `max_nodes`: of one set. The model outlives this.
  PoolHeights(const Model& model, uint64_t max_nodes) : model_(model), max_nodes_(max_nodes) {}

  // Searches until a layout takes at most `enough` bytes, or none can take at most `most`, or this
  // set has used up its nodes. The pool is one where all of the set may be; its capacity does not
  // matter. REQUIRES: `roots` is sorted.
  const Height& find(const std::vector<int32_t>& roots, int32_t pool, uint64_t enough,
                     uint64_t most);

  uint64_t nodes() const { return nodes_; }

 private:
  struct Known {
    Height height;
    uint64_t grain = 1;
    uint64_t nodes = 0;
  };
  Known first_look(const std::vector<int32_t>& roots, int32_t pool);
  void search(const std::vector<int32_t>& roots, int32_t pool, uint64_t enough, uint64_t most,
              Known* known);

  const Model& model_;
  const uint64_t max_nodes_;
  uint64_t nodes_ = 0;
  std::map<std::vector<int32_t>, Known> known_;
};

}  // namespace berth::plan
