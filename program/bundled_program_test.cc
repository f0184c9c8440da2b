// A program with its own tests, read from its bytes: right, spoilt, cut.
#include "program/bundled_program.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>

#include "format/bundled_program_generated.h"
#include "program/program_test_util.h"
#include "program/read.h"

namespace berth::program {
namespace {

namespace fs = std::filesystem;
namespace bundled = format::bundled;

// One suite with one case: a 2x3 tensor, an int, a bool and a double in, a tensor out.
bundled::BundledProgramT sample() {
  bundled::BundledProgramT bundle;
  bundle.program = {1, 2, 3, 4};
  auto suite = std::make_unique<bundled::BundledMethodTestSuiteT>();
  suite->method_name = "forward";
  auto test = std::make_unique<bundled::BundledMethodTestCaseT>();
  const auto tensor = [] {
    bundled::TensorT t;
    t.scalar_type = 1;  // int8
    t.sizes = {2, 3};
    t.dim_order = {1, 0};
    t.data = {1, 2, 3, 4, 5, 6};
    return t;
  };
  const auto add = [](std::vector<std::unique_ptr<bundled::ValueT>>& to, auto content) {
    auto value = std::make_unique<bundled::ValueT>();
    value->val.Set(std::move(content));
    to.push_back(std::move(value));
  };
  add(test->inputs, tensor());
  bundled::IntT integer;
  integer.int_val = -7;
  add(test->inputs, integer);
  bundled::BoolT truth;
  truth.bool_val = true;
  add(test->inputs, truth);
  bundled::DoubleT number;
  number.double_val = 0.5;
  add(test->inputs, number);
  add(test->expected_outputs, tensor());
  suite->test_cases.push_back(std::move(test));
  bundle.method_test_suites.push_back(std::move(suite));
  return bundle;
}

Bytes pack(const bundled::BundledProgramT& bundle) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(bundled::CreateBundledProgram(builder, &bundle),
                 bundled::BundledProgramIdentifier());
  Bytes bytes(builder.GetSize());
  std::memcpy(bytes.data(), builder.GetBufferPointer(), bytes.size());
  return bytes;
}

TEST(BundledProgram, IsReadWithAllKindsOfValues) {
  const Bytes bytes = pack(sample());
  EXPECT_TRUE(is_bundled_program(bytes));
  const Result<BundledProgram> read = read_bundled_program(bytes);
  ASSERT_TRUE(read.ok()) << read.error().place << ": " << read.error().message;
  EXPECT_EQ(read.value().program.size(), 4u);
  ASSERT_EQ(read.value().suites.size(), 1u);
  EXPECT_EQ(read.value().suites[0].method, "forward");
  ASSERT_EQ(read.value().suites[0].cases.size(), 1u);
  const BundledCase& test = read.value().suites[0].cases[0];
  ASSERT_EQ(test.inputs.size(), 4u);
  const auto& tensor = std::get<BundledTensor>(test.inputs[0]);
  EXPECT_EQ(tensor.dtype, ScalarType::kChar);
  EXPECT_EQ(tensor.sizes, (std::vector<int32_t>{2, 3}));
  EXPECT_EQ(tensor.dim_order, (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(tensor.data[5], std::byte{6});
  EXPECT_EQ(std::get<int64_t>(test.inputs[1]), -7);
  EXPECT_EQ(std::get<bool>(test.inputs[2]), true);
  EXPECT_EQ(std::get<double>(test.inputs[3]), 0.5);
  EXPECT_EQ(test.expected_outputs.size(), 1u);
}

TEST(BundledProgram, NamesTheFieldOfEveryHostileValue) {
  using T = bundled::BundledProgramT;
  const auto tensor = [](T& b) -> bundled::TensorT& {
    return *b.method_test_suites[0]->test_cases[0]->inputs[0]->val.AsTensor();
  };
  const std::string input = "method_test_suites[0].test_cases[0].inputs[0].";
  const std::vector<std::pair<std::string, std::function<void(T&)>>> cases = {
      {input + "scalar_type", [&](T& b) { tensor(b).scalar_type = 30; }},
      {input + "scalar_type", [&](T& b) { tensor(b).scalar_type = -1; }},
      {input + "sizes[0]",
       [&](T& b) {
         tensor(b).sizes = {-2, -3};
       }},
      {input + "sizes",
       [&](T& b) {
         tensor(b).sizes = {INT32_MAX, INT32_MAX, INT32_MAX};
         tensor(b).dim_order = {0, 1, 2};
       }},
      {input + "dim_order", [&](T& b) { tensor(b).dim_order = {0}; }},
      {input + "dim_order[1]",
       [&](T& b) {
         tensor(b).dim_order = {0, 0};
       }},
      {input + "dim_order[1]",
       [&](T& b) {
         tensor(b).dim_order = {0, 2};
       }},
      {input + "data", [&](T& b) { tensor(b).data.pop_back(); }},
      {input + "data", [&](T& b) { tensor(b).data.push_back(1); }},
      {input + "val", [](T& b) { b.method_test_suites[0]->test_cases[0]->inputs[0]->val.Reset(); }},
  };
  for (const auto& [place, spoil] : cases) {
    bundled::BundledProgramT bundle = sample();
    spoil(bundle);
    const Result<BundledProgram> read = read_bundled_program(pack(bundle));
    ASSERT_FALSE(read.ok()) << place;
    EXPECT_EQ(read.error().place, place);
  }
}

TEST(BundledProgram, ACutFileIsRefusedAndAnyByteMayBeAnything) {
  const Bytes whole = pack(sample());
  for (size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(read_bundled_program(cut).ok()) << size;
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int content : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      Bytes bytes = whole;
      bytes[at] = static_cast<std::byte>(content);
      const Result<BundledProgram> read = read_bundled_program(bytes);
      if (!read.ok()) {
        EXPECT_NE(read.error().message, "") << at;
      }
    }
  }
}

TEST(BundledProgram, TensorsThatShareTheirBytesDoNotFillTheMemory) {
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<uint8_t> content(100000, 1);
  const auto data = builder.CreateVector(content);
  const auto sizes = builder.CreateVector(std::vector<int32_t>{100000});
  const auto order = builder.CreateVector(std::vector<uint8_t>{0});
  const auto tensor = bundled::CreateTensor(builder, 1, sizes, data, order);
  const auto value = bundled::CreateValue(builder, bundled::ValueUnion::Tensor, tensor.Union());
  const auto inputs = builder.CreateVector(
      std::vector<flatbuffers::Offset<bundled::Value>>(1000, value));  // 100 MB
  const auto test = bundled::CreateBundledMethodTestCase(builder, inputs, inputs);
  const auto tests = builder.CreateVector(&test, 1);
  const auto name = builder.CreateString("forward");
  const auto suite = bundled::CreateBundledMethodTestSuite(builder, name, tests);
  const auto suites = builder.CreateVector(&suite, 1);
  builder.Finish(bundled::CreateBundledProgram(builder, 0, suites, builder.CreateVector(content)),
                 bundled::BundledProgramIdentifier());
  Bytes bytes(builder.GetSize());
  std::memcpy(bytes.data(), builder.GetBufferPointer(), bytes.size());
  const Result<BundledProgram> read = read_bundled_program(bytes);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("again and again"), std::string::npos);
}

TEST(BundledProgram, TheGoldenFileHoldsItsTwoCases) {
  const fs::path path = fs::path(BERTH_SHARED_DIR) / "pte" / "bundled_mlp" / "model.bpte";
  if (!fs::exists(path)) GTEST_SKIP() << path << " is missing: no golden bundle is read";
  const Result<BundledProgram> bundle = read_bundled_program(read_file(path));
  ASSERT_TRUE(bundle.ok()) << bundle.error().place << ": " << bundle.error().message;
  ASSERT_EQ(bundle.value().suites.size(), 1u);
  EXPECT_EQ(bundle.value().suites[0].cases.size(), 2u);
  EXPECT_EQ(bundle.value().program, read_file(path.parent_path() / "model.pte"));
}

}  // namespace
}  // namespace berth::program
