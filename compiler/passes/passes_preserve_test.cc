// Passes may change how a graph computes, not what: outputs are compared bit for bit, before and
// after, on the text cases of all passes and on the known-answer models.
#include <algorithm>
#include <filesystem>
#include <iterator>

#include "compiler/import/tflite/import_tflite.h"
#include "compiler/passes/graph_runner.h"
#include "compiler/passes/live_bytes.h"
#include "compiler/passes/pass_cases.h"

namespace berth::passes {
namespace {

ir::Bytes read_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

ir::Bytes joined(const std::vector<ir::Bytes>& parts) {
  ir::Bytes all;
  for (const ir::Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(PassesPreserve, EveryTextCaseOfEveryPassUnderEveryPass) {
  int compared = 0;
  for (const Pass& cases : all_passes()) {
    std::ifstream file(std::string(BERTH_SOURCE_DIR) + "/compiler/passes/testdata/" + cases.name +
                       ".bir");
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    for (const ir::Graph& graph : read_module(text).graphs) {
      SCOPED_TRACE(std::string(cases.name) + ", graph " + graph.name);
      const std::vector<ir::Bytes> inputs = random_inputs(graph, 7);
      const auto want = run_graph(graph, inputs);
      if (!want) continue;  // cases about the form alone have arguments that no kernel takes
      ++compared;
      for (const Pass& pass : all_passes()) {
        ir::Graph changed = graph;
        (void)run_pass(pass.run, changed);
        EXPECT_EQ(run_graph(changed, inputs), want) << pass.name << "\n" << ir::print(changed);
      }
      ir::Module module;
      module.graphs = {graph};
      const MaybeError error = run_passes(module, {});
      ASSERT_FALSE(error) << error_text(*error);
      EXPECT_EQ(run_graph(module.graphs[0], inputs), want) << ir::print(module);
    }
  }
  EXPECT_GT(compared, 40);
}

struct Model {
  const char* name;
  uint64_t most_live_bytes;  // after the passes, on the host: what a planner can reach at best
};

class KnownModel : public testing::TestWithParam<Model> {};

TEST_P(KnownModel, AnswersAsItsReferenceBeforeAndAfterThePasses) {
  const auto folder = std::filesystem::path(BERTH_SHARED_DIR) / "models" / GetParam().name;
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no known answers at " << folder;
  const ir::Bytes file = read_bytes(folder / "model.tflite");
  Result<ir::Module> module = import::import_tflite(file, nullptr);
  ASSERT_TRUE(module.ok()) << error_text(module.error());
  const ir::Graph before = module.value().graphs[0];
  const MaybeError error = run_passes(module.value(), {});
  ASSERT_FALSE(error) << error_text(*error);
  const ir::Graph& after = module.value().graphs[0];

  const ir::Bytes input = read_bytes(folder / "input0.bin");
  std::vector<ir::Bytes> inputs;
  size_t at = 0;
  for (const ir::ValueId id : before.inputs) {
    const size_t nbytes = before.value(id).spec.nbytes();
    ASSERT_LE(at + nbytes, input.size());
    inputs.emplace_back(input.begin() + at, input.begin() + at + nbytes);
    at += nbytes;
  }
  const ir::Bytes want = read_bytes(folder / "output0.bin");
  const auto was = run_graph(before, inputs), is = run_graph(after, inputs);
  ASSERT_TRUE(was.has_value());
  ASSERT_TRUE(is.has_value());
  EXPECT_TRUE(joined(*was) == want) << "before the passes";
  EXPECT_TRUE(joined(*is) == want) << "after the passes";
  EXPECT_LE(peak_live_bytes(after), peak_live_bytes(before));
  EXPECT_LE(peak_live_bytes(after), GetParam().most_live_bytes);
  RecordProperty("live_bytes_before", std::to_string(peak_live_bytes(before)));
  RecordProperty("live_bytes_after", std::to_string(peak_live_bytes(after)));
  RecordProperty("nodes_before", std::to_string(before.nodes.size()));
  RecordProperty("nodes_after", std::to_string(after.nodes.size()));
}

INSTANTIATE_TEST_SUITE_P(All, KnownModel,
                         testing::Values(Model{"kws", 16000}, Model{"vww", 55296},
                                         Model{"resnet8", 49152}, Model{"ad01", 768},
                                         Model{"hello_world", 32}, Model{"micro_speech", 5968},
                                         Model{"mobilenet_v2", 2451840}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace berth::passes
