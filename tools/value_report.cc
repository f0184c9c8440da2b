#include "tools/value_report.h"

#include <algorithm>

namespace berth::tools {

using nlohmann::ordered_json;

std::string value_line(const RunValue& value) {
  constexpr size_t kShown = 12;
  const auto* tensor = std::get_if<TensorValue>(&value);
  if (tensor == nullptr) return value_text(value);
  const uint32_t bytes = element_size(tensor->spec.dtype);
  const size_t count = tensor->data.size() / bytes;
  std::string text = spec_text(tensor->spec) + ":";
  for (size_t i = 0; i < std::min(count, kShown); ++i) {
    text += " " + element_text(tensor->data.data() + i * bytes, tensor->spec.dtype);
  }
  return count > kShown ? text + " ..." : text;
}

ordered_json value_json(const RunValue& value) {
  if (const auto* tensor = std::get_if<TensorValue>(&value)) {
    return {{"dtype", scalar_type_name(tensor->spec.dtype)},
            {"shape", tensor->spec.sizes},
            {"bytes", tensor->spec.bytes()}};
  }
  if (const auto* number = std::get_if<int64_t>(&value)) return {{"value", *number}};
  if (const auto* number = std::get_if<double>(&value)) return {{"value", *number}};
  if (const auto* truth = std::get_if<bool>(&value)) return {{"value", *truth}};
  if (const auto* text = std::get_if<std::string>(&value)) return {{"value", *text}};
  return {{"value", nullptr}};
}

std::string dump_json(const ordered_json& json) {
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace berth::tools
