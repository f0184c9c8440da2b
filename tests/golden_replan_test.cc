// Files that stock tools made: what inspect finds out about their plans agrees with an independent
// analysis, and replan makes every one of them as small as its lower bound, and never larger.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/compiler.h"
#include "program/read.h"
#include "program/record_json_test_util.h"
#include "tools/load_program.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

struct LiveBytes {
  std::string file, method;
  uint64_t stock = 0;
  uint64_t live = 0;
  bool clobbers = false;
};

// shared/pte/live_bytes.csv: case, method, stock bytes, live bytes, clobbers.
std::vector<LiveBytes> read_live_bytes(const fs::path& path) {
  std::vector<LiveBytes> rows;
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::vector<std::string> cells;
    std::stringstream parts(line);
    for (std::string cell; std::getline(parts, cell, ',');) cells.push_back(cell);
    if (cells.size() != 5) continue;
    rows.push_back({cells[0], cells[1], std::stoull(cells[2]), std::stoull(cells[3]),
                    cells[4].substr(0, 3) == "yes"});
  }
  return rows;
}

struct PoolTotals {
  uint64_t bytes = 0;
  uint64_t bound = 0;
  uint64_t tail = 0;
};

PoolTotals total_of(const report::MethodReport& method) {
  PoolTotals totals;
  for (const report::PoolRow& pool : method.pools) {
    totals.bytes += pool.bytes;
    totals.bound += pool.lower_bound;
    totals.tail += pool.tail;
  }
  return totals;
}

const report::MethodReport* find_method(const report::Report& report, const std::string& name) {
  for (const report::MethodReport& method : report.methods) {
    if (method.name == name) return &method;
  }
  return nullptr;
}

std::vector<fs::path> golden_files(const fs::path& root) {
  std::vector<fs::path> files;
  if (!fs::exists(root)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".pte") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

const fs::path kPte = fs::path(BERTH_SHARED_DIR) / "pte";

TEST(GoldenReplanTest, LiveBytesAgreeWithAnIndependentAnalysis) {
  const std::vector<LiveBytes> rows = read_live_bytes(kPte / "live_bytes.csv");
  if (rows.empty()) GTEST_SKIP() << "no " << kPte / "live_bytes.csv";
  std::map<std::string, tools::LoadedFile> files;
  for (const LiveBytes& row : rows) {
    SCOPED_TRACE(row.file + " " + row.method);
    if (files.count(row.file) == 0) {
      auto loaded = tools::load_program((kPte / row.file / "model.pte").string());
      ASSERT_TRUE(loaded.ok()) << loaded.error().message;
      files.emplace(row.file, loaded.take());
    }
    const tools::LoadedFile& file = files.at(row.file);
    const report::MethodReport* method = find_method(file.report, row.method);
    ASSERT_NE(method, nullptr);
    const PoolTotals totals = total_of(*method);
    EXPECT_EQ(totals.bytes, row.stock);
    // The analysis did not know that operator's scratch: 7712 counted so, 6480 with the role known.
    EXPECT_EQ(totals.bound, row.file == "cortex_m_dwconv_int8" ? 6480 : row.live);
    EXPECT_EQ(file.plan_error.has_value(), row.clobbers);
  }
}

TEST(GoldenReplanTest, NoFileGetsLargerAllReachTheirBoundAndTheSecondTimeChangesNothing) {
  const std::vector<fs::path> paths = golden_files(kPte);
  if (paths.empty()) GTEST_SKIP() << "no golden files in " << kPte;
  for (const fs::path& path : paths) {
    SCOPED_TRACE(path.string());
    auto before = tools::load_program(path.string());
    ASSERT_TRUE(before.ok()) << before.error().message;
    Diagnostics notes;
    auto replanned = replan(before.value().bytes, {}, &notes);
    ASSERT_TRUE(replanned.ok()) << replanned.error().place << ": " << replanned.error().message;
    const program::Bytes file = replanned.value().file;
    auto after = tools::analyse_file(file, path.string());
    ASSERT_TRUE(after.ok()) << after.error().message;
    EXPECT_FALSE(after.value().plan_error) << after.value().plan_error->message;
    for (size_t m = 0; m < after.value().report.methods.size(); ++m) {
      const report::MethodReport& now = after.value().report.methods[m];
      EXPECT_LE(total_of(now).bytes, total_of(before.value().report.methods[m]).bytes);
      EXPECT_EQ(total_of(now).bytes, total_of(now).bound + total_of(now).tail) << now.name;
    }
    auto again = replan(file, {}, &notes);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_TRUE(again.value().file == file);
  }
}

// The board is in the record by then: its pools stand there in its order.
TEST(GoldenReplanTest, WhatIsPlannedForABoardStaysSoWithoutIt) {
  const std::vector<fs::path> paths = golden_files(kPte);
  if (paths.empty()) GTEST_SKIP() << "no golden files in " << kPte;
  ReplanOptions on_board;
  on_board.board = target::find_board("mps3-an547").take();
  for (const fs::path& path : paths) {
    SCOPED_TRACE(path.string());
    Diagnostics notes;
    Result<tools::Bytes> bytes = tools::read_file(path.string());
    ASSERT_TRUE(bytes.ok()) << bytes.error().message;
    auto first = replan(bytes.value(), on_board, &notes);
    ASSERT_TRUE(first.ok()) << first.error().place << ": " << first.error().message;
    auto second = replan(first.value().file, {}, &notes);
    ASSERT_TRUE(second.ok()) << second.error().message;
    EXPECT_TRUE(second.value().file == first.value().file);
  }
}

// Everything but places and the record is as it was.
TEST(GoldenReplanTest, InstructionsConstantsDelegatesAndNamedDataStay) {
  const std::vector<fs::path> paths = golden_files(kPte);
  if (paths.empty()) GTEST_SKIP() << "no golden files in " << kPte;
  for (const fs::path& path : paths) {
    SCOPED_TRACE(path.string());
    Result<tools::Bytes> bytes = tools::read_file(path.string());
    ASSERT_TRUE(bytes.ok());
    Diagnostics notes;
    auto replanned = replan(bytes.value(), {}, &notes);
    ASSERT_TRUE(replanned.ok()) << replanned.error().message;
    auto before = program::read(bytes.value());
    auto after = program::read(replanned.value().file);
    ASSERT_TRUE(before.ok() && after.ok());
    const program::Program& a = before.value();
    const program::Program& b = after.value();
    EXPECT_TRUE(a.constants == b.constants);
    EXPECT_TRUE(a.mutable_data == b.mutable_data);
    EXPECT_TRUE(a.delegate_data == b.delegate_data);
    ASSERT_EQ(a.named_data.size(), b.named_data.size());
    for (size_t i = 0; i < a.named_data.size(); ++i)
      EXPECT_TRUE(a.named_data[i].bytes == b.named_data[i].bytes);
    ASSERT_EQ(a.methods.size(), b.methods.size());
    for (size_t m = 0; m < a.methods.size(); ++m) {
      EXPECT_TRUE(a.methods[m].inputs == b.methods[m].inputs);
      EXPECT_TRUE(a.methods[m].outputs == b.methods[m].outputs);
      EXPECT_TRUE(a.methods[m].operators == b.methods[m].operators);
      EXPECT_TRUE(a.methods[m].delegates == b.methods[m].delegates);
      EXPECT_TRUE(a.methods[m].instructions == b.methods[m].instructions);
      EXPECT_TRUE(a.methods[m].stacktrace == b.methods[m].stacktrace);
    }
  }
}

// A reader that was written from docs/plan-record.md alone says of every record what ours says.
TEST(GoldenReplanTest, TheSecondReaderOfPlanRecordsAgrees) {
  const std::vector<fs::path> paths = golden_files(kPte);
  if (paths.empty()) GTEST_SKIP() << "no golden files in " << kPte;
  if (std::system("python3 -c pass") != 0) GTEST_SKIP() << "no python3 to run the second reader";
  std::string name = fs::temp_directory_path() / "berth_records_XXXXXX";
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  const fs::path folder = name;
  std::string files;
  std::vector<nlohmann::json> expected;
  size_t records = 0;
  for (const fs::path& path : paths) {
    SCOPED_TRACE(path.string());
    Result<tools::Bytes> bytes = tools::read_file(path.string());
    ASSERT_TRUE(bytes.ok());
    Diagnostics notes;
    auto replanned = replan(bytes.value(), {}, &notes);
    ASSERT_TRUE(replanned.ok()) << replanned.error().message;
    auto program = program::read(replanned.value().file);
    ASSERT_TRUE(program.ok()) << program.error().message;
    records += program.value().record ? 1 : 0;
    const fs::path copy = folder / (std::to_string(expected.size()) + ".pte");
    expected.push_back(program::record_to_json(program.value()));
    std::ofstream(copy, std::ios::binary)
        .write(reinterpret_cast<const char*>(replanned.value().file.data()),
               static_cast<std::streamsize>(replanned.value().file.size()));
    files += copy.string() + " ";
  }
  const auto [text, exit_code] = program::run_reader(files);
  fs::remove_all(folder);
  ASSERT_EQ(exit_code, 0) << text;
  std::istringstream lines(text);
  std::string line;
  for (size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE(paths[i].string());
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(nlohmann::json::parse(line), expected[i]);
  }
  EXPECT_GT(records, 75u);
}

// What is told of delegates and named data, of files that have them.
TEST(GoldenReplanTest, DelegatesBlobsAreRecognised) {
  if (!fs::exists(kPte)) GTEST_SKIP() << "no golden files in " << kPte;
  int found = 0;
  for (const fs::path& path : golden_files(kPte)) {
    SCOPED_TRACE(path.string());
    auto loaded = tools::load_program(path.string());
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    for (const report::MethodReport& method : loaded.value().report.methods) {
      for (const report::DelegateRow& delegate : method.delegates) {
        ++found;
        const std::map<std::string, std::string> kinds = {{"XnnpackBackend", "xnnpack"},
                                                          {"EthosUBackend", "vela"},
                                                          {"BackendWithCompilerDemo", "demo"}};
        ASSERT_EQ(kinds.count(delegate.id), 1u) << delegate.id;
        EXPECT_EQ(delegate.kind.name, kinds.at(delegate.id));
        EXPECT_EQ(delegate.kind.parts.empty(), delegate.kind.name == "demo");
      }
    }
  }
  EXPECT_GT(found, 12);
}

// Why a file gets no certificate, and every clobber, is told without a replan, and truly.
TEST(GoldenReplanTest, InspectSaysWhichPlansNoCertificateCanTell) {
  if (!fs::exists(kPte)) GTEST_SKIP() << "no golden files in " << kPte;
  for (const fs::path& path : golden_files(kPte)) {
    SCOPED_TRACE(path.string());
    auto loaded = tools::load_program(path.string());
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    Diagnostics notes;
    auto replanned = replan(loaded.value().bytes, {}, &notes);
    ASSERT_TRUE(replanned.ok()) << replanned.error().message;
    bool certifiable = true, clobbers = false;
    for (const report::MethodReport& method : loaded.value().report.methods) {
      certifiable = certifiable && method.not_certified.empty();
      clobbers = clobbers || !method.clobbers.empty();
    }
    EXPECT_EQ(clobbers, loaded.value().plan_error.has_value());
    if (certifiable && !clobbers) {
      EXPECT_TRUE(program::read(replanned.value().file).value().record) << notes.notes.size();
    }
  }
}

// The table of docs/replan.md is what replan does.
TEST(GoldenReplanTest, TheTableInTheDocsIsTrue) {
  if (!fs::exists(kPte)) GTEST_SKIP() << "no golden files in " << kPte;
  std::ifstream in(fs::path(BERTH_SOURCE_DIR) / "docs" / "replan.md");
  ASSERT_TRUE(in.good());
  int rows = 0;
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> cells;
    std::stringstream parts(line);
    for (std::string cell; std::getline(parts, cell, '|');) {
      cell.erase(std::remove(cell.begin(), cell.end(), ' '), cell.end());
      cells.push_back(cell);
    }
    if (cells.size() < 6 || !fs::exists(kPte / cells[1] / "model.pte") || cells[1].empty())
      continue;
    SCOPED_TRACE(line);
    ++rows;
    Result<tools::Bytes> bytes = tools::read_file((kPte / cells[1] / "model.pte").string());
    ASSERT_TRUE(bytes.ok());
    Diagnostics notes;
    auto replanned = replan(bytes.value(), {}, &notes);
    ASSERT_TRUE(replanned.ok());
    auto old = tools::analyse_file(bytes.value(), "old");
    auto now = tools::analyse_file(replanned.value().file, "new");
    const report::MethodReport* before = find_method(old.value().report, cells[2]);
    const report::MethodReport* after = find_method(now.value().report, cells[2]);
    ASSERT_NE(before, nullptr);
    EXPECT_EQ(std::to_string(total_of(*before).bytes), cells[3]);
    EXPECT_EQ(std::to_string(total_of(*after).bytes), cells[4]);
    EXPECT_EQ(std::to_string(total_of(*after).bound + total_of(*after).tail), cells[5]);
  }
  EXPECT_GT(rows, 80);
}

}  // namespace
}  // namespace berth
