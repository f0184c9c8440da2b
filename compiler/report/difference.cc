#include "compiler/report/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "compiler/report/printable.h"

namespace berth::report {
namespace {

using program::Method;
using program::Program;

std::string tensor_text(const program::Tensor& tensor) {
  std::string text = std::string(scalar_type_name(tensor.dtype)) + "[";
  for (size_t i = 0; i < tensor.sizes.size(); ++i)
    text += (i == 0 ? "" : "x") + std::to_string(tensor.sizes[i]);
  text += "]";
  const bool contiguous = std::is_sorted(tensor.dim_order.begin(), tensor.dim_order.end());
  if (!contiguous) {
    text += " order";
    for (uint8_t dim : tensor.dim_order) text += " " + std::to_string(dim);
  }
  if (tensor.dynamism != program::Dynamism::kStatic) text += " dynamic";
  return text;
}

const program::Blob* constant_bytes(const Program& program, const Method& method, int32_t value) {
  if (value < 0) return nullptr;
  const program::Tensor* tensor = method.values[value].tensor();
  if (tensor == nullptr || tensor->storage < 0) return nullptr;
  const program::Storage& storage = method.storages[tensor->storage];
  if (storage.kind != program::StorageKind::kConstant || storage.data < 0) return nullptr;
  return &program.constants[storage.data];
}

// FNV-1a, 64 bits: enough to tell two blobs apart in a message. Bytes are compared whole.
template <typename Container>
uint64_t hash_of(const Container& bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (auto b : bytes) hash = (hash ^ static_cast<uint8_t>(b)) * 0x100000001b3u;
  return hash;
}

std::string bytes_text(const program::Blob& bytes) {
  return fmt::format("{} bytes ({:016x})", bytes.size(), hash_of(bytes));
}

// Values of one method as text, numbered in the order in which this is asked for them.
class ValueNames {
 public:
  ValueNames(const Program& program, const Method& method) : program_(program), method_(method) {}

  // A long list is told by its first part and a hash of all of it.
  std::string text(int32_t value) {
    if (value < 0) return "none";
    const auto known = texts_.find(value);
    if (known != texts_.end()) return known->second;
    constexpr size_t kLongest = 400;
    std::string words = full_text(value);
    if (words.size() > kLongest)
      words = words.substr(0, kLongest) + fmt::format("... ({:016x})", hash_of(words));
    texts_[value] = words;
    return words;
  }

 private:
  std::string full_text(int32_t value) {
    const auto& data = method_.values[value].data;
    if (const auto* i = std::get_if<int64_t>(&data)) return std::to_string(*i);
    if (const auto* d = std::get_if<double>(&data)) return fmt::format("{}", *d);
    if (const auto* b = std::get_if<bool>(&data)) return *b ? "true" : "false";
    if (const auto* s = std::get_if<std::string>(&data)) return "\"" + s->substr(0, 128) + "\"";
    if (const auto* list = std::get_if<program::IntList>(&data)) {
      std::string items;
      for (int64_t item : list->values)
        items += (items.empty() ? "" : ", ") + text(static_cast<int32_t>(item));
      return "[" + items + "]";
    }
    if (const auto* list = std::get_if<program::DoubleList>(&data)) {
      return fmt::format("[{}]", fmt::join(list->items, ", "));
    }
    if (const auto* list = std::get_if<program::BoolList>(&data)) {
      return fmt::format("[{}]", fmt::join(list->items, ", "));
    }
    if (const auto* list = std::get_if<program::TensorList>(&data))
      return values_text(list->values);
    if (const auto* list = std::get_if<program::OptionalTensorList>(&data))
      return values_text(list->values);
    if (const auto* tensor = std::get_if<program::Tensor>(&data)) {
      if (constant_bytes(program_, method_, value) != nullptr)
        return "constant " + tensor_text(*tensor);
      const int32_t number =
          numbers_.emplace(value, static_cast<int32_t>(numbers_.size())).first->second;
      return fmt::format("%{} {}", number, tensor_text(*tensor));
    }
    return "none";
  }

  std::string values_text(const std::vector<int32_t>& values) {
    std::string items;
    for (int32_t value : values) items += (items.empty() ? "" : ", ") + text(value);
    return "[" + items + "]";
  }

  const Program& program_;
  const Method& method_;
  std::map<int32_t, int32_t> numbers_;
  std::map<int32_t, std::string> texts_;
};

class Comparison {
 public:
  Comparison(const Program& a, const Report& report_a, const Program& b, const Report& report_b)
      : a_(a), b_(b), report_a_(report_a), report_b_(report_b) {}

  std::vector<Difference> run() {
    for (size_t i = 0; i < a_.methods.size(); ++i) {
      const size_t j = find(b_, a_.methods[i].name);
      if (j == b_.methods.size()) {
        add("interface", "method " + a_.methods[i].name, "present", "-");
      } else {
        compare_methods(i, j);
      }
    }
    for (const Method& method : b_.methods) {
      if (find(a_, method.name) == a_.methods.size())
        add("interface", "method " + method.name, "-", "present");
    }
    compare_blobs();
    compare_record();
    std::stable_sort(found_.begin(), found_.end(), [](const Difference& x, const Difference& y) {
      return rank(x.part) < rank(y.part);
    });
    return std::move(found_);
  }

 private:
  static int rank(const std::string& part) {
    return part == "interface" ? 0 : part == "instructions" ? 1 : part == "data" ? 2 : 3;
  }
  static size_t find(const Program& program, const std::string& name) {
    size_t i = 0;
    while (i < program.methods.size() && program.methods[i].name != name) ++i;
    return i;
  }
  void add(const char* part, std::string place, std::string a, std::string b) {
    if (a == b) return;
    found_.push_back({part, std::move(place), std::move(a), std::move(b)});
  }

  void compare_methods(size_t i, size_t j) {
    const Method& a = a_.methods[i];
    const Method& b = b_.methods[j];
    ValueNames names_a(a_, a), names_b(b_, b);
    compare_ports(a, b, a.inputs, b.inputs, "input", &names_a, &names_b);
    compare_instructions(i, j, &names_a, &names_b);
    compare_delegates(a, report_a_.methods[i], b, report_b_.methods[j]);
    compare_ports(a, b, a.outputs, b.outputs, "output", &names_a, &names_b);
    compare_plan(report_a_.methods[i], report_b_.methods[j]);
  }

  void compare_ports(const Method& a, const Method& b, const std::vector<int32_t>& ports_a,
                     const std::vector<int32_t>& ports_b, const char* what, ValueNames* names_a,
                     ValueNames* names_b) {
    for (size_t k = 0; k < std::max(ports_a.size(), ports_b.size()); ++k) {
      const auto text = [&](const Method& method, const std::vector<int32_t>& ports,
                            ValueNames* names) {
        if (k >= ports.size()) return std::string("-");
        std::string words = names->text(ports[k]);
        const program::Tensor* tensor = method.values[ports[k]].tensor();
        const bool by_caller =
            tensor != nullptr && tensor->storage >= 0 &&
            method.storages[tensor->storage].kind == program::StorageKind::kCaller;
        if (by_caller) words += ", bound by the caller";
        return words;
      };
      add("interface", fmt::format("{}: {} {}", a.name, what, k), text(a, ports_a, names_a),
          text(b, ports_b, names_b));
    }
  }

  void compare_instructions(size_t i, size_t j, ValueNames* names_a, ValueNames* names_b) {
    const MethodReport& a = report_a_.methods[i];
    const MethodReport& b = report_b_.methods[j];
    add("instructions", a.name + ": number of instructions", std::to_string(a.instructions.size()),
        std::to_string(b.instructions.size()));
    for (size_t k = 0; k < std::max(a.instructions.size(), b.instructions.size()); ++k) {
      if (k >= a.instructions.size() || k >= b.instructions.size() ||
          a.instructions[k].name != b.instructions[k].name) {
        // What follows is shifted; one line says where they part.
        const auto name = [&](const MethodReport& m) {
          return k < m.instructions.size() ? m.instructions[k].name : std::string("-");
        };
        add("instructions", fmt::format("{}: instruction {}", a.name, k), name(a), name(b));
        return;
      }
      const InstructionRow& row_a = a.instructions[k];
      const InstructionRow& row_b = b.instructions[k];
      const std::string place = a.name + ": " + instruction_label(a, static_cast<int32_t>(k));
      add("instructions", place + ", target", std::to_string(row_a.target),
          std::to_string(row_b.target));
      for (size_t n = 0; n < std::max(row_a.args.size(), row_b.args.size()); ++n) {
        const std::string arg_place = fmt::format("{}, argument {}", place, n);
        const std::string text_a = n < row_a.args.size() ? names_a->text(row_a.args[n]) : "-";
        const std::string text_b = n < row_b.args.size() ? names_b->text(row_b.args[n]) : "-";
        add("instructions", arg_place, text_a, text_b);
        if (n >= row_a.args.size() || n >= row_b.args.size()) continue;
        const program::Blob* bytes_a = constant_bytes(a_, a_.methods[i], row_a.args[n]);
        const program::Blob* bytes_b = constant_bytes(b_, b_.methods[j], row_b.args[n]);
        if (bytes_a == nullptr || bytes_b == nullptr || *bytes_a == *bytes_b) continue;
        add("data", arg_place, bytes_text(*bytes_a), bytes_text(*bytes_b));
      }
    }
  }

  // Entries of the delegate table in the order of their use; those that no call names come last.
  static std::vector<int32_t> delegates_in_use(const MethodReport& method) {
    std::vector<int32_t> order(method.delegates.size());
    std::iota(order.begin(), order.end(), 0);
    const auto first_call = [&](int32_t d) {
      const std::vector<int32_t>& calls = method.delegates[d].calls;
      return calls.empty() ? INT32_MAX : calls.front();
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](int32_t x, int32_t y) { return first_call(x) < first_call(y); });
    return order;
  }

  static std::string specs_text(const program::Delegate& delegate) {
    std::string text;
    for (const program::CompileSpec& spec : delegate.compile_specs) {
      text += fmt::format("{}{}={:016x}", text.empty() ? "" : ", ", spec.key.substr(0, 128),
                          hash_of(spec.value));
    }
    return text.empty() ? "none" : text;
  }

  static std::string blob_text(const Program& program, const program::Delegate& delegate) {
    const auto index = static_cast<size_t>(delegate.data);
    return index < program.delegate_data.size() ? bytes_text(program.delegate_data[index]) : "none";
  }

  // How many there are, which calls share one, and what each is made of.
  void compare_delegates(const Method& a, const MethodReport& report_a, const Method& b,
                         const MethodReport& report_b) {
    add("instructions", a.name + ": number of delegates", std::to_string(a.delegates.size()),
        std::to_string(b.delegates.size()));
    const std::vector<int32_t> used_a = delegates_in_use(report_a);
    const std::vector<int32_t> used_b = delegates_in_use(report_b);
    for (size_t n = 0; n < std::min(used_a.size(), used_b.size()); ++n) {
      const int32_t d = used_a[n], e = used_b[n];
      const program::Delegate &from = a.delegates[d], &to = b.delegates[e];
      const std::string place = fmt::format("{}: delegate {}", a.name, n);
      add("instructions", place, from.id.substr(0, 128), to.id.substr(0, 128));
      add("instructions", place + ", calls",
          fmt::format("{}", fmt::join(report_a.delegates[d].calls, ", ")),
          fmt::format("{}", fmt::join(report_b.delegates[e].calls, ", ")));
      add("data", place + ", compile specs", specs_text(from), specs_text(to));
      add("data", place + ", blob", blob_text(a_, from), blob_text(b_, to));
    }
  }

  void compare_lists(const char* what, const std::vector<program::Blob>& a,
                     const std::vector<program::Blob>& b) {
    for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      if (i < a.size() && i < b.size() && a[i] == b[i]) continue;
      add("data", fmt::format("{} {}", what, i), i < a.size() ? bytes_text(a[i]) : "-",
          i < b.size() ? bytes_text(b[i]) : "-");
    }
  }

  void compare_blobs() {
    add("data", "constants, all together", fmt::format("{} bytes", report_a_.constant_bytes),
        fmt::format("{} bytes", report_b_.constant_bytes));
    compare_lists("initial state", a_.mutable_data, b_.mutable_data);
    std::map<std::string, std::pair<const program::Blob*, const program::Blob*>> named;
    for (const program::NamedData& data : a_.named_data) named[data.key].first = &data.bytes;
    for (const program::NamedData& data : b_.named_data) named[data.key].second = &data.bytes;
    for (const auto& [key, pair] : named) {
      if (pair.first != nullptr && pair.second != nullptr && *pair.first == *pair.second) continue;
      add("data", "named data " + key.substr(0, 128),
          pair.first != nullptr ? bytes_text(*pair.first) : "-",
          pair.second != nullptr ? bytes_text(*pair.second) : "-");
    }
  }

  void compare_record() {
    add("plan", "plan record", report_a_.has_record ? "present" : "-",
        report_b_.has_record ? "present" : "-");
    if (!report_a_.has_record || !report_b_.has_record) return;
    add("plan", "board", report_a_.board, report_b_.board);
    add("plan", "isa", isa_name(report_a_.isa), isa_name(report_b_.isa));
  }

  void compare_plan(const MethodReport& a, const MethodReport& b) {
    std::map<uint32_t, std::pair<std::string, std::string>> pools;
    const auto pool_text = [](const PoolRow& pool) {
      return fmt::format("{} bytes, called {}, base aligned to {}", pool.bytes, pool.name,
                         pool.alignment);
    };
    for (const PoolRow& pool : a.pools) pools[pool.mem_id] = {pool_text(pool), "-"};
    for (const PoolRow& pool : b.pools) {
      if (pools[pool.mem_id].first.empty()) pools[pool.mem_id].first = "-";
      pools[pool.mem_id].second = pool_text(pool);
    }
    for (const auto& [mem_id, texts] : pools) {
      add("plan", fmt::format("{}: pool with mem_id {}", a.name, mem_id), texts.first,
          texts.second);
    }
    compare_owners(a, b);
  }

  // Bytes per owner and role, and where they lie.
  struct Owned {
    uint64_t bytes = 0;
    std::string places;
  };
  using OwnerKey = std::pair<int32_t, std::string>;

  static std::map<OwnerKey, Owned> owners_of(const MethodReport& method) {
    std::map<OwnerKey, Owned> owners;
    for (const BufferRow& buffer : method.buffers) {
      Owned& owned = owners[{buffer.owner, role_name(buffer.role)}];
      owned.bytes += buffer.rounded;
      const std::string pool = buffer.pool < 0 ? "?" : method.pools[buffer.pool].name;
      owned.places +=
          fmt::format("{}{} at {}", owned.places.empty() ? "" : ", ", pool, buffer.offset);
    }
    return owners;
  }

  void compare_owners(const MethodReport& a, const MethodReport& b) {
    std::map<OwnerKey, std::pair<Owned, Owned>> both;
    for (auto& [key, owned] : owners_of(a)) both[key].first = owned;
    for (auto& [key, owned] : owners_of(b)) both[key].second = owned;
    for (const auto& [key, pair] : both) {
      const MethodReport& named = key.first < static_cast<int32_t>(a.instructions.size()) ? a : b;
      const std::string place =
          fmt::format("{}: {} of {}", a.name, key.second, instruction_label(named, key.first));
      const auto text = [](const Owned& owned) {
        return owned.places.empty() ? std::string("-")
                                    : fmt::format("{} bytes, {}", owned.bytes, owned.places);
      };
      add("plan", place, text(pair.first), text(pair.second));
    }
  }

  const Program& a_;
  const Program& b_;
  const Report& report_a_;
  const Report& report_b_;
  std::vector<Difference> found_;
};

}  // namespace

std::vector<Difference> find_differences(const Program& a, const Report& report_a, const Program& b,
                                         const Report& report_b) {
  return Comparison(a, report_a, b, report_b).run();
}

std::string text_differences(const std::vector<Difference>& differences, const std::string& file_a,
                             const std::string& file_b) {
  if (differences.empty()) return "no differences\n";
  std::string out = fmt::format("a: {}\nb: {}\n", printable(file_a), printable(file_b));
  std::string part;
  for (const Difference& difference : differences) {
    if (difference.part != part) out += "\n" + difference.part + "\n";
    part = difference.part;
    out += fmt::format("  {}\n    a: {}\n    b: {}\n", printable(difference.place),
                       printable(difference.a), printable(difference.b));
  }
  return out;
}

std::string json_differences(const std::vector<Difference>& differences, const std::string& file_a,
                             const std::string& file_b) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Difference& d : differences) {
    list.push_back({{"part", d.part}, {"place", d.place}, {"a", d.a}, {"b", d.b}});
  }
  const nlohmann::ordered_json json = {{"a", file_a},
                                       {"b", file_b},
                                       {"same", differences.empty()},
                                       {"differences", std::move(list)}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace berth::report
