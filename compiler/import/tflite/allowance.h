// How much memory one file may cost. A FlatBuffer may refer to one vector or table from many
// places, and an operator may make constants that are larger than what describes them; so a file of
// a kilobyte could ask for gigabytes. Everything that reading and importing allocate is paid for
// from an allowance of a small multiple of the file's size, which files that TFLite tools write
// never come near.
#pragma once

#include <cstdint>
#include <string>

#include "contract/result.h"

namespace berth::import {

class Allowance {
 public:
  explicit Allowance(uint64_t file_size);
  // False, and nothing is taken, when less is left.
  bool spend(uint64_t bytes);
  // The error to give then.
  Error error(std::string place) const;

 private:
  uint64_t limit_;
  uint64_t left_;
};

}  // namespace berth::import
