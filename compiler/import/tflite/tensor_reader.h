// One tensor of a .tflite file: its table checked and turned into a FileTensor.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "compiler/import/tflite/tflite_file.h"

namespace berth::import {

class TensorReader {
 public:
  // `buffers`: the file's, checked; views of both must outlive what is read. Memory that the
  // tensors will take is paid for from the allowance.
  TensorReader(const std::vector<std::span<const std::byte>>& buffers, Allowance* allowance)
      : buffers_(buffers), allowance_(*allowance) {}

  // Everything but the name. `place` names the tensor in an error. What no operator may use is no
  // error: out.unusable says why.
  MaybeError read(const std::string& place, const wire::Tensor& tensor, FileTensor& out);

 private:
  MaybeError read_shape(const std::string& place, const wire::Tensor& tensor, FileTensor& out);
  MaybeError read_quantization(const std::string& place, const wire::QuantizationParameters* table,
                               FileTensor& out);

  const std::vector<std::span<const std::byte>>& buffers_;
  Allowance& allowance_;
};

}  // namespace berth::import
