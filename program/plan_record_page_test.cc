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
#include "program/record_json_test_util.h"
#include "program/sample_program.h"
#include "program/wire_edit.h"
#include "program/write.h"

namespace berth::program {
namespace {

using nlohmann::json;

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
