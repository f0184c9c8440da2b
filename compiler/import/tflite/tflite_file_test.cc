// Every field of a file that the reader trusts afterwards, with values that must not pass.
#include "compiler/import/tflite/tflite_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "compiler/import/tflite/small_model.h"

namespace berth::import {
namespace {

// A constant added to an input: enough to hold one of each kind of field.
SmallModel add_model() {
  return one_operator(BuiltinOperator::ADD,
                      {{.shape = {1, 4}, .name = "x"},
                       {.shape = {1, 4}, .data = {1, 2, 3, 4}, .name = "w"},
                       {.shape = {1, 4}}},
                      {0});
}

void expect_refused(const SmallModel& model, const std::string& place, const std::string& words) {
  const Result<TfliteFile> file = read_tflite(model.build(), nullptr);
  ASSERT_FALSE(file.ok()) << "accepted; expected a refusal at " << place;
  EXPECT_EQ(place, file.error().place) << file.error().message;
  EXPECT_NE(std::string::npos, file.error().message.find(words)) << file.error().message;
}

TEST(TfliteFile, ReadsWhatIsThere) {
  const FileBytes bytes = add_model().build();
  const Result<TfliteFile> file = read_tflite(bytes, nullptr);
  ASSERT_TRUE(file.ok()) << file.error().place << file.error().message;
  ASSERT_EQ(1U, file.value().subgraphs.size());
  const FileSubgraph& subgraph = file.value().subgraphs[0];
  ASSERT_EQ(3U, subgraph.tensors.size());
  EXPECT_EQ("w", subgraph.tensors[1].name);
  EXPECT_EQ(4U, subgraph.tensors[1].element_count);
  EXPECT_EQ(4U, subgraph.tensors[1].data.size());
  EXPECT_EQ(std::byte{3}, subgraph.tensors[1].data[2]);
  EXPECT_FALSE(subgraph.tensors[0].is_constant());
  EXPECT_EQ("ADD", operator_name(subgraph.operators[0]));
  EXPECT_EQ(2U, subgraph.operators[0].inputs.size());
}

TEST(TfliteFile, ConstantsBehindTheFlatBufferAreReadAlike) {
  SmallModel model = add_model();
  model.append_buffers = true;
  const FileBytes bytes = model.build();
  const Result<TfliteFile> file = read_tflite(bytes, nullptr);
  ASSERT_TRUE(file.ok()) << file.error().place << file.error().message;
  EXPECT_EQ(std::byte{3}, file.value().subgraphs[0].tensors[1].data[2]);
}

TEST(TfliteFile, TheLargerOfTheTwoOperatorCodesCounts) {
  SmallModel model = add_model();
  model.main().operators[0].code = BuiltinOperator::GELU;
  const FileBytes new_code = model.build();
  Result<TfliteFile> file = read_tflite(new_code, nullptr);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ("GELU", operator_name(file.value().subgraphs[0].operators[0]));
  model.main().operators[0].code = BuiltinOperator::ADD;
  model.main().operators[0].deprecated_code = 41;  // a file from before 2020: only the old field
  const FileBytes old_code = model.build();
  file = read_tflite(old_code, nullptr);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ("SUB", operator_name(file.value().subgraphs[0].operators[0]));
}

TEST(TfliteFile, NothingAndNonsenseAreRefused) {
  for (const size_t size : {0, 1, 7}) EXPECT_FALSE(read_tflite(FileBytes(size), nullptr).ok());
  EXPECT_FALSE(read_tflite(FileBytes(1000), nullptr).ok());
  FileBytes wrong_magic = add_model().build();
  wrong_magic[4] = std::byte{'X'};
  const auto file = read_tflite(wrong_magic, nullptr);
  ASSERT_FALSE(file.ok());
  EXPECT_NE(std::string::npos, file.error().message.find("TFL3"));
}

TEST(TfliteFile, AnotherVersionIsRefused) {
  SmallModel model = add_model();
  model.version = 4;
  expect_refused(model, "version", "is 4");
}

TEST(TfliteFile, ConstantsInOtherFilesAreRefused) {
  SmallModel model = add_model();
  model.has_external_groups = true;
  expect_refused(model, "external_buffer_groups", "other files");
  model = add_model();
  model.main().tensors[1].external_buffer = 3;
  expect_refused(model, "subgraphs[0].tensors[1].external_buffer", "is 3");
}

TEST(TfliteFile, NoSubgraphIsRefused) {
  SmallModel model;
  model.subgraphs.clear();
  expect_refused(model, "subgraphs", "none");
}

TEST(TfliteFile, IndicesOutsideTheirListsAreRefused) {
  for (const int32_t hostile : {-1, -2, 3, 1 << 30, std::numeric_limits<int32_t>::max(),
                                std::numeric_limits<int32_t>::min()}) {
    SmallModel model = add_model();
    model.main().inputs = {hostile};
    expect_refused(model, "subgraphs[0].inputs[0]", "there are 3 tensors");
    model = add_model();
    model.main().outputs = {hostile};
    expect_refused(model, "subgraphs[0].outputs[0]", "there are 3 tensors");
    model = add_model();
    model.main().operators[0].outputs = {hostile};
    expect_refused(model, "subgraphs[0].operators[0].outputs[0]", "there are 3 tensors");
    if (hostile == -1) continue;  // an absent optional input
    model = add_model();
    model.main().operators[0].inputs[1] = hostile;
    expect_refused(model, "subgraphs[0].operators[0].inputs[1]", "there are 3 tensors");
    model = add_model();
    model.main().operators[0].intermediates = {hostile};
    expect_refused(model, "subgraphs[0].operators[0].intermediates[0]", "there are 3 tensors");
  }
}

TEST(TfliteFile, ReferencesOutsideTheirListsAreRefused) {
  for (const uint32_t hostile : {3U, 1U << 31, std::numeric_limits<uint32_t>::max()}) {
    SmallModel model = add_model();
    model.main().tensors[0].buffer = hostile;
    expect_refused(model, "subgraphs[0].tensors[0].buffer", "there are 2 buffers");
    model = add_model();
    model.main().operators[0].opcode_index = hostile;
    expect_refused(model, "subgraphs[0].operators[0].opcode_index", "1 operator codes");
    model = add_model();
    model.signatures = {{.key = "k", .subgraph = hostile}};
    expect_refused(model, "signature_defs[0].subgraph_index", "1 subgraphs");
    model = add_model();
    model.signatures = {{.key = "k", .inputs = {0, hostile}}};
    expect_refused(model, "signature_defs[0].inputs[1].tensor_index", "3 tensors");
    model = add_model();
    model.signatures = {{.key = "k", .outputs = {hostile}}};
    expect_refused(model, "signature_defs[0].outputs[0].tensor_index", "3 tensors");
    model = add_model();
    model.metadata = {{"anything", {1}}};
    model.metadata_buffer = hostile;
    expect_refused(model, "metadata[0].buffer", "3 buffers");
  }
}

TEST(TfliteFile, NegativeOperatorCodesAreRefused) {
  SmallModel model = add_model();
  model.main().operators[0].code = static_cast<BuiltinOperator>(-7);
  model.main().operators[0].deprecated_code = -5;
  expect_refused(model, "operator_codes[0].builtin_code", "is -5");
}

TEST(TfliteFile, CustomOptionsBehindTheFileAreRefused) {
  SmallModel model = add_model();
  model.main().operators[0].large_custom_options_offset = 10;
  model.main().operators[0].large_custom_options_size = std::numeric_limits<uint64_t>::max() - 5;
  expect_refused(model, "subgraphs[0].operators[0].large_custom_options_offset", "is 10");
}

TEST(TfliteFile, ShapesThatCannotBeAreRefused) {
  SmallModel model = add_model();
  model.main().tensors[0].shape = {1, -4};
  expect_refused(model, "subgraphs[0].tensors[0].shape[1]", "is -4");
  model.main().tensors[0].shape = {1 << 16, 1 << 15};
  expect_refused(model, "subgraphs[0].tensors[0].shape", "more than 2147483647");
  model.main().tensors[0].shape = {std::numeric_limits<int32_t>::max(),
                                   std::numeric_limits<int32_t>::max(),
                                   std::numeric_limits<int32_t>::max()};
  expect_refused(model, "subgraphs[0].tensors[0].shape", "more than 2147483647");
  model.main().tensors[0].shape = std::vector<int32_t>(17, 1);
  expect_refused(model, "subgraphs[0].tensors[0].shape", "17 dimensions");
  model = add_model();
  model.main().tensors[0].signature = {-1};
  expect_refused(model, "subgraphs[0].tensors[0].shape_signature", "1 dimensions");
}

TEST(TfliteFile, ConstantsOfAnotherSizeThanTheirShapeAreRefused) {
  SmallModel model = add_model();
  model.main().tensors[1].shape = {1, 5};
  expect_refused(model, "subgraphs[0].tensors[1]", "has 4 bytes in buffers[1]");
  model = add_model();
  model.main().tensors[1].type = TensorType::INT16;
  expect_refused(model, "subgraphs[0].tensors[1]", "need 8");
  model = add_model();
  model.append_buffers = true;
  model.appended_size_error = -1;
  expect_refused(model, "subgraphs[0].tensors[1]", "has 3 bytes");
}

TEST(TfliteFile, AppendedConstantsOutsideTheFileAreRefused) {
  for (const int64_t error :
       {int64_t{1}, int64_t{1} << 40, std::numeric_limits<int64_t>::max(), int64_t{-20000000000}}) {
    SmallModel model = add_model();
    model.append_buffers = true;
    model.appended_offset_error = error;
    expect_refused(model, "buffers[1]", "leave the file");
    model.appended_offset_error = 0;
    model.appended_size_error = error;
    expect_refused(model, "buffers[1]", "leave the file");
  }
}

TEST(TfliteFile, AnInputWithDataOrListedTwiceIsRefused) {
  SmallModel model = add_model();
  model.main().inputs = {1};
  expect_refused(model, "subgraphs[0].inputs[0]", "has 4 bytes of data");
  model.main().inputs = {0, 0};
  expect_refused(model, "subgraphs[0].inputs[1]", "again");
}

TEST(TfliteFile, ScalesMustBePositiveAndFinite) {
  for (const float hostile : {0.0F, -0.5F, INFINITY, -INFINITY, std::nanf("")}) {
    SmallModel model = add_model();
    model.main().tensors[2].scales = {hostile};
    expect_refused(model, "subgraphs[0].tensors[2].quantization.scale[0]", "positive and finite");
  }
}

TEST(TfliteFile, ZeroPointsMustFitTheirType) {
  for (const int64_t hostile : {int64_t{-129}, int64_t{128}, std::numeric_limits<int64_t>::max(),
                                std::numeric_limits<int64_t>::min()}) {
    SmallModel model = add_model();
    model.main().tensors[0].zero_points = {hostile};
    expect_refused(model, "subgraphs[0].tensors[0].quantization.zero_point[0]", "-128 to 127");
  }
  SmallModel model = add_model();
  model.main().tensors[0].zero_points = {};
  expect_refused(model, "subgraphs[0].tensors[0].quantization.zero_point", "has 0 values");
  model.main().tensors[0].zero_points = {0, 0};
  expect_refused(model, "subgraphs[0].tensors[0].quantization.zero_point", "has 2 values");
}

TEST(TfliteFile, ScalesPerChannelMustMatchTheirDimension) {
  SmallModel model = add_model();
  SmallTensor& tensor = model.main().tensors[0];
  tensor.scales = {0.1F, 0.2F};
  tensor.zero_points = {0, 0};
  for (const int32_t hostile :
       {-1, 2, std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::min()}) {
    tensor.dimension = hostile;
    expect_refused(model, "subgraphs[0].tensors[0].quantization.quantized_dimension",
                   "2 dimensions");
  }
  tensor.dimension = 1;
  expect_refused(model, "subgraphs[0].tensors[0].quantization.scale", "dimension 1 has 4");
}

TEST(TfliteFile, WhatNoOperatorCanUseIsMarkedNotRefused) {
  const auto reason = [](const std::function<void(SmallTensor&)>& change) {
    SmallModel model = add_model();
    change(model.main().tensors[1]);
    const FileBytes bytes = model.build();
    const Result<TfliteFile> file = read_tflite(bytes, nullptr);
    EXPECT_TRUE(file.ok()) << file.error().place << file.error().message;
    return file.ok() ? file.value().subgraphs[0].tensors[1].unusable : "";
  };
  EXPECT_EQ("is INT4", reason([](SmallTensor& t) { t.type = TensorType::INT4; }));
  EXPECT_EQ("is type 99", reason([](SmallTensor& t) { t.type = static_cast<TensorType>(99); }));
  EXPECT_EQ("is sparse", reason([](SmallTensor& t) { t.is_sparse = true; }));
  EXPECT_EQ("is a variable", reason([](SmallTensor& t) { t.is_variable = true; }));
  EXPECT_EQ("has block-wise or custom quantisation",
            reason([](SmallTensor& t) { t.is_blockwise = true; }));
  EXPECT_EQ("has no elements: dimension 1 is 0", reason([](SmallTensor& t) { t.shape = {1, 0}; }));
}

// --- the offline memory plan ---

std::vector<uint8_t> plan_bytes(std::vector<int32_t> offsets, int32_t count) {
  offsets.insert(offsets.begin(), {1, 1, count});
  return int32_bytes(offsets);
}

TEST(TfliteFile, AnOfflinePlanIsCheckedAndIgnoredWithANote) {
  SmallModel model = add_model();
  model.metadata = {{"min_runtime_version", {'1', '.', '5'}},
                    {"OfflineMemoryAllocation", plan_bytes({0, -1, 64}, 3)}};
  Diagnostics diagnostics;
  const Result<TfliteFile> file = read_tflite(model.build(), &diagnostics);
  ASSERT_TRUE(file.ok()) << file.error().place << file.error().message;
  ASSERT_EQ(1U, diagnostics.notes.size());
  EXPECT_EQ("metadata[1] OfflineMemoryAllocation", diagnostics.notes[0].place);
  EXPECT_NE(std::string::npos, diagnostics.notes[0].message.find("3 tensors"));
}

TEST(TfliteFile, ABrokenOfflinePlanIsRefused) {
  const auto refuse = [](std::vector<uint8_t> data, const std::string& words) {
    SmallModel model = add_model();
    model.metadata = {{"OfflineMemoryAllocation", std::move(data)}};
    expect_refused(model, "metadata[0] OfflineMemoryAllocation", words);
  };
  refuse({1, 2, 3}, "has 3 bytes");
  refuse({}, "has 0 bytes");
  refuse(plan_bytes({0, 0, 0}, 4), "plans 4 tensors");
  refuse(plan_bytes({0, 0, 0}, -1), "plans -1 tensors");
  refuse(plan_bytes({0, 0}, 3), "has 2 offsets");
  refuse(plan_bytes({0, 0, 0, 0}, 3), "has 4 offsets");
  refuse(plan_bytes({0, -2, 0}, 3), "offset 1 is -2");
  refuse(plan_bytes({0, 0, 8}, 3), "offset 2 is 8");
}

// --- what costs too much ---

TEST(TfliteFile, ATableThatIsReferredToAMillionTimesIsRefused) {
  // One tensor with a long shape vector, listed 200,000 times: 800 kB of file, 50 MB of tensors.
  namespace fb = format::tflite;
  flatbuffers::FlatBufferBuilder fbb;
  const auto shape = fbb.CreateVector(std::vector<int32_t>{1, 1, 1, 1});
  const auto tensor = fb::CreateTensor(fbb, shape, TensorType::INT8);
  const std::vector<flatbuffers::Offset<fb::Tensor>> tensors(200000, tensor);
  const auto list = fbb.CreateVector(tensors);
  const auto graph = fb::CreateSubGraph(fbb, list);
  const auto graphs = fbb.CreateVector(std::vector<flatbuffers::Offset<fb::SubGraph>>(4, graph));
  fbb.Finish(fb::CreateModel(fbb, 3, 0, graphs), fb::ModelIdentifier());
  const auto* begin = reinterpret_cast<const std::byte*>(fbb.GetBufferPointer());
  const FileBytes bytes(begin, begin + fbb.GetSize());
  const Result<TfliteFile> file = read_tflite(bytes, nullptr);
  ASSERT_FALSE(file.ok());
  EXPECT_NE(std::string::npos, file.error().message.find("so often")) << file.error().message;
}

}  // namespace
}  // namespace berth::import
