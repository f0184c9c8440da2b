#include "program/read.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "program/sample_program.h"
#include "program/validate_program.h"
#include "program/write.h"

namespace berth::program {
namespace {

namespace fs = std::filesystem;

Bytes read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return Bytes(data, data + text.size());
}

std::vector<fs::path> golden_files() {
  std::vector<fs::path> found;
  const fs::path folder = fs::path(BERTH_SHARED_DIR) / "pte";
  if (!fs::exists(folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".pte") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

Bytes must_write(const Program& program, const WriteOptions& options = {}) {
  auto file = write(program, options);
  EXPECT_TRUE(file.ok()) << file.error().place << ": " << file.error().message;
  return file.ok() ? file.take() : Bytes();
}

Program must_read(const Bytes& file) {
  auto program = read(file);
  EXPECT_TRUE(program.ok()) << program.error().place << ": " << program.error().message;
  return program.ok() ? program.take() : Program();
}

// NaN is equal to itself here: the bits count.
bool same(const Program& a, const Program& b) {
  if (a == b) return true;
  auto without_nan = [](Program p) {
    for (Method& method : p.methods) {
      for (Value& value : method.values) {
        double* number = std::get_if<double>(&value.data);
        if (number == nullptr || !std::isnan(*number)) continue;
        uint64_t bits = 0;
        std::memcpy(&bits, number, 8);
        value.data = std::to_string(bits);
      }
    }
    return p;
  };
  return without_nan(a) == without_nan(b);
}

TEST(Read, SampleComesBackAsItWasWritten) {
  const Program program = must_read(must_write(sample_program()));
  const Program expected = sample_program();
  ASSERT_EQ(2u, program.methods.size());
  const Method& m = program.methods[0];
  const Method& e = expected.methods[0];
  EXPECT_EQ(e.name, m.name);
  EXPECT_EQ(e.input_tree, m.input_tree);
  EXPECT_EQ(e.output_tree, m.output_tree);
  EXPECT_EQ(e.pools, m.pools);
  EXPECT_EQ(e.inputs, m.inputs);
  EXPECT_EQ(e.outputs, m.outputs);
  EXPECT_EQ(e.instructions, m.instructions);
  EXPECT_EQ(e.chain_begins, m.chain_begins);
  EXPECT_EQ(e.operators, m.operators);
  EXPECT_EQ(e.delegates, m.delegates);
  EXPECT_EQ(e.stacktrace, m.stacktrace);
  EXPECT_EQ(e.plan, m.plan);
  EXPECT_EQ(expected.methods[1].values, program.methods[1].values);
  EXPECT_EQ(expected.constants, program.constants);
  EXPECT_EQ(expected.mutable_data, program.mutable_data);
  EXPECT_EQ(expected.delegate_data, program.delegate_data);
  EXPECT_EQ(expected.named_data, program.named_data);
  EXPECT_EQ(expected.record, program.record);
  EXPECT_TRUE(program.unknown_fields.empty());
  ASSERT_EQ(e.values.size(), m.values.size());
  for (size_t i = 0; i < e.values.size(); ++i) {
    const Tensor* tensor = m.values[i].tensor();
    if (tensor == nullptr) {
      EXPECT_EQ(e.values[i].data, m.values[i].data) << i;
      continue;
    }
    const Tensor& want = *e.values[i].tensor();
    const Storage& storage = m.storages[static_cast<size_t>(tensor->storage)];
    const Storage& want_storage = e.storages[static_cast<size_t>(want.storage)];
    EXPECT_EQ(want.sizes, tensor->sizes) << i;
    EXPECT_EQ(want.dim_order, tensor->dim_order) << i;
    EXPECT_EQ(want.dtype, tensor->dtype) << i;
    EXPECT_EQ(want.dynamism, tensor->dynamism) << i;
    EXPECT_EQ(want.external, tensor->external) << i;
    EXPECT_EQ(want.fully_qualified_name, tensor->fully_qualified_name) << i;
    EXPECT_EQ(want.offset, tensor->offset) << i;
    EXPECT_EQ(want_storage.kind, storage.kind) << i;
    EXPECT_EQ(want_storage.data, storage.data) << i;
    EXPECT_EQ(want_storage.mem_id, storage.mem_id) << i;
    EXPECT_EQ(want_storage.offset, storage.offset) << i;
    EXPECT_EQ(want_storage.nbytes, storage.nbytes) << i;
    if (storage.mem_id == 0) continue;
    EXPECT_EQ(want_storage.role, storage.role) << i;
    EXPECT_EQ(want_storage.alignment, storage.alignment) << i;
    EXPECT_EQ(want_storage.owner, storage.owner) << i;
    EXPECT_EQ(want_storage.name, storage.name) << i;
  }
}

TEST(Read, WhatIsReadAndWrittenAgainIsTheSame) {
  for (bool record : {true, false}) {
    WriteOptions options;
    options.record = record;
    const Bytes file = must_write(sample_program(), options);
    const Program program = must_read(file);
    EXPECT_EQ(record, program.record.has_value());
    EXPECT_EQ(file, must_write(program, options));
    EXPECT_EQ(program, must_read(must_write(program, options)));
  }
}

TEST(Read, GoldenFilesReadAndRoundTrip) {
  const auto files = golden_files();
  if (files.empty()) GTEST_SKIP() << "no golden .pte files in " << BERTH_SHARED_DIR;
  for (const fs::path& path : files) {
    SCOPED_TRACE(path);
    const Program program = must_read(read_file(path));
    ASSERT_FALSE(program.methods.empty());
    EXPECT_EQ(std::vector<std::string>(), program.unknown_fields);
    const Bytes again = must_write(program);
    EXPECT_TRUE(same(program, must_read(again)));
    EXPECT_EQ(again, must_write(must_read(again)));
  }
}

}  // namespace
}  // namespace berth::program
