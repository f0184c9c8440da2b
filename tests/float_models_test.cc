// The float32 networks with known answers, in every way that must not change them. Other runtimes
// sum in another order, so answers are held to a tolerance; run against run they are the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "tests/model_ways.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

struct Model {
  const char* name;
  double atol, rtol;
  uint64_t bytes;  // planned on board host
};
// Probabilities, and for ad01 a reconstruction of the input.
constexpr Model kModels[] = {
    {"ad01", 0, 1e-3, 3072}, {"resnet8", 1e-4, 0, 196608}, {"vww", 1e-4, 0, 221184}};

fs::path model_folder(const Model& model) {
  return fs::path(BERTH_SHARED_DIR) / "models" / "f32" / model.name;
}

CompareOutput within(double atol, double rtol) {
  return [=](const runtime::Tensor& got, const std::byte* expected) -> std::string {
    if (got.dtype != ScalarType::kFloat) return "is not float32";
    for (size_t i = 0; i < got.numel(); ++i) {
      float want = 0;
      std::memcpy(&want, expected + i * sizeof(want), sizeof(want));
      const double is = static_cast<double>(got.as<float>()[i]);
      const double off = std::abs(is - static_cast<double>(want));
      if (!(off <= atol + rtol * std::abs(static_cast<double>(want)))) {
        return "element " + std::to_string(i) + " is " + std::to_string(is) + ", not " +
               std::to_string(want);
      }
    }
    return "";
  };
}

class FloatModelsTest : public ::testing::TestWithParam<Model> {};

TEST_P(FloatModelsTest, AnswersAreWithinTheToleranceInEveryWay) {
  const Model& model = GetParam();
  const fs::path folder = model_folder(model);
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " is missing: its answers are NOT checked";
  for (const bool reuse : {true, false}) {
    for (const emit::Io io : {emit::Io::kPlanned, emit::Io::kCaller}) {
      for (const int fill : {0x00, 0xFF, -1}) {
        check_model(folder / "model.tflite", folder, {reuse, io, fill}, 2,
                    within(model.atol, model.rtol));
      }
    }
  }
}

TEST_P(FloatModelsTest, PlansAreNotAboveTheKnownFigures) {
  const Model& model = GetParam();
  const fs::path path = model_folder(model) / "model.tflite";
  if (!fs::exists(path)) GTEST_SKIP() << path << " is missing: planned bytes are NOT checked";
  Diagnostics notes;
  Result<Compiled> compiled = compile(read_file(path), {}, &notes);
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  const program::PoolUse& use = compiled.value().program.methods[0].plan->pool_use[0];
  EXPECT_LE(use.bytes, model.bytes);
  std::printf("%-8s planned %8llu  greedy %8llu  lower bound %8llu\n", model.name,
              static_cast<unsigned long long>(use.bytes),
              static_cast<unsigned long long>(use.greedy_bytes),
              static_cast<unsigned long long>(use.lower_bound));
}

INSTANTIATE_TEST_SUITE_P(All, FloatModelsTest, ::testing::ValuesIn(kModels),
                         [](const auto& test) { return std::string(test.param.name); });

// The float form of examples/digits reads as many of the held-out digits as its README says.
TEST(FloatDigitsTest, ReadsHandwrittenDigits) {
  const fs::path digits = fs::path(BERTH_SOURCE_DIR) / "examples" / "digits";
  const std::vector<std::byte> images = read_file(digits / "heldout.bin");
  std::ifstream label_text(digits / "heldout_labels.txt");
  const std::vector<size_t> labels(std::istream_iterator<size_t>(label_text), {});
  constexpr size_t kPixels = 64, kClasses = 10;
  ASSERT_EQ(images.size(), labels.size() * kPixels);

  // One case: what the digit's score must be is not known, so the comparison looks for the best.
  const fs::path folder = fs::path(::testing::TempDir()) / "berth_float_digits";
  fs::create_directories(folder);
  for (size_t n = 0; n < labels.size(); ++n) {
    std::vector<float> pixels(kPixels), scores(kClasses, 0);
    for (size_t i = 0; i < kPixels; ++i) {
      const int level = static_cast<int8_t>(images[n * kPixels + i]) + 128;
      pixels[i] = static_cast<float>(level) / 255.0F;
    }
    scores[labels[n]] = 1;
    const auto write = [&](const char* kind, const std::vector<float>& numbers) {
      std::ofstream out(folder / (kind + std::to_string(n) + ".bin"), std::ios::binary);
      out.write(reinterpret_cast<const char*>(numbers.data()),
                static_cast<std::streamsize>(numbers.size() * sizeof(float)));
    };
    write("input", pixels);
    write("output", scores);
  }
  size_t right = 0;
  const auto compare = [&](const runtime::Tensor& got, const std::byte* expected) -> std::string {
    if (got.numel() != kClasses) return "is not a score per digit";
    float wanted[kClasses];
    std::memcpy(wanted, expected, sizeof(wanted));
    const float* scores = got.as<float>();
    const auto best = std::max_element(scores, scores + kClasses) - scores;
    right += wanted[best] == 1.0F ? 1 : 0;
    return "";
  };
  check_model(digits / "digits_f32.tflite", folder, {true, emit::Io::kPlanned, -1}, 1, compare);
  fs::remove_all(folder);
  EXPECT_EQ(labels.size(), 355u);
  EXPECT_EQ(right, 347u);  // 97.7 %
}

}  // namespace
}  // namespace berth
