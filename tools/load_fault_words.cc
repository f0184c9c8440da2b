#include "tools/load_fault_words.h"

#include <fmt/format.h>

#include <string_view>

namespace berth::tools {
namespace {

std::string pool_name(uint32_t mem_id, const std::vector<PoolName>& pools) {
  for (const PoolName& pool : pools) {
    if (pool.mem_id == mem_id) return pool.name;
  }
  return "mem" + std::to_string(mem_id);
}

}  // namespace

Error load_fault_words(Status status, const LoadFault& fault, const std::vector<PoolName>& pools) {
  const std::string_view field = fault.field;
  const bool is_pool = field == "memory.pools";
  const bool is_method = field == "memory.method";
  if (is_pool || is_method) {
    const std::string name = is_pool ? pool_name(fault.index, pools) : "";
    const std::string place = is_pool ? "pool " + name : "method memory";
    if (status == Status::kMisaligned) {
      return {place, fmt::format("starts {} bytes after a multiple of {}; it must start at one",
                                 fault.have, fault.need)};
    }
    const std::string option = is_pool ? fmt::format("--pool {}={}", name, fault.need)
                                       : fmt::format("--method-bytes {}", fault.need);
    return {place, fmt::format("{} bytes are given and {} are needed; {} suffices", fault.have,
                               fault.need, option)};
  }
  if (field == "delegates.scratch") {
    return {fmt::format("instruction {}", fault.index),
            fmt::format("calls delegate {}, which has scratch and is called at instruction {} "
                        "already; a handle with scratch serves one call",
                        fault.have, fault.need)};
  }
  if (field == "backends.options.memory") {
    const std::string place = fmt::format("delegate {}", fault.index);
    if (status == Status::kMisaligned) {
      return {place, fmt::format("its backend was given memory {} bytes after a multiple of {}; it "
                                 "must start at one",
                                 fault.have, fault.need)};
    }
    return {place, fmt::format("its backend needs {} bytes of memory with the load options and was "
                               "given {}",
                               fault.need, fault.have)};
  }
  std::string message = status_words(status);
  if (!field.empty()) {
    message += fmt::format(" (entry {}", fault.index);
    if (fault.have != 0 || fault.need != 0)
      message += fmt::format(": found {}, limit {}", fault.have, fault.need);
    message += ")";
  }
  return {std::string(field), message};
}

}  // namespace berth::tools
