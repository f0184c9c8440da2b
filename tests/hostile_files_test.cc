// Files from a stranger, through everything that looks at a .pte: reading, analysis, both reports,
// replan, and what runs. Each ends with a result or an error, in time, without a large allocation.
//
// Truncated at every byte: three programs made here and the smallest golden files, twelve in all.
// Damaged at random, from seeds: 1,000 times here, 100,000 times with BERTH_LONG=1.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "compiler/compiler.h"
#include "compiler/report/report.h"
#include "program/read.h"
#include "tools/host_backends.h"
#include "tools/host_program.h"
#include "tools/load_program.h"

namespace {

size_t largest_allocation = 0;

void* noted_alloc(size_t size) {
  largest_allocation = std::max(largest_allocation, size);
  void* block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

void* operator new(size_t size) { return noted_alloc(size); }
void* operator new[](size_t size) { return noted_alloc(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  largest_allocation = std::max(largest_allocation, size);
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { std::free(block); }
void operator delete[](void* block, size_t) noexcept { std::free(block); }

namespace berth {
namespace {

namespace fs = std::filesystem;
using tools::Bytes;

constexpr char kModel[] = R"(berth.ir 1
graph forward {
  input %x : i8[1,100]
  %a : i8[1,100] = aten::clamp.out(%x, -50, 50)
  %b : i8[1,100] = aten::clamp.out(%a, -40, 40)
  %y : i8[1,100] = cortex_m::maximum.out(%a, %b)
  output %y
}
)";

// Delegates with scratch, with a handle that calls share, with named data.
constexpr char kDelegates[] = R"(berth.ir 1
lowered @work {
  backend "test"
  spec "level" = hex "02"
  input i8[1,64]
  output i8[1,64]
  scratch "first" : 96 align=32
  scratch "second" : 16
  data "weights" align=16 = hex "00 01 02 03"
  processed = hex "01 02"
}
lowered @shared {
  backend "test"
  input i8[1,64]
  output i8[1,64]
  share_handle
  processed = hex "03"
}
graph forward {
  input %x : i8[1,64]
  %a : i8[1,64] = delegate @shared(%x)
  %b : i8[1,64] = delegate @work(%a)
  %c : i8[1,64] = delegate @shared(%b)
  %d : i8[1,64] = delegate @work(%c)
  %y : i8[1,64] = aten::clamp.out(%d, -50, 50)
  output %y
}
)";

// For the reference backend, which runs here too.
constexpr char kReference[] = R"(berth.ir 1
graph forward {
  input %x : f32[1,4]
  const %w : f32[4,4] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
  %a : f32[1,4] = aten::mm.out(%x, %w)
  %b : f32[1,4] = aten::add.out(%a, %x, 1)
  %c : f32[1,4] = aten::relu.out(%b)
  %y : f32[1,4] = aten::mm.out(%c, %w)
  output %y
}
)";

Bytes own_file(const std::string& text) {
  std::vector<std::byte> model(text.size());
  std::memcpy(model.data(), text.data(), text.size());
  Diagnostics notes;
  CompileOptions options;
  if (text == kReference) options.backends = {{tools::find_backend("reference"), {}}};
  auto compiled = compile(model, options, &notes);
  EXPECT_TRUE(compiled.ok()) << compiled.error().place << ": " << compiled.error().message;
  return compiled.ok() ? compiled.value().file : Bytes();
}

// Small files first, ours among them; at most `count`.
std::vector<Bytes> sample_files(size_t count) {
  std::vector<std::pair<size_t, fs::path>> paths;
  const fs::path root = fs::path(BERTH_SHARED_DIR) / "pte";
  if (fs::exists(root)) {
    for (const auto& entry : fs::directory_iterator(root)) {
      const fs::path path = entry.path() / "model.pte";
      if (fs::exists(path)) paths.emplace_back(fs::file_size(path), path);
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> files = {own_file(kModel), own_file(kDelegates), own_file(kReference)};
  for (const auto& [size, path] : paths) {
    if (files.size() == count) break;
    Result<Bytes> file = tools::read_file(path.string());
    if (file.ok()) files.push_back(file.take());
  }
  return files;
}

void run(const Bytes& file) {
  constexpr uint64_t kMuchMemory = uint64_t{16} << 20;
  auto program = program::read(file);
  if (!program.ok()) return;
  std::vector<std::string> names;
  for (const program::Method& method : program.value().methods) {
    uint64_t bytes = 0;
    for (const program::PoolSize& pool : method.pools) bytes += std::min(pool.bytes, kMuchMemory);
    if (bytes >= kMuchMemory) return;  // what the file asks for, its user may give or not
    names.push_back(method.name);
  }
  for (const std::string& name : names) {
    tools::HostProgram host;
    tools::HostOptions options;
    options.trust_plan = true;
    bool is_usage = false;
    if (host.open(file) || host.load({name}, options, &is_usage)) continue;
    tools::HostMethod& method = host.method(name);
    std::vector<tools::RunValue> inputs;
    uint64_t input_bytes = 0;  // they need not lie in a pool
    for (const tools::HostMethod::Input& input : method.inputs()) {
      inputs.push_back(input.value);
      auto* tensor = std::get_if<tools::TensorValue>(&inputs.back());
      if (tensor == nullptr) continue;
      input_bytes += std::min(tensor->spec.bytes(), kMuchMemory);
      if (input_bytes >= kMuchMemory) return;
      tensor->data.assign(static_cast<size_t>(tensor->spec.bytes()), std::byte{3});
    }
    if (!method.set_inputs(inputs)) (void)method.execute();
    EXPECT_EQ(host.find_damage() + method.find_damage(), "");
  }
}

// Everything that tools do with a file. Errors are fine; crashes and hangs end the test.
void look_at(const Bytes& file) {
  const size_t allowed = 4 * file.size() + (size_t{1} << 20);
  largest_allocation = 0;
  auto loaded = tools::analyse_file(file, "hostile.pte");
  EXPECT_LE(largest_allocation, allowed) << "reading and analysing " << file.size() << " bytes";
  if (!loaded.ok()) {
    EXPECT_FALSE(loaded.error().message.empty());
    return;
  }
  largest_allocation = 0;
  const size_t said = report::json_report(loaded.value().report).size() +
                      report::text_report(loaded.value().report, {}).size();
  EXPECT_LE(largest_allocation, 64 * allowed) << "reports of " << said << " bytes";
  Diagnostics notes;
  largest_allocation = 0;
  ReplanOptions options;
  options.share_handles = "test";
  (void)replan(file, options, &notes);
  auto replanned = replan(file, {}, &notes);
  EXPECT_LE(largest_allocation, allowed) << "replanning " << file.size() << " bytes";
  if (replanned.ok()) {
    auto again = tools::analyse_file(replanned.value().file, "replanned.pte");
    ASSERT_TRUE(again.ok()) << again.error().place << ": " << again.error().message;
    EXPECT_FALSE(again.value().plan_error) << again.value().plan_error->message;
  }
  run(file);
}

TEST(HostileFilesTest, CutAtEveryByte) {
  for (const Bytes& file : sample_files(12)) {
    for (size_t length = 0; length < file.size(); ++length) {
      SCOPED_TRACE(std::to_string(length) + " of " + std::to_string(file.size()) + " bytes");
      look_at(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length)));
      if (HasFailure()) return;
    }
  }
}

// One to four places of a file changed: a byte, or a number that means trouble.
Bytes damaged(const Bytes& file, uint32_t seed) {
  std::mt19937 random(seed);
  Bytes out = file;
  const auto changes = static_cast<uint32_t>(1 + random() % 4);
  for (uint32_t i = 0; i < changes; ++i) {
    const size_t at = random() % (out.size() - 8);
    if (random() % 2 == 0) {
      out[at] = static_cast<std::byte>(random() & 0xff);
      continue;
    }
    const uint32_t hostile[] = {0,
                                1,
                                0x7f,
                                0xff,
                                0xffff,
                                0x7fffffff,
                                0x80000000,
                                0xffffffff,
                                static_cast<uint32_t>(file.size()),
                                static_cast<uint32_t>(random())};
    const uint32_t number = hostile[random() % (sizeof(hostile) / sizeof(hostile[0]))];
    std::memcpy(out.data() + at / 4 * 4, &number, 4);
  }
  return out;
}

// Where only our own file is there, all seeds are its; so they are tried everywhere.
TEST(HostileFilesTest, OurOwnFilesDamagedAtRandom) {
  for (const char* text : {kModel, kDelegates, kReference}) {
    const Bytes file = own_file(text);
    for (uint32_t seed = 0; seed < 2000; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      look_at(damaged(file, seed));
      if (HasFailure()) return;
    }
  }
}

TEST(HostileFilesTest, DamagedAtRandom) {
  const bool is_long = std::getenv("BERTH_LONG") != nullptr;
  const std::vector<Bytes> files = sample_files(is_long ? 200 : 60);
  const uint32_t count = is_long ? 100000 : 1000;
  for (uint32_t seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Bytes& file = files[seed % files.size()];
    if (file.size() > (size_t{64} << 10)) continue;  // where time would go into copying
    look_at(damaged(file, seed));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace berth
