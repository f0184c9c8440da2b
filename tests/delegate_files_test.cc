// Files with delegates that are no plain compile of ours: with state that methods share, stripped,
// of older compilers, damaged.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "backends/reference/runtime/reference_runtime.h"
#include "compiler/pipeline/stage_clock.h"
#include "compiler/place/place.h"
#include "compiler/place/recorded_plan.h"
#include "compiler/place/replan.h"
#include "program/read.h"
#include "program/write.h"
#include "tests/reference_chain.h"

namespace berth::testing {
namespace {

using runtime::Span;

// Adds what a method makes to a state that has a name, as several methods may have it.
void add_to_total(program::Method* method) {
  program::Storage storage;
  storage.kind = program::StorageKind::kState;
  storage.role = Role::kState;
  storage.nbytes = kCount * sizeof(float);
  storage.name = "total";
  storage.mem_id = 1;
  method->storages.push_back(storage);
  program::Tensor tensor = *method->values[static_cast<size_t>(method->outputs[0])].tensor();
  tensor.storage = static_cast<int32_t>(method->storages.size() - 1);
  tensor.offset = 0;
  tensor.has_extra = true;
  tensor.fully_qualified_name = "total";
  const auto value = [&](program::Value v) {
    method->values.push_back(std::move(v));
    return static_cast<int32_t>(method->values.size() - 1);
  };
  const int32_t total = value({tensor, "total"}), one = value({int64_t{1}, ""});
  method->operators.push_back({"aten::add", "out"});
  const auto op = static_cast<int32_t>(method->operators.size() - 1);
  method->instructions.push_back(
      {program::KernelCall{op, {total, method->outputs[0], one, total, total}}, {}, {}, {}});
}

TEST(DelegateFiles, ScratchInAPoolOfItsOwnBesideStateThatMethodsShare) {
  const auto with = specs({{"scratch", "200"}, {"align", "64"}, {"pool", "dtcm"}});
  const target::Board board = two_pools();
  program::Program program =
      compile_text(chain_graph("forward") + chain_graph("again"), &with, board).program;
  for (program::Method& method : program.methods) {
    method.plan.reset();
    for (program::Storage& storage : method.storages) {
      if (storage.name == "fixture") storage.pool = "dtcm";
    }
    add_to_total(&method);
  }
  place::PlaceOptions options;
  options.pools = board_pools(board);
  const MaybeError error = place::place(&program, options);
  ASSERT_FALSE(error) << error->place << ": " << error->message;
  const Result<program::Bytes> file = program::write(program, {});
  ASSERT_TRUE(file.ok()) << file.error().place << ": " << file.error().message;
  const Result<program::Program> read = program::read(file.value());
  ASSERT_TRUE(read.ok()) << read.error().place << ": " << read.error().message;
  const MaybeError unproven = place::prove_plan(read.value());
  EXPECT_FALSE(unproven) << unproven->place << ": " << unproven->message;
  // The state at one place of both, in the first pool; the scratch in the second.
  std::set<uint64_t> places;
  for (const program::Method& method : read.value().methods) {
    for (const program::Storage& storage : method.storages) {
      if (storage.name == "fixture") {
        EXPECT_EQ(3u, storage.mem_id);
      }
      if (storage.role != Role::kState) continue;
      EXPECT_EQ(1u, storage.mem_id);
      places.insert(storage.offset);
    }
  }
  ASSERT_EQ(1u, places.size());

  BackendLog log;
  const runtime::Backend& backend = logged(reference::runtime_backend(), &log);
  DelegateRun forward(file.value(), backend), again(file.value(), backend);
  ASSERT_EQ(Status::kOk, forward.load("forward", 0xff));
  again.share_pools(forward);
  ASSERT_EQ(Status::kOk, again.load("again"));
  ASSERT_EQ(forward.need().pool_count, again.need().pool_count);
  auto* const total = reinterpret_cast<float*>(forward.pool(1).data() + *places.begin());
  std::fill(total, total + kCount, 0.0f);
  const std::vector<float> want = expected(1);
  for (int round = 1; round <= 3; ++round) {
    expect_near(want, forward.run(noise(kCount)));
    expect_near(want, again.run(noise(kCount)));
    std::vector<float> sum = want;
    for (float& item : sum) item *= 2.0f * static_cast<float>(round);
    expect_near(sum, {total, total + kCount});
  }
  // Each call had its 200 bytes, in the other pool.
  ASSERT_EQ(6u, log.calls.size());
  for (const BackendLog::Call& call : log.calls) {
    const Span<uint8_t> fixture = call.scratch.back();
    EXPECT_EQ(200u, fixture.size());
    EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(fixture.data()) % 64);
    EXPECT_GE(fixture.data(), forward.pool(3).data());
    EXPECT_LE(fixture.end(), forward.pool(3).end());
  }
}

program::Bytes stripped(const program::Bytes& file) {
  program::Program program = program::read(file).take();
  program::WriteOptions options;
  options.record = false;
  return program::write(program, options).take();
}

TEST(DelegateFiles, AFileWithoutARecordHasTheFlatList) {
  const auto with = specs({});
  const Compiled compiled = compile_text(chain_graph("forward"), &with);
  BackendLog log;
  DelegateRun run(stripped(compiled.file), logged(reference::runtime_backend(), &log));
  ASSERT_EQ(Status::kOk, run.load("forward"));
  expect_near(expected(1), run.run(noise(kCount)));
  ASSERT_EQ(1u, log.calls.size());
  EXPECT_EQ(0u, log.calls[0].inputs);
  EXPECT_EQ(4u, log.calls[0].arguments.size());
}

TEST(DelegateFiles, AFileThatLostItsPersistentMemoryIsRefusedAtLoad) {
  const auto share = specs({{"share", "1"}});
  DelegateRun run(stripped(compile_text(chain_graph("forward"), &share).file),
                  reference::runtime_backend());
  EXPECT_EQ(Status::kTooSmall, run.load("forward"));
}

// Nothing tells it from scratch then, but that the plan put nothing else there; nor does a replan.
TEST(DelegateFiles, AReplanOfAStrippedFileKeepsOffWhatADelegateKeeps) {
  const auto share = specs({{"share", "1"}});
  const std::string graph =
      "graph forward {\n"
      "  input %x : f32[16,16]\n"
      "  const %w : f32[16,16] = random seed 3\n"
      "  %n : f32[16,16] = aten::neg.out(%x)\n"
      "  %a : f32[16,16] = aten::mm.out(%n, %w)\n"
      "  %b : f32[16,16] = aten::mm.out(%a, %w)\n"
      "  %c : f32[16,16] = aten::neg.out(%b)\n"
      "  %y : f32[16,16] = aten::relu.out(%c)\n"
      "  output %y\n"
      "}\n";
  const Compiled compiled = compile_text(graph, &share);
  const program::Storage* kept = nullptr;
  for (const program::Storage& storage : compiled.program.methods[0].storages) {
    if (storage.role == Role::kPersistent) kept = &storage;
  }
  ASSERT_NE(nullptr, kept);
  for (const bool board : {false, true}) {
    program::Program program = program::read(stripped(compiled.file)).take();
    place::ReplanOptions options;
    if (board) options.place.pools = board_pools(target::host_board());
    Diagnostics notes;
    const MaybeError error = place::replan(&program, options, &notes);
    ASSERT_FALSE(error) << error->place << ": " << error->message;
    const program::Method& method = program.methods[0];
    int found = 0;
    for (const program::Storage& storage : method.storages) {
      if (storage.nbytes != kept->nbytes) continue;
      ++found;
      EXPECT_EQ(Role::kPersistent, storage.role);
      for (const program::Storage& other : method.storages) {
        if (&other == &storage || !program::in_pool(other)) continue;
        EXPECT_TRUE(other.offset >= storage.offset + storage.nbytes ||
                    storage.offset >= other.offset + other.nbytes);
      }
    }
    EXPECT_EQ(1, found);
    EXPECT_LE(method.pools[0].bytes, compiled.program.methods[0].pools[0].bytes);
  }
}

// What a compiler makes that knows nothing of scratch.
TEST(DelegateFiles, WithoutDeclaredScratchTheCallersMemoryIsTaken) {
  const auto with = specs({});
  ir::Module module = compile_text(chain_graph("forward"), &with).module;
  module.lowered[0].scratch.clear();
  module.graphs[0].nodes.back().args.resize(1);
  ir::remove_unused(module.graphs[0]);
  DelegateRun run(compile_module(module).file, reference::runtime_backend());
  ASSERT_EQ(Status::kOk, run.load("forward"));
  EXPECT_TRUE(run.run(noise(kCount)).empty());
  EXPECT_EQ(Status::kScratchTooSmall, run.status());
  DelegateRun lent(compile_module(module).file, reference::runtime_backend());
  ASSERT_EQ(Status::kOk, lent.load("forward"));
  lent.set_temp(512);
  expect_near(expected(1), lent.run(noise(kCount)));
}

TEST(DelegateFiles, ABlobThatIsCutShortOrChangedIsAStatus) {
  const auto with = specs({});
  const ir::Module module = compile_text(chain_graph("forward"), &with).module;
  const size_t size = module.lowered[0].processed.size();
  std::set<Status> seen;
  for (size_t cut = 0; cut < size; cut += cut < 600 ? 1 : 37) {
    ir::Module damaged = module;
    damaged.lowered[0].processed.resize(cut);
    DelegateRun run(compile_module(damaged).file, reference::runtime_backend());
    EXPECT_NE(Status::kOk, run.load("forward")) << cut;
  }
  for (size_t i = 0; i < std::min<size_t>(size, 520); ++i) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      ir::Module damaged = module;
      damaged.lowered[0].processed[i] ^= static_cast<std::byte>(flip);
      DelegateRun run(compile_module(damaged).file, reference::runtime_backend());
      (void)!static_cast<int>(run.load("forward"));
      run.run(noise(kCount));
      seen.insert(run.status());
    }
  }
  EXPECT_GT(seen.size(), 2u);
}

}  // namespace
}  // namespace berth::testing
