// Tensors from and to files: raw bytes (.bin: little-endian, in dim order) or .npy (axes in the
// method's own order).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contract/result.h"
#include "contract/scalar_type.h"
#include "tools/files.h"

namespace berth::tools {

struct TensorSpec {
  std::string name;  // may be empty
  ScalarType dtype = ScalarType::kFloat;
  std::vector<int32_t> sizes;
  std::vector<uint8_t> dim_order;
  uint64_t bytes() const;  // UINT64_MAX where they are more than that
};

// "1 input", "2 inputs"
std::string counted(size_t count, const std::string& what);

// "i8[1x3x32x32]"
std::string spec_text(const TensorSpec& spec);

// The bytes of each tensor, in dim order. Either one file per tensor, or one raw file with all of
// them one after the other. The error's place is the file. `what` is "input" or "expected output",
// for errors.
Result<std::vector<Bytes>> read_tensors(const std::vector<std::string>& paths,
                                        const std::vector<TensorSpec>& specs,
                                        const std::string& what);

// The same split for output files; adds them to `out`.
MaybeError add_tensor_files(const std::vector<std::string>& paths,
                            const std::vector<TensorSpec>& specs, const std::vector<Bytes>& data,
                            OutputFiles* out);

}  // namespace berth::tools
