// Files that stock tools made: they open, say what they need, and load. Kernels are made up here:
// for each operator of a file one whose schema is read off its calls, and which is never run;
// so loading checks every value and instruction.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
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

char letter_of(pte::KernelTypes type) {
  switch (type) {
    case pte::KernelTypes::Null:
      return 'z';
    case pte::KernelTypes::Int:
      return 'z';
    case pte::KernelTypes::Bool:
      return 'z';
    case pte::KernelTypes::Double:
      return 'z';
    case pte::KernelTypes::Tensor:
      return 't';
    case pte::KernelTypes::String:
      return 'a';
    case pte::KernelTypes::IntList:
      return 'I';
    case pte::KernelTypes::DoubleList:
      return 'D';
    case pte::KernelTypes::BoolList:
      return 'B';
    case pte::KernelTypes::TensorList:
      return 'L';
    default:
      return '?';
  }
}

Status never_run(KernelContext&, const Args&) { return Status::kKernelFailed; }

// Owns the texts that schemas point at.
struct MadeUpKernels {
  std::deque<std::string> texts;
  std::deque<OperatorSchema> schemas;
  std::vector<Kernel> kernels;

  const char* keep(std::string text) {
    texts.push_back(std::move(text));
    return texts.back().c_str();
  }
  void add(std::string name, std::string overload, std::string letters) {
    schemas.push_back({keep(std::move(name)), keep(std::move(overload)), keep(std::move(letters))});
    kernels.push_back({&schemas.back(), never_run});
  }
};

// Letters of one call by its arguments; "" for a form that the contract has no letter for.
std::string read_letters(const pte::ExecutionPlan& plan, const std::string& name,
                         const flatbuffers::Vector<int32_t>& args) {
  const auto& values = *plan.values();
  const bool prim = name.rfind("executorch_prim::", 0) == 0 || name == "aten::sym_size" ||
                    name == "aten::sym_numel" || name == "aten::_local_scalar_dense";
  std::string letters;
  for (int32_t arg : args) {
    letters += letter_of(values.Get(static_cast<uint32_t>(arg))->val_type());
  }
  if (name == "executorch_prim::et_view") return "TIO";
  if (name == "executorch_prim::et_copy_index") return "Mti";
  if (prim) {
    letters.back() = 'Y';
    return letters;
  }
  const uint32_t last = static_cast<uint32_t>(args.Get(args.size() - 1));
  letters.pop_back();
  if (values.Get(last)->val_type() == pte::KernelTypes::Tensor) {
    for (uint32_t j = 0; j < letters.size(); ++j) {
      if (static_cast<uint32_t>(args.Get(j)) != last) continue;
      const bool in_place = !name.empty() && name.back() == '_';
      letters[j] = in_place ? 'M' : 'O';
      if (in_place) break;
      if (j + 1 != letters.size()) letters[j] = 't';
    }
    return letters;
  }
  if (values.Get(last)->val_type() != pte::KernelTypes::TensorList) return "";
  for (int64_t item : *values.Get(last)->val_as_TensorList()->items()) {
    bool found = false;
    for (uint32_t j = 0; j < letters.size(); ++j) {
      if (args.Get(j) != item) continue;
      letters[j] = 'O';
      found = true;
    }
    if (!found) return "";
  }
  return letters;
}

// False when some operator has no schema in our letters.
bool make_kernels(const pte::ExecutionPlan& plan, MadeUpKernels* out) {
  if (plan.operators() == nullptr) return true;
  std::map<uint32_t, std::string> letters;
  for (const auto* chain : *plan.chains()) {
    for (const auto* instruction : *chain->instructions()) {
      const auto* call = instruction->instr_args_as_KernelCall();
      if (call == nullptr) continue;
      const uint32_t op = static_cast<uint32_t>(call->op_index());
      const std::string seen =
          read_letters(plan, plan.operators()->Get(op)->name()->str(), *call->args());
      if (seen.empty() || seen.find('?') != std::string::npos) return false;
      std::string& known = letters[op];
      if (known.empty()) known = seen;
      // None in one call and a tensor in another: optional.
      for (size_t j = 0; j < known.size() && j < seen.size(); ++j) {
        if (known[j] == 'z' && seen[j] == 't') known[j] = 't';
      }
    }
  }
  for (const auto& [op, text] : letters) {
    const auto* entry = plan.operators()->Get(op);
    out->add(entry->name()->str(), entry->overload()->str(), text);
  }
  return true;
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

      MadeUpKernels made_up;
      if (!make_kernels(plan, &made_up)) continue;
      const Span<const Kernel> tables[] = {{made_up.kernels.data(), made_up.kernels.size()}};
      std::vector<AlignedBytes> memory;
      std::vector<PoolMemory> pools;
      for (uint32_t p = 0; p < need.pool_count; ++p) memory.emplace_back(need.pools[p].bytes);
      for (uint32_t p = 0; p < need.pool_count; ++p) {
        pools.push_back({need.pools[p].mem_id, {memory[p].data(), memory[p].size()}});
      }
      AlignedBytes own(need.method_bytes);
      Method method;
      const Status status =
          method.load(program, name, {tables},
                      {{own.data(), own.size()}, {pools.data(), pools.size()}}, &fault);
      if (plan.delegates()->size() != 0) {
        EXPECT_EQ(status, Status::kNoSuchBackend);
        ++refused;
        continue;
      }
      if (status == Status::kUnsupported &&
          std::string(fault.field) == "values.extra_tensor_info.location") {
        ++refused;  // constants in a .ptd
        continue;
      }
      EXPECT_EQ(status, Status::kOk)
          << status_words(status) << ": " << fault.field << " " << fault.index << " need "
          << fault.need << " have " << fault.have;
      if (status == Status::kOk) ++loaded;
    }
  }
  EXPECT_GE(loaded, 65);
  EXPECT_GE(refused, 8);
  RecordProperty("loaded", loaded);
  printf("%d methods loaded, %d refused for their delegates or external constants\n", loaded,
         refused);
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
    MadeUpKernels made_up;
    ASSERT_TRUE(
        make_kernels(*pte::GetProgram(complete.data())->execution_plan()->Get(0), &made_up));
    const Span<const Kernel> tables[] = {{made_up.kernels.data(), made_up.kernels.size()}};
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
