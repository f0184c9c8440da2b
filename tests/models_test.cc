// Every model with known answers, compiled and run in every way that must not change a byte: reuse
// on and off, planned and caller's inputs and outputs, pools filled with 0x00, 0xFF and noise
// before the first run, run 1 and the last one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tests/model_ways.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> model_folders() {
  std::vector<std::string> folders;
  const fs::path root = fs::path(BERTH_SHARED_DIR) / "models";
  if (!fs::exists(root)) return folders;
  for (const fs::path& parent : {root, root / "ops"}) {
    for (const auto& entry : fs::directory_iterator(parent)) {
      if (fs::exists(entry.path() / "model.tflite"))
        folders.push_back(fs::relative(entry.path(), root).string());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

class ModelsTest : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ModelsTest);

TEST_P(ModelsTest, AnswersAreTheSameInEveryWay) {
  const fs::path folder = fs::path(BERTH_SHARED_DIR) / "models" / GetParam();
  const bool large = fs::file_size(folder / "model.tflite") > (1u << 20);
  for (const bool reuse : {true, false}) {
    for (const emit::Io io : {emit::Io::kPlanned, emit::Io::kCaller}) {
      for (const int fill : {0x00, 0xFF, -1}) {
        if (large && fill == 0xFF) continue;
        check_model(folder / "model.tflite", folder, {reuse, io, fill}, large ? 1 : 2);
      }
    }
  }
}

TEST_P(ModelsTest, ManyRunsGiveTheSameAnswer) {
  const fs::path folder = fs::path(BERTH_SHARED_DIR) / "models" / GetParam();
  const bool large = fs::file_size(folder / "model.tflite") > (1u << 20);
  check_model(folder / "model.tflite", folder, {true, emit::Io::kPlanned, -1},
              std::getenv("BERTH_LONG") != nullptr ? 1000
              : large                              ? 2
                                                   : 20);
}

INSTANTIATE_TEST_SUITE_P(All, ModelsTest, ::testing::ValuesIn(model_folders()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

TEST(ModelsSkipTest, SaysWhenTheKnownAnswersAreMissing) {
  if (model_folders().empty()) {
    GTEST_SKIP() << "no models at " << BERTH_SHARED_DIR
                 << "/models: answers of the seven networks are NOT checked";
  }
}

// Planned bytes on board host, as small as the networks allow.
TEST(ModelsBytesTest, PlansAreNotAboveTheKnownFigures) {
  struct Row {
    const char* model;
    uint64_t bytes;
  };
  const Row rows[] = {
      {"kws", 16000},      {"vww", 55296},         {"resnet8", 49152},       {"ad01", 768},
      {"hello_world", 32}, {"micro_speech", 5968}, {"mobilenet_v2", 2451840}};
  for (const Row& row : rows) {
    const fs::path path = fs::path(BERTH_SHARED_DIR) / "models" / row.model / "model.tflite";
    if (!fs::exists(path)) GTEST_SKIP() << path << " is missing: planned bytes are NOT checked";
    Diagnostics notes;
    Result<Compiled> compiled = compile(read_file(path), {}, &notes);
    ASSERT_TRUE(compiled.ok()) << compiled.error().message;
    const program::PoolUse& use = compiled.value().program.methods[0].plan->pool_use[0];
    EXPECT_LE(use.bytes, row.bytes) << row.model;
    std::printf("%-13s planned %8llu  greedy %8llu  lower bound %8llu\n", row.model,
                static_cast<unsigned long long>(use.bytes),
                static_cast<unsigned long long>(use.greedy_bytes),
                static_cast<unsigned long long>(use.lower_bound));
  }
}

}  // namespace
}  // namespace berth
