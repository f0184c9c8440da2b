#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "compiler/import/tflite/import_test_support.h"
#include "compiler/import/tflite/import_tflite.h"
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"

namespace berth::import {
namespace {

class KnownModel : public testing::TestWithParam<const char*> {};

TEST_P(KnownModel, ImportsAndVerifies) {
  BERTH_NEEDS_MODELS();
  const FileBytes bytes = read_bytes(models_folder() / GetParam() / "model.tflite");
  ASSERT_FALSE(bytes.empty());
  const Result<ir::Module> module = import_tflite(bytes, nullptr);
  ASSERT_TRUE(module.ok()) << module.error().place << ": " << module.error().message;
  const auto error = ir::verify(module.value());
  EXPECT_FALSE(error.has_value()) << error->place << ": " << error->message;
  ASSERT_EQ(1U, module.value().graphs.size());
  EXPECT_EQ("forward", module.value().graphs[0].name);
}

INSTANTIATE_TEST_SUITE_P(
    All, KnownModel,
    testing::Values("kws", "vww", "resnet8", "ad01", "hello_world", "micro_speech", "mobilenet_v2",
                    "ops/abs", "ops/add8_relu6", "ops/add8_same", "ops/avgpool_same_3x3",
                    "ops/avgpool_same_s2_5x4", "ops/conv3x3_dil2", "ops/conv9x9",
                    "ops/conv_i70_o40", "ops/hardswish", "ops/logistic", "ops/lrelu8",
                    "ops/maximum", "ops/mean_h", "ops/mean_hw", "ops/mul16", "ops/mul8",
                    "ops/mul8_scalar", "ops/pad", "ops/quantize8", "ops/resize_bil",
                    "ops/resize_nn", "ops/softmax8_1000", "ops/sub8_rev_scalar", "ops/tanh",
                    "ops/tanh16_pow2", "ops/tconv_s2"),
    [](const auto& model) {
      std::string name = model.param;
      std::replace(name.begin(), name.end(), '/', '_');
      return name;
    });

}  // namespace
}  // namespace berth::import
