// NumPy's .npy files: a header of text, then the elements. Read in both byte orders and both memory
// orders, written little-endian in C order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contract/result.h"
#include "contract/scalar_type.h"
#include "tools/files.h"

namespace berth::tools {

struct NpyArray {
  std::string type;  // NumPy's own name without the byte order: "i1", "f4", "b1"
  std::vector<uint64_t> shape;
  Bytes data;  // little-endian, C order
};

// NumPy's name for elements of that type: "i1", "f4", ...; "V2" (raw bytes) for types it does not
// have.
std::string npy_type(ScalarType type);

// The error's place is the field of the header.
Result<NpyArray> read_npy(const Bytes& file);
Bytes write_npy(const NpyArray& array);

// Elements in memory order (dim order, outermost to innermost) into C order of the axes, and back.
// REQUIRES: data holds exactly the elements of `sizes`; dim_order is a permutation of its axes.
Bytes to_c_order(const Bytes& data, const std::vector<int32_t>& sizes,
                 const std::vector<uint8_t>& dim_order, uint32_t element_bytes);
Bytes from_c_order(const Bytes& data, const std::vector<int32_t>& sizes,
                   const std::vector<uint8_t>& dim_order, uint32_t element_bytes);

}  // namespace berth::tools
