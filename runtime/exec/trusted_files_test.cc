// The runtime as tiny images have it: no words, no proof, and of the file nothing checked. Programs
// that the checking runtime takes give the same answers with it, and what its caller does wrong is
// still refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/portable/portable_kernels.h"
#include "runtime/runtime.h"
#include "tests/support/pte_builder.h"

#if !defined(BERTH_TRUST_FILE) || !defined(BERTH_NO_LOAD_FAULT)
#error "this test is of the runtime that trusts its file"
#endif

namespace berth::runtime {
namespace {

namespace fs = std::filesystem;
using berth::testing::AlignedBytes;

std::vector<uint8_t> read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Span<uint8_t> span(AlignedBytes& bytes) { return {bytes.data(), bytes.size()}; }

// A program with exactly the memory that it asks for.
struct Loaded {
  explicit Loaded(const fs::path& path) : file(read_file(path)) {}

  Status load() {
    Status status = program.open({file.data(), file.size()});
    if (status != Status::kOk) return status;
    MethodNeed need;
    status = program.need("forward", &need);
    if (status != Status::kOk) return status;
    own = AlignedBytes(need.method_bytes);
    for (uint32_t p = 0; p < need.pool_count; ++p) {
      pools.emplace_back(need.pools[p].bytes);
      given.push_back({need.pools[p].mem_id, span(pools.back())});
    }
    LoadOptions options;
    options.kernels = kernels;
    return method.load(program, "forward", options,
                       {span(own), Span<const PoolMemory>(given.data(), given.size())});
  }

  AlignedBytes file, own{0};
  std::deque<AlignedBytes> pools;
  std::vector<PoolMemory> given;
  Span<const Kernel> kernels[2] = {cortex_m_kernels(), portable_kernels()};
  Program program;
  Method method;
};

bool is_close(const Tensor& have, const std::vector<uint8_t>& wanted) {
  if (have.nbytes() != wanted.size()) return false;
  if (have.dtype != ScalarType::kFloat) {
    return wanted.empty() || std::memcmp(have.data, wanted.data(), wanted.size()) == 0;
  }
  for (size_t i = 0; i < have.numel(); ++i) {
    float right = 0;
    std::memcpy(&right, wanted.data() + 4 * i, 4);
    const float value = have.as<float>()[i];
    if (std::abs(value - right) > 1e-5f + 1e-4f * std::abs(right)) return false;
  }
  return true;
}

// Whether the case's first vector can be given as bytes; then its answers are compared.
bool check_case(const fs::path& folder) {
  Loaded loaded(folder / "model.pte");
  if (loaded.load() != Status::kOk) return false;  // no kernel, or a delegate
  Method& method = loaded.method;
  std::deque<AlignedBytes> outside;
  for (uint32_t i = 0; i < method.input_count(); ++i) {
    const fs::path path = folder / ("v0_in" + std::to_string(i) + ".bin");
    const EValue& input = method.input(i);
    if (input.tag != Tag::kTensor || !fs::exists(path)) return false;
    const std::vector<uint8_t> bytes = read_file(path);
    outside.emplace_back(bytes);
    if (method.set_input(i, span(outside.back()).data(), bytes.size()) != Status::kOk) return false;
  }
  for (uint32_t i = 0; i < method.output_count(); ++i) {
    const EValue& output = method.output(i);
    if (output.tag != Tag::kTensor) return false;
    if ((output.flags & kAwaited) == 0) continue;
    outside.emplace_back(output.tensor->capacity);
    const Span<uint8_t> bytes = span(outside.back());
    EXPECT_EQ(method.set_output(i, bytes.data(), bytes.size()), Status::kOk) << folder;
  }
  EXPECT_EQ(method.execute(), Status::kOk) << folder;
  for (uint32_t i = 0; i < method.output_count(); ++i) {
    const std::vector<uint8_t> wanted = read_file(folder / ("v0_out" + std::to_string(i) + ".bin"));
    EXPECT_TRUE(is_close(*method.output(i).tensor, wanted)) << folder << " output " << i;
  }
  EXPECT_FALSE(method.is_proven());
  return true;
}

TEST(TrustedFiles, GiveTheAnswersOfTheCheckingRuntime) {
  const fs::path root = fs::path(BERTH_SHARED_DIR) / "pte";
  if (!fs::exists(root)) GTEST_SKIP() << "no golden files in " << root;
  int run = 0;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (fs::exists(entry.path() / "model.pte")) run += check_case(entry.path()) ? 1 : 0;
  }
  EXPECT_GE(run, 50);
}

TEST(TrustedFiles, TheCallersMistakesAreStillRefused) {
  const fs::path path = fs::path(BERTH_SHARED_DIR) / "pte" / "mlp_relu" / "model.pte";
  if (!fs::exists(path)) GTEST_SKIP() << "no golden files in " << BERTH_SHARED_DIR << "/pte";
  Loaded loaded(path);
  ASSERT_EQ(loaded.load(), Status::kOk);
  EXPECT_EQ(loaded.method.set_input(0, loaded.own.data(), 3), Status::kBadInput);
  EXPECT_EQ(loaded.method.execute(), Status::kInputNotSet);
  Method method;
  LoadOptions options;
  options.kernels = loaded.kernels;
  const Span<uint8_t> own = span(loaded.own), pool = span(loaded.pools[0]);
  const auto load = [&](Span<uint8_t> method_bytes, Span<uint8_t> pool_bytes) {
    const PoolMemory pools[] = {{1, pool_bytes}};
    return method.load(loaded.program, "forward", options, {method_bytes, pools});
  };
  EXPECT_EQ(load({own.data(), own.size() - 1}, pool), Status::kTooSmall);
  EXPECT_EQ(load({own.data() + 1, own.size()}, pool), Status::kMisaligned);
  EXPECT_EQ(load(own, {pool.data(), pool.size() - 1}), Status::kTooSmall);
  EXPECT_EQ(load(own, {pool.data() + 1, pool.size()}), Status::kMisaligned);
  EXPECT_EQ(method.load(loaded.program, "backward", options, {own, {}}), Status::kNoSuchMethod);
  options.require_plan_record = true;
  EXPECT_EQ(load(own, pool), Status::kNoPlanRecord);
  options = LoadOptions();
  EXPECT_EQ(load(own, pool), Status::kNoSuchOperator);

  const char* name = nullptr;
  EXPECT_EQ(loaded.program.method_name(1, &name), Status::kBadIndex);
  MethodMeta meta;
  ASSERT_EQ(loaded.program.describe("forward", &meta), Status::kOk);
  ValueMeta value;
  EXPECT_EQ(meta.input(7, &value), Status::kBadIndex);

  AlignedBytes erased(std::vector<uint8_t>(4096, 0xFF));  // flash without a file
  EXPECT_EQ(Program().open({erased.data(), erased.size()}), Status::kBadMagic);
}

}  // namespace
}  // namespace berth::runtime
