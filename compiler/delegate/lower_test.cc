// Backends of a few lines, which take what a test tells them to and declare what it wants wrong.
#include "compiler/delegate/lower.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"

namespace berth::delegate {
namespace {

const char kModel[] =
    "berth.ir 1\n"
    "graph g {\n"
    "  input %x : f32[4]\n"
    "  %a : f32[4] = aten::relu.out(%x)\n"
    "  %b : f32[4] = aten::abs.out(%a)\n"
    "  %y : f32[4] = aten::relu.out(%b)\n"
    "  output %y\n"
    "}\n";

// Takes every operator of one name, each for itself.
class TakesOne : public Backend {
 public:
  TakesOne(std::string name, std::string op, PreprocessResult result = {})
      : name_(std::move(name)), op_(std::move(op)), result_(std::move(result)) {}
  std::string_view id() const override { return name_; }
  std::vector<std::string> reachable_attributes() const override { return {"cpu", "npu"}; }
  Result<Groups> partition(const ir::Graph& graph, const CompileSpecs& specs,
                           const Board&) const override {
    if (find_spec(specs, "refuse") != nullptr) return Error{"compile spec refuse", "is set"};
    Groups groups = more_;
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      if (graph.nodes[n].op == op_) groups.push_back({static_cast<int32_t>(n)});
    }
    return groups;
  }
  Result<PreprocessResult> preprocess(const ir::Graph&, const CompileSpecs&,
                                      const Board&) const override {
    return result_;
  }
  Groups more_;

 private:
  std::string name_, op_;
  PreprocessResult result_;
};

Result<ir::Module> lowered(const std::vector<BackendChoice>& choices,
                           const Board& board = target::host_board()) {
  Result<ir::Module> module = ir::parse(kModel);
  if (!module.ok()) return module.error();
  if (auto error = lower(&module.value(), choices, board)) return *error;
  if (auto error = ir::verify(module.value())) return *error;
  return module;
}

std::string refusal(const PreprocessResult& result, const Board& board = target::host_board()) {
  const TakesOne backend("npu", "aten::abs", result);
  const Result<ir::Module> module = lowered({{&backend, {}}}, board);
  return module.ok() ? "" : module.error().place + ": " + module.error().message;
}

Board two_pools() {
  Board board = target::host_board();
  board.pools.resize(2);
  board.pools[0].name = "sram";
  board.pools[0].attributes = {"cpu", "npu"};
  board.pools[1].name = "tcm";
  board.pools[1].mem_id = 2;
  board.pools[1].attributes = {"dma"};
  return board;
}

TEST(Lower, BackendsTakeInTurnAndTheRestStays) {
  PreprocessResult result;
  result.processed = {std::byte{0xab}};
  result.scratch = {{"work", 3008, 32, ""}};
  const TakesOne first("npu", "aten::relu", result), second("dsp", "aten::abs");
  const Result<ir::Module> module = lowered({{&first, {{"level", {std::byte{1}}}}}, {&second, {}}});
  ASSERT_TRUE(module.ok()) << module.error().place << ": " << module.error().message;
  EXPECT_EQ(
      "berth.ir 1\n"
      "lowered @npu_0 {\n"
      "  backend \"npu\"\n"
      "  spec \"level\" = hex \"01\"\n"
      "  input f32[4]\n"
      "  output f32[4]\n"
      "  scratch \"work\" : 3008 align=32\n"
      "  processed = hex \"ab\"\n"
      "}\n"
      "lowered @npu_1 {\n"
      "  backend \"npu\"\n"
      "  spec \"level\" = hex \"01\"\n"
      "  input f32[4]\n"
      "  output f32[4]\n"
      "  scratch \"work\" : 3008 align=32\n"
      "  processed = hex \"ab\"\n"
      "}\n"
      "lowered @dsp_0 {\n"
      "  backend \"dsp\"\n"
      "  input f32[4]\n"
      "  output f32[4]\n"
      "  processed = hex \"\"\n"
      "}\n"
      "graph g {\n"
      "  input %x : f32[4]\n"
      "  %a : f32[4] = delegate @npu_0(%x)\n"
      "  %b : f32[4] = delegate @dsp_0(%a)\n"
      "  %y : f32[4] = delegate @npu_1(%b)\n"
      "  output %y\n"
      "}\n",
      ir::print(module.value()));
  // The text keeps all of it.
  const Result<ir::Module> again = ir::parse(ir::print(module.value()));
  ASSERT_TRUE(again.ok()) << again.error().place << ": " << again.error().message;
  EXPECT_EQ(ir::print(module.value()), ir::print(again.value()));
  EXPECT_TRUE(module.value().lowered == again.value().lowered);
}

TEST(Lower, WrongDeclarationsNameBackendBufferAndValue) {
  PreprocessResult result;
  result.scratch = {{"work", 0}};
  EXPECT_EQ(
      "lowered @npu_0 (npu), scratch 0 \"work\": has 0 bytes; 1 or more, or it is not declared at "
      "all",
      refusal(result));
  result.scratch = {{"work", 16, 24}};
  EXPECT_EQ(
      "lowered @npu_0 (npu), scratch 0 \"work\": has the alignment 24; a power of two up to "
      "1048576",
      refusal(result));
  result.scratch = {{"work", uint64_t{1} << 31}};
  EXPECT_NE(std::string::npos, refusal(result).find("has 2147483648 bytes; at most 2147483647"));
  result.scratch = {};
  result.persistent = {{"", 16}};
  EXPECT_NE(std::string::npos, refusal(result).find("persistent 0 \"\": has no name"));
  result.persistent = {};
  result.scratch = {{"work", 16}};
  result.share_handle_across_calls = true;
  EXPECT_EQ(
      "lowered @npu_0 (npu): shares its handle across calls and has 1 scratch buffers; calls that "
      "share a handle have none, their working memory is persistent",
      refusal(result));
  result.share_handle_across_calls = false;
  result.inside = {{2, 0, 0}};
  EXPECT_NE(std::string::npos, refusal(result).find("names argument 2; there are 2"));
  result.inside = {{1, 1, 0}};
  EXPECT_NE(std::string::npos, refusal(result).find("names scratch 1; there are 1"));
  result.inside = {{1, 0, 1}};
  EXPECT_NE(std::string::npos, refusal(result).find("ends behind the 16 bytes of scratch"));
  result.inside = {{1, 0, 0}, {1, 0, 0}};
  EXPECT_NE(std::string::npos, refusal(result).find("argument 1 is inside twice"));
  result.scratch = {{"work", 64}};
  result.inside = {{1, 0, 2}};
  EXPECT_NE(std::string::npos, refusal(result).find("both must be multiples of its elements' 4"));
  result.inside = {{1, 0, 4}};
  EXPECT_EQ("", refusal(result));
}

TEST(Lower, PoolsAreTheBoardsAndTheBackendReachesThem) {
  PreprocessResult result;
  result.scratch = {{"work", 16, 16, "dram"}};
  EXPECT_EQ(
      "lowered @npu_0 (npu), scratch 0 \"work\": asks for the pool \"dram\", which board host "
      "lacks; it has "
      "sram, tcm",
      refusal(result, two_pools()));
  result.scratch = {{"work", 16, 16, "tcm"}};
  EXPECT_EQ(
      "lowered @npu_0 (npu), scratch 0 \"work\": asks for the pool \"tcm\" (dma), which the "
      "backend cannot reach; it reaches cpu, npu",
      refusal(result, two_pools()));
  result.persistent = {{"kept", 16, 16, "dram"}};
  result.scratch.clear();
  EXPECT_NE(std::string::npos,
            refusal(result, two_pools()).find("persistent 0 \"kept\": asks for"));
  result.persistent.clear();
  result.scratch = {{"work", 16, 16, "sram"}};
  EXPECT_EQ("", refusal(result, two_pools()));
}

class RunsNowhere : public TakesOne {
 public:
  using TakesOne::TakesOne;
  std::string obstacle(const Board& board) const override {
    return "is not at home on " + board.cpu;
  }
};

TEST(Lower, ABackendThatCannotRunOnTheBoardIsRefused) {
  const RunsNowhere npu("npu", "aten::relu");
  Board board = target::host_board();
  board.cpu = "abacus";
  const Result<ir::Module> module = lowered({{&npu, {}}}, board);
  ASSERT_FALSE(module.ok());
  EXPECT_EQ("backend npu", module.error().place);
  EXPECT_EQ("cannot run on board host (cpu abacus, isa host): it is not at home on abacus",
            module.error().message);
}

TEST(Lower, WhatABackendTakesIsChecked) {
  TakesOne backend("npu", "aten::abs");
  backend.more_ = {{0, 2}};  // around what it takes as well
  Result<ir::Module> module = lowered({{&backend, {}}});
  ASSERT_FALSE(module.ok());
  EXPECT_EQ("backend npu, graph g, a group of 2 nodes", module.error().place);
  EXPECT_NE(std::string::npos, module.error().message.find("is not convex"));
  backend.more_ = {{1}};  // twice
  module = lowered({{&backend, {}}});
  ASSERT_FALSE(module.ok());
  EXPECT_NE(std::string::npos, module.error().message.find("takes node 1, which has no result or"));
  backend.more_ = {{7}};
  module = lowered({{&backend, {}}});
  ASSERT_FALSE(module.ok());
  EXPECT_EQ("takes node 7; the graph has 3", module.error().message);
  backend.more_ = {};
  module = lowered({{&backend, {{"refuse", {}}}}});
  ASSERT_FALSE(module.ok());
  EXPECT_EQ("backend npu, compile spec refuse", module.error().place);
}

}  // namespace
}  // namespace berth::delegate
