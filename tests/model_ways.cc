#include "tests/model_ways.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/portable/portable_kernels.h"

namespace berth {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

// Memory with the alignment that pools and files ask for, and guard bytes behind the end.
class Block {
 public:
  Block(size_t bytes, int fill) : bytes_(bytes) {
    data_.reset(static_cast<uint8_t*>(std::aligned_alloc(64, (bytes + kGuard + 63) / 64 * 64)));
    uint32_t noise = 12345;
    for (size_t i = 0; i < bytes; ++i) {
      noise = noise * 1664525 + 1013904223;
      data_.get()[i] = static_cast<uint8_t>(fill < 0 ? noise >> 24 : fill);
    }
    std::memset(data_.get() + bytes, 0xA5, kGuard);
  }
  runtime::Span<uint8_t> span() const { return {data_.get(), bytes_}; }
  bool guard_intact() const {
    for (size_t i = 0; i < kGuard; ++i) {
      if (data_.get()[bytes_ + i] != 0xA5) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kGuard = 64;
  struct Free {
    void operator()(uint8_t* p) const { std::free(p); }
  };
  size_t bytes_;
  std::unique_ptr<uint8_t, Free> data_;
};

const runtime::Span<const runtime::Kernel>* kernel_tables(size_t* count) {
  static const runtime::Span<const runtime::Kernel> kTables[] = {
      runtime::cortex_m_kernels(), runtime::berth_kernels(), runtime::portable_kernels()};
  *count = 3;
  return kTables;
}

runtime::LoadOptions load_options() {
  size_t count = 0;
  const auto* tables = kernel_tables(&count);
  runtime::LoadOptions options;
  options.kernels = {tables, count};
  options.require_plan_record = true;
  return options;
}

}  // namespace

Bytes read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<char> chars{std::istreambuf_iterator<char>(in), {}};
  Bytes bytes(chars.size());
  std::memcpy(bytes.data(), chars.data(), chars.size());
  return bytes;
}

std::string way_text(const Way& way) {
  return "reuse=" + std::to_string(way.reuse) +
         " caller=" + std::to_string(way.io == emit::Io::kCaller) +
         " fill=" + std::to_string(way.fill);
}

std::string same_bytes(const runtime::Tensor& got, const std::byte* expected) {
  const bool same = std::memcmp(got.data, expected, got.nbytes()) == 0;
  return same ? "" : "other bytes";
}

void check_model(const fs::path& model, const fs::path& folder, const Way& way, int runs,
                 const CompareOutput& compare) {
  SCOPED_TRACE(folder.filename().string() + " " + way_text(way));
  CompileOptions options;
  options.reuse = way.reuse;
  options.io = way.io;
  Diagnostics notes;
  Result<Compiled> compiled = compile(read_file(model), options, &notes);
  ASSERT_TRUE(compiled.ok()) << compiled.error().place << ": " << compiled.error().message;
  const Bytes& file = compiled.value().file;
  Block program_bytes(file.size(), 0);
  std::memcpy(program_bytes.span().data(), file.data(), file.size());

  runtime::Program program;
  LoadFault fault;
  ASSERT_EQ(program.open(program_bytes.span(), &fault), Status::kOk) << fault.field;
  runtime::MethodNeed need;
  ASSERT_EQ(program.need("forward", &need, &fault), Status::kOk) << fault.field;
  Block method_memory(need.method_bytes, way.fill);
  std::vector<Block> blocks;
  std::vector<runtime::PoolMemory> pools;
  for (uint32_t p = 0; p < need.pool_count; ++p) {
    blocks.emplace_back(need.pools[p].bytes, way.fill);
    pools.push_back({need.pools[p].mem_id, blocks.back().span()});
  }
  runtime::Method method;
  ASSERT_EQ(method.load(program, "forward", load_options(),
                        {method_memory.span(), {pools.data(), pools.size()}}, &fault),
            Status::kOk)
      << status_words(fault.status) << " " << fault.field << " " << fault.index << " need "
      << fault.need << " have " << fault.have;
  EXPECT_TRUE(method.is_proven());

  std::vector<Block> outputs;
  for (uint32_t o = 0; o < method.output_count(); ++o) {
    const runtime::Tensor& tensor = *method.output(o).tensor;
    outputs.emplace_back(tensor.nbytes(), way.fill);
    if (way.io == emit::Io::kCaller) {
      ASSERT_EQ(method.set_output(o, outputs.back().span().data(), tensor.nbytes()), Status::kOk);
    }
  }
  int cases = 0;
  for (; fs::exists(folder / ("input" + std::to_string(cases) + ".bin")); ++cases) {
    const Bytes input = read_file(folder / ("input" + std::to_string(cases) + ".bin"));
    const Bytes expected = read_file(folder / ("output" + std::to_string(cases) + ".bin"));
    Block input_bytes(input.size(), 0);
    std::memcpy(input_bytes.span().data(), input.data(), input.size());
    for (int run = 0; run < runs; ++run) {
      size_t at = 0;
      for (uint32_t i = 0; i < method.input_count(); ++i) {
        const size_t nbytes = method.input(i).tensor->nbytes();
        ASSERT_LE(at + nbytes, input.size());
        ASSERT_EQ(method.set_input(i, input_bytes.span().data() + at, nbytes), Status::kOk);
        at += nbytes;
      }
      ASSERT_EQ(at, input.size());
      ASSERT_EQ(method.execute(), Status::kOk) << "at instruction " << method.stopped_at();
      size_t out_at = 0;
      for (uint32_t o = 0; o < method.output_count(); ++o) {
        const runtime::Tensor& tensor = *method.output(o).tensor;
        ASSERT_LE(out_at + tensor.nbytes(), expected.size());
        ASSERT_EQ("", compare(tensor, expected.data() + out_at))
            << "case " << cases << " run " << run;
        out_at += tensor.nbytes();
      }
      ASSERT_EQ(out_at, expected.size());
    }
  }
  EXPECT_GT(cases, 0);
  for (const Block& block : blocks) EXPECT_TRUE(block.guard_intact());
  EXPECT_TRUE(method_memory.guard_intact());
}

}  // namespace berth
