// docs/plan-record.md is enough for a second reader: one written from it alone, in Python, says of
// every file what ours says.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "format/plan_record_generated.h"
#include "program/read.h"
#include "program/sample_program.h"
#include "program/wire_edit.h"
#include "program/write.h"

namespace berth::program {
namespace {

using nlohmann::json;

// What the second reader prints, and its exit code.
std::pair<std::string, int> run_reader(const std::string& path) {
  const std::string command =
      std::string("python3 " BERTH_SOURCE_DIR "/tests/plan_record_reader.py ") + path + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {"", -1};
  std::string out;
  char chunk[4096];
  for (size_t n = 0; (n = fread(chunk, 1, sizeof chunk, pipe)) > 0;) out.append(chunk, n);
  const int status = pclose(pipe);
  return {out, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

class PlanRecordPage : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/berth_record_XXXXXX";
    const int handle = mkstemp(name);
    ASSERT_GE(handle, 0);
    path_ = name;
    close_handle(handle);
    if (std::system("python3 -c pass") != 0) GTEST_SKIP() << "no python3 to run the second reader";
  }
  void TearDown() override { std::remove(path_.c_str()); }
  static void close_handle(int handle) {
    if (FILE* file = fdopen(handle, "wb")) fclose(file);
  }

  std::string store(const Bytes& file) {
    std::ofstream out(path_, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(file.data()),
              static_cast<std::streamsize>(file.size()));
    return path_;
  }

  std::string path_;
};

json pool_to_json(const Pool& pool) {
  return {{"name", pool.name},
          {"mem_id", pool.mem_id},
          {"alignment", pool.alignment},
          {"capacity", pool.capacity},
          {"attributes", pool.attributes}};
}

json buffer_to_json(const RecordedBuffer& buffer) {
  json live = json::array();
  for (const Interval& interval : buffer.live) live.push_back({interval.begin, interval.end});
  return {{"extent", buffer.extent},        {"live", live},
          {"role", role_name(buffer.role)}, {"alignment", buffer.alignment},
          {"owner", buffer.owner},          {"name", buffer.name}};
}

json method_to_json(const Method& method) {
  const RecordedPlan& plan = *method.plan;
  json out = {{"name", method.name},
              {"instruction_count", method.instructions.size()},
              {"value_buffer", plan.value_buffer},
              {"buffers", json::array()},
              {"in_place", json::array()},
              {"calls", json::array()},
              {"pool_use", json::array()},
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

json record_to_json(const Program& program) {
  if (!program.record) return nullptr;
  const Record& record = *program.record;
  json out = {{"version", record.version},
              {"feature_flags", record.feature_flags},
              {"isa", isa_name(record.isa)},
              {"board", record.board},
              {"separate_methods", record.separate_methods},
              {"pools", json::array()},
              {"methods", json::array()}};
  for (const Pool& pool : record.pools) out["pools"].push_back(pool_to_json(pool));
  for (const Method& method : program.methods) out["methods"].push_back(method_to_json(method));
  return out;
}

Program program_without_buffers() {
  Program program = add_program();
  program.record = Record();
  program.record->pools = {{"main", 1, 16, 0, {}}};
  program.methods[0].plan = RecordedPlan();
  program.methods[0].plan->value_buffer.assign(program.methods[0].values.size(), -1);
  return program;
}

TEST_F(PlanRecordPage, BothReadersSayTheSame) {
  WriteOptions strip;
  strip.record = false;
  const Bytes files[] = {write(sample_program()).take(), write(sample_program(), strip).take(),
                         write(add_program()).take(), write(program_without_buffers()).take()};
  for (const Bytes& file : files) {
    const Program program = read(file).take();
    const auto [text, exit_code] = run_reader(store(file));
    ASSERT_EQ(0, exit_code) << text;
    EXPECT_EQ(record_to_json(program), json::parse(text));
  }
}

TEST_F(PlanRecordPage, BothReadersRefuseWhatThePageForbids) {
  const Bytes good = write(sample_program()).take();
  const size_t begin = [&] {
    uint64_t base = 0;
    std::memcpy(&base, good.data() + 24, 8);
    return base + format::pte::GetProgram(good.data())->segments()->Get(6)->offset();
  }();
  // The record's own fields, found through our schema: a bit of feature_flags, a role, an interval.
  auto damage = [&](const void* field, uint8_t value) {
    Bytes file = good;
    const auto at = static_cast<const std::byte*>(field) - good.data();
    file[static_cast<size_t>(at)] = static_cast<std::byte>(value);
    return file;
  };
  const auto* record = format::GetPlanRecord(good.data() + begin);
  const format::Method& method = *record->methods()->Get(0);
  const Bytes files[] = {
      damage(good.data() + begin + 4, 'X'),           // identifier
      damage(method.buffer_role()->data(), 7),        // no such role
      damage(method.buffer_alignment()->data(), 17),  // no power of two
      damage(method.intervals()->Get(0), 9),          // begins behind the end of time
      damage(method.interval_start()->data(), 1),     // must begin with 0
      damage(method.value_buffer()->data(), 99),      // no such buffer
      damage(method.buffer_extent()->data(), 99),     // no such value
  };
  int number = 0;
  for (const Bytes& file : files) {
    SCOPED_TRACE(number++);
    EXPECT_FALSE(read(file).ok());
    const auto [text, exit_code] = run_reader(store(file));
    EXPECT_EQ(1, exit_code) << text;
    EXPECT_EQ("error: ", text.substr(0, 7));
  }
}

}  // namespace
}  // namespace berth::program
