// The numbers of a plan as a C header, so that firmware reserves what the compiler counted and
// nobody types a size.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/report/printable.h"
#include "compiler/report/report.h"

namespace berth::report {
namespace {

// All methods of a program use one set of pools, one after the other, so a pool is as large as the
// hungriest needs it.
struct PoolNeed {
  std::string name;
  uint32_t mem_id = 0;
  uint64_t bytes = 0;
  uint32_t alignment = 1;
};

class Header {
 public:
  MaybeError define(const std::string& macro, uint64_t value, const std::string& about) {
    if (!macros_.insert(macro).second) {
      return Error{macro, "two names give the macro " + macro + "; rename a pool or a method"};
    }
    // Sizes of 4 GiB and more need a wider literal; small ones stay usable by the preprocessor of
    // any C.
    const char* suffix = value > UINT32_MAX ? "ULL" : "u";
    text_ += fmt::format("#define {} {}{}  /* {} */\n", macro, value, suffix, about);
    return std::nullopt;
  }
  // A macro that stands for the lines, with backslashes between.
  MaybeError define_lines(const std::string& macro, const std::string& parameters,
                          const std::vector<std::string>& lines) {
    if (!macros_.insert(macro).second) {
      return Error{macro, "two names give the macro " + macro + "; rename a pool or a method"};
    }
    text_ += "#define " + macro + parameters;
    for (const std::string& line : lines) text_ += " \\\n  " + line;
    text_ += "\n";
    return std::nullopt;
  }
  void say(const std::string& about) { text_ += "/* " + about + " */\n"; }
  void blank() { text_ += "\n"; }
  const std::string& text() const { return text_; }

 private:
  std::set<std::string> macros_;
  std::string text_;
};

// A comment must not end early, whatever a file calls its tensors.
std::string comment(const std::string& text) {
  std::string safe = printable(text, 60);
  for (size_t i = 1; i < safe.size(); ++i) {
    if (safe[i - 1] == '*' && safe[i] == '/') safe[i] = '_';
    if (safe[i - 1] == '/' && safe[i] == '*') safe[i] = '_';
  }
  std::replace(safe.begin(), safe.end(), '\\', '_');
  return safe;
}

MaybeError add_method_memory(const std::string& prefix, uint64_t arm32, uint64_t host64,
                             Header* header) {
  if (auto e =
          header->define(prefix + "_METHOD_BYTES_ARM32", arm32, "the runtime's own structures"))
    return e;
  if (auto e = header->define(prefix + "_METHOD_BYTES_HOST64", host64, "the same on a 64-bit host"))
    return e;
  return std::nullopt;
}

MaybeError add_ports(const std::string& prefix, const char* what, const std::vector<Port>& ports,
                     Header* header) {
  if (auto e = header->define(fmt::format("{}_{}_COUNT", prefix, what), ports.size(), "")) return e;
  for (size_t i = 0; i < ports.size(); ++i) {
    const std::string about = ports[i].name.empty() ? ports[i].kind : ports[i].name;
    const std::string macro = fmt::format("{}_{}{}_BYTES", prefix, what, i);
    if (auto e = header->define(macro, ports[i].bytes, comment(about))) return e;
  }
  return std::nullopt;
}

// A string literal of C, whatever a file calls its operators.
std::string literal(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == ':' || c == '.';
    out += plain ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
  return out + "\"";
}

// A pool's name as part of a C name: "sram-2" becomes "sram_2".
std::string identifier(const std::string& name) {
  std::string out = macro_part(name);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Pools and operators as lists, for code that need not know how many there are.
MaybeError add_lists(const std::string& prefix, const Report& report,
                     const std::vector<PoolNeed>& pools, Header* header) {
  std::vector<std::string> rows;
  for (const PoolNeed& pool : pools) {
    rows.push_back(fmt::format("POOL({}, {}, {}, {})", identifier(pool.name), pool.mem_id,
                               pool.bytes, pool.alignment));
  }
  header->say("POOL(name, mem_id, bytes, alignment) for each pool");
  if (auto e = header->define_lines(prefix + "_POOLS", "(POOL)", rows)) return e;
  std::set<std::string> operators;
  for (const MethodReport& method : report.methods) {
    for (const InstructionRow& row : method.instructions) {
      if (row.kind != "kernel") continue;
      const size_t dot = row.name.rfind('.');
      const std::string overload = dot == std::string::npos ? "" : row.name.substr(dot + 1);
      operators.insert(
          fmt::format("{{{}, {}}}", literal(row.name.substr(0, dot)), literal(overload)));
    }
  }
  std::vector<std::string> names(operators.begin(), operators.end());
  for (size_t i = 0; i + 1 < names.size(); ++i) names[i] += ",";
  header->say(
      "for select_kernels of runtime/kernels/kernel_selection.h: only their kernels are linked");
  return header->define_lines(prefix + "_OPERATORS", "", names);
}

}  // namespace

Result<std::string> c_header(const Report& report, const std::string& name) {
  const std::string prefix = "BERTH_" + macro_part(name);
  std::map<uint32_t, PoolNeed> pools;
  uint64_t runtime_bytes[kAbiCount] = {};
  for (const MethodReport& method : report.methods) {
    for (const PoolRow& pool : method.pools) {
      PoolNeed& need = pools[pool.mem_id];
      need.name = pool.name;
      need.mem_id = pool.mem_id;
      need.bytes = std::max(need.bytes, pool.bytes);
      need.alignment = std::max(need.alignment, pool.alignment);
    }
    for (int abi = 0; abi < kAbiCount; ++abi) {
      runtime_bytes[abi] =
          std::max(runtime_bytes[abi], method.runtime_bytes(static_cast<Abi>(abi)));
    }
  }
  Header header;
  for (const auto& [mem_id, pool] : pools) {
    const std::string macro = prefix + "_POOL_" + macro_part(pool.name);
    const std::string about = fmt::format("pool {}, mem_id {}", comment(pool.name), mem_id);
    if (auto e = header.define(macro + "_BYTES", pool.bytes, about)) return *e;
    if (auto e = header.define(macro + "_ALIGNMENT", pool.alignment, "of its first byte"))
      return *e;
  }
  header.blank();
  std::vector<PoolNeed> needs;
  for (const auto& [mem_id, pool] : pools) needs.push_back(pool);
  if (auto e = add_lists(prefix, report, needs, &header)) return *e;
  header.blank();
  const uint64_t arm32 = runtime_bytes[static_cast<int>(Abi::kArm32)];
  const uint64_t host64 = runtime_bytes[static_cast<int>(Abi::kHost64)];
  if (auto e = add_method_memory(prefix, arm32, host64, &header)) return *e;
  if (auto e =
          header.define(prefix + "_METHOD_ALIGNMENT", kMethodMemoryAlignment, "of its first byte"))
    return *e;
  for (const MethodReport& method : report.methods) {
    header.blank();
    std::string method_prefix = prefix;
    if (report.methods.size() > 1) {
      method_prefix += "_" + macro_part(method.name);
      if (auto e = add_method_memory(method_prefix, method.runtime_bytes(Abi::kArm32),
                                     method.runtime_bytes(Abi::kHost64), &header)) {
        return *e;
      }
    }
    if (auto e = add_ports(method_prefix, "INPUT", method.inputs, &header)) return *e;
    if (auto e = add_ports(method_prefix, "OUTPUT", method.outputs, &header)) return *e;
  }
  return fmt::format(
      "/* Memory of {}, counted by berth. Generated: do not edit. */\n#ifndef {}_MEMORY_H\n#define "
      "{}_MEMORY_H\n\n{}\n#endif\n",
      comment(report.file), prefix, prefix, header.text());
}

}  // namespace berth::report
