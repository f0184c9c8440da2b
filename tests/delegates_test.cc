// Delegates from end to end, with the reference backend: how often its functions run, what memory
// its calls get, and that its answers are those of our kernels.
#include <gtest/gtest.h>

#include "backends/reference/runtime/reference_runtime.h"
#include "compiler/pipeline/stage_clock.h"
#include "compiler/place/place.h"
#include "compiler/place/recorded_plan.h"
#include "program/read.h"
#include "program/write.h"
#include "tests/reference_chain.h"

namespace berth::testing {
namespace {

using runtime::Span;
using runtime::Tensor;

struct Counts {
  int inits, executes, destroys;
  bool operator==(const Counts&) const = default;
};

// Loads, runs twice and unloads.
Counts count(const program::Bytes& file, const std::vector<float>& want,
             const std::string& method = "forward") {
  BackendLog log;
  {
    DelegateRun run(file, logged(reference::runtime_backend(), &log));
    EXPECT_EQ(Status::kOk, run.load(method, 0xff));
    expect_near(want, run.run(noise(kCount)));
    expect_near(want, run.run(noise(kCount)));
  }
  return {log.inits, log.executes, log.destroys};
}

TEST(Delegates, WithoutABackendNothingIsDelegated) {
  EXPECT_EQ((Counts{0, 0, 0}),
            count(compile_text(chain_graph("forward"), nullptr).file, expected(1)));
}

TEST(Delegates, APartIsOneEntryOneInitAndOneCallARun) {
  for (const auto& with : {specs({}), specs({{"share", "1"}}), specs({{"scratch", "100"}})}) {
    const Compiled compiled = compile_text(chain_graph("forward"), &with);
    EXPECT_EQ(1u, compiled.program.methods[0].delegates.size());
    EXPECT_EQ((Counts{1, 2, 1}), count(compiled.file, expected(1)));
  }
}

TEST(Delegates, RepeatedCallsHaveAHandleEachUnlessTheyShareOne) {
  const std::vector<float> want = expected(10);
  EXPECT_EQ((Counts{10, 20, 10}), count(compile_module(repeated(10, specs({}))).file, want));
  EXPECT_EQ((Counts{1, 20, 1}),
            count(compile_module(repeated(10, specs({{"share", "1"}}))).file, want));
}

TEST(Delegates, TheBlobOfRepeatedCallsIsStoredOnce) {
  const size_t one = compile_module(repeated(1, specs({}))).file.size();
  const Compiled ten = compile_module(repeated(10, specs({})));
  EXPECT_EQ(1u, ten.program.delegate_data.size());
  EXPECT_LT(ten.file.size(), one + 10 * 700);  // a blob of 1 KiB each would show
}

// Two parts that happen to be equal are two modules: each keeps its own.
TEST(Delegates, EqualPartsOfAGraphDoNotShare) {
  const std::string graph =
      "graph forward {\n"
      "  input %x : f32[4,8]\n"
      "  const %w : f32[8,8] = random seed 3\n"
      "  %a : f32[4,8] = aten::mm.out(%x, %w)\n"
      "  %b : f32[4,8] = aten::neg.out(%a)\n"
      "  %c : f32[4,8] = aten::mm.out(%b, %w)\n"
      "  output %c\n"
      "}\n";
  const auto share = specs({{"share", "1"}});
  const Compiled compiled = compile_text(graph, &share);
  const program::Method& method = compiled.program.methods[0];
  EXPECT_EQ(2u, method.delegates.size());
  EXPECT_EQ(1u, compiled.program.delegate_data.size());
  BackendLog log;
  DelegateRun run(compiled.file, logged(reference::runtime_backend(), &log));
  ASSERT_EQ(Status::kOk, run.load("forward"));
  EXPECT_EQ(2, log.inits);
}

TEST(Delegates, EachMethodHasAHandleOfItsOwn) {
  const auto share = specs({{"share", "1"}});
  ir::Module module = repeated(3, share);
  module.graphs.push_back(module.graphs[0]);
  module.graphs[1].name = "again";
  const Compiled compiled = compile_module(module);
  BackendLog log;
  {
    const runtime::Backend& backend = logged(reference::runtime_backend(), &log);
    DelegateRun first(compiled.file, backend), second(compiled.file, backend);
    ASSERT_EQ(Status::kOk, first.load("forward"));
    ASSERT_EQ(Status::kOk, second.load("again"));
    expect_near(expected(3), first.run(noise(kCount)));
    expect_near(expected(3), second.run(noise(kCount)));
    EXPECT_EQ(2, log.inits);
  }
  EXPECT_EQ(6, log.executes);
  EXPECT_EQ(2, log.destroys);
}

// In pools that both methods use, what one keeps lies where the other never writes.
TEST(Delegates, WhatMethodsKeepLiesApartInThePoolTheyShare) {
  const auto share = specs({{"share", "1"}});
  ir::Module module = repeated(2, share);
  module.graphs.push_back(module.graphs[0]);
  module.graphs[1].name = "again";
  const program::Program program = compile_module(module).program;
  std::vector<std::pair<uint64_t, uint64_t>> kept;
  for (const program::Method& method : program.methods) {
    for (const program::Storage& storage : method.storages) {
      if (storage.role == Role::kPersistent)
        kept.emplace_back(storage.offset, storage.offset + storage.nbytes);
    }
  }
  ASSERT_EQ(4u, kept.size());
  for (size_t i = 0; i < kept.size(); ++i) {
    for (size_t j = 0; j < i; ++j)
      EXPECT_TRUE(kept[i].second <= kept[j].first || kept[j].second <= kept[i].first);
  }
  for (const program::Method& method : program.methods) {
    for (const program::Storage& storage : method.storages) {
      if (storage.kind != program::StorageKind::kPlanned) continue;
      for (const auto& [begin, end] : kept)
        EXPECT_TRUE(storage.offset >= end || storage.offset + storage.nbytes <= begin);
    }
  }
}

// --- calls inside branches and loops ---

class ProgramEdit {
 public:
  explicit ProgramEdit(const program::Program& from) : program_(from) {
    method().plan.reset();
    call_ = method().instructions[0];
    method().instructions.clear();
  }

  program::Method& method() { return program_.methods[0]; }
  int32_t value(program::Value v) {
    method().values.push_back(std::move(v));
    return static_cast<int32_t>(method().values.size() - 1);
  }
  int32_t integer(int64_t i) { return value({i, ""}); }
  void prim(const std::string& name, std::vector<int32_t> args) {
    method().operators.push_back({"executorch_prim::" + name, "Scalar"});
    const auto op = static_cast<int32_t>(method().operators.size() - 1);
    add({program::KernelCall{op, std::move(args)}, {}, {}, {}});
  }
  void jump_false(int32_t condition, int32_t target) {
    add({program::JumpFalseCall{condition, target}, {}, {}, {}});
  }
  void move(int32_t from, int32_t to) { add({program::MoveCall{from, to}, {}, {}, {}}); }
  // The delegate call, with the entry that it has, or one more of the same kind.
  void call(bool another_entry = false) {
    program::Instruction instruction = call_;
    auto& delegate = std::get<program::DelegateCall>(instruction.call);
    if (another_entry) {
      method().delegates.push_back(method().delegates[static_cast<size_t>(delegate.delegate)]);
      delegate.delegate = static_cast<int32_t>(method().delegates.size() - 1);
    }
    add(std::move(instruction));
  }
  void add(program::Instruction instruction) {
    method().instructions.push_back(std::move(instruction));
  }

  program::Bytes file() {
    place::PlaceOptions options;
    options.pools = board_pools(target::host_board());
    const MaybeError error = place::place(&program_, options);
    EXPECT_FALSE(error) << error->place << ": " << error->message;
    Result<program::Bytes> bytes = program::write(program_, {});
    EXPECT_TRUE(bytes.ok()) << bytes.error().place << ": " << bytes.error().message;
    Result<program::Program> again = program::read(bytes.value());
    EXPECT_TRUE(again.ok());
    EXPECT_FALSE(place::prove_plan(again.value()));
    return bytes.take();
  }

 private:
  program::Program program_;
  program::Instruction call_;
};

TEST(Delegates, CallsInBothBranchesOfWhichOneRuns) {
  for (const bool takes_first : {true, false}) {
    const auto with = specs({});
    ProgramEdit edit(compile_text(chain_graph("forward"), &with).program);
    const int32_t condition = edit.value({false, ""}), never = edit.value({false, ""});
    edit.prim("lt", {edit.integer(1), edit.integer(takes_first ? 2 : 0), condition});
    edit.jump_false(condition, 4);
    edit.call();
    edit.jump_false(never, 5);
    edit.call(true);
    EXPECT_EQ((Counts{2, 2, 2}), count(edit.file(), expected(1))) << takes_first;
  }
}

TEST(Delegates, ACallInALoopBodyRunsAsOftenAsTheLoop) {
  for (const auto& with : {specs({}), specs({{"share", "1"}}), specs({{"scratch", "48"}})}) {
    ProgramEdit edit(compile_text(chain_graph("forward"), &with).program);
    const int32_t zero = edit.integer(0), one = edit.integer(1), three = edit.integer(3);
    const int32_t i = edit.integer(0), ends = edit.value({false, ""});
    edit.move(zero, i);
    edit.call();
    edit.prim("add", {i, one, i});
    edit.prim("ge", {i, three, ends});
    edit.jump_false(ends, 1);
    EXPECT_EQ((Counts{1, 6, 1}), count(edit.file(), expected(1)));
  }
}

// --- the memory that calls get ---

TEST(Delegates, ScratchIsWhatWasDeclaredWhereItWasAskedForAndNobodyElses) {
  const auto with = specs({{"scratch", "100"}, {"align", "64"}, {"pool", "dtcm"}});
  const std::string graph = chain_graph("forward");
  const Compiled compiled = compile_text(graph, &with, two_pools());
  const program::Method& method = compiled.program.methods[0];
  BackendLog log;
  DelegateRun run(compiled.file, logged(reference::runtime_backend(), &log));
  ASSERT_EQ(Status::kOk, run.load("forward", 0x5a));
  expect_near(expected(1), run.run(noise(kCount)));
  ASSERT_EQ(1u, log.calls.size());
  const BackendLog::Call& call = log.calls[0];
  EXPECT_EQ(1u, call.inputs);
  EXPECT_EQ(1u, call.outputs);
  ASSERT_EQ(3u, call.scratch.size());
  const ir::LoweredModule& declared = compiled.module.lowered[0];
  for (size_t i = 0; i < 3; ++i) {
    const Tensor& tensor = call.arguments[2 + i];
    EXPECT_EQ(ScalarType::kByte, tensor.dtype);
    EXPECT_EQ(1, tensor.rank);
    EXPECT_EQ(declared.scratch[i].nbytes, tensor.nbytes());
    EXPECT_EQ(declared.scratch[i].name, i == 0 ? "even" : i == 1 ? "odd" : "fixture");
    const uint8_t* begin = tensor.as<uint8_t>();
    ASSERT_NE(nullptr, begin);
    EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(begin) % declared.scratch[i].alignment);
    const Span<uint8_t> pool = run.pool(i == 2 ? 3 : 1);
    EXPECT_GE(begin, pool.data());
    EXPECT_LE(begin + tensor.nbytes(), pool.data() + pool.size());
    // Of everything that lives during the call, one buffer has these bytes: itself.
    int owners = 0;
    for (const program::RecordedBuffer& buffer : method.plan->buffers) {
      const auto& extent = *method.values[static_cast<size_t>(buffer.extent)].tensor();
      const auto& storage = method.storages[static_cast<size_t>(extent.storage)];
      const uint8_t* from = run.pool(storage.mem_id).data() + storage.offset;
      if (buffer.live[0].begin > 0) continue;
      owners += from < begin + tensor.nbytes() && begin < from + storage.nbytes ? 1 : 0;
    }
    EXPECT_EQ(1, owners) << declared.scratch[i].name;
  }
}

TEST(Delegates, ContentsOfPoolsDecideNothing) {
  const auto with = specs({{"scratch", "333"}});
  const Compiled compiled = compile_module(repeated(4, with));
  const std::vector<float> want = expected(4);
  std::vector<float> first;
  for (const int fill : {0x00, 0xff, 0x5a}) {
    DelegateRun run(compiled.file, reference::runtime_backend());
    ASSERT_EQ(Status::kOk, run.load("forward", static_cast<uint8_t>(fill)));
    const std::vector<float> got = run.run(noise(kCount));
    expect_near(want, got);
    if (first.empty()) first = got;
    EXPECT_EQ(first, got);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(first, run.run(noise(kCount)));
  }
}

// Calls one after the other take the same bytes for their scratch.
TEST(Delegates, TenCallsNeedNoMoreScratchThanOne) {
  const auto with = specs({{"scratch", "4096"}});
  const auto bytes = [&](int calls) {
    return compile_module(repeated(calls, with)).program.methods[0].pools[0].bytes;
  };
  EXPECT_EQ(bytes(3), bytes(10));
  EXPECT_LE(bytes(10), bytes(1) + 128);
}

// Scratch in one pool, what another module keeps in the other, in two methods of one file.
TEST(Delegates, ScratchAndPersistentMemoryInDifferentPoolsOfTwoMethods) {
  const auto scratch = specs({{"scratch", "200"}, {"pool", "dtcm"}}),
             share = specs({{"share", "1"}});
  const target::Board board = two_pools();
  ir::Module module = compile_text(chain_graph("forward"), &scratch, board).module;
  ir::Module other = compile_text(chain_graph("forward"), &share, board).module;
  other.lowered[0].name = "kept_0";
  module.lowered.push_back(other.lowered[0]);
  ir::Graph& graph = module.graphs[0];
  ir::Node next = graph.nodes.back();
  next.op = "kept_0";
  next.args = {ir::Ref{next.results[0]}};
  next.results = {graph.add_value(graph.value(next.results[0]))};
  graph.outputs = {next.results[0]};
  graph.nodes.push_back(next);
  module.graphs.push_back(graph);
  module.graphs[1].name = "again";
  const Compiled compiled = compile_module(module, board);
  for (const char* name : {"forward", "again"}) {
    DelegateRun run(compiled.file, reference::runtime_backend());
    ASSERT_EQ(Status::kOk, run.load(name, 0xff));
    EXPECT_EQ(2u, run.need().pool_count);
    expect_near(expected(2), run.run(noise(kCount)));
    expect_near(expected(2), run.run(noise(kCount)));
  }
}

}  // namespace
}  // namespace berth::testing
