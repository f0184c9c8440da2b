#include "tools/run_trace.h"

#include <filesystem>
#include <utility>

#include "program/read.h"

namespace berth::tools {

std::string RunTrace::path_among(const std::vector<std::string>& files) const {
  for (const std::optional<std::string>* path : {&etdump_, &debug_buffer_}) {
    for (const std::string& file : files) {
      std::error_code ignored;
      if (*path && std::filesystem::equivalent(**path, file, ignored)) return **path;
    }
  }
  return "";
}

MaybeError RunTrace::start(const Bytes& file, HostProgram* host) {
  if (!etdump_) return std::nullopt;
  Result<program::Program> program = program::read(file);
  if (!program.ok()) return program.error();
  recorder_.emplace(debug_buffer_.has_value());
  for (program::Method& method : program.value().methods) {
    recorder_->add_method(method.name, std::move(method.chain_begins));
  }
  host->set_recorder(&*recorder_);
  return std::nullopt;
}

MaybeError RunTrace::add_files(OutputFiles* out) {
  if (!recorder_) return std::nullopt;
  Bytes etdump;
  Bytes values;
  if (MaybeError error = recorder_->finish(&etdump, &values)) return error;
  out->add(*etdump_, std::move(etdump));
  if (debug_buffer_) out->add(*debug_buffer_, std::move(values));
  return std::nullopt;
}

}  // namespace berth::tools
