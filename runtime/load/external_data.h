// Tensors that lie in files of their own (.ptd): opened here, found by name when a method is
// loaded. Nothing is copied; constants point into the caller's bytes.
//
//   0        8                                metadata_size     segment_base
//   | root, FT01 | FH01 header | FlatTensor tables | padding | segment 0 | segment 1 | ...
//
// An image that opens none links none of this: the loader reaches it through a pointer that open()
// sets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/status.h"
#include "runtime/core/span.h"
#include "runtime/core/tensor.h"
#include "runtime/load/flat_reader.h"
#include "runtime/load/load_faults.h"
#include "runtime/load/segment_table.h"

namespace berth::runtime {

class ExternalData {
 public:
  // Checks header, keys, segments and layouts. `bytes` start at kProgramAlignment and stay with the
  // caller, unchanged, while a method that was loaded with them is in use. On failure nothing
  // changes and *fault, if given, says which field of the .ptd is wrong.
  Status open(Span<const uint8_t> bytes, LoadFault* fault = nullptr);

  // For the loader: the bytes of the tensor of that name, as many as `tensor` has at least.
  // kNoSuchData when there is none; a fault of the program when it is not the same tensor there
  // (type, sizes, dim order).
  Status find(const char* name, const Tensor& tensor, LoadFaults& faults,
              const uint8_t** out) const {
    return find_ == nullptr ? Status::kNoSuchData : find_(*this, name, tensor, faults, out);
  }

 private:
  struct Entry {
    ScalarType dtype = ScalarType::kFloat;
    FlatVector sizes;      // int32_t; absent: bytes for somebody else, not a tensor
    FlatVector dim_order;  // uint8_t, as many
    Span<const uint8_t> bytes;
  };
  using Finder = Status (*)(const ExternalData&, const char*, const Tensor&, LoadFaults&,
                            const uint8_t**);

  static Status find_tensor(const ExternalData& self, const char* name, const Tensor& tensor,
                            LoadFaults& faults, const uint8_t** out);
  Status read(Span<const uint8_t> bytes, LoadFaults& faults);
  Status read_header(size_t file_size, LoadFaults& faults);
  // Checks the entry on the way.
  Status read_entry(FlatReader& reader, FlatTable table, Entry* out) const;

  Finder find_ = nullptr;
  const uint8_t* data_ = nullptr;
  uint32_t metadata_size_ = 0;
  SegmentTable segments_;
  FlatVector entries_;
};

}  // namespace berth::runtime
