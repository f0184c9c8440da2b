#include "tools/calls.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <utility>

namespace berth::tools {
namespace {

namespace fs = std::filesystem;

// A folder of its own with calls.json and some tensors in it.
class CallsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("berth_calls_") + test->name());
    fs::create_directories(folder_);
    write("six.bin", "abcdef");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }
  Result<CallList> read(const std::string& json) const {
    write("calls.json", json);
    return read_calls((folder_ / "calls.json").string());
  }
  std::string refusal(const std::string& json) const {
    const Result<CallList> list = read(json);
    if (list.ok()) return "accepted";
    const std::string path = (folder_ / "").string();
    std::string text = list.error().place + ": " + list.error().message;
    for (size_t at = 0; (at = text.find(path)) != std::string::npos;) text.erase(at, path.size());
    return text;
  }
  static std::string with_input(const std::string& value) {
    return R"([{"method": "forward", "inputs": [)" + value + "]}]";
  }

  fs::path folder_;
};

TEST_F(CallsTest, AListIsASequence) {
  const Result<CallList> list = read(R"([
    {"method": "a",
     "inputs": [{"kind": "tensor", "dtype": "int8", "shape": [2, 3], "dim_order": [1, 0],
                 "file": "six.bin"},
                {"kind": "int", "value": 3}, {"kind": "double", "value": 2},
                {"kind": "bool", "value": false}, {"kind": "string", "value": "x"},
                {"kind": "none"}]},
    {"reset": true},
    {"method": "b", "outputs": []}])");
  ASSERT_TRUE(list.ok()) << list.error().place << ": " << list.error().message;
  EXPECT_TRUE(list.value().sequence);
  ASSERT_EQ(list.value().calls.size(), 3u);
  const Call& call = list.value().calls[0];
  ASSERT_EQ(call.inputs.size(), 6u);
  const auto& tensor = std::get<TensorValue>(call.inputs[0]);
  EXPECT_EQ(tensor.spec.dtype, ScalarType::kChar);
  EXPECT_EQ(tensor.spec.dim_order, (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(as_text(tensor.data), "abcdef");
  EXPECT_EQ(std::get<int64_t>(call.inputs[1]), 3);
  EXPECT_EQ(std::get<double>(call.inputs[2]), 2.0);
  EXPECT_FALSE(std::get<bool>(call.inputs[3]));
  EXPECT_EQ(std::get<std::string>(call.inputs[4]), "x");
  EXPECT_TRUE(std::holds_alternative<NoValue>(call.inputs[5]));
  EXPECT_FALSE(call.has_outputs);
  EXPECT_TRUE(list.value().calls[1].reset);
  EXPECT_TRUE(list.value().calls[2].has_outputs);
}

TEST_F(CallsTest, AnObjectSaysWhetherItIsOneAndEagerOutputsCount) {
  const Result<CallList> list = read(R"({"sequence": false, "purpose": "ignored", "vectors": [
    {"method": "a", "outputs": [{"kind": "int", "value": 1}],
     "eager_outputs": [{"kind": "int", "value": 2}]}]})");
  ASSERT_TRUE(list.ok()) << list.error().message;
  EXPECT_FALSE(list.value().sequence);
  EXPECT_EQ(std::get<int64_t>(list.value().calls[0].outputs[0]), 2);
  EXPECT_TRUE(read(R"({"vectors": [{"method": "a"}]})").value().sequence);
}

TEST_F(CallsTest, WhatIsWrongIsNamedWithItsPlace) {
  EXPECT_EQ(refusal(R"([{"method": "a", "input": []}])"),
            "calls.json: calls[0].input: is no key here; did you mean \"inputs\"?");
  EXPECT_EQ(refusal(with_input(R"({"kind": "int", "value": 1, "unit": "s"})")),
            "calls.json: calls[0].inputs[0].unit: is no key here; the keys are kind, dtype, shape, "
            "dim_order, file, value");
  EXPECT_EQ(refusal("[{"), "calls.json: no JSON (at byte 3)");
  EXPECT_EQ(refusal("3"), "calls.json: calls: is no list of calls");
  EXPECT_EQ(refusal("[]"), "calls.json: calls: is empty");
  EXPECT_EQ(refusal("{}"), "calls.json: calls.vectors: missing");
  EXPECT_EQ(refusal(R"({"vectors": [], "sequence": 1})"), "calls.json: sequence: 1 is no bool");
  EXPECT_EQ(refusal("[3]"), "calls.json: calls[0]: 3 is no call");
  EXPECT_EQ(refusal("[{}]"), "calls.json: calls[0].method: missing");
  EXPECT_EQ(refusal(R"([{"method": 7}])"), "calls.json: calls[0].method: 7 is no string");
  EXPECT_EQ(refusal(R"([{"reset": 1}])"),
            "calls.json: calls[0].reset: 1; only true means something");
  EXPECT_EQ(refusal(R"({"vectors": [{"method": "a", "inputs": {}}]})"),
            "calls.json: vectors[0].inputs: {} is no list of values");
  const std::string at = "calls.json: calls[0].inputs[0]";
  EXPECT_EQ(refusal(with_input("1")), at + ": 1 is no value");
  EXPECT_EQ(refusal(with_input("{}")), at + ".kind: missing");
  EXPECT_EQ(refusal(with_input(R"({"kind": "list", "value": 1})")),
            at + ".kind: \"list\"; it is one of tensor, int, double, bool, string, none");
  EXPECT_EQ(refusal(with_input(R"({"kind": "int"})")), at + ".value: missing");
  EXPECT_EQ(refusal(with_input(R"({"kind": "int", "value": 1.5})")), at + ".value: 1.5 is no int");
  EXPECT_EQ(refusal(with_input(R"({"kind": "bool", "value": 0})")), at + ".value: 0 is no bool");
  const std::string tensor = R"({"kind": "tensor", "dtype": "int8", "file": "six.bin", )";
  EXPECT_EQ(refusal(with_input(tensor + R"("shape": [6, -1]})")),
            at + ".shape: [6,-1] is no list of numbers from 0 to 2147483647");
  EXPECT_EQ(refusal(with_input(tensor + R"("shape": [6], "dim_order": [1]})")),
            at + ".dim_order: is no order of 1 axes");
  EXPECT_EQ(refusal(with_input(tensor + R"("shape": [7]})")),
            "six.bin: has 6 bytes; calls[0].inputs[0] 0 is i8[7], which is 7");
  EXPECT_EQ(refusal(with_input(R"({"kind": "tensor", "dtype": "int9", "shape": [], "file": "x"})")),
            at + ".dtype: \"int9\" is no element type known here");
  EXPECT_EQ(refusal(with_input(R"({"kind": "tensor", "dtype": "i8", "shape": [], "file": "x"})")),
            "x: cannot open: No such file or directory");
}

TEST(CallsOfBundle, CasesOfOneMethodOrOfAll) {
  program::BundledProgram bundle;
  program::BundledTensor tensor;
  tensor.sizes = {1};
  tensor.dim_order = {0};
  tensor.data = Bytes(4);
  program::BundledCase test;
  test.inputs = {tensor, int64_t{3}, true, 0.5};
  test.expected_outputs = {tensor};
  bundle.suites = {{"a", {test, test}}, {"b", {program::BundledCase()}}};
  const CallList all = calls_of_bundle(bundle, "");
  EXPECT_FALSE(all.sequence);
  ASSERT_EQ(all.calls.size(), 3u);
  EXPECT_EQ(all.calls[1].place, "method a, test case 1");
  EXPECT_EQ(std::get<TensorValue>(all.calls[0].inputs[0]).data.size(), 4u);
  EXPECT_TRUE(std::get<bool>(all.calls[0].inputs[2]));
  EXPECT_TRUE(all.calls[0].has_outputs);
  EXPECT_FALSE(all.calls[2].has_outputs);
  EXPECT_EQ(calls_of_bundle(bundle, "b").calls.size(), 1u);
}

}  // namespace
}  // namespace berth::tools
