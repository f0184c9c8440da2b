// The plan record in the words of the second reader, tests/plan_record_reader.py, and how to ask
// that one: what both say of a file must be equal.
#pragma once

#include <stdio.h>
#include <sys/wait.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "program/program.h"

namespace berth::program {

// What the second reader prints of the files (paths with spaces between them), and its exit code.
inline std::pair<std::string, int> run_reader(const std::string& paths) {
  const std::string command =
      std::string("python3 " BERTH_SOURCE_DIR "/tests/plan_record_reader.py ") + paths + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {"", -1};
  std::string out;
  char chunk[4096];
  for (size_t n = 0; (n = fread(chunk, 1, sizeof chunk, pipe)) > 0;) out.append(chunk, n);
  const int status = pclose(pipe);
  return {out, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

inline nlohmann::json pool_to_json(const Pool& pool) {
  return {{"name", pool.name},
          {"mem_id", pool.mem_id},
          {"alignment", pool.alignment},
          {"capacity", pool.capacity},
          {"attributes", pool.attributes}};
}

inline nlohmann::json buffer_to_json(const RecordedBuffer& buffer) {
  nlohmann::json live = nlohmann::json::array();
  for (const Interval& interval : buffer.live) live.push_back({interval.begin, interval.end});
  return {{"extent", buffer.extent},        {"live", live},
          {"role", role_name(buffer.role)}, {"alignment", buffer.alignment},
          {"owner", buffer.owner},          {"name", buffer.name}};
}

inline nlohmann::json method_to_json(const Method& method) {
  const RecordedPlan& plan = *method.plan;
  nlohmann::json out = {{"name", method.name},
                        {"instruction_count", method.instructions.size()},
                        {"value_buffer", plan.value_buffer},
                        {"buffers", nlohmann::json::array()},
                        {"in_place", nlohmann::json::array()},
                        {"calls", nlohmann::json::array()},
                        {"pool_use", nlohmann::json::array()},
                        {"planner", plan.planner},
                        {"proven_optimal", plan.proven_optimal}};
  for (const RecordedBuffer& buffer : plan.buffers)
    out["buffers"].push_back(buffer_to_json(buffer));
  for (size_t i = 0; i < method.instructions.size(); ++i) {
    const Instruction& instruction = method.instructions[i];
    for (const InPlaceOption& option : instruction.in_place) {
      out["in_place"].push_back(
          {{"instruction", i}, {"output", option.output}, {"input", option.input}});
    }
    if (!instruction.input_count) continue;
    const size_t count = std::get<DelegateCall>(instruction.call).args.size();
    out["calls"].push_back(
        {{"instruction", i},
         {"inputs", *instruction.input_count},
         {"outputs", *instruction.output_count},
         {"scratch", count - *instruction.input_count - *instruction.output_count}});
  }
  for (const PoolUse& use : plan.pool_use) {
    out["pool_use"].push_back({{"mem_id", use.mem_id},
                               {"bytes", use.bytes},
                               {"lower_bound", use.lower_bound},
                               {"greedy_bytes", use.greedy_bytes},
                               {"tail", use.tail}});
  }
  return out;
}

inline nlohmann::json record_to_json(const Program& program) {
  if (!program.record) return nullptr;
  const Record& record = *program.record;
  nlohmann::json out = {{"version", record.version},
                        {"feature_flags", record.feature_flags},
                        {"isa", isa_name(record.isa)},
                        {"board", record.board},
                        {"separate_methods", record.separate_methods},
                        {"pools", nlohmann::json::array()},
                        {"methods", nlohmann::json::array()}};
  for (const Pool& pool : record.pools) out["pools"].push_back(pool_to_json(pool));
  for (const Method& method : program.methods) out["methods"].push_back(method_to_json(method));
  return out;
}

}  // namespace berth::program
