// Printing is forgiving: it also shows graphs that verify() refuses, because those are the ones
// people need to see.
#include <charconv>
#include <cmath>
#include <cstring>

#include "compiler/ir/text.h"

namespace berth::ir {
namespace {

constexpr size_t kListLimit = 16;  // more elements than this are printed as hex
constexpr size_t kHexBytesPerLine = 32;

template <typename T>
std::string number_text(T number) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), number).ptr;
  std::string text(buffer, end);
  if constexpr (std::is_floating_point_v<T>) {
    // A double always looks like one, so that a reader keeps 1.0 and 1 apart ("inf" and "nan" have
    // an n).
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
  }
  return text;
}

std::string quoted(const std::string& text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

template <typename List, typename Item>
std::string list_text(const List& list, Item item) {
  std::string text = "[";
  bool first = true;
  for (const auto& element : list) {
    if (!first) text += ", ";
    first = false;
    text += item(element);
  }
  return text + "]";
}

template <typename T>
T element_at(const Bytes& bytes, size_t i) {
  T element;
  std::memcpy(&element, bytes.data() + i * sizeof(T), sizeof(T));
  return element;
}

// Writes element `i` as text, or answers false when its type (or value: nan, a bool of 2) has no
// literal.
bool element_text(ScalarType type, const Bytes& bytes, size_t i, std::string* out) {
  switch (type) {
    case ScalarType::kByte:
      *out = number_text<unsigned>(element_at<uint8_t>(bytes, i));
      return true;
    case ScalarType::kChar:
      *out = number_text<int>(element_at<int8_t>(bytes, i));
      return true;
    case ScalarType::kShort:
      *out = number_text(element_at<int16_t>(bytes, i));
      return true;
    case ScalarType::kInt:
      *out = number_text(element_at<int32_t>(bytes, i));
      return true;
    case ScalarType::kLong:
      *out = number_text(element_at<int64_t>(bytes, i));
      return true;
    case ScalarType::kUInt16:
      *out = number_text(element_at<uint16_t>(bytes, i));
      return true;
    case ScalarType::kUInt32:
      *out = number_text(element_at<uint32_t>(bytes, i));
      return true;
    case ScalarType::kUInt64:
      *out = number_text(element_at<uint64_t>(bytes, i));
      return true;
    case ScalarType::kBool: {
      const uint8_t byte = element_at<uint8_t>(bytes, i);
      *out = byte != 0 ? "true" : "false";
      return byte <= 1;
    }
    case ScalarType::kFloat: {
      const float number = element_at<float>(bytes, i);
      *out = number_text(number);
      return !std::isnan(number);
    }
    case ScalarType::kDouble: {
      const double number = element_at<double>(bytes, i);
      *out = number_text(number);
      return !std::isnan(number);
    }
    default:
      return false;
  }
}

std::string hex_text(const Bytes& bytes, size_t element_bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  const bool one_line = bytes.size() <= kHexBytesPerLine;
  std::string text = "hex \"";
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (!one_line && i % kHexBytesPerLine == 0) {
      text += "\n    ";
    } else if (i != 0 && i % element_bytes == 0) {
      text += ' ';
    }
    const unsigned byte = static_cast<unsigned>(bytes[i]);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text + (one_line ? "\"" : "\n  \"");
}

// The shortest form that gives the bytes back: splat, then a list, then hex.
std::string data_text(const TensorSpec& spec, const Bytes& bytes) {
  if (!is_scalar_type(static_cast<int>(spec.dtype))) return hex_text(bytes, 1);
  const size_t element_bytes = element_size(spec.dtype);
  const size_t count = bytes.size() / element_bytes;
  std::string first;
  if (bytes.size() % element_bytes != 0) return hex_text(bytes, 1);
  if (count >= 2 &&
      std::memcmp(bytes.data(), bytes.data() + element_bytes, bytes.size() - element_bytes) == 0 &&
      element_text(spec.dtype, bytes, 0, &first)) {
    return "splat " + first;
  }
  if (count > kListLimit) return hex_text(bytes, element_bytes);
  std::string text = "[";
  for (size_t i = 0; i < count; ++i) {
    std::string element;
    if (!element_text(spec.dtype, bytes, i, &element)) return hex_text(bytes, element_bytes);
    text += (i == 0 ? "" : ", ") + element;
  }
  return text + "]";
}

class Printer {
 public:
  Printer(const Graph& graph, const PrintOptions& options) : graph_(graph), options_(options) {}

  std::string run() {
    std::string text = "graph " + graph_.name + " {\n";
    for (const ValueId id : graph_.inputs) text += "  input " + declaration(id) + "\n";
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      const Value& value = graph_.values[v];
      if (value.kind != ValueKind::kConstant) continue;
      text += "  const " + declaration(static_cast<ValueId>(v)) + " = " + constant(v, value) + "\n";
    }
    for (const Node& node : graph_.nodes) text += "  " + node_text(node) + "\n";
    for (const ValueId id : graph_.outputs) text += "  output " + name(id) + "\n";
    return text + "}\n";
  }

 private:
  bool in_table(ValueId id) const {
    return id >= 0 && static_cast<size_t>(id) < graph_.values.size();
  }
  std::string name(ValueId id) const {
    return in_table(id) ? "%" + graph_.value(id).name : "%?" + std::to_string(id);
  }

  std::string declaration(ValueId id) const {
    if (!in_table(id)) return name(id);
    const Value& value = graph_.value(id);
    std::string text = name(id) + " : " + print(value.spec);
    if (!value.origin.empty()) text += " origin=" + quoted(value.origin);
    return text;
  }

  std::string constant(size_t v, const Value& value) const {
    if (!value.data) return "nothing";
    if (value.data->size() > options_.random_above) return "random seed " + std::to_string(v);
    const std::string kept = options_.keep ? options_.keep(*value.data) : "";
    return kept.empty() ? data_text(value.spec, *value.data) : "blob " + quoted(kept);
  }

  std::string arg_text(const Arg& arg) const {
    const auto ref = [&](const Ref& r) { return name(r.id); };
    const auto boolean = [](bool b) { return std::string(b ? "true" : "false"); };
    if (const auto* r = std::get_if<Ref>(&arg)) return ref(*r);
    if (const auto* i = std::get_if<int64_t>(&arg)) return number_text(*i);
    if (const auto* d = std::get_if<double>(&arg)) return number_text(*d);
    if (const auto* b = std::get_if<bool>(&arg)) return boolean(*b);
    if (const auto* s = std::get_if<std::string>(&arg)) return quoted(*s);
    if (const auto* l = std::get_if<std::vector<int64_t>>(&arg))
      return list_text(*l, number_text<int64_t>);
    // An empty list says of what; [] is a list of ints.
    if (const auto* l = std::get_if<std::vector<double>>(&arg)) {
      return (l->empty() ? "double" : "") + list_text(*l, number_text<double>);
    }
    if (const auto* l = std::get_if<std::vector<bool>>(&arg))
      return (l->empty() ? "bool" : "") + list_text(*l, boolean);
    if (const auto* l = std::get_if<RefList>(&arg))
      return (l->empty() ? "tensor" : "") + list_text(*l, ref);
    return "none";
  }

  std::string node_text(const Node& node) const {
    std::string text;
    for (size_t i = 0; i < node.results.size(); ++i)
      text += (i == 0 ? "" : ", ") + declaration(node.results[i]);
    if (!node.results.empty()) text += " = ";
    text += node_label(node) + "(";
    if (node.kind == NodeKind::kAlloc) {
      text += "align=" + std::to_string(node.alignment) + ", role=" + role_name(node.role);
      if (!node.scratch_name.empty()) text += ", name=" + quoted(node.scratch_name);
      if (!node.pool.empty()) text += ", pool=" + quoted(node.pool);
    }
    for (size_t i = 0; i < node.args.size(); ++i)
      text += (i == 0 ? "" : ", ") + arg_text(node.args[i]);
    text += ")";
    if (!node.in_place.empty()) {
      text += " in_place(";
      for (size_t i = 0; i < node.in_place.size(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(node.in_place[i].output) + " <- " +
                std::to_string(node.in_place[i].argument);
      }
      text += ")";
    }
    return text;
  }

  const Graph& graph_;
  const PrintOptions& options_;
};

}  // namespace

std::string print(const TensorSpec& spec) {
  const auto number = [](auto n) { return std::to_string(static_cast<int>(n)); };
  const auto joined = [&](const auto& list) {
    std::string text;
    for (size_t i = 0; i < list.size(); ++i) text += (i == 0 ? "" : ",") + number(list[i]);
    return text;
  };
  const bool known = is_scalar_type(static_cast<int>(spec.dtype));
  std::string text = known ? scalar_type_name(spec.dtype) : "type" + number(spec.dtype);
  text += "[" + joined(spec.sizes) + "]";
  if (spec.dim_order != contiguous_order(spec.sizes.size()))
    text += "{" + joined(spec.dim_order) + "}";
  return text;
}

std::string print(const Graph& graph, const PrintOptions& options) {
  return Printer(graph, options).run();
}

std::string print(const LoweredModule& module, const PrintOptions& options) {
  const auto bytes_text = [&](const Bytes& bytes) {
    const std::string kept = options.keep ? options.keep(bytes) : "";
    return kept.empty() ? hex_text(bytes, 1) : "blob " + quoted(kept);
  };
  std::string text = "lowered @" + module.name + " {\n  backend " + quoted(module.backend) + "\n";
  for (const CompileSpec& spec : module.compile_specs)
    text += "  spec " + quoted(spec.key) + " = " + hex_text(spec.value, 1) + "\n";
  for (const TensorSpec& spec : module.inputs) text += "  input " + print(spec) + "\n";
  for (const TensorSpec& spec : module.outputs) text += "  output " + print(spec) + "\n";
  const auto memory = [&](const char* what, const MemorySpec& spec) {
    text += std::string("  ") + what + " " + quoted(spec.name) + " : " +
            std::to_string(spec.nbytes) + " align=" + std::to_string(spec.alignment);
    if (!spec.pool.empty()) text += " pool=" + quoted(spec.pool);
    text += "\n";
  };
  for (const MemorySpec& spec : module.scratch) memory("scratch", spec);
  for (const MemorySpec& spec : module.persistent) memory("persistent", spec);
  for (const Inside& inside : module.inside) {
    text += "  inside " + std::to_string(inside.argument) + " -> " +
            std::to_string(inside.scratch) + " + " + std::to_string(inside.offset) + "\n";
  }
  for (const NamedBlob& blob : module.named_data) {
    text += "  data " + quoted(blob.key) + " align=" + std::to_string(blob.alignment) + " = " +
            bytes_text(blob.bytes) + "\n";
  }
  if (module.share_handle) text += "  share_handle\n";
  return text + "  processed = " + bytes_text(module.processed) + "\n}\n";
}

std::string print(const Module& module, const PrintOptions& options) {
  std::string text = std::string(kTextHeader) + "\n";
  for (const LoweredModule& lowered : module.lowered) text += print(lowered, options);
  for (const Graph& graph : module.graphs) text += print(graph, options);
  return text;
}

}  // namespace berth::ir
