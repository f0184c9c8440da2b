#include "tools/host_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "program/read.h"
#include "runtime/load/loaded_method.h"
#include "tests/support/pte_builder.h"
#include "tools/load_program.h"
#include "tools/value_report.h"

namespace berth::tools {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> shared_programs() {
  std::vector<std::string> paths;
  const fs::path folder = fs::path(BERTH_SHARED_DIR) / "pte";
  if (!fs::is_directory(folder)) return paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".pte") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(HostProgram, ReportedMethodBytesAreWhatTheRuntimeAsksFor) {
  const std::vector<std::string> paths = shared_programs();
  if (paths.empty()) GTEST_SKIP() << "no .pte files in " << BERTH_SHARED_DIR << "/pte";
  size_t compared = 0;
  for (const std::string& path : paths) {
    Result<LoadedFile> loaded = load_program(path);
    ASSERT_TRUE(loaded.ok()) << path << ": " << loaded.error().place << ": "
                             << loaded.error().message;
    const Bytes& file = loaded.value().bytes;
    runtime::Program program;
    const Status opened =
        program.open({reinterpret_cast<const uint8_t*>(file.data()), file.size()});
    ASSERT_EQ(opened, Status::kOk) << path;
    for (const report::MethodReport& method : loaded.value().report.methods) {
      runtime::MethodNeed need;
      LoadFault fault;
      // Pools on other devices and the like are beyond this runtime.
      if (program.need(method.name.c_str(), &need, &fault) != Status::kOk) continue;
      EXPECT_EQ(method.runtime_bytes(runtime::kBuildAbi), need.method_bytes)
          << path << " " << method.name;
      ++compared;
    }
  }
  EXPECT_GT(compared, paths.size() / 2);
}

TEST(HostProgram, EveryPlanOfTheStockToolsButOneIsProvenByAnalysis) {
  const std::vector<std::string> paths = shared_programs();
  if (paths.empty()) GTEST_SKIP() << "no .pte files in " << BERTH_SHARED_DIR << "/pte";
  for (const std::string& path : paths) {
    Result<LoadedFile> loaded = load_program(path);
    ASSERT_TRUE(loaded.ok()) << path;
    // Its second conditional writes over the result of the first.
    const bool is_wrong = path.find("cond_two_in_a_row") != std::string::npos;
    EXPECT_EQ(loaded.value().plan_error.has_value(), is_wrong) << path;
  }
}

namespace make = berth::testing;

constexpr int kInt8 = 1;
enum Op { kCopyOp, kClampOp };

// "put" writes its input into the state, "get" gives the state back. Each has a scratch of its own
// in arena 1; the state lies in arena 2 and starts with the file's bytes.
make::TestFile two_methods(const std::string& state_of_get) {
  make::TestFile file;
  file.segments = {{1, 2, 3, 4}};
  file.mutable_data = {{0, {0, 0}}};
  const auto state = [](const std::string& name) {
    make::TestValue value = make::planned({4}, 0, kInt8, 2);
    value.data = 1;
    value.qualified_name = name;
    return value;
  };
  make::TestMethod& put = file.method();
  put.name = "put";
  put.operators = {{"aten::copy_", ""}, {"aten::clamp", "out"}};
  put.values = {make::planned({4}, 0, kInt8), state("state"), make::bool_value(false),
                make::int_value(7)};
  put.inputs = {0, 3};
  put.outputs = {0};
  put.code() = {make::call(kCopyOp, {1, 0, 2, 1})};
  put.pool_sizes = {0, 16, 16};
  make::TestMethod get = put;
  get.name = "get";
  get.values = {make::planned({4}, 0, kInt8), state(state_of_get), make::int_value(-100),
                make::int_value(100)};
  get.inputs = {};
  get.code() = {make::call(kClampOp, {1, 2, 3, 0, 0})};
  file.methods.push_back(get);
  return file;
}

Bytes to_bytes(const std::vector<uint8_t>& content) {
  Bytes bytes;
  for (uint8_t byte : content) bytes.push_back(static_cast<std::byte>(byte));
  return bytes;
}

RunValue int8_tensor(const std::vector<uint8_t>& content) {
  return TensorValue{{"", ScalarType::kChar, {static_cast<int32_t>(content.size())}, {0}},
                     to_bytes(content)};
}

// The outputs of a call, or the words of its error.
std::string call(HostProgram& program, const std::string& method,
                 const std::vector<RunValue>& inputs) {
  HostMethod& host = program.method(method);
  MaybeError error = host.set_inputs(inputs);
  if (!error) error = host.execute();
  if (error) return error->place + ": " + error->message;
  std::string text;
  for (const RunValue& value : host.outputs()) text += value_line(value) + ";";
  return text;
}

TEST(HostProgram, MethodsThatHoldTheSameStateShareIt) {
  const Bytes file = to_bytes(build_file(two_methods("state")));
  HostProgram program;
  ASSERT_EQ(program.open(file), std::nullopt);
  bool is_usage = false;
  HostOptions options;
  options.fill = parse_fill("0x55").take();
  const MaybeError error = program.load({"put", "get"}, options, &is_usage);
  ASSERT_EQ(error, std::nullopt) << error->place << ": " << error->message;
  EXPECT_EQ(call(program, "get", {}), "i8[4]: 1 2 3 4;");
  EXPECT_EQ(call(program, "put", {int8_tensor({9, 8, 7, 6}), int64_t{7}}), "i8[4]: 9 8 7 6;");
  EXPECT_EQ(call(program, "get", {}), "i8[4]: 9 8 7 6;");
  ASSERT_EQ(program.reload(), std::nullopt);
  EXPECT_EQ(call(program, "get", {}), "i8[4]: 1 2 3 4;") << "a load is a reset";
  EXPECT_EQ(program.find_damage(), "");
}

TEST(HostProgram, StateOfAnotherNameIsItsOwn) {
  const Bytes file = to_bytes(build_file(two_methods("other")));
  HostProgram program;
  ASSERT_EQ(program.open(file), std::nullopt);
  bool is_usage = false;
  ASSERT_EQ(program.load({"put", "get"}, {}, &is_usage), std::nullopt);
  EXPECT_EQ(call(program, "put", {int8_tensor({9, 8, 7, 6}), int64_t{7}}), "i8[4]: 9 8 7 6;");
  EXPECT_EQ(call(program, "get", {}), "i8[4]: 1 2 3 4;");
}

TEST(HostProgram, InputsMustBeTheMethods) {
  const Bytes file = to_bytes(build_file(two_methods("state")));
  HostProgram program;
  ASSERT_EQ(program.open(file), std::nullopt);
  bool is_usage = false;
  ASSERT_EQ(program.load({"put"}, {}, &is_usage), std::nullopt);
  const RunValue four = int8_tensor({9, 8, 7, 6});
  EXPECT_EQ(call(program, "put", {four}), ": 1 input given; the method has 2");
  EXPECT_EQ(call(program, "put", {four, int64_t{8}}),
            "input 1: int 8 is given; the file fixes it at int 7");
  EXPECT_EQ(call(program, "put", {four, 7.0}),
            "input 1: double 7 is given; the file fixes it at int 7");
  EXPECT_EQ(call(program, "put", {four, four}),
            "input 1: i8[4] is given; the file fixes it at int 7");
  EXPECT_EQ(call(program, "put", {int8_tensor({1, 2}), int64_t{7}}),
            "input 0: i8[2] is given; the method takes i8[4]");
  EXPECT_EQ(program.load({"take"}, {}, &is_usage)->message,
            "has no method \"take\"; it has put, get");
  EXPECT_FALSE(is_usage);  // a name that nobody typed is the file's
  HostOptions typed;
  typed.names_method = true;
  EXPECT_TRUE(program.load({"take"}, typed, &is_usage));
  EXPECT_TRUE(is_usage);
}

TEST(HostProgram, AnInputOfDynamicShapeIsBoundedDimByDim) {
  make::TestFile file;
  make::TestMethod& m = file.method();
  m.operators = {{"aten::clamp", "out"}};
  m.values = {make::planned({4, 2}, 0, kInt8), make::planned({4, 2}, 16, kInt8), make::int_value(0),
              make::int_value(5)};
  m.values[0].dynamism = m.values[1].dynamism = 1;
  m.inputs = {0};
  m.outputs = {1};
  m.code() = {make::call(0, {0, 2, 3, 1, 1})};
  m.pool_sizes = {0, 32};
  const Bytes bytes = to_bytes(build_file(file));
  HostProgram program;
  ASSERT_EQ(program.open(bytes), std::nullopt);
  bool is_usage = false;
  ASSERT_EQ(program.load({"forward"}, {}, &is_usage), std::nullopt);
  const auto rows = [](std::vector<int32_t> sizes) {
    TensorValue tensor{{"", ScalarType::kChar, std::move(sizes), {0, 1}}, {}};
    tensor.data = Bytes(tensor.spec.bytes(), std::byte{9});
    return tensor;
  };
  EXPECT_EQ(call(program, "forward", {rows({1, 2})}), "i8[1x2]: 5 5;");
  EXPECT_EQ(call(program, "forward", {rows({3, 2})}), "i8[3x2]: 5 5 5 5 5 5;");
  EXPECT_EQ(call(program, "forward", {rows({0, 2})}), "i8[0x2]:;");
  EXPECT_EQ(call(program, "forward", {rows({2, 3})}),
            "input 0: i8[2x3] is given; the method takes up to i8[4x2]");
}

TEST(HostProgram, KernelsOfOneNameStandInOneTableOnly) {
  std::vector<std::string> names;
  for (const auto& table : host_kernels()) {
    for (const runtime::Kernel& kernel : table) {
      names.push_back(std::string(kernel.schema->name) + "." + kernel.schema->overload);
    }
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_GT(names.size(), 30u);
}

}  // namespace
}  // namespace berth::tools
