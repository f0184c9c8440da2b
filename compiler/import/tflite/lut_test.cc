#include "compiler/import/tflite/lut.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "compiler/import/tflite/import_test_support.h"
#include "compiler/import/tflite/tflite_file.h"

namespace berth::import {
namespace {

int8_t look_up(const Lut& lut, int x) { return lut[static_cast<size_t>(x + 128)]; }

struct Parameters {
  PerTensor input, output;
  float alpha = 0;
};

// The scales of the model's only operator.
Parameters parameters_of(const FileBytes& bytes) {
  const Result<TfliteFile> file = read_tflite(bytes, nullptr);
  EXPECT_TRUE(file.ok());
  const FileSubgraph& subgraph = file.value().subgraphs[0];
  const auto params = [&](int32_t tensor) {
    const Quantization& q = subgraph.tensors[static_cast<size_t>(tensor)].quantization;
    return PerTensor{q.scales[0], static_cast<int32_t>(q.zero_points[0])};
  };
  const FileOperator& op = subgraph.operators[0];
  Parameters found{params(op.inputs[0]), params(op.outputs[0])};
  if (const auto* options = op.table->builtin_options_as_LeakyReluOptions())
    found.alpha = options->alpha();
  return found;
}

// Calls make(Parameters) for the model's table and compares what it gives for the known inputs.
template <typename Make>
void expect_known_answers(const std::string& model, Make make) {
  const auto folder = models_folder() / "ops" / model;
  const FileBytes bytes = read_bytes(folder / "model.tflite");
  const std::optional<Lut> lut = make(parameters_of(bytes));
  ASSERT_TRUE(lut.has_value());
  for (const char* run : {"0", "1"}) {
    const FileBytes input = read_bytes(folder / (std::string("input") + run + ".bin"));
    const FileBytes output = read_bytes(folder / (std::string("output") + run + ".bin"));
    ASSERT_EQ(input.size(), output.size());
    ASSERT_FALSE(input.empty());
    for (size_t i = 0; i < input.size(); ++i) {
      const auto x = static_cast<int8_t>(input[i]);
      ASSERT_EQ(static_cast<int>(static_cast<int8_t>(output[i])),
                static_cast<int>(look_up(*lut, x)))
          << model << " at x = " << static_cast<int>(x);
    }
  }
}

TEST(Lut, LogisticGivesTheKnownAnswers) {
  BERTH_NEEDS_MODELS();
  expect_known_answers("logistic",
                       [](const Parameters& p) { return std::optional(logistic_lut(p.input)); });
}

TEST(Lut, TanhGivesTheKnownAnswers) {
  BERTH_NEEDS_MODELS();
  expect_known_answers("tanh",
                       [](const Parameters& p) { return std::optional(tanh_lut(p.input)); });
}

TEST(Lut, HardSwishGivesTheKnownAnswers) {
  BERTH_NEEDS_MODELS();
  expect_known_answers("hardswish",
                       [](const Parameters& p) { return hard_swish_lut(p.input, p.output); });
}

TEST(Lut, LeakyReluGivesTheKnownAnswers) {
  BERTH_NEEDS_MODELS();
  expect_known_answers(
      "lrelu8", [](const Parameters& p) { return leaky_relu_lut(p.input, p.output, p.alpha); });
}

TEST(Lut, AbsGivesTheKnownAnswers) {
  BERTH_NEEDS_MODELS();
  expect_known_answers("abs", [](const Parameters& p) { return abs_lut(p.input, p.output); });
}

TEST(Lut, QuantizeGivesTheKnownAnswers) {
  BERTH_NEEDS_MODELS();
  expect_known_answers("quantize8", [](const Parameters& p) {
    return requantize_lut(p.input, p.output, {-128, 127});
  });
}

// The tables against the functions they stand for: within one step everywhere, whatever the scale.
TEST(Lut, LogisticAndTanhAreWithinOneStepOfTheRealFunctions) {
  for (const float scale : {1e-12F, 1e-4F, 0.003F, 0.06F, 0.5F, 7.0F, 1e6F, 1e38F}) {
    for (const int32_t zero_point : {-128, -5, 0, 127}) {
      const PerTensor input{scale, zero_point};
      const Lut logistic = logistic_lut(input);
      const Lut tanh = tanh_lut(input);
      for (int x = -128; x <= 127; ++x) {
        const double real = static_cast<double>(scale) * (x - zero_point);
        const double sigmoid = std::fmin(256.0 / (1.0 + std::exp(-real)) - 128.0, 127.0);
        const double tangent = std::fmin(128.0 * std::tanh(real), 127.0);
        // At x = zero point a scale that saturates at once answers with the lower limit, as the
        // reference does.
        if (x == zero_point && scale >= 15) continue;
        EXPECT_NEAR(look_up(logistic, x), sigmoid, 1.0) << scale << " " << zero_point << " " << x;
        EXPECT_NEAR(look_up(tanh, x), tangent, 1.0) << scale << " " << zero_point << " " << x;
      }
    }
  }
}

TEST(Lut, ReluBetweenUnequalScalesStartsAtTheZeroPoint) {
  const PerTensor input{0.1F, 10};
  const PerTensor output{0.05F, -100};
  const auto lut = requantize_lut(input, output, {-100, 127});
  ASSERT_TRUE(lut.has_value());
  EXPECT_EQ(-100, look_up(*lut, -128));
  EXPECT_EQ(-100, look_up(*lut, 10));
  EXPECT_EQ(-98, look_up(*lut, 11));
  EXPECT_EQ(127, look_up(*lut, 127));
}

TEST(Lut, PreluWithOneSlopeScalesTheNegativeSide) {
  const auto lut = prelu_lut({0.1F, 0}, {0.1F, 0}, 64, {1.0F / 128, 0});  // slope 1/2
  ASSERT_TRUE(lut.has_value());
  EXPECT_EQ(100, look_up(*lut, 100));
  EXPECT_EQ(-50, look_up(*lut, -100));
  EXPECT_EQ(0, look_up(*lut, 0));
}

TEST(Lut, EluIsWithinOneStepOfTheRealFunction) {
  const PerTensor input{0.03F, -10};
  const PerTensor output{0.02F, -60};
  const Lut lut = elu_lut(input, output);
  for (int x = -128; x <= 127; ++x) {
    const double real = static_cast<double>(input.scale) * (x - input.zero_point);
    const double elu =
        (real < 0 ? std::expm1(real) : real) / static_cast<double>(output.scale) - 60;
    EXPECT_NEAR(look_up(lut, x), std::fmin(elu, 127.0), 0.51) << x;
  }
}

TEST(Lut, HostileScalesGiveNothingOrATable) {
  const float scales[] = {1e-45F, 1e-38F, 1e-20F, 1e-6F, 1.0F, 1e6F, 1e20F, 3e38F};
  for (const float in : scales) {
    for (const float out : scales) {
      const PerTensor input{in, 127};
      const PerTensor output{out, -128};
      (void)hard_swish_lut(input, output);
      (void)elu_lut(input, output);
      (void)abs_lut(input, output);
      (void)requantize_lut(input, output, {-128, 127});
      (void)prelu_lut(input, output, -128, {in, 127});
      for (const float alpha : {0.0F, -3e38F, 3e38F, std::nanf(""), INFINITY, 0.5F}) {
        const auto lut = leaky_relu_lut(input, output, alpha);
        if (!std::isfinite(alpha)) {
          EXPECT_FALSE(lut.has_value());
        }
      }
    }
  }
  EXPECT_FALSE(requantize_lut({3e38F, 0}, {1e-45F, 0}, {-128, 127}).has_value());
}

}  // namespace
}  // namespace berth::import
