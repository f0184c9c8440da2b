#include "tools/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "compiler/target/nearest.h"

namespace berth::tools {
namespace {

using nlohmann::json;

// Thrown and caught in this file, from deep in the JSON.
struct BadCalls {
  Error error;           // its place is one in the JSON,
  bool is_file = false;  // or a file's path
};

[[noreturn]] void refuse(const std::string& place, std::string message) {
  throw BadCalls{{place, std::move(message)}, false};
}

std::string shown(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

const json& member(const json& object, const char* name, const std::string& place) {
  const auto found = object.find(name);
  if (found == object.end()) refuse(place + "." + name, "missing");
  return *found;
}

// What else a file tells of a call or a value is a slip that would change what is run. Of the whole
// list, anything may be told beside it.
void refuse_other_keys(const json& object, const std::vector<std::string>& known,
                       const std::string& place) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string near = target::nearest_name(key, known);
    refuse(place + "." + key,
           "is no key here; " + (near.empty() ? "the keys are " + target::name_list(known)
                                              : "did you mean \"" + near + "\"?"));
  }
}

std::string text_member(const json& object, const char* name, const std::string& place) {
  const json& value = member(object, name, place);
  if (!value.is_string()) refuse(place + "." + name, shown(value) + " is no string");
  return value.get<std::string>();
}

// A list of whole numbers from 0 to `most`.
template <typename T>
std::vector<T> numbers_member(const json& object, const char* name, int64_t most,
                              const std::string& place) {
  const json& list = member(object, name, place);
  const auto good = [most](const json& number) {
    return number.is_number_integer() && number.get<int64_t>() >= 0 &&
           number.get<int64_t>() <= most;
  };
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), good)) {
    refuse(place + "." + name,
           shown(list) + " is no list of numbers from 0 to " + std::to_string(most));
  }
  std::vector<T> numbers;
  for (const json& number : list) numbers.push_back(static_cast<T>(number.get<int64_t>()));
  return numbers;
}

class CallsReader {
 public:
  explicit CallsReader(const std::string& path)
      : folder_(std::filesystem::path(path).parent_path()) {}

  CallList read(const json& root) {
    CallList out;
    const json* list = &root;
    std::string name = "calls";
    if (root.is_object()) {
      name = "vectors";
      list = &member(root, "vectors", "calls");
      if (const auto sequence = root.find("sequence"); sequence != root.end()) {
        if (!sequence->is_boolean()) refuse("sequence", shown(*sequence) + " is no bool");
        out.sequence = sequence->get<bool>();
      }
    }
    if (!list->is_array()) refuse(name, "is no list of calls");
    for (size_t i = 0; i < list->size(); ++i) {
      out.calls.push_back(read_call((*list)[i], fmt::format("{}[{}]", name, i)));
    }
    if (out.calls.empty()) refuse(name, "is empty");
    return out;
  }

 private:
  Call read_call(const json& json_call, const std::string& place) {
    if (!json_call.is_object()) refuse(place, shown(json_call) + " is no call");
    Call call;
    call.place = place;
    // The last three tell where expected outputs come from.
    refuse_other_keys(json_call,
                      {"method", "inputs", "outputs", "eager_outputs", "reset", "expected_from",
                       "max_abs_diff_to_eager", "note"},
                      place);
    if (const auto reset = json_call.find("reset"); reset != json_call.end()) {
      if (*reset != true) refuse(place + ".reset", shown(*reset) + "; only true means something");
      call.reset = true;
      return call;
    }
    call.method = text_member(json_call, "method", place);
    if (json_call.contains("inputs")) {
      call.inputs = read_values(json_call["inputs"], place + ".inputs");
    }
    for (const char* name : {"eager_outputs", "outputs"}) {
      if (!json_call.contains(name)) continue;
      call.outputs = read_values(json_call[name], place + "." + name);
      call.has_outputs = true;
      break;
    }
    return call;
  }

  std::vector<RunValue> read_values(const json& list, const std::string& place) {
    if (!list.is_array()) refuse(place, shown(list) + " is no list of values");
    std::vector<RunValue> values;
    for (size_t i = 0; i < list.size(); ++i) {
      values.push_back(read_value(list[i], fmt::format("{}[{}]", place, i)));
    }
    return values;
  }

  RunValue read_value(const json& value, const std::string& place) {
    if (!value.is_object()) refuse(place, shown(value) + " is no value");
    refuse_other_keys(value, {"kind", "dtype", "shape", "dim_order", "file", "value"}, place);
    const std::string kind = text_member(value, "kind", place);
    if (kind == "tensor") return read_tensor(value, place);
    if (kind == "none") return NoValue();
    const json& content = member(value, "value", place);
    if (kind == "int" && content.is_number_integer()) return content.get<int64_t>();
    if (kind == "double" && content.is_number()) return content.get<double>();
    if (kind == "bool" && content.is_boolean()) return content.get<bool>();
    if (kind == "string" && content.is_string()) return content.get<std::string>();
    static const std::set<std::string> kKinds = {"int", "double", "bool", "string"};
    if (kKinds.count(kind) != 0) refuse(place + ".value", shown(content) + " is no " + kind);
    refuse(place + ".kind",
           "\"" + kind + "\"; it is one of tensor, int, double, bool, string, none");
  }

  TensorValue read_tensor(const json& value, const std::string& place) {
    TensorValue tensor;
    const std::string dtype = text_member(value, "dtype", place);
    const std::optional<ScalarType> type = parse_scalar_type(dtype);
    if (!type) refuse(place + ".dtype", "\"" + dtype + "\" is no element type known here");
    tensor.spec.dtype = *type;
    tensor.spec.sizes = numbers_member<int32_t>(value, "shape", INT32_MAX, place);
    const size_t rank = tensor.spec.sizes.size();
    if (value.contains("dim_order")) {
      tensor.spec.dim_order = numbers_member<uint8_t>(value, "dim_order", UINT8_MAX, place);
      const std::set<uint8_t> axes(tensor.spec.dim_order.begin(), tensor.spec.dim_order.end());
      const bool fits = tensor.spec.dim_order.size() == rank && axes.size() == rank &&
                        (rank == 0 || *axes.rbegin() == rank - 1);
      if (!fits) refuse(place + ".dim_order", fmt::format("is no order of {} axes", rank));
    } else {
      for (size_t d = 0; d < rank; ++d) tensor.spec.dim_order.push_back(static_cast<uint8_t>(d));
    }
    const std::string path = (folder_ / text_member(value, "file", place)).string();
    Result<std::vector<Bytes>> bytes = read_tensors({path}, {tensor.spec}, place);
    if (!bytes.ok()) throw BadCalls{bytes.error(), true};
    tensor.data = std::move(bytes.value()[0]);
    return tensor;
  }

  std::filesystem::path folder_;
};

RunValue from_bundle(program::BundledValue& value) {
  if (auto* tensor = std::get_if<program::BundledTensor>(&value)) {
    return TensorValue{{"", tensor->dtype, std::move(tensor->sizes), std::move(tensor->dim_order)},
                       std::move(tensor->data)};
  }
  if (const auto* integer = std::get_if<int64_t>(&value)) return *integer;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  return std::get<double>(value);
}

}  // namespace

Result<CallList> read_calls(const std::string& path) {
  Result<Bytes> file = read_file(path);
  if (!file.ok()) return Error{path, file.error().message};
  try {
    return CallsReader(path).read(json::parse(as_text(file.value())));
  } catch (const BadCalls& bad) {
    if (bad.is_file) return bad.error;
    return Error{path + ": " + bad.error.place, bad.error.message};
  } catch (const json::parse_error& bad) {
    return Error{path, fmt::format("no JSON (at byte {})", bad.byte)};
  }
}

CallList calls_of_bundle(program::BundledProgram bundle, const std::string& method) {
  CallList list;
  list.sequence = false;
  for (program::BundledSuite& suite : bundle.suites) {
    if (!method.empty() && suite.method != method) continue;
    for (size_t i = 0; i < suite.cases.size(); ++i) {
      Call& call = list.calls.emplace_back();
      call.place = fmt::format("method {}, test case {}", suite.method, i);
      call.method = suite.method;
      call.bundled_input = static_cast<int32_t>(i);
      for (auto& value : suite.cases[i].inputs) call.inputs.push_back(from_bundle(value));
      for (auto& value : suite.cases[i].expected_outputs) {
        call.outputs.push_back(from_bundle(value));
      }
      call.has_outputs = !call.outputs.empty();
    }
  }
  return list;
}

}  // namespace berth::tools
