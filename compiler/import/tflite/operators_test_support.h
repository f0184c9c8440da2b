// Models of one operator in a few words, and the ir that they become as text without its constants.
#pragma once

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "compiler/import/tflite/import_tflite.h"
#include "compiler/import/tflite/small_model.h"
#include "compiler/ir/text.h"

namespace berth::import {

namespace fb = format::tflite;
using Activation = fb::ActivationFunctionType;

// The graph's nodes and outputs, one per line, without origins.
inline std::string nodes_of(const SmallModel& model) {
  const Result<ir::Module> module = import_tflite(model.build(), nullptr);
  if (!module.ok()) return module.error().place + ": " + module.error().message;
  std::istringstream text(ir::print(module.value()));
  std::string line, nodes;
  while (std::getline(text, line)) {
    if (line.rfind("  %", 0) != 0 && line.rfind("  output", 0) != 0) continue;
    const size_t origin = line.find(" origin=");
    if (origin != std::string::npos) line.erase(origin, line.find(" = ") - origin);
    nodes += line.substr(2) + "\n";
  }
  return nodes;
}

inline SmallTensor constant(std::vector<int32_t> shape, std::vector<uint8_t> data) {
  return {.shape = std::move(shape), .data = std::move(data)};
}
inline SmallTensor numbers(std::vector<int32_t> shape, const std::vector<int32_t>& values) {
  return {.shape = std::move(shape),
          .type = TensorType::INT32,
          .scales = {},
          .zero_points = {},
          .data = int32_bytes(values)};
}
inline SmallTensor tensor(std::vector<int32_t> shape, float scale = 0.5F, int64_t zero_point = 0) {
  return {.shape = std::move(shape), .scales = {scale}, .zero_points = {zero_point}};
}
inline SmallTensor tensor16(std::vector<int32_t> shape, float scale = 0.001F) {
  return {
      .shape = std::move(shape), .type = TensorType::INT16, .scales = {scale}, .zero_points = {0}};
}
inline SmallTensor floats(std::vector<int32_t> shape) {
  return {.shape = std::move(shape), .type = TensorType::FLOAT32, .scales = {}, .zero_points = {}};
}

inline OptionsBuilder conv_options(fb::Padding padding, int stride,
                                   Activation activation = Activation::NONE, int dilation = 1) {
  return options_of(BuiltinOptions::Conv2DOptions, [=](auto& b) {
    return fb::CreateConv2DOptions(b, padding, stride, stride, activation, dilation, dilation);
  });
}

inline OptionsBuilder pool_options(fb::Padding padding, int stride, int size,
                                   Activation activation = Activation::NONE) {
  return options_of(BuiltinOptions::Pool2DOptions, [=](auto& b) {
    return fb::CreatePool2DOptions(b, padding, stride, stride, size, size, activation);
  });
}

}  // namespace berth::import
