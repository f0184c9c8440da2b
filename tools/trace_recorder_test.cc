// What a recorded run looks like: which events, in which order, with which ids and bytes.
#include "tools/trace_recorder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/exec/delegate_test_util.h"
#include "runtime/exec/method_test_util.h"

namespace berth::tools {
namespace {

namespace make = berth::testing;
using make::TestFile;
using make::TestMethod;
using runtime::method_tests::Session;
using Lines = std::vector<std::string>;

std::string tensor_line(const report::TracedTensor& tensor) {
  std::string text = scalar_type_name(tensor.dtype);
  for (size_t d = 0; d < tensor.sizes.size(); ++d) {
    text += fmt::format(" {}/{}", tensor.sizes[d], tensor.strides[d]);
  }
  return text + (tensor.offset < 0 ? "" : fmt::format(" @{}", tensor.offset));
}

// "0:3 native_call_add.out", "0:3 value f32 4/1 @64": chain and instruction, sizes and strides.
std::string line_of(const report::ProfileEvent& event) {
  EXPECT_LE(event.start, event.end);
  if (!event.place.delegate_name.empty()) {
    EXPECT_EQ(event.name, "");
    return fmt::format("{}:{} step {}", event.place.chain, event.place.instruction,
                       event.place.delegate_name);
  }
  return fmt::format("{}:{} {}", event.place.chain, event.place.instruction, event.name);
}

std::string line_of(const report::DebugEvent& event) {
  std::string text = fmt::format("{}:{} {}", event.place.chain, event.place.instruction,
                                 event.is_output ? "output" : "value");
  if (const auto* tensor = std::get_if<report::TracedTensor>(&event.value)) {
    return text + " " + tensor_line(*tensor);
  }
  if (const auto* list = std::get_if<std::vector<report::TracedTensor>>(&event.value)) {
    text += " list";
    for (const report::TracedTensor& tensor : *list) text += ", " + tensor_line(tensor);
    return text;
  }
  if (const auto* integer = std::get_if<int64_t>(&event.value)) {
    return text + fmt::format(" int {}", *integer);
  }
  if (const auto* truth = std::get_if<bool>(&event.value)) return text + fmt::format(" {}", *truth);
  return text + fmt::format(" double {}", std::get<double>(event.value));
}

Lines lines_of(const report::TraceRun& run) {
  Lines lines;
  for (const auto& event : run.events) {
    lines.push_back(std::visit([](const auto& one) { return line_of(one); }, event));
  }
  return lines;
}

// A file with one method and what is recorded of its runs.
class Recorded {
 public:
  explicit Recorded(const TestFile& file, std::vector<int32_t> chain_begins = {0},
                    bool keep_bytes = false, uint64_t limit = uint64_t{1} << 30)
      : session_(file), recorder_(keep_bytes, limit) {
    recorder_.add_method("forward", std::move(chain_begins));
    session_.method.set_tracer(&recorder_);
  }
  void set_input(uint32_t i, const std::vector<float>& given) {
    ASSERT_EQ(session_.method.set_input(i, given.data(), given.size() * sizeof(float)),
              Status::kOk);
  }
  void run() {
    recorder_.run_begins();
    ASSERT_EQ(session_.method.execute(), Status::kOk);
    recorder_.run_ends(session_.method);
  }
  TraceRecorder& recorder() { return recorder_; }
  MaybeError finish() {
    Bytes etdump;
    if (MaybeError error = recorder_.finish(&etdump, &values)) return error;
    Result<report::Etdump> read = report::read_etdump(etdump);
    if (!read.ok()) return read.error();
    dump = read.take();
    return std::nullopt;
  }
  report::Etdump dump;
  Bytes values;

 private:
  Session session_;
  TraceRecorder recorder_;
};

TEST(TraceRecorder, AnOperatorIsItsResultItsCallAndItsInstruction) {
  Recorded add(runtime::method_tests::add_file());
  add.set_input(0, {1, 2, 3, 4});
  add.set_input(1, {1, 2, 3, 4});
  add.recorder().load_begins();
  add.recorder().load_ends();
  add.run();
  add.recorder().set_bundled_input(4);
  add.run();
  ASSERT_EQ(add.finish(), std::nullopt);
  ASSERT_EQ(add.dump.runs.size(), 3u);
  EXPECT_EQ(add.dump.runs[0].name, "Default");
  EXPECT_EQ(lines_of(add.dump.runs[0]), (Lines{"-1:0 Method::init", "-1:0 Program::load_method"}));
  const Lines run = {"0:0 value f32 4/1", "0:0 native_call_add.out", "0:0 OPERATOR_CALL",
                     "-1:0 Method::execute", "-1:0 output f32 4/1"};
  for (size_t r = 1; r < 3; ++r) {
    EXPECT_EQ(add.dump.runs[r].name, "Execute");
    EXPECT_EQ(lines_of(add.dump.runs[r]), run);
  }
  EXPECT_EQ(add.dump.runs[1].bundled_input_index, -1);
  EXPECT_EQ(add.dump.runs[2].bundled_input_index, 4);
  EXPECT_TRUE(add.values.empty());
}

TEST(TraceRecorder, TheBytesOfValuesAreThoseOfTheirMoment) {
  TestFile file;
  TestMethod& m = file.method();
  m.operators = {{"test::twice", "out"}, {"test::double_", ""}};
  m.values = {make::planned({2}, 0), make::planned({2}, 16)};
  m.inputs = {0};
  m.outputs = {1};
  m.code() = {make::call(0, {0, 1, 1}), make::call(1, {1, 1})};
  m.pool_sizes = {0, 32};
  Recorded twice(file, {0}, true);
  twice.set_input(0, {1, 3});
  twice.run();
  ASSERT_EQ(twice.finish(), std::nullopt);
  EXPECT_EQ(lines_of(twice.dump.runs.at(0)),
            (Lines{"0:0 value f32 2/1 @0", "0:0 native_call_twice.out", "0:0 OPERATOR_CALL",
                   "0:1 value f32 2/1 @64", "0:1 native_call_double_", "0:1 OPERATOR_CALL",
                   "-1:0 Method::execute", "-1:0 output f32 2/1 @128"}));
  ASSERT_EQ(twice.values.size(), 136u);
  const auto floats_at = [&](size_t offset) {
    float pair[2];
    std::memcpy(pair, twice.values.data() + offset, sizeof(pair));
    return std::vector<float>(pair, pair + 2);
  };
  EXPECT_EQ(floats_at(0), (std::vector<float>{2, 6}));
  EXPECT_EQ(floats_at(64), (std::vector<float>{4, 12}));
  EXPECT_EQ(floats_at(128), (std::vector<float>{4, 12}));
}

TEST(TraceRecorder, ListsOfResultsAreOneValueAndScratchIsNone) {
  TestFile file;
  TestMethod& m = file.method();
  m.operators = {{"test::parts", "out"}, {"test::split", "outs"}, {"test::scratch", "out"}};
  m.values = {make::planned({6}, 0),      make::planned({4}, 32),
              make::planned({2}, 48),     make::list_value(make::kTensorList, {1, 2}),
              make::planned({2}, 64),     make::planned({2}, 80),
              make::planned({4}, 96),     make::list_value(make::kTensorList, {4, 5}),
              make::planned({64}, 112, 0)};
  m.inputs = {0};
  m.outputs = {3, 6};
  m.code() = {make::call(0, {0, 3, 3}), make::call(1, {1, 4, 5, 7}), make::call(2, {1, 8, 6, 6})};
  m.pool_sizes = {0, 176};
  Recorded lists(file);
  lists.set_input(0, {1, 2, 3, 4, 5, 6});
  lists.run();
  ASSERT_EQ(lists.finish(), std::nullopt);
  EXPECT_EQ(lines_of(lists.dump.runs.at(0)),
            (Lines{"0:0 value list, f32 4/1, f32 2/1", "0:0 native_call_parts.out",
                   "0:0 OPERATOR_CALL", "0:1 value f32 2/1", "0:1 value f32 2/1",
                   "0:1 native_call_split.outs", "0:1 OPERATOR_CALL", "0:2 value f32 4/1",
                   "0:2 native_call_scratch.out", "0:2 OPERATOR_CALL", "-1:0 Method::execute",
                   "-1:0 output list, f32 4/1, f32 2/1", "-1:0 output f32 4/1"}));
}

TEST(TraceRecorder, InstructionsThatAreNoOperatorsHaveTheirTimesAlone) {
  // 0 is_zero(in) -> flag / 1 unless flag go to 3 / 2 move in -> cell / 3 copy cell / 4 free
  TestFile file;
  TestMethod& m = file.method();
  m.operators = {{"test::is_zero", "out"}, {"test::copy", "out"}};
  m.values = {make::planned({1}, 0), make::planned({1}, 16, 11), make::planned({1}, 32),
              make::planned({1}, 48)};
  m.inputs = {0};
  m.outputs = {3};
  m.code() = {make::call(0, {0, 1, 1}), make::jump_false(1, 3), make::move(0, 2),
              make::call(1, {2, 3, 3}), make::free_value(2)};
  m.pool_sizes = {0, 64};
  for (const float in : {0.0f, 1.0f}) {
    Recorded branch(file);
    branch.set_input(0, {in});
    branch.run();
    ASSERT_EQ(branch.finish(), std::nullopt);
    Lines expected = {"0:0 value bool 1/1", "0:0 native_call_is_zero.out", "0:0 OPERATOR_CALL",
                      "0:1 JF_CALL"};
    if (in == 0) expected.push_back("0:2 MOVE_CALL");
    const Lines rest = {"0:3 value f32 1/1", "0:3 native_call_copy.out", "0:3 OPERATOR_CALL",
                        "0:4 FREE_CALL",     "-1:0 Method::execute",     "-1:0 output f32 1/1"};
    expected.insert(expected.end(), rest.begin(), rest.end());
    EXPECT_EQ(lines_of(branch.dump.runs.at(0)), expected);
  }
}

TEST(TraceRecorder, InstructionsCountWithinTheirChainsAndPrimOperatorsHaveNoCall) {
  TestFile file;
  TestMethod& m = file.method();
  m.operators = {{"test::twice", "out"}, {"executorch_prim::et_view", "default"}};
  m.values = {make::planned({2}, 0),
              make::planned({2}, 16),
              make::planned({2, 1}, 32),
              make::planned({2}, 48),
              make::list_value(make::kIntList, {5, 6}),
              make::int_value(2),
              make::int_value(1)};
  m.values[2].place.reset();
  m.inputs = {0};
  m.outputs = {3};
  m.chains = {{make::call(0, {0, 1, 1}), make::call(1, {1, 4, 2})}, {make::call(0, {2, 3, 3})}};
  m.pool_sizes = {0, 64};
  Recorded chains(file, {0, 2});
  chains.set_input(0, {1, 2});
  chains.run();
  ASSERT_EQ(chains.finish(), std::nullopt);
  EXPECT_EQ(lines_of(chains.dump.runs.at(0)),
            (Lines{"0:0 value f32 2/1", "0:0 native_call_twice.out", "0:0 OPERATOR_CALL",
                   "0:1 OPERATOR_CALL", "1:0 value f32 2/1", "1:0 native_call_twice.out",
                   "1:0 OPERATOR_CALL", "-1:0 Method::execute", "-1:0 output f32 2/1"}));
}

// A delegate's own steps, then the arguments of its call, inputs and outputs alike, then the call.
TEST(TraceRecorder, ADelegateIsItsStepsItsArgumentsAndItsCall) {
  for (const bool has_record : {true, false}) {
    TestFile file = runtime::delegate_tests::recorded_file();
    if (!has_record) file.record = {};
    runtime::delegate_tests::Session session(file);
    ASSERT_EQ(session.load(), Status::kOk) << session.fault.field;
    TraceRecorder recorder(false);
    recorder.add_method("forward", {0});
    session.method.set_tracer(&recorder);
    recorder.run_begins();
    session.outputs();
    recorder.run_ends(session.method);
    Bytes etdump, values;
    ASSERT_EQ(recorder.finish(&etdump, &values), std::nullopt);
    Result<report::Etdump> dump = report::read_etdump(etdump);
    ASSERT_TRUE(dump.ok());
    Lines expected = {"0:0 value f32 4/1", "0:0 native_call_copy.out", "0:0 OPERATOR_CALL",
                      "0:1 step Add #1",   "0:1 value f32 4/1",        "0:1 value f32 4/1"};
    // Nobody can tell scratch apart in a file without a record.
    if (!has_record) expected.push_back("0:1 value u8 48/1");
    const Lines rest = {"0:1 DELEGATE_CALL", "0:2 value f32 4/1",    "0:2 native_call_copy.out",
                        "0:2 OPERATOR_CALL", "-1:0 Method::execute", "-1:0 output f32 4/1"};
    expected.insert(expected.end(), rest.begin(), rest.end());
    EXPECT_EQ(lines_of(dump.value().runs.at(0)), expected);
  }
}

TEST(TraceRecorder, OutputsThatAreNumbersAreValues) {
  TestFile file;
  TestMethod& m = file.method();
  m.operators = {{"test::count", "Int"}};
  m.values = {make::int_value(1),      make::int_value(2),         make::bool_value(true),
              make::double_value(0.5), make::string_value("text"), {}};
  m.outputs = {1, 2, 3, 4, 5};
  m.code() = {make::call(0, {0, 1})};
  Recorded numbers(file);
  numbers.run();
  ASSERT_EQ(numbers.finish(), std::nullopt);
  EXPECT_EQ(lines_of(numbers.dump.runs.at(0)),
            (Lines{"0:0 OPERATOR_CALL", "-1:0 Method::execute", "-1:0 value int 3",
                   "-1:0 value true", "-1:0 value double 0.5"}));
}

TEST(TraceRecorder, StridesFollowTheDimOrderAndUnreadableTypesAreLeftOut) {
  constexpr int kBFloat16 = 15;
  TestFile file;
  TestMethod& m = file.method();
  m.operators = {{"test::copy", "out"}};
  m.values = {make::planned({2, 3}, 0),          make::planned({2, 3}, 32),
              make::planned({4}, 64, kBFloat16), make::planned({4}, 80, kBFloat16),
              make::planned({0, 3}, 96),         make::planned({0, 3}, 112)};
  m.values[0].dim_order = m.values[1].dim_order = {1, 0};
  m.inputs = {0};
  m.outputs = {1, 3, 5};
  m.code() = {make::call(0, {0, 1, 1}), make::call(0, {2, 3, 3}), make::call(0, {4, 5, 5})};
  m.pool_sizes = {0, 128};
  Recorded odd(file, {0}, true);
  odd.set_input(0, {1, 2, 3, 4, 5, 6});
  odd.run();
  ASSERT_EQ(odd.finish(), std::nullopt);
  EXPECT_EQ(lines_of(odd.dump.runs.at(0)),
            (Lines{"0:0 value f32 2/1 3/2 @0", "0:0 native_call_copy.out", "0:0 OPERATOR_CALL",
                   "0:1 native_call_copy.out", "0:1 OPERATOR_CALL", "0:2 value f32 0/3 3/1",
                   "0:2 native_call_copy.out", "0:2 OPERATOR_CALL", "-1:0 Method::execute",
                   "-1:0 output f32 2/1 3/2 @64", "-1:0 output f32 0/3 3/1"}));
}

TEST(TraceRecorder, ATraceThatGetsTooLargeIsRefused) {
  for (const bool keep_bytes : {false, true}) {
    const uint64_t limit = keep_bytes ? 5000 : 3000;
    Recorded add(runtime::method_tests::add_file(), {0}, keep_bytes, limit);
    add.set_input(0, {1, 2, 3, 4});
    add.set_input(1, {1, 2, 3, 4});
    add.run();
    for (int run = 0; run < 100; ++run) add.run();
    const MaybeError error = add.finish();
    ASSERT_NE(error, std::nullopt);
    EXPECT_EQ(error->place, "--etdump");
    EXPECT_EQ(error->message,
              fmt::format("the trace takes more than {} bytes; trace fewer runs", limit));
  }
  // One large value: the trace is small, its bytes are not.
  TestFile file;
  TestMethod& m = file.method();
  m.operators = {{"test::copy", "out"}};
  m.values = {make::planned({4096}, 0), make::planned({4096}, 16384)};
  m.inputs = {0};
  m.outputs = {1};
  m.code() = {make::call(0, {0, 1, 1})};
  m.pool_sizes = {0, 32768};
  Recorded large(file, {0}, true, 20000);
  large.set_input(0, std::vector<float>(4096, 1));
  large.run();
  const MaybeError error = large.finish();
  ASSERT_NE(error, std::nullopt);
  EXPECT_EQ(error->place, "--debug-buffer");
}

}  // namespace
}  // namespace berth::tools
