// The importer as a whole: the known models, methods, what is unsupported, and files that
// contradict themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/import/tflite/import_tflite.h"
#include "compiler/import/tflite/small_model.h"
#include "compiler/ir/verify.h"

namespace berth::import {
namespace {

namespace fb = format::tflite;

class KnownModel : public testing::TestWithParam<const char*> {};

TEST_P(KnownModel, ImportsAndVerifies) {
  BERTH_NEEDS_MODELS();
  const FileBytes bytes = read_bytes(models_folder() / GetParam() / "model.tflite");
  ASSERT_FALSE(bytes.empty());
  Diagnostics diagnostics;
  const Result<ir::Module> module = import_tflite(bytes, &diagnostics);
  ASSERT_TRUE(module.ok()) << module.error().place << ": " << module.error().message;
  const auto error = ir::verify(module.value());
  EXPECT_FALSE(error.has_value()) << error->place << ": " << error->message;
  ASSERT_EQ(1U, module.value().graphs.size());
  const ir::Graph& graph = module.value().graphs[0];
  EXPECT_EQ("forward", graph.name);
  // Users see TFLite's own shapes: the known inputs have as many bytes as the method's.
  size_t input_bytes = 0;
  for (const ir::ValueId input : graph.inputs) input_bytes += graph.value(input).spec.nbytes();
  EXPECT_EQ(read_bytes(models_folder() / GetParam() / "input0.bin").size(), input_bytes);
  size_t output_bytes = 0;
  for (const ir::ValueId output : graph.outputs) {
    output_bytes += graph.value(output).spec.nbytes();
    EXPECT_EQ(ir::contiguous_order(graph.value(output).spec.sizes.size()),
              graph.value(output).spec.dim_order);
  }
  EXPECT_EQ(read_bytes(models_folder() / GetParam() / "output0.bin").size(), output_bytes);
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

TEST(Importer, TheModelOfTheDigitsExampleImports) {
  const FileBytes bytes =
      read_bytes(std::filesystem::path(BERTH_SOURCE_DIR) / "examples/digits/digits.tflite");
  ASSERT_FALSE(bytes.empty());
  const Result<ir::Module> module = import_tflite(bytes, nullptr);
  EXPECT_TRUE(module.ok()) << module.error().place << ": " << module.error().message;
}

// docs/tflite.md has a line "| OPERATOR ..., OPERATOR | ..." for everything that is translated, and
// for nothing else.
TEST(Importer, ThePageOfSupportedOperatorsIsTrue) {
  std::ifstream page(std::filesystem::path(BERTH_SOURCE_DIR) / "docs/tflite.md");
  std::vector<std::string> listed;
  std::string line;
  while (std::getline(page, line)) {
    const size_t end = line.find(" | ");
    if (line.rfind("| ", 0) != 0 || end == std::string::npos) continue;
    std::istringstream names(line.substr(2, end - 2));
    std::string name;
    while (std::getline(names, name, ',')) {
      name.erase(0, name.find_first_not_of(' '));
      if (!name.empty() && std::isupper(static_cast<unsigned char>(name[0])) != 0)
        listed.push_back(name);
    }
  }
  // Once in the table of integer operators, once in that of float ones.
  std::sort(listed.begin(), listed.end());
  listed.erase(std::unique(listed.begin(), listed.end()), listed.end());
  EXPECT_EQ(supported_tflite_operators(), listed);
}

SmallModel add_model() {
  return one_operator(
      BuiltinOperator::ADD,
      {{.shape = {1, 4}, .name = "x"}, {.shape = {1, 4}, .data = {1, 2, 3, 4}}, {.shape = {1, 4}}},
      {0});
}

ir::Module imported(const SmallModel& model) {
  Result<ir::Module> module = import_tflite(model.build(), nullptr);
  EXPECT_TRUE(module.ok()) << module.error().place << ": " << module.error().message;
  return module.ok() ? module.take() : ir::Module{};
}

Error refused(const SmallModel& model) {
  const Result<ir::Module> module = import_tflite(model.build(), nullptr);
  EXPECT_FALSE(module.ok());
  return module.ok() ? Error{} : module.error();
}

TEST(Importer, ConstantsInsideAndBehindTheFlatBufferGiveTheSameModule) {
  SmallModel model = add_model();
  const ir::Module inside = imported(model);
  model.append_buffers = true;
  EXPECT_EQ(inside, imported(model));
}

TEST(Importer, BytesAtAnyAddressGiveTheSameModule) {
  const SmallModel model = add_model();
  const FileBytes bytes = model.build();
  for (size_t shift = 1; shift < 8; ++shift) {
    FileBytes moved(bytes.size() + shift);
    std::copy(bytes.begin(), bytes.end(), moved.begin() + static_cast<ptrdiff_t>(shift));
    const Result<ir::Module> module = import_tflite(std::span(moved).subspan(shift), nullptr);
    ASSERT_TRUE(module.ok());
    EXPECT_EQ(imported(model), module.value());
  }
}

TEST(Importer, ValuesAreNamedAfterTensorsAndKeepTheOriginalName) {
  SmallModel model = add_model();
  model.main().tensors[0].name = "serving:0";
  model.main().tensors[2].name = "block/add;block/relu";
  const ir::Module module = imported(model);
  const ir::Graph& graph = module.graphs[0];
  EXPECT_EQ("serving_0", graph.value(graph.inputs[0]).name);
  EXPECT_EQ("serving:0", graph.value(graph.inputs[0]).origin);
  EXPECT_EQ("block_add", graph.value(graph.outputs[0]).name);
  EXPECT_EQ("block/add;block/relu", graph.value(graph.outputs[0]).origin);
}

TEST(Importer, OtherSubgraphsAreMethodsNamedBySignatureOrByThemselves) {
  SmallModel model = add_model();
  for (int i = 0; i < 4; ++i) model.subgraphs.push_back(model.main());
  model.subgraphs[1].name = "encode";
  model.subgraphs[2].name = "encode";
  model.subgraphs[3].name = "not this";
  model.signatures = {{.key = "serving_default", .subgraph = 0},
                      {.key = "decode step", .subgraph = 3}};
  const ir::Module module = imported(model);
  ASSERT_EQ(5U, module.graphs.size());
  EXPECT_EQ("forward", module.graphs[0].name);
  EXPECT_EQ("encode", module.graphs[1].name);
  EXPECT_EQ("encode_2", module.graphs[2].name);
  EXPECT_EQ("decode_step", module.graphs[3].name);
  EXPECT_EQ("subgraph_4", module.graphs[4].name);
}

TEST(Importer, AnOpenDimensionIsTakenAsItIsAndNoted) {
  SmallModel model = add_model();
  model.main().tensors[0].signature = {-1, 4};
  Diagnostics diagnostics;
  ASSERT_TRUE(import_tflite(model.build(), &diagnostics).ok());
  ASSERT_EQ(1U, diagnostics.notes.size());
  EXPECT_EQ("inputs[0] \"x\"", diagnostics.notes[0].place);
}

// --- what is unsupported ---

TEST(Importer, AllUnsupportedOperatorsStandInOneErrorWithTheirPlaces) {
  SmallModel model = add_model();
  SmallSubgraph& graph = model.main();
  for (int i = 0; i < 4; ++i) graph.tensors.push_back({.shape = {1, 4}});
  graph.tensors.push_back(
      {.shape = {1, 4}, .type = TensorType::INT4, .data = {1, 2}, .name = "packed"});
  graph.operators.push_back(
      {.code = BuiltinOperator::CUSTOM, .inputs = {2}, .outputs = {3}, .custom = "ethos-u"});
  graph.operators.push_back(
      {.code = BuiltinOperator::TANH, .inputs = {3}, .outputs = {4}});  // its output is 0.5
  graph.operators.push_back(
      {.code = static_cast<BuiltinOperator>(250), .inputs = {4}, .outputs = {5}});
  graph.operators.push_back({.code = BuiltinOperator::ADD, .inputs = {5, 7}, .outputs = {6}});
  graph.outputs = {6};
  const Error error = refused(model);
  EXPECT_EQ("operators", error.place);
  EXPECT_EQ(
      "4 of the model's operators are not supported: "
      "operators[1] CUSTOM \"ethos-u\"; "
      "operators[2] TANH: outputs[0] (tensors[4] \"\") has scale 0.500000 and zero point 0; this "
      "operator makes 2^-7 "
      "and 0; "
      "operators[3] operator 250; "
      "operators[4] ADD: inputs[1] (tensors[7] \"packed\") is INT4",
      error.message);
}

TEST(Importer, OperatorsOfHalfFloatsAreListedAsUnsupported) {
  SmallModel model = add_model();
  for (SmallTensor& t : model.main().tensors) {
    t.type = TensorType::FLOAT16;
    t.scales.clear();
    if (!t.data.empty()) t.data.resize(8);
  }
  const Error error = refused(model);
  EXPECT_NE(std::string::npos,
            error.message.find("operators[0] ADD: inputs[0] (tensors[0] \"x\") is FLOAT16; INT8"))
      << error.message;
}

TEST(Importer, ControlFlowIsUnsupportedAndItsSubgraphsAreLookedAtToo) {
  SmallModel model = add_model();
  model.subgraphs.push_back(model.main());
  model.main().operators[0].code = BuiltinOperator::WHILE;
  model.subgraphs[1].operators[0].code = BuiltinOperator::CUMSUM;
  const Error error = refused(model);
  EXPECT_NE(std::string::npos, error.message.find(" subgraphs[0].operators[0] WHILE"))
      << error.message;
  EXPECT_NE(std::string::npos, error.message.find("; subgraphs[1].operators[0] CUMSUM"))
      << error.message;
}

TEST(Importer, VariablesAreUnsupported) {
  SmallModel model = add_model();
  model.main().inputs = {};
  model.main().tensors[0].is_variable = true;
  EXPECT_NE(std::string::npos, refused(model).message.find("is a variable"));
}

TEST(Importer, AnInputThatCannotBeUsedIsRefused) {
  SmallModel model = add_model();
  model.main().tensors[0].type = TensorType::STRING;
  const Error error = refused(model);
  EXPECT_EQ("inputs[0] \"x\"", error.place);
}

// --- files that contradict themselves ---

void expect_refused(const SmallModel& model, const std::string& place, const std::string& words) {
  const Error error = refused(model);
  EXPECT_EQ(place, error.place) << error.message;
  EXPECT_NE(std::string::npos, error.message.find(words)) << error.message;
}

TEST(Importer, UseBeforeDefinitionIsRefused) {
  SmallModel model = add_model();
  model.main().inputs = {};
  expect_refused(model, "operators[0] ADD", "inputs[0] is tensor 0, which nothing before writes");
}

TEST(Importer, ATensorWrittenTwiceIsRefused) {
  SmallModel model = add_model();
  model.main().operators.push_back(model.main().operators[0]);
  expect_refused(model, "operators[1] ADD", "written once");
  model = add_model();
  model.main().operators[0].outputs = {0};
  expect_refused(model, "operators[0] ADD", "written once");
  model.main().operators[0].outputs = {1};
  expect_refused(model, "operators[0] ADD", "written once");
}

TEST(Importer, AnOutputNobodyWritesIsRefused) {
  SmallModel model = add_model();
  model.main().tensors.push_back({.shape = {1}});
  model.main().outputs = {3};
  expect_refused(model, "outputs[0]", "no operator writes");
}

TEST(Importer, WrongNumbersOfOperandsAreRefused) {
  SmallModel model = add_model();
  model.main().operators[0].inputs = {0};
  expect_refused(model, "operators[0] ADD", "has 1 inputs; it takes 2");
  model.main().operators[0].inputs = {0, 1, 1};
  expect_refused(model, "operators[0] ADD", "has 3 inputs; it takes 2");
  model.main().operators[0].inputs = {0, -1};
  expect_refused(model, "operators[0] ADD", "inputs[1] is absent");
  model = add_model();
  model.main().tensors.push_back({.shape = {1}});
  model.main().operators[0].outputs = {2, 3};
  expect_refused(model, "operators[0] ADD", "has 2 outputs");
}

TEST(Importer, ShapesThatDoNotBroadcastAreRefused) {
  SmallModel model = add_model();
  model.main().tensors[0].shape = {1, 3};
  expect_refused(model, "operators[0] ADD",
                 "has the shape [1,4]; the operands broadcast from [1,3] and [1,4]");
  model = add_model();
  model.main().tensors[2].shape = {2, 4};
  expect_refused(model, "operators[0] ADD", "broadcast");
  model.main().tensors[2].shape = {1, 1, 4};
  expect_refused(model, "operators[0] ADD", "broadcast");
}

}  // namespace
}  // namespace berth::import
