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

}  // namespace

Result<std::string> c_header(const Report& report, const std::string& name) {
  const std::string prefix = "BERTH_" + macro_part(name);
  std::map<uint32_t, PoolNeed> pools;
  uint64_t runtime_bytes[kAbiCount] = {};
  for (const MethodReport& method : report.methods) {
    for (const PoolRow& pool : method.pools) {
      PoolNeed& need = pools[pool.mem_id];
      need.name = pool.name;
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
