// Files that stock tools made: they open, say what they need, and load. Their kernels are never run
// here, but have the true schemas, so loading checks every value and instruction.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "format/program_generated.h"
#include "runtime/runtime.h"
#include "tests/support/pte_builder.h"
#include "tests/support/test_kernels.h"

namespace berth::runtime {
namespace {

namespace fs = std::filesystem;
namespace pte = berth::format::pte;
using berth::testing::AlignedBytes;

std::vector<uint8_t> read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> golden_folders() {
  std::vector<fs::path> folders;
  const fs::path root = fs::path(BERTH_SHARED_DIR) / "pte";
  if (!fs::exists(root)) return folders;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (fs::exists(entry.path() / "model.pte")) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

Status never_run(KernelContext&, const Args&) { return Status::kKernelFailed; }

// A kernel for each operator of the method, with its true arguments.
std::vector<Kernel> make_kernels(const pte::ExecutionPlan& plan) {
  std::vector<Kernel> kernels;
  if (plan.operators() == nullptr) return kernels;
  for (const pte::Operator* entry : *plan.operators()) {
    const OperatorSchema* schema =
        find_operator(entry->name()->c_str(), entry->overload()->c_str());
    EXPECT_NE(schema, nullptr) << entry->name()->str() << "." << entry->overload()->str();
    if (schema != nullptr) kernels.push_back({schema, never_run});
  }
  return kernels;
}

TEST(GoldenFilesTest, EveryMethodSaysWhatItNeedsAndLoads) {
  const std::vector<fs::path> folders = golden_folders();
  if (folders.empty()) GTEST_SKIP() << "no golden files in " << BERTH_SHARED_DIR << "/pte";
  int loaded = 0;
  int refused = 0;
  for (const fs::path& folder : folders) {
    SCOPED_TRACE(folder.filename().string());
    const AlignedBytes file(read_file(folder / "model.pte"));
    Program program;
    LoadFault fault;
    ASSERT_EQ(program.open({file.data(), file.size()}, &fault), Status::kOk) << fault.field;
    std::vector<AlignedBytes> data_files;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".ptd") data_files.emplace_back(read_file(entry.path()));
    }
    std::vector<ExternalData> external(data_files.size());
    for (size_t i = 0; i < external.size(); ++i) {
      ASSERT_EQ(external[i].open({data_files[i].data(), data_files[i].size()}, &fault), Status::kOk)
          << fault.field;
    }
    const pte::Program* truth = pte::GetProgram(file.data());
    ASSERT_EQ(program.method_count(), truth->execution_plan()->size());
    for (uint32_t m = 0; m < program.method_count(); ++m) {
      const char* name = nullptr;
      ASSERT_EQ(program.method_name(m, &name), Status::kOk);
      SCOPED_TRACE(name);
      const pte::ExecutionPlan& plan = *truth->execution_plan()->Get(m);
      MethodNeed need;
      ASSERT_EQ(program.need(name, &need, &fault), Status::kOk) << fault.field;
      MethodMeta meta;
      ASSERT_EQ(program.describe(name, &meta, &fault), Status::kOk);
      ValueMeta value;
      for (uint32_t i = 0; i < meta.input_count(); ++i) {
        ASSERT_EQ(meta.input(i, &value, &fault), Status::kOk) << fault.field;
      }
      for (uint32_t i = 0; i < meta.output_count(); ++i) {
        ASSERT_EQ(meta.output(i, &value, &fault), Status::kOk) << fault.field;
      }

      const std::vector<Kernel> kernels = make_kernels(plan);
      const Span<const Kernel> tables[] = {{kernels.data(), kernels.size()}};
      std::vector<AlignedBytes> memory;
      std::vector<PoolMemory> pools;
      for (uint32_t p = 0; p < need.pool_count; ++p) memory.emplace_back(need.pools[p].bytes);
      for (uint32_t p = 0; p < need.pool_count; ++p) {
        pools.push_back({need.pools[p].mem_id, {memory[p].data(), memory[p].size()}});
      }
      AlignedBytes own(need.method_bytes);
      LoadOptions options;
      options.kernels = tables;
      options.external_data = {external.data(), external.size()};
      Method method;
      const Status status = method.load(
          program, name, options, {{own.data(), own.size()}, {pools.data(), pools.size()}}, &fault);
      if (plan.delegates()->size() != 0) {
        EXPECT_EQ(status, Status::kNoSuchBackend);
        ++refused;
        continue;
      }
      EXPECT_EQ(status, Status::kOk)
          << status_words(status) << ": " << fault.field << " " << fault.index << " need "
          << fault.need << " have " << fault.have;
      if (status == Status::kOk) ++loaded;
    }
  }
  EXPECT_EQ(loaded, 75);
  EXPECT_EQ(refused, 11);
  RecordProperty("loaded", loaded);
  printf("%d methods loaded, %d refused for their delegates\n", loaded, refused);
}

TEST(GoldenFilesTest, TheSmallestFileGivesTheStockRuntimesAnswer) {
  const fs::path folder = fs::path(BERTH_SHARED_DIR) / "pte" / "add_f32";
  if (!fs::exists(folder)) GTEST_SKIP() << "no golden files in " << BERTH_SHARED_DIR << "/pte";
  const AlignedBytes file(read_file(folder / "model.pte"));
  const Span<const Kernel> tables[] = {berth::testing::kernels()};
  Program program;
  Method method;
  MethodNeed need;
  ASSERT_EQ(program.open({file.data(), file.size()}), Status::kOk);
  ASSERT_EQ(program.need("forward", &need), Status::kOk);
  for (const int fill : {0x00, 0xff, 0x5a}) {
    AlignedBytes own(need.method_bytes), pool(need.pools[0].bytes, static_cast<uint8_t>(fill));
    const PoolMemory pools[] = {{1, {pool.data(), pool.size()}}};
    ASSERT_EQ(method.load(program, "forward", {tables}, {{own.data(), own.size()}, pools}),
              Status::kOk);
    for (const std::string vector : {"v0", "v1"}) {
      for (uint32_t i = 0; i < 2; ++i) {
        const auto input = read_file(folder / (vector + "_in" + std::to_string(i) + ".bin"));
        ASSERT_EQ(method.set_input(i, input.data(), input.size()), Status::kOk);
      }
      ASSERT_EQ(method.execute(), Status::kOk);
      const auto expected = read_file(folder / (vector + "_out0.bin"));
      const Tensor& output = *method.output(0).tensor;
      ASSERT_EQ(output.nbytes(), expected.size());
      EXPECT_EQ(memcmp(output.data, expected.data(), expected.size()), 0) << vector;
    }
  }
}

// At every byte: a status, and nothing read past the cut (each cut is a block of its own, which the
// sanitizers watch).
TEST(GoldenFilesTest, ACutFileIsRefusedAtEveryByte) {
  for (const char* name : {"add_f32", "cond_single", "mutable_buffer"}) {
    const fs::path path = fs::path(BERTH_SHARED_DIR) / "pte" / name / "model.pte";
    if (!fs::exists(path)) GTEST_SKIP() << "no golden files in " << BERTH_SHARED_DIR << "/pte";
    const std::vector<uint8_t> whole = read_file(path);
    const AlignedBytes complete(whole);
    const std::vector<Kernel> kernels =
        make_kernels(*pte::GetProgram(complete.data())->execution_plan()->Get(0));
    const Span<const Kernel> tables[] = {{kernels.data(), kernels.size()}};
    AlignedBytes own(1 << 16), pool(1 << 12);
    const PoolMemory pools[] = {{1, {pool.data(), pool.size()}}};
    for (size_t size = 0; size <= whole.size(); ++size) {
      // The bytes end where the block ends.
      uint8_t* cut = static_cast<uint8_t*>(malloc(size));
      memcpy(cut, whole.data(), size);
      Program program;
      Method method;
      LoadFault fault;
      Status status = program.open({cut, size}, &fault);
      if (status == Status::kOk) {
        status =
            method.load(program, "forward", {tables}, {{own.data(), own.size()}, pools}, &fault);
      }
      EXPECT_EQ(status == Status::kOk, size == whole.size()) << name << " cut at " << size;
      if (status != Status::kOk) {
        EXPECT_STRNE(fault.field, "") << name << " cut at " << size;
      }
      free(cut);
    }
  }
}

}  // namespace
}  // namespace berth::runtime
