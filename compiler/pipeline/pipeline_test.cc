#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "compiler/compiler.h"
#include "compiler/passes/passes.h"
#include "compiler/place/recorded_plan.h"
#include "contract/plan_record.h"
#include "program/read.h"

namespace berth {
namespace {

std::vector<std::byte> to_bytes(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

// Two branches that are added: an in-place chance, a view, an average pool with scratch.
const char kModel[] =
    "berth.ir 1\n"
    "graph forward {\n"
    "  input %x : i8[1,8,8,16]\n"
    "  %image : i8[1,16,8,8]{0,2,3,1} = view(%x)\n"
    "  %pooled : i8[1,16,4,4]{0,2,3,1} = cortex_m::quantized_avg_pool2d.out(%image, [2, 2], [2, "
    "2], "
    "[0, 0], false, 0, 0, 0, none)\n"
    "  %low : i8[1,16,4,4]{0,2,3,1} = aten::clamp.out(%pooled, -100, 50)\n"
    "  %high : i8[1,16,4,4]{0,2,3,1} = aten::clamp.out(%low, -50, 100)\n"
    "  output %high\n"
    "}\n";

Result<Compiled> compile_text(const std::string& text, const CompileOptions& options = {}) {
  Diagnostics notes;
  return compile(to_bytes(text), options, &notes);
}

bool holds(const program::Bytes& file, const std::string& word) {
  const program::Bytes pattern = to_bytes(word);
  return std::search(file.begin(), file.end(), pattern.begin(), pattern.end()) != file.end();
}

TEST(PipelineTest, TwoCompilesGiveTheSameBytes) {
  Result<Compiled> first = compile_text(kModel);
  Result<Compiled> second = compile_text(kModel);
  ASSERT_TRUE(first.ok()) << first.error().place << ": " << first.error().message;
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(first.value().file, second.value().file);
}

TEST(PipelineTest, TheFileReadsBackAsTheProgramAndItsPlanIsProven) {
  Result<Compiled> compiled = compile_text(kModel);
  ASSERT_TRUE(compiled.ok());
  Result<program::Program> read = program::read(compiled.value().file);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value(), compiled.value().program);
  EXPECT_FALSE(place::prove_plan(read.value()));
}

TEST(PipelineTest, InPlaceOptionsLowerThePeakAndReuseCanBeSwitchedOff) {
  Result<Compiled> best = compile_text(kModel);
  CompileOptions options;
  options.skip_passes = {"mark_in_place"};
  Result<Compiled> apart = compile_text(kModel, options);
  options.skip_passes.clear();
  options.reuse = false;
  Result<Compiled> naive = compile_text(kModel, options);
  ASSERT_TRUE(best.ok() && apart.ok() && naive.ok());
  const auto bytes = [](const Result<Compiled>& c) {
    return c.value().program.methods[0].pools[0].bytes;
  };
  EXPECT_EQ(best.value().program.methods[0].pools[0].bytes, 1024u + 256u);
  EXPECT_LE(bytes(best), bytes(apart));
  EXPECT_EQ(bytes(naive), 1024u + 2 * 256u);  // two clamps in a row are one
}

TEST(PipelineTest, StripLeavesOutTheRecord) {
  Result<Compiled> with = compile_text(kModel);
  CompileOptions options;
  options.record = false;
  Result<Compiled> without = compile_text(kModel, options);
  ASSERT_TRUE(with.ok() && without.ok());
  EXPECT_TRUE(holds(with.value().file, kPlanRecordKey));
  EXPECT_FALSE(holds(without.value().file, kPlanRecordKey));
  Result<program::Program> read = program::read(without.value().file);
  ASSERT_TRUE(read.ok());
  EXPECT_FALSE(read.value().record);
  EXPECT_EQ(read.value().methods[0].instructions.size(),
            with.value().program.methods[0].instructions.size());
}

TEST(PipelineTest, ScratchIsSizedForTheBoardsInstructionSet) {
  CompileOptions options;
  options.board.isa = Isa::kDsp;
  Result<Compiled> compiled = compile_text(kModel, options);
  ASSERT_TRUE(compiled.ok());
  EXPECT_EQ(compiled.value().program.record->isa, Isa::kDsp);
  const program::Method& method = compiled.value().program.methods[0];
  const auto scratch = std::find_if(method.storages.begin(), method.storages.end(),
                                    [](const auto& s) { return s.role == Role::kOpScratch; });
  ASSERT_NE(scratch, method.storages.end());
  EXPECT_EQ(scratch->nbytes, 16u * 4);
}

TEST(PipelineTest, APoolThatIsTooSmallIsOneErrorWithAllNumbers) {
  CompileOptions options;
  options.board.pools[0].size = 1264;
  Result<Compiled> compiled = compile_text(kModel, options);
  ASSERT_FALSE(compiled.ok());
  for (const char* word : {"'main'", "1280", "1264", "16 short", "quantized_avg_pool2d"}) {
    EXPECT_NE(compiled.error().message.find(word), std::string::npos) << compiled.error().message;
  }
}

TEST(PipelineTest, SaysWhatItReadsWhenTheContentIsSomethingElse) {
  for (const std::string& text : {std::string(), std::string("hello"), std::string("PK\x03\x04"),
                                  std::string("\x3c\0\0\0ET12", 8)}) {
    Diagnostics notes;
    const std::vector<std::byte> model = to_bytes(text);
    Result<Compiled> compiled = compile(model, {}, &notes);
    ASSERT_FALSE(compiled.ok());
    EXPECT_NE(compiled.error().message.find(".tflite"), std::string::npos);
  }
}

TEST(PipelineTest, TellsTheTimeOfEachStageAndOfEachPassThatRan) {
  std::vector<std::string> stages;
  CompileOptions options;
  options.skip_passes = {"fold_pad"};
  options.on_stage = [&](const std::string& stage, uint64_t) { stages.push_back(stage); };
  ASSERT_TRUE(compile_text(kModel, options).ok());
  std::vector<std::string> expected = {"import"};
  for (const passes::Pass& pass : passes::all_passes()) {
    if (std::string(pass.name) != "fold_pad") expected.push_back("pass " + std::string(pass.name));
  }
  for (const char* stage : {"passes", "emit", "plan", "write", "prove"}) expected.push_back(stage);
  EXPECT_EQ(stages, expected);
}

}  // namespace
}  // namespace berth
