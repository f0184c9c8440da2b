// Arguments of a delegate that lie inside its scratch, or cannot.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/support/delegate_run.h"

namespace berth::testing {
namespace {

using runtime::Tensor;

// An accelerator that reads and writes in its own arena.
class ArenaBackend : public delegate::Backend {
 public:
  std::string_view id() const override { return "arena"; }
  Result<delegate::Groups> partition(const ir::Graph& graph, const delegate::CompileSpecs&,
                                     const target::Board&) const override {
    delegate::Groups groups;
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      if (ir::is_operator(graph.nodes[n], ops::kAtenRelu)) groups.push_back({int32_t(n)});
    }
    return groups;
  }
  Result<delegate::PreprocessResult> preprocess(const ir::Graph&, const delegate::CompileSpecs&,
                                                const target::Board&) const override {
    delegate::PreprocessResult result;
    result.scratch = {{"arena", 512, 64}};
    result.inside = {{0, 0, 128}, {1, 0, 256}};
    return result;
  }
};

Status arena_init(runtime::InitContext&, runtime::BackendHandle*) { return Status::kOk; }

Status arena_execute(runtime::ExecuteContext&, runtime::BackendHandle,
                     const runtime::DelegateArgs& args) {
  if (args.input_count() != 1 || args.output_count() != 1 || args.scratch_count() != 1)
    return Status::kBadArguments;
  uint8_t* arena = args.scratch(0).data();
  const Tensor &x = *args.input(0).tensor, &y = *args.output(0).tensor;
  if (args.scratch(0).size() != 512 || x.data != arena + 128 || y.data != arena + 256)
    return Status::kBackendFailed;
  for (size_t i = 0; i < x.numel(); ++i)
    y.as_mutable<float>()[i] = std::max(0.0f, x.as<float>()[i]);
  std::memset(arena, 0xee, 256);  // all but the output
  return Status::kOk;
}

constexpr runtime::Backend kArena = {"arena", arena_init, arena_execute, nullptr};

Result<Compiled> compile_arena(const std::string& lines) {
  static const ArenaBackend backend;
  CompileOptions options;
  options.backends = {{&backend, {}}};
  Diagnostics notes;
  return compile(
      model_bytes("berth.ir 1\ngraph forward {\n  input %x : f32[4,8]\n" + lines + "}\n"), options,
      &notes);
}

TEST(DelegateArena, ArgumentsLieInsideTheScratchThatTheBackendNames) {
  Result<Compiled> compiled = compile_arena(
      "  %a : f32[4,8] = aten::neg.out(%x)\n"
      "  %b : f32[4,8] = aten::relu.out(%a)\n"
      "  %c : f32[4,8] = aten::neg.out(%b)\n"
      "  %d : f32[4,8] = aten::relu.out(%c)\n"
      "  %y : f32[4,8] = aten::add.out(%d, %b, 1)\n"
      "  output %y\n");
  ASSERT_TRUE(compiled.ok()) << compiled.error().place << ": " << compiled.error().message;
  // Each call's arena is there from its input's writer to its output's last reader.
  const program::Method& method = compiled.value().program.methods[0];
  int arenas = 0;
  for (const program::RecordedBuffer& buffer : method.plan->buffers) {
    if (buffer.role != Role::kDelegateScratch) continue;
    const program::Interval live = buffer.live[0];
    EXPECT_EQ(arenas == 0 ? 0u : 2u, live.begin);
    EXPECT_EQ(5u, live.end);
    EXPECT_EQ(arenas == 0 ? 1 : 3, buffer.owner);
    ++arenas;
  }
  EXPECT_EQ(2, arenas);
  for (const uint8_t fill : {uint8_t{0}, uint8_t{0xff}}) {
    DelegateRun run(compiled.value().file, kArena);
    ASSERT_EQ(Status::kOk, run.load("forward", fill));
    const std::vector<float> x = noise(32), y = run.run(x);
    ASSERT_EQ(Status::kOk, run.status());
    for (size_t i = 0; i < 32; ++i) EXPECT_EQ(std::max(0.0f, -x[i]), y[i]);
  }
}

TEST(DelegateArena, ArgumentsThatCannotLieInsideAreRefusedWithTheReason) {
  const std::pair<const char*, const char*> cases[] = {
      {"  %b : f32[4,8] = aten::relu.out(%x)\n"
       "  %y : f32[4,8] = aten::neg.out(%b)\n"
       "  output %y\n",
       "argument 0, %x, inside its scratch \"arena\", but that is an input"},
      {"  %a : f32[4,8] = aten::neg.out(%x)\n"
       "  %y : f32[4,8] = aten::relu.out(%a)\n"
       "  output %y\n",
       "argument 1, %y"},
      {"  %a : f32[4,8] = aten::neg.out(%x)\n"
       "  %b : f32[4,8] = aten::relu.out(%a)\n"
       "  %y : f32[4,8] = aten::add.out(%a, %b, 1)\n"
       "  output %y\n",
       "is read after the call"},
      {"  %a : f32[4,8] = aten::neg.out(%x)\n"
       "  %b : f32[4,8] = aten::relu.out(%a)\n"
       "  %c : f32[4,8] = aten::relu.out(%b)\n"
       "  %y : f32[4,8] = aten::neg.out(%c)\n"
       "  output %y\n",
       "lies inside another scratch"},
  };
  for (const auto& [lines, words] : cases) {
    const Result<Compiled> compiled = compile_arena(lines);
    ASSERT_FALSE(compiled.ok()) << lines;
    EXPECT_NE(std::string::npos, compiled.error().message.find(words)) << compiled.error().message;
  }
}

}  // namespace
}  // namespace berth::testing
