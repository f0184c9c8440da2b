// The oneDNN backend: answers beside our kernels and beside known models, what it declares, and
// what the library allocates behind that.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "backends/onednn/compile/heap_meter.h"
#include "backends/onednn/compile/onednn_backend.h"
#include "backends/onednn/runtime/onednn_runtime.h"
#include "backends/onednn/shared/onednn_primitive.h"
#include "compiler/ir/archive.h"
#include "tests/onednn_cases.h"
#include "tests/support/allocation_count.h"
#include "tests/support/delegate_run.h"

namespace berth::testing {
namespace {

delegate::CompileSpecs specs(const std::vector<std::pair<std::string, std::string>>& list) {
  delegate::CompileSpecs out;
  for (const auto& [key, value] : list) out.push_back({key, model_bytes(value)});
  return out;
}

Result<Compiled> try_compile(const std::vector<std::byte>& model,
                             const delegate::CompileSpecs* with) {
  CompileOptions options;
  if (with != nullptr) options.backends = {{&onednn::compile_backend(), *with}};
  Diagnostics notes;
  return compile(model, options, &notes);
}

Compiled compile_model(const std::vector<std::byte>& model, const delegate::CompileSpecs* with) {
  Result<Compiled> compiled = try_compile(model, with);
  EXPECT_TRUE(compiled.ok()) << compiled.error().place << ": " << compiled.error().message;
  return compiled.ok() ? compiled.take() : Compiled();
}

std::vector<float> run_once(const program::Bytes& file, size_t count, uint8_t fill = 0) {
  DelegateRun run(file, onednn::runtime_backend());
  EXPECT_EQ(Status::kOk, run.load("forward", fill));
  std::vector<float> answer = run.run(noise(count));
  EXPECT_EQ(Status::kOk, run.status());
  return answer;
}

void expect_near(const std::vector<float>& want, const std::vector<float>& got, float tolerance) {
  ASSERT_EQ(want.size(), got.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_NEAR(want[i], got[i], tolerance * std::max(1.0f, std::abs(want[i]))) << "element " << i;
  }
}

TEST(Onednn, AnswersAreThoseOfOurKernels) {
  for (const OnednnCase& one : onednn_cases()) {
    SCOPED_TRACE(one.name);
    const std::vector<float> want =
        run_once(compile_model(model_of(one), nullptr).file, one.inputs);
    for (const auto& with : {specs({}), specs({{"share", "1"}}), specs({{"threads", "2"}})}) {
      const Compiled compiled = compile_model(model_of(one), &with);
      EXPECT_LE(1u, compiled.module.lowered.size());
      EXPECT_GE(one.groups, compiled.module.lowered.size());
      expect_near(want, run_once(compiled.file, one.inputs, 0xff), 2e-4f);
    }
  }
}

TEST(Onednn, ARunIsTheSameTheThousandthTime) {
  const OnednnCase& one = onednn_cases()[5];
  const auto with = specs({});
  const Compiled compiled = compile_model(model_of(one), &with);
  DelegateRun run(compiled.file, onednn::runtime_backend());
  ASSERT_EQ(Status::kOk, run.load("forward", 0x5a));
  const std::vector<float> first = run.run(noise(one.inputs));
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(first, run.run(noise(one.inputs)));
}

class Steps final : public runtime::Tracer {
 public:
  void instruction_begins(const runtime::LoadedMethod&, uint32_t) override {}
  void instruction_ends(const runtime::LoadedMethod&, uint32_t, Status) override {}
  void step_begins() override { ++begun; }
  void step_ends(const char* name) override { names.emplace_back(name); }
  size_t begun = 0;
  std::vector<std::string> names;
};

// The name of the implementation that the library chose.
TEST(Onednn, ACallTellsATracerOfItsPrimitive) {
  const OnednnCase& one = onednn_cases()[0];
  const auto with = specs({});
  const Compiled compiled = compile_model(model_of(one), &with);
  DelegateRun run(compiled.file, onednn::runtime_backend());
  ASSERT_EQ(Status::kOk, run.load("forward"));
  Steps steps;
  run.method().set_tracer(&steps);
  run.run(noise(one.inputs));
  ASSERT_EQ(compiled.module.lowered.size(), steps.names.size());
  EXPECT_EQ(steps.begun, steps.names.size());
  for (const std::string& name : steps.names) EXPECT_FALSE(name.empty());
}

TEST(Onednn, TwoCompilesGiveTheSameBytes) {
  for (const OnednnCase& one : onednn_cases()) {
    const auto with = specs({});
    EXPECT_EQ(compile_model(model_of(one), &with).file, compile_model(model_of(one), &with).file);
  }
}

// Nothing here is worse with the library than the plan could be at best, scratch included.
TEST(Onednn, KnownModelsGiveTheirAnswersInTheBytesOfTheBound) {
  const std::string folder = std::string(BERTH_SHARED_DIR) + "/models/f32/";
  const auto read = [](const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return std::vector<char>(std::istreambuf_iterator<char>(in), {});
  };
  const auto floats = [&](const std::string& path) {
    const std::vector<char> bytes = read(path);
    std::vector<float> out(bytes.size() / sizeof(float));
    std::memcpy(out.data(), bytes.data(), out.size() * sizeof(float));
    return out;
  };
  for (const std::string name : {"ad01", "resnet8", "vww"}) {
    SCOPED_TRACE(name);
    const std::vector<char> model = read(folder + name + "/model.tflite");
    if (model.empty()) GTEST_SKIP() << "no " << folder;
    std::vector<std::byte> bytes(model.size());
    std::memcpy(bytes.data(), model.data(), model.size());
    const auto with = specs({});
    const Compiled compiled = compile_model(bytes, &with);
    const program::RecordedPlan& plan = *compiled.program.methods[0].plan;
    for (const program::PoolUse& use : plan.pool_use) EXPECT_EQ(use.lower_bound, use.bytes);
    DelegateRun run(compiled.file, onednn::runtime_backend());
    ASSERT_EQ(Status::kOk, run.load("forward", 0xff));
    for (const char* vector : {"0", "1"}) {
      const std::vector<float> want = floats(folder + name + "/output" + vector + ".bin");
      const std::vector<float> got = run.run(floats(folder + name + "/input" + vector + ".bin"));
      ASSERT_EQ(want.size(), got.size());
      for (size_t i = 0; i < want.size(); ++i) {
        const float tolerance = name == "ad01" ? 1e-3f * std::abs(want[i]) + 1e-4f : 1e-4f;
        EXPECT_NEAR(want[i], got[i], tolerance) << "element " << i;
      }
    }
    // No implementation that allocates behind our back was needed.
    for (const ir::LoweredModule& module : compiled.module.lowered) {
      onednn::Op op;
      ASSERT_TRUE(onednn::read_op(module.processed.data(), module.processed.size(), &op));
      const onednn::ThreadCount threads(op.threads);
      EXPECT_EQ(onednn::Quality::kGood, onednn::make_primitive(op)->quality);
    }
  }
}

// --- handles ---

// A layer that is called again on what it made.
Compiled repeated(int calls, const delegate::CompileSpecs& with) {
  ir::Module module = compile_model(model_bytes("berth.ir 1\n"
                                                "graph forward {\n"
                                                "  input %x : f32[1,64]\n"
                                                "  const %w : f32[64,64] = random seed 9\n"
                                                "  %a : f32[1,64] = aten::mm.out(%x, %w)\n"
                                                "  %y : f32[1,64] = aten::tanh.out(%a)\n"
                                                "  output %y\n"
                                                "}\n"),
                                    &with)
                          .module;
  ir::Graph& graph = module.graphs[0];
  for (ir::Node& node : graph.nodes) {
    if (node.kind == ir::NodeKind::kDelegate) node.args.resize(1);
  }
  ir::remove_unused(graph);
  for (int i = 1; i < calls; ++i) {
    ir::Node next = graph.nodes.back();
    next.args = {ir::Ref{next.results[0]}};
    next.results = {graph.add_value(graph.value(graph.outputs[0]))};
    graph.outputs = {next.results[0]};
    graph.nodes.push_back(next);
  }
  return compile_model(ir::write_archive(module).take(), nullptr);
}

TEST(Onednn, ASharedHandleIsMadeOnceAndAnswersTheSame) {
  BackendLog apart, shared;
  std::vector<float> first;
  {
    DelegateRun run(repeated(10, specs({})).file, logged(onednn::runtime_backend(), &apart));
    ASSERT_EQ(Status::kOk, run.load("forward"));
    first = run.run(noise(64));
  }
  DelegateRun run(repeated(10, specs({{"share", "1"}})).file,
                  logged(onednn::runtime_backend(), &shared));
  ASSERT_EQ(Status::kOk, run.load("forward", 0xff));
  EXPECT_EQ(first, run.run(noise(64)));
  run.unload();
  EXPECT_EQ(10, apart.inits);
  EXPECT_EQ(10, apart.destroys);
  EXPECT_EQ(1, shared.inits);
  EXPECT_EQ(10, shared.executes);
  EXPECT_EQ(1, shared.destroys);
}

TEST(Onednn, SharingPutsTheScratchpadIntoPersistentMemory) {
  const auto apart = specs({}), share = specs({{"share", "1"}});
  bool any = false;
  for (const OnednnCase& one : onednn_cases()) {
    const Compiled a = compile_model(model_of(one), &apart),
                   s = compile_model(model_of(one), &share);
    for (size_t i = 0; i < a.module.lowered.size(); ++i) {
      EXPECT_EQ(a.module.lowered[i].scratch.size() + a.module.lowered[i].persistent.size(),
                s.module.lowered[i].persistent.size());
      EXPECT_TRUE(s.module.lowered[i].scratch.empty());
      EXPECT_TRUE(s.module.lowered[i].share_handle);
      any = any || !a.module.lowered[i].scratch.empty();
    }
  }
  if (!any) GTEST_SKIP() << "no implementation on this machine asks for a scratchpad";
}

// --- what is refused ---

ir::Bytes with_words(const onednn::Op& op, const ir::Bytes& blob) {
  const std::vector<std::byte> words = onednn::write_op(op);
  ir::Bytes out = blob;
  std::copy(words.begin(), words.end(), out.begin());
  return out;
}

// As if the file came from a machine that needs less.
TEST(Onednn, AMachineThatNeedsMoreThanWasDeclaredSaysSoAtLoad) {
  const auto with = specs({});
  bool scratch = false, weights = false;
  for (const OnednnCase& one : onednn_cases()) {
    const ir::Module module = compile_model(model_of(one), &with).module;
    onednn::Op op;
    const ir::Bytes& blob = module.lowered[0].processed;
    ASSERT_TRUE(onednn::read_op(blob.data(), blob.size(), &op));
    const auto status_with = [&](const onednn::Op& changed, size_t less_scratch, size_t less_kept) {
      ir::Module less = module;
      less.lowered[0].processed = with_words(changed, blob);
      if (less_scratch != 0) less.lowered[0].scratch[0].nbytes -= less_scratch;
      if (less_kept != 0) less.lowered[0].persistent[0].nbytes -= less_kept;
      for (ir::Node& node : less.graphs[0].nodes) {  // scratch comes anew
        if (node.kind == ir::NodeKind::kDelegate)
          node.args.resize(less.find_lowered(node.op)->inputs.size());
      }
      ir::remove_unused(less.graphs[0]);
      DelegateRun run(compile_model(ir::write_archive(less).take(), nullptr).file,
                      onednn::runtime_backend());
      return run.load("forward");
    };
    onednn::Op less = op;
    if (op.scratch_bytes != 0) {
      less.scratch_bytes -= 64;
      EXPECT_EQ(Status::kScratchTooSmall, status_with(less, 64, 0)) << one.name;
      scratch = true;
    }
    if (op.weights_bytes != 0) {
      EXPECT_EQ(Status::kTooSmall, status_with(op, 0, 4)) << one.name;
      weights = true;
    }
  }
  EXPECT_TRUE(weights);
  if (!scratch) GTEST_SKIP() << "no implementation on this machine asks for a scratchpad";
}

TEST(Onednn, ADamagedBlobIsAStatusAndNeverACrash) {
  const auto with = specs({});
  const ir::Module module = compile_model(model_of(onednn_cases()[0]), &with).module;
  onednn::Op op;
  const ir::Bytes& blob = module.lowered[0].processed;
  ASSERT_TRUE(onednn::read_op(blob.data(), blob.size(), &op));
  const size_t words = onednn::write_op(op).size();
  const auto run_with = [&](const ir::Bytes& bytes) {
    ir::Module damaged = module;
    damaged.lowered[0].processed = bytes;
    DelegateRun run(compile_model(ir::write_archive(damaged).take(), nullptr).file,
                    onednn::runtime_backend());
    (void)!static_cast<int>(run.load("forward", 0xff));
    run.run(noise(onednn_cases()[0].inputs));
    return run.status();
  };
  for (size_t cut = 0; cut < words; cut += 7) {
    EXPECT_NE(Status::kOk,
              run_with(ir::Bytes(blob.begin(), blob.begin() + static_cast<long>(cut))));
  }
  for (size_t i = 0; i < words; ++i) {
    if (i / 4 == 4) continue;  // threads: the machine may have a great many, slowly
    for (const int flip : {0x01, 0x40, 0xff}) {
      ir::Bytes changed = blob;
      changed[i] ^= static_cast<std::byte>(flip);
      (void)!static_cast<int>(run_with(changed));
    }
  }
}

TEST(Onednn, CompileSpecsThatCannotBeReadAreRefused) {
  const std::pair<delegate::CompileSpecs, const char*> cases[] = {
      {specs({{"threads", "0"}}), "1 to 1024"},
      {specs({{"threads", "two"}}), "\"two\""},
      {specs({{"isa", "mmx"}}), "sse41, avx, avx2"},
      {specs({{"share", "yes"}}), "0 or 1"},
      {specs({{"sharing", "1"}}), "threads, isa, share, pool"},
      {specs({{"pool", "sram"}}), "lacks"},
  };
  for (const auto& [with, words] : cases) {
    const Result<Compiled> compiled = try_compile(model_of(onednn_cases()[4]), &with);
    ASSERT_FALSE(compiled.ok()) << words;
    EXPECT_NE(std::string::npos, compiled.error().message.find(words)) << compiled.error().message;
  }
}

// --- what the library allocates while it runs: docs/onednn.md has the number ---

TEST(Onednn, ACallTakesAFewSmallBlocksFromTheHeapAndNoneOfOurs) {
  if (!counts_allocations()) GTEST_SKIP() << "a sanitizer has the allocator";
  for (const OnednnCase& one : onednn_cases()) {
    const auto with = specs({});
    const Compiled compiled = compile_model(model_of(one), &with);
    DelegateRun run(compiled.file, onednn::runtime_backend());
    ASSERT_EQ(Status::kOk, run.load("forward"));
    run.run(noise(one.inputs));
    const onednn::HeapMeter meter;
    const AllocationCount before = allocations();
    ASSERT_EQ(Status::kOk, run.method().execute());
    const AllocationCount after = allocations();
    ASSERT_TRUE(meter.count());
    const onednn::HeapCount aligned = *meter.count();
    const uint64_t blocks = after.blocks - before.blocks + aligned.blocks;
    const uint64_t bytes = after.bytes - before.bytes + aligned.bytes;
    // What the report says was measured when the model was compiled.
    uint64_t told = 0;
    for (const delegate::Taken& taken : compiled.taken) {
      ASSERT_TRUE(taken.hidden_bytes) << one.name;
      told += *taken.hidden_bytes;
    }
    EXPECT_EQ(aligned.bytes, told) << one.name;
    const uint64_t calls = compiled.module.lowered.size();
    bool hidden = false;
    for (const ir::LoweredModule& module : compiled.module.lowered) {
      onednn::Op op;
      ASSERT_TRUE(onednn::read_op(module.processed.data(), module.processed.size(), &op));
      const onednn::ThreadCount threads(op.threads);
      hidden = hidden || onednn::make_primitive(op)->quality == onednn::Quality::kHidden;
    }
    // What is known to allocate is only told.
    if (!hidden) {
      EXPECT_LE(blocks, 12 * calls) << one.name;
      EXPECT_LE(bytes, 1024 * calls) << one.name;
    }
    std::printf("%s: %llu blocks, %llu bytes in %llu calls%s\n", one.name,
                static_cast<unsigned long long>(blocks), static_cast<unsigned long long>(bytes),
                static_cast<unsigned long long>(calls), hidden ? ", gemm" : "");
  }
}

// 0 would be a promise.
TEST(Onednn, WhatCannotBeMeasuredIsUnknown) {
  onednn::Op op;  // of nothing: the library refuses to run it
  EXPECT_FALSE(onednn::measure_heap(op, onednn::Primitive()));
  const onednn::HeapMeter meter;
  EXPECT_EQ(counts_allocations(), meter.count().has_value());
}

TEST(Onednn, ABoardOfAnotherKindIsRefused) {
  const auto with = specs({});
  CompileOptions options;
  options.board = target::find_board("mps3-an547").take();
  options.backends = {{&onednn::compile_backend(), with}};
  const Result<Compiled> compiled = compile(model_of(onednn_cases()[0]), options, nullptr);
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ("backend onednn", compiled.error().place);
  EXPECT_EQ(
      "cannot run on board mps3-an547 (cpu cortex-m55, isa mve): it runs where oneDNN does, on "
      "boards of isa host",
      compiled.error().message);
}

}  // namespace
}  // namespace berth::testing
