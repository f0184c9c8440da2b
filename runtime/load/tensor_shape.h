// What a Tensor table says of a tensor's shape and type, checked: for the loader and for metadata
// before loading.
#pragma once

#include <cstdint>

#include "contract/status.h"
#include "runtime/core/tensor.h"
#include "runtime/load/flat_reader.h"
#include "runtime/load/load_faults.h"
#include "runtime/load/loaded_method.h"

namespace berth::runtime {

// Fills dtype, rank, sizes and dim order (in the file), capacity and `dynamic` of value i. Tensors
// whose bytes or count of elements do not fit this machine, or whose shape has no bound, are
// refused. REQUIRES: `layout` is the table's, a kinds::kTensor.
Status read_shape(FlatReader& reader, FlatTable table, const TableLayout& layout, Tensor* tensor);

// The sizes of a tensor as the file has them, which are upper bounds when the shape is dynamic.
// REQUIRES: the value of that index is a tensor.
const int32_t* file_sizes(const LoadedMethod& method, uint32_t value);

}  // namespace berth::runtime
