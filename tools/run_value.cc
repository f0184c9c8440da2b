#include "tools/run_value.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "tools/npy.h"

namespace berth::tools {
namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

bool is_close(double got, double expected, const Tolerance& tolerance) {
  if (got == expected || (std::isnan(got) && std::isnan(expected))) return true;
  if (!std::isfinite(got) || !std::isfinite(expected)) return false;
  return std::fabs(got - expected) <= tolerance.absolute + tolerance.relative * std::fabs(expected);
}

std::optional<std::string> tensor_difference(const TensorValue& got, const TensorValue& expected,
                                             const Tolerance& tolerance) {
  const TensorSpec& spec = got.spec;
  if (spec.dtype != expected.spec.dtype || spec.sizes != expected.spec.sizes) {
    return fmt::format("is {}, expected {}", spec_text(spec), spec_text(expected.spec));
  }
  const bool same_order = spec.dim_order == expected.spec.dim_order;
  const Bytes& wanted = same_order ? expected.data : in_dim_order(expected, spec.dim_order);
  const auto mismatch = compare(got.data, wanted, spec, tolerance);
  if (!mismatch) return std::nullopt;
  return fmt::format("element {} is {}, expected {}; {} of {} elements differ", mismatch->element,
                     mismatch->got, mismatch->expected, mismatch->count, mismatch->total);
}

}  // namespace

std::string value_text(const RunValue& value) {
  return std::visit(Overloaded{
                        [](const NoValue&) { return std::string("none"); },
                        [](const TensorValue& tensor) { return spec_text(tensor.spec); },
                        [](int64_t number) { return fmt::format("int {}", number); },
                        [](double number) { return fmt::format("double {}", number); },
                        [](bool truth) { return fmt::format("bool {}", truth); },
                        [](const std::string& text) { return fmt::format("string \"{}\"", text); },
                        [](const ListValue&) { return std::string("a list"); },
                    },
                    value);
}

std::optional<ScalarType> parse_scalar_type(std::string_view name) {
  constexpr std::pair<std::string_view, ScalarType> kLongNames[] = {
      {"uint8", ScalarType::kByte},
      {"int8", ScalarType::kChar},
      {"int16", ScalarType::kShort},
      {"int32", ScalarType::kInt},
      {"int64", ScalarType::kLong},
      {"float16", ScalarType::kHalf},
      {"float32", ScalarType::kFloat},
      {"float64", ScalarType::kDouble},
      {"bfloat16", ScalarType::kBFloat16},
      {"uint16", ScalarType::kUInt16},
      {"uint32", ScalarType::kUInt32},
      {"uint64", ScalarType::kUInt64},
      {"complex64", ScalarType::kComplexFloat},
      {"complex128", ScalarType::kComplexDouble},
  };
  for (const auto& [known, type] : kLongNames) {
    if (name == known) return type;
  }
  for (int code = 0; code < kScalarTypeCount; ++code) {
    if (name == scalar_type_name(static_cast<ScalarType>(code))) {
      return static_cast<ScalarType>(code);
    }
  }
  return std::nullopt;
}

Bytes in_dim_order(const TensorValue& tensor, const std::vector<uint8_t>& dim_order) {
  const uint32_t bytes = element_size(tensor.spec.dtype);
  return from_c_order(to_c_order(tensor.data, tensor.spec.sizes, tensor.spec.dim_order, bytes),
                      tensor.spec.sizes, dim_order, bytes);
}

std::optional<std::string> difference(const RunValue& got, const RunValue& expected,
                                      const Tolerance& tolerance) {
  const auto* got_tensor = std::get_if<TensorValue>(&got);
  const auto* expected_tensor = std::get_if<TensorValue>(&expected);
  if (got_tensor != nullptr && expected_tensor != nullptr) {
    return tensor_difference(*got_tensor, *expected_tensor, tolerance);
  }
  const auto* got_number = std::get_if<double>(&got);
  const auto* expected_number = std::get_if<double>(&expected);
  const bool same =
      got_number != nullptr && expected_number != nullptr
          ? is_close(*got_number, *expected_number, tolerance)
          : got.index() == expected.index() && value_text(got) == value_text(expected);
  if (same) return std::nullopt;
  return fmt::format("is {}, expected {}", value_text(got), value_text(expected));
}

}  // namespace berth::tools
