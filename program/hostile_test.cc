// Damaged files: cut at every byte, every word changed, and small files that would grow large in
// memory.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "program/measured_read.h"
#include "program/program_test_util.h"
#include "program/read.h"
#include "program/wire_edit.h"

namespace berth::program {
namespace {

namespace fs = std::filesystem;
namespace pte = format::pte;

TEST(Hostile, CutFilesAreRefusedAtEveryByte) {
  std::vector<Bytes> files = {sample_file()};
  const fs::path golden = fs::path(BERTH_SHARED_DIR) / "pte" / "small_cnn" / "model.pte";
  if (fs::exists(golden)) files.push_back(read_file(golden));
  for (const Bytes& file : files) {
    ASSERT_TRUE(read(file).ok());
    for (size_t size = 0; size < file.size(); ++size) {
      // A copy of exactly this size, so that a sanitizer sees a read past its end.
      const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      const Outcome outcome = read_measured(cut);
      EXPECT_FALSE(outcome.ok) << size;
      EXPECT_LE(outcome.peak, allowed_bytes(size)) << size;
    }
  }
}

// The word at every second byte of the structure set to values that hurt: a status or a program,
// and a program that is read can be written and read again.
TEST(Hostile, DamagedWordsNeverHurt) {
  const Bytes good = sample_file();
  uint64_t program_size = 0;
  std::memcpy(&program_size, good.data() + 16, 8);
  int read_well = 0, refused = 0;
  for (size_t at = 0; at + 4 <= program_size; at += 2) {
    for (uint32_t word : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0xfffcu}) {
      Bytes file = good;
      std::memcpy(file.data() + at, &word, 4);
      const Outcome outcome = read_measured(file);
      EXPECT_LE(outcome.peak, allowed_bytes(file.size()));
      ++(outcome.ok ? read_well : refused);
      if (!outcome.ok) {
        EXPECT_FALSE(outcome.error.place.empty());
        continue;
      }
      auto again = write(read(file).value());
      ASSERT_TRUE(again.ok()) << at << ": " << again.error().place << ": " << again.error().message;
      EXPECT_TRUE(read(again.value()).ok()) << at;
    }
  }
  EXPECT_LT(100, read_well);
  EXPECT_LT(100, refused);
}

// The plan record's bytes, damaged likewise.
TEST(Hostile, DamagedRecordNeverHurts) {
  const Bytes good = sample_file();
  const pte::Program* wire = pte::GetProgram(good.data());
  uint64_t base = 0;
  std::memcpy(&base, good.data() + 24, 8);
  const size_t begin = base + wire->segments()->Get(6)->offset();
  int refused = 0;
  for (size_t at = begin; at + 4 <= good.size(); at += 2) {
    for (uint32_t word : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
      Bytes file = good;
      std::memcpy(file.data() + at, &word, 4);
      const Outcome outcome = read_measured(file);
      EXPECT_LE(outcome.peak, allowed_bytes(file.size()));
      if (outcome.ok) {
        EXPECT_TRUE(write(read(file).value()).ok()) << at;
      } else {
        ++refused;
        EXPECT_FALSE(outcome.error.place.empty());
      }
    }
  }
  EXPECT_LT(100, refused);
}

// 20,000 values that are one list of 20,000 numbers: 240 KB in the file, 3 GB as structs.
TEST(Hostile, SharedPartsDoNotFillTheMemory) {
  flatbuffers::FlatBufferBuilder builder;
  const auto items = builder.CreateVector(std::vector<int64_t>(20000, 0));
  const auto list = pte::CreateIntList(builder, items);
  const auto entry = pte::CreateEValue(builder, pte::KernelTypes::IntList, list.Union());
  const auto values =
      builder.CreateVector(std::vector<flatbuffers::Offset<pte::EValue>>(20000, entry));
  const auto name = builder.CreateString("forward");
  const auto sizes = builder.CreateVector(std::vector<int64_t>{0});
  const auto plan = pte::CreateExecutionPlan(builder, name, 0, values, 0, 0, 0, 0, 0, sizes);
  const auto plans = builder.CreateVector(&plan, 1);
  builder.Finish(pte::CreateProgram(builder, 0, plans), pte::ProgramIdentifier());
  const auto* data = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  const Bytes file(data, data + builder.GetSize());
  const Outcome outcome = read_measured(file);
  EXPECT_FALSE(outcome.ok);
  EXPECT_LE(outcome.peak, allowed_bytes(file.size()));
}

TEST(Hostile, ManyKeysOfOneBlobDoNotFillTheMemory) {
  Program program = add_program();
  program.named_data.push_back({"blob", Bytes(100000), kDefaultAlignment});
  auto good = write(program);
  ASSERT_TRUE(good.ok());
  WireFile wire = take_apart(good.value());
  for (int i = 0; i < 1000; ++i) {
    auto entry = std::make_unique<pte::NamedDataT>(*wire.program->named_data[0]);
    entry->key = "key" + std::to_string(i);
    wire.program->named_data.push_back(std::move(entry));
  }
  const Bytes file = put_together(wire);
  const Outcome outcome = read_measured(file);
  EXPECT_FALSE(outcome.ok);
  EXPECT_LE(outcome.peak, allowed_bytes(file.size()));
}

// Moves a vector of 64-bit numbers to the slack behind the FlatBuffer, its elements between two
// places for such. REQUIRES: the field is there; its elements fit into the slack.
void misplace(Bytes& file, const void* table, int slot, size_t slack_at) {
  const auto* fields = static_cast<const flatbuffers::Table*>(table);
  auto* start = reinterpret_cast<uint8_t*>(file.data());
  const auto field = static_cast<flatbuffers::voffset_t>(4 + 2 * slot);
  const size_t field_at = static_cast<size_t>(fields->GetAddressOf(field) - start);
  uint32_t offset = 0, count = 0;
  std::memcpy(&offset, start + field_at, 4);
  std::memcpy(&count, start + field_at + offset, 4);
  const size_t to = align_up(slack_at, 8);
  std::memmove(start + to, start + field_at + offset, 4 + 8 * size_t{count});
  offset = static_cast<uint32_t>(to - field_at);
  std::memcpy(start + field_at, &offset, 4);
}

// The FlatBuffers library accepts them, and reads where a machine may fault.
TEST(Hostile, NumbersOf64BitsAreAligned) {
  const auto value = [](const pte::Program& p, uint32_t i) -> const void* {
    return p.execution_plan()->Get(0)->values()->Get(i)->val();
  };
  const struct {
    const char* place;
    int slot;
    std::function<const void*(const pte::Program&)> table;
  } cases[] = {
      {"execution_plan[0].values[15].items", 0, [&](auto& p) { return value(p, 15); }},
      {"execution_plan[0].values[16].items", 0, [&](auto& p) { return value(p, 16); }},
      {"execution_plan[0].non_const_buffer_sizes", 8,
       [](auto& p) { return p.execution_plan()->Get(0); }},
      {"constant_segment.offsets", 1, [](auto& p) { return p.constant_segment(); }},
      {"mutable_data_segments[0].offsets", 1,
       [](auto& p) { return p.mutable_data_segments()->Get(0); }},
  };
  for (const auto& misplaced : cases) {
    SCOPED_TRACE(misplaced.place);
    constexpr size_t kSlack = 128;
    Bytes file = put_together(take_apart(sample_file()), 32, kSlack);
    uint64_t program_size = 0;
    std::memcpy(&program_size, file.data() + 16, 8);
    misplace(file, misplaced.table(*pte::GetProgram(file.data())), misplaced.slot,
             static_cast<size_t>(program_size) - kSlack);
    const Outcome outcome = read_measured(file);
    EXPECT_FALSE(outcome.ok);
    EXPECT_EQ(misplaced.place, outcome.error.place);
    EXPECT_EQ("does not begin at a multiple of 8 bytes; 64-bit numbers are aligned",
              outcome.error.message);
  }
}

}  // namespace
}  // namespace berth::program
