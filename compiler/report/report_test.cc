#include "compiler/report/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compiler/report/printable.h"
#include "compiler/report/timeline.h"

namespace berth::report {
namespace {

using Json = nlohmann::json;

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\n  lacks: " << part;
}

// x --pad--> a --relu--> y, where a is 100 bytes (112 rounded), pad has 20 bytes of scratch and
// reads one constant.
//   x [0,1) 48 at 0    a [0,2) 112 at 48    scratch [0,1) 32 at 160    y [1,2) 112 at 160
program::Program small_program() {
  program::Program program;
  program.constants.push_back(program::Bytes(12, std::byte{1}));
  program.record.emplace();
  program.record->board = "host";
  program::Pool pool;
  pool.name = "sram-2";
  pool.mem_id = 1;
  pool.capacity = 1000;
  program.record->pools = {pool};

  program::Method method;
  method.name = "forward";
  const auto add = [&](const char* name, program::StorageKind kind, Role role, int32_t size,
                       uint64_t offset) {
    program::Storage storage;
    storage.kind = kind;
    storage.role = role;
    storage.nbytes = static_cast<uint64_t>(size);
    storage.mem_id = kind == program::StorageKind::kPlanned ? 1 : 0;
    storage.offset = offset;
    storage.data = kind == program::StorageKind::kConstant ? 0 : -1;
    method.storages.push_back(storage);
    program::Tensor tensor;
    tensor.dtype = ScalarType::kChar;
    tensor.sizes = {1, size};
    tensor.dim_order = {0, 1};
    tensor.storage = static_cast<int32_t>(method.storages.size()) - 1;
    program::Value value;
    value.data = tensor;
    value.name = name;
    method.values.push_back(value);
  };
  add("x", program::StorageKind::kPlanned, Role::kInput, 48, 0);
  add("a", program::StorageKind::kPlanned, Role::kActivation, 100, 48);
  add("tmp", program::StorageKind::kPlanned, Role::kOpScratch, 20, 160);
  add("y", program::StorageKind::kPlanned, Role::kOutput, 100, 160);
  add("w", program::StorageKind::kConstant, Role::kActivation, 12, 0);
  method.inputs = {0};
  method.outputs = {3};
  method.operators = {{"cortex_m::pad", "out"}, {"aten::clamp", "out"}};
  method.instructions.resize(2);
  method.instructions[0].call = program::KernelCall{0, {0, 4, 2, 1, 1}};
  method.instructions[1].call = program::KernelCall{1, {1, 3, 3}};
  method.pools = {{1, 272, 0, 0}};
  program::RecordedPlan plan;
  plan.value_buffer = {0, 1, 2, 3, -1};
  plan.buffers = {{0, {{0, 1}}, Role::kInput, 16, -1, "x"},
                  {1, {{0, 2}}, Role::kActivation, 16, 0, "a"},
                  {2, {{0, 1}}, Role::kOpScratch, 16, 0, "tmp"},
                  {3, {{1, 2}}, Role::kOutput, 16, 1, "y"}};
  plan.pool_use = {{1, 272, 224, 300, 0}};
  plan.planner = "best";
  method.plan = plan;
  program.methods.push_back(method);
  return program;
}

// A second method with the same plan, which keeps `tmp` from run to run at a place of its own.
program::Program two_methods() {
  program::Program program = small_program();
  program::Method other = program.methods[0];
  other.name = "decode";
  other.storages[2].offset = 288;
  other.storages[2].role = Role::kPersistent;
  other.plan->buffers[2].role = Role::kPersistent;
  program.methods.push_back(other);
  return program;
}

TEST(Report, WhatAnotherMethodKeepsInAPoolIsExplained) {
  Report report = build_report(two_methods(), "two.pte", 4096);
  const PoolRow& pool = report.methods[0].pools[0];
  EXPECT_EQ(pool.kept_elsewhere_bytes, 32u);
  ASSERT_EQ(pool.kept_elsewhere.size(), 1u);
  EXPECT_EQ(pool.kept_elsewhere[0].method, "decode");
  EXPECT_EQ(report.methods[1].pools[0].kept_elsewhere_bytes, 0u);
  const std::string words = text_report(report, {});
  expect_contains(words, "bytes live and 32 that other methods keep:");
  expect_contains(words,
                  "32  at 288        persistent       tmp                      always    of "
                  "0 cortex_m::pad.out, method decode");
  expect_contains(words, ", other methods 32\n");
  expect_contains(text_at(report.methods[0], 1), "bytes live, 32 kept by other methods");
  EXPECT_EQ(Json::parse(json_summary(report))["methods"][0]["pools"][0]["kept_elsewhere"], 32);
  // State at one place in both is one memory, which each has as its own.
  program::Program shared = two_methods();
  program::Method& first = shared.methods[0];
  first.storages[2] = shared.methods[1].storages[2];
  first.plan->buffers[2] = shared.methods[1].plan->buffers[2];
  report = build_report(shared, "two.pte", 4096);
  EXPECT_EQ(report.methods[0].pools[0].kept_elsewhere_bytes, 0u);
  // Without a record each method has memory of its own.
  shared = two_methods();
  shared.record.reset();
  report = build_report(shared, "two.pte", 4096);
  EXPECT_EQ(report.methods[0].pools[0].kept_elsewhere_bytes, 0u);
}

TEST(Report, CountsWhatIsLiveAtEachInstruction) {
  const Report report = build_report(small_program(), "small.pte", 2000);
  const PoolRow& pool = report.methods[0].pools[0];
  EXPECT_EQ(pool.name, "sram-2");
  EXPECT_EQ(pool.live_bytes, (std::vector<uint64_t>{48 + 112 + 32, 112 + 112}));
  EXPECT_EQ(pool.peak_step, 1u);
  EXPECT_EQ(pool.peak, (std::vector<int32_t>{1, 3}));
  EXPECT_EQ(pool.greedy_bytes, 300u);
  EXPECT_EQ(pool.capacity, 1000u);
}

TEST(Report, CountsMethodMemoryAsTheContractDoes) {
  const program::Program program = small_program();
  const MethodCounts counts = count_method(program.methods[0]);
  EXPECT_EQ(counts.values, 5u);
  EXPECT_EQ(counts.tensors, 5u);
  EXPECT_EQ(counts.instructions, 2u);
  EXPECT_EQ(counts.operators, 2u);
  EXPECT_EQ(counts.inputs, 1u);
  EXPECT_EQ(counts.dynamic_dims, 0u);
  const Report report = build_report(program, "small.pte", 2000);
  EXPECT_EQ(report.methods[0].runtime_bytes(Abi::kArm32), method_bytes(counts, Abi::kArm32));
}

TEST(Report, TextNamesPeakBoundOwnersAndConstants) {
  const std::string text = text_report(build_report(small_program(), "small.pte", 2000), {});
  expect_contains(text, "pool sram-2 (mem_id 1, base aligned to 16, capacity 1000)");
  expect_contains(text, "planned               272 bytes");
  expect_contains(text, "greedy                300");
  expect_contains(text, "lower bound           224   48 above it");
  expect_contains(text, "fullest at instruction 1 aten::clamp.out, 224 bytes live:");
  expect_contains(text, "of 0 cortex_m::pad.out");
  expect_contains(text, "activation 100, ");
  expect_contains(text, "output 100, ");
  expect_contains(text, "rounding up 24");
  expect_contains(text, "constants: 12 bytes in the file, 1 constant, each stored once");
  expect_contains(text, "used by forward: 0 cortex_m::pad.out");
  EXPECT_EQ(text.find("instructions\n    "), std::string::npos) << "the listing is for inspect";
}

TEST(Report, TextAtAnInstructionListsWhatIsLiveThere) {
  const Report report = build_report(small_program(), "small.pte", 2000);
  const std::string text = text_at(report.methods[0], 0);
  expect_contains(text, "192 of 272 bytes live");
  expect_contains(text, "op_scratch");
  EXPECT_EQ(text.find("output"), std::string::npos);
}

TEST(Report, SummaryJsonHasTheFieldsOfTheContract) {
  const Json json = Json::parse(json_summary(build_report(small_program(), "small.pte", 2000)));
  EXPECT_EQ(json["file"], "small.pte");
  EXPECT_EQ(json["file_bytes"], 2000);
  EXPECT_EQ(json["constant_bytes"], 12);
  const Json& method = json["methods"][0];
  EXPECT_EQ(method["name"], "forward");
  EXPECT_EQ(method["instructions"], 2);
  EXPECT_EQ(method["inputs"][0]["shape"], (std::vector<int>{1, 48}));
  EXPECT_EQ(method["inputs"][0]["dtype"], "i8");
  const Json pool = {{"name", "sram-2"},   {"mem_id", 1},      {"bytes", 272},
                     {"lower_bound", 224}, {"tail", 0},        {"kept_elsewhere", 0},
                     {"alignment", 16},    {"capacity", 1000}, {"cost", nullptr}};
  EXPECT_EQ(method["pools"], Json::array({pool}));
  EXPECT_TRUE(method["runtime_bytes"]["host64"].is_number_unsigned());
  EXPECT_TRUE(method["runtime_bytes"]["arm32"].is_number_unsigned());
  EXPECT_EQ(method["delegates"], Json::array());
  EXPECT_EQ(
      method["planner"],
      (Json{
          {"name", "best"}, {"greedy_bytes", 300}, {"proven_optimal", false}, {"cost", nullptr}}));
}

TEST(Report, CostsAreThoseOfTheBoard) {
  Report report = build_report(small_program(), "small.pte", 2000);
  target::Board board;
  board.pools = {{"sram-2", 1, {}, 16, 3, {}, {}}};
  add_costs(board, &report);
  uint64_t rounded = 0;
  for (const BufferRow& buffer : report.methods[0].buffers) rounded += buffer.rounded;
  EXPECT_EQ(report.methods[0].pools[0].cost, 3u);
  EXPECT_EQ(report.methods[0].cost, 3 * rounded);
  expect_contains(text_report(report, {}), "capacity 1000, cost 3 a byte");
  expect_contains(text_report(report, {}), "  cost   " + std::to_string(3 * rounded));
}

TEST(Report, InspectJsonAddsInstructionsAndBuffers) {
  const Json json = Json::parse(json_report(build_report(small_program(), "small.pte", 2000)));
  const Json& method = json["methods"][0];
  EXPECT_EQ(
      method["instructions"][1],
      (Json{{"index", 1}, {"kind", "kernel"}, {"name", "aten::clamp.out"}, {"args", {1, 3, 3}}}));
  const Json& scratch = method["buffers"][2];
  EXPECT_EQ(scratch["values"], std::vector<int>{2});
  EXPECT_EQ(scratch["pool"], "sram-2");
  EXPECT_EQ(scratch["offset"], 160);
  EXPECT_EQ(scratch["bytes"], 20);
  EXPECT_EQ(scratch["begin"], 0);
  EXPECT_EQ(scratch["end"], 1);
  EXPECT_EQ(scratch["intervals"], Json::array({{0, 1}}));
  EXPECT_EQ(scratch["role"], "op_scratch");
  EXPECT_EQ(scratch["owner"], "cortex_m::pad.out@0");
  EXPECT_EQ(scratch["name"], "tmp");
  EXPECT_TRUE(method["buffers"][0]["owner"].is_null());
}

TEST(Report, AFileWithoutRecordCallsItsPoolsByNumberAndClaimsNothing) {
  program::Program program = small_program();
  program.record.reset();
  program.methods[0].plan.reset();
  const Report report = build_report(program, "old.pte", 1);
  EXPECT_EQ(report.methods[0].pools[0].name, "mem1");
  const Json json = Json::parse(json_summary(report));
  EXPECT_TRUE(json["methods"][0]["pools"][0]["lower_bound"].is_null());
  EXPECT_TRUE(json["methods"][0]["planner"]["greedy_bytes"].is_null());
  expect_contains(text_report(report, {}), "without a plan record");
}

TEST(Report, AFilePlannedForNoBoardSaysSo) {
  program::Program program = small_program();
  expect_contains(text_report(build_report(program, "small.pte", 1), {}),
                  "for board host (isa host)");
  program.record->board.clear();
  program.record->isa = Isa::kUnstated;
  expect_contains(text_report(build_report(program, "small.pte", 1), {}),
                  "for no board (isa unstated)");
}

TEST(Report, BytesAboveTheLastBufferAreTailWhereDelegatesRun) {
  program::Program program = small_program();
  program.methods[0].plan->pool_use.clear();
  program.methods[0].pools[0].bytes = 272 + 64;
  EXPECT_EQ(build_report(program, "x", 1).methods[0].pools[0].tail, 0u);
  program.methods[0].delegates.push_back({"XnnpackBackend", 0, {}});
  EXPECT_EQ(build_report(program, "x", 1).methods[0].pools[0].tail, 64u);
}

TEST(Report, HeaderDefinesTheNumbersOfThePlan) {
  const Report report = build_report(small_program(), "small.pte", 2000);
  const std::string header = c_header(report, "small").take();
  expect_contains(header, "#ifndef BERTH_SMALL_MEMORY_H");
  expect_contains(header, "#define BERTH_SMALL_POOL_SRAM_2_BYTES 272u");
  expect_contains(header, "#define BERTH_SMALL_POOL_SRAM_2_ALIGNMENT 16u");
  expect_contains(header, "#define BERTH_SMALL_POOLS(POOL) \\\n  POOL(sram_2, ");
  expect_contains(header, "#define BERTH_SMALL_METHOD_BYTES_ARM32 " +
                              std::to_string(report.methods[0].runtime_bytes(Abi::kArm32)) + "u");
  expect_contains(header, "#define BERTH_SMALL_INPUT0_BYTES 48u");
  expect_contains(header, "#define BERTH_SMALL_OUTPUT_COUNT 1u");
}

TEST(Report, HeaderOfTwoMethodsGivesTheHungriestPoolAndEachMethodsOwnMacros) {
  program::Program program = small_program();
  program.methods.push_back(program.methods[0]);
  program.methods[1].name = "decode";
  program.methods[1].pools[0].bytes = 5000;
  const std::string header = c_header(build_report(program, "small.pte", 1), "small").take();
  expect_contains(header, "BERTH_SMALL_POOL_SRAM_2_BYTES 5000u");
  expect_contains(header, "BERTH_SMALL_DECODE_METHOD_BYTES_ARM32");
  expect_contains(header, "BERTH_SMALL_FORWARD_INPUT0_BYTES 48u");
}

TEST(Report, HeaderRefusesTwoPoolsOfOneMacro) {
  program::Program program = small_program();
  program.record->pools.push_back(program.record->pools[0]);
  program.record->pools[1].name = "sram_2";
  program.record->pools[1].mem_id = 3;
  program.methods[0].pools.push_back({3, 16, 0, 0});
  EXPECT_FALSE(c_header(build_report(program, "small.pte", 1), "small").ok());
}

TEST(Report, HostileNamesCannotLeaveTheirLineOrComment) {
  program::Program program = small_program();
  program.methods[0].name = "for\nward\x1b[31m";
  program.methods[0].values[0].name = "*/ int x; /*";
  const Report report = build_report(program, "small.pte", 1);
  EXPECT_EQ(text_report(report, {}).find('\x1b'), std::string::npos);
  const std::string header = c_header(report, "small").take();
  EXPECT_EQ(header.find("*/ int x"), std::string::npos);
}

// The pool grows to 400 because y stands at 288: what is free below it is what a better plan would
// win.
TEST(Report, TellsWhatStandsAboveTheLowerBoundAndWhatIsFreeBelowIt) {
  program::Program program = small_program();
  program.methods[0].pools[0].bytes = 400;
  program.methods[0].storages[3].offset = 288;
  program.methods[0].plan->pool_use[0].bytes = 400;
  const Report report = build_report(program, "small.pte", 1);
  const PoolRow& pool = report.methods[0].pools[0];
  EXPECT_EQ(pool.padding, 24u) << "100 and 100 bytes, each rounded up by 12";
  ASSERT_EQ(pool.above.size(), 1u);
  EXPECT_EQ(pool.above[0].buffer, 3);
  EXPECT_EQ(pool.above[0].instruction, 1u);
  EXPECT_EQ(pool.above[0].live, 224u);
  EXPECT_EQ(pool.above[0].free_below, 400u - 224u);
  expect_contains(text_report(report, {}), "176 free below its end at 1 aten::clamp.out");
  const Json row = Json::parse(json_report(report))["methods"][0]["pools"][0];
  EXPECT_EQ(row["bound_at"], 1);
  EXPECT_EQ(row["padding"], 24);
  EXPECT_EQ(row["above_bound"][0]["free_below"], 176);
}

TEST(Report, NothingStandsAboveABoundThatIsReachedOrUnderATail) {
  program::Program program = small_program();
  program.methods[0].plan->pool_use[0].lower_bound = 272;
  EXPECT_TRUE(build_report(program, "small.pte", 1).methods[0].pools[0].above.empty());
  program.methods[0].pools[0].bytes = 336;
  program.methods[0].plan->pool_use[0].tail = 64;
  EXPECT_TRUE(build_report(program, "small.pte", 1).methods[0].pools[0].above.empty());
}

TEST(Report, WrongPlansAndWhatNoCertificateTellsAreShown) {
  Report report = build_report(small_program(), "small.pte", 1);
  EXPECT_TRUE(report.methods[0].certified);
  report.methods[0].certified = false;
  report.methods[0].not_certified = "values[3]: stands for\none or another";
  report.methods[0].clobbers = {{1, 3, 1, "instruction 1 writes values[3] over values[1]"},
                                {1, 3, 0, "instruction 1 writes values[3] over values[0]"}};
  const std::string text = text_report(report, {});
  expect_contains(text, "  wrong plan: instruction 1 writes values[3] over values[1]\n");
  expect_contains(text, "  wrong plan: instruction 1 writes values[3] over values[0]\n");
  expect_contains(text, "  not certified: values[3]: stands for\\x0aone or another\n");
  const Json method = Json::parse(json_report(report))["methods"][0];
  EXPECT_EQ(method["certified"], false);
  EXPECT_EQ(method["not_certified"], "values[3]: stands for\none or another");
  EXPECT_EQ(method["clobbers"].size(), 2u);
  EXPECT_EQ(method["clobbers"][0]["victim"], 1);
}

TEST(Report, NamedDataInitialStateAndSharedBlobsAreCounted) {
  program::Program program = small_program();
  program.named_data.push_back({"small", program::Bytes(10)});
  program.named_data.push_back({"large", program::Bytes(20)});
  program.mutable_data.push_back(program::Bytes(7));
  program::Bytes blob(64, std::byte{0});
  const std::string magic = "vela_bin_stream";
  for (size_t i = 0; i < magic.size(); ++i) blob[i] = static_cast<std::byte>(magic[i]);
  program.delegate_data.push_back(blob);
  program.methods[0].delegates = {{"EthosUBackend", 0, {}}, {"EthosUBackend", 0, {}}};
  const Report report = build_report(program, "small.pte", 1);
  const std::string text = text_report(report, {});
  expect_contains(text,
                  "named data: 30 bytes, 2 entries\n          20  large\n          10  small\n");
  expect_contains(text, "initial state: 7 bytes\n");
  expect_contains(text, "delegate EthosUBackend: 0 calls, 64 bytes of processed model, vela\n");
  expect_contains(text, "64 bytes of processed model, those of delegate 0\n");
  const Json json = Json::parse(json_report(report));
  EXPECT_EQ(json["named_data"][0], Json({{"key", "large"}, {"bytes", 20}}));
  EXPECT_EQ(json["initial_state_bytes"], 7);
  EXPECT_EQ(json["methods"][0]["delegates"][1]["blob"], 0);
  EXPECT_EQ(json["methods"][0]["delegates"][1]["kind"], "vela");
}

TEST(Report, JsonTellsWhatIsLiveAtOneInstruction) {
  const Report report = build_report(small_program(), "small.pte", 1);
  const Json at = Json::parse(json_report(report, 1))["methods"][0]["at"];
  EXPECT_EQ(at, Json({{"instruction", 1}, {"live", {224}}, {"buffers", {1, 3}}}));
  EXPECT_FALSE(Json::parse(json_report(report))["methods"][0].contains("at"));
}

TEST(Report, UpperBoundsAreCalledSo) {
  program::Program program = small_program();
  program.methods[0].values[0].tensor()->dynamism = program::Dynamism::kBound;
  const Report report = build_report(program, "small.pte", 1);
  expect_contains(text_report(report, {}), "48 bytes  x  (at most)\n");
  EXPECT_EQ(Json::parse(json_report(report))["methods"][0]["inputs"][0]["dynamic"], true);
}

TEST(Printable, KeepsTextAndEscapesTheRest) {
  EXPECT_EQ(printable("conv/1:0"), "conv/1:0");
  EXPECT_EQ(printable("d\xc3\xa9j\xc3\xa0"), "d\xc3\xa9j\xc3\xa0");
  EXPECT_EQ(printable("a\nb\x1b\x7f"), "a\\x0ab\\x1b\\x7f");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "a C1 control";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\xe2\\x80\\xae"
            "b")
      << "right to left from here on";
  EXPECT_EQ(printable(std::string(300, 'x')), std::string(200, 'x') + "...");
}

TEST(Timeline, DrawsOneColumnPerInstructionAndSharesThemWhenThereAreMany) {
  const std::string small = timeline({0, 50, 100}, 100, "");
  expect_contains(small, "         100 |  #\n");
  expect_contains(small, "           0 +---\n");
  std::vector<uint64_t> many(1000, 1);
  many[999] = 100;
  const std::string large = timeline(many, 100, "");
  expect_contains(large, "         100 |" + std::string(63, ' ') + "#\n");
  EXPECT_EQ(timeline({}, 0, ""), "");
  EXPECT_EQ(timeline({5}, 5, ""), "");
}

}  // namespace
}  // namespace berth::report
