// What a delegate's blob is, told from its first bytes: nothing of any backend is linked for that,
// and a blob that is not recognised is bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace berth::report {

// A piece of a blob that its header tells of.
struct BlobPart {
  std::string name;  // printable ASCII
  uint64_t bytes = 0;
  bool operator==(const BlobPart&) const = default;
};

struct BlobKind {
  std::string name;             // "xnnpack", "vela", "onednn", ...; empty: not recognised
  std::vector<BlobPart> parts;  // in the order of the blob; only such as lie inside it
};

// Reads at most the header and the sizes of the blob's blocks, not what is in them.
BlobKind recognise_blob(std::span<const std::byte> blob);

}  // namespace berth::report
