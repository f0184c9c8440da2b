#include "program/read.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "program/program_test_util.h"
#include "program/wire_edit.h"

namespace berth::program {
namespace {

namespace fs = std::filesystem;

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

TEST(Read, OlderInlineConstantsReadLikeASegment) {
  const Program expected = must_read(must_write(sample_program()));
  WireFile wire = take_apart(must_write(sample_program()));
  const auto offsets = wire.program->constant_segment->offsets;
  const auto segment = *wire.program->segments[0];
  wire.program->constant_segment.reset();
  wire.program->segments[0]->size = 0;
  for (uint64_t offset : offsets) {
    auto buffer = std::make_unique<format::pte::BufferT>();
    const size_t count = wire.program->constant_buffer.empty() ? 0 : segment.size - offset;
    buffer->storage.resize(count);
    for (size_t i = 0; i < count; ++i) {
      buffer->storage[i] = std::to_integer<uint8_t>(wire.data[segment.offset + offset + i]);
    }
    wire.program->constant_buffer.push_back(std::move(buffer));
  }
  const Program program = must_read(put_together(wire));
  // Two views of the first are pieces of their own here.
  ASSERT_EQ(3u, program.constants.size());
  auto bytes_of_value = [](const Program& p, size_t value) {
    const Tensor& tensor = *p.methods[0].values[value].tensor();
    const Storage& storage = p.methods[0].storages[static_cast<size_t>(tensor.storage)];
    uint64_t nbytes = 0;
    EXPECT_TRUE(tensor_nbytes(tensor, &nbytes));
    const auto begin = p.constants[static_cast<size_t>(storage.data)].begin() +
                       static_cast<std::ptrdiff_t>(tensor.offset);
    return Bytes(begin, begin + static_cast<std::ptrdiff_t>(nbytes));
  };
  for (size_t value : {4u, 5u, 20u}) {
    EXPECT_EQ(bytes_of_value(expected, value), bytes_of_value(program, value)) << value;
  }
  EXPECT_EQ(program, must_read(must_write(program)));
}

TEST(Read, InlineBlobsReadLikeThoseInSegments) {
  const Program expected = must_read(must_write(sample_program()));
  WireFile wire = take_apart(must_write(sample_program()));
  auto blob = std::make_unique<format::pte::BackendDelegateInlineDataT>();
  for (std::byte b : expected.delegate_data[0]) blob->data.push_back(std::to_integer<uint8_t>(b));
  wire.program->backend_delegate_data.push_back(std::move(blob));
  for (size_t i = 0; i < 2; ++i) {
    auto& processed = *wire.program->execution_plan[0]->delegates[i]->processed;
    processed.location = format::pte::DataLocation::INLINE;
    processed.index = 0;
  }
  wire.program->segments[2]->size = 0;  // where it was
  EXPECT_EQ(expected, must_read(put_together(wire)));
}

bool lies_in(const Blob& blob, const Bytes& file) {
  return blob.data() >= file.data() && blob.data() + blob.size() <= file.data() + file.size();
}

TEST(Read, InPlaceBlobsStayWhereTheyAre) {
  const Bytes file = must_write(sample_program());
  const Result<Program> program = read_in_place(file);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(must_read(file), program.value());
  EXPECT_TRUE(lies_in(program.value().constants[0], file));
  EXPECT_TRUE(lies_in(program.value().mutable_data[0], file));
  EXPECT_TRUE(lies_in(program.value().delegate_data[0], file));
  EXPECT_FALSE(lies_in(must_read(file).constants[0], file));
}

// A FlatBuffer at an odd address is read from a copy, which does not outlive the reading.
TEST(Read, InPlaceBlobsOfAnUnalignedFlatBufferAreCopied) {
  WireFile wire = take_apart(must_write(sample_program()));
  auto blob = std::make_unique<format::pte::BackendDelegateInlineDataT>();
  blob->data.assign(40, 7);
  wire.program->backend_delegate_data.push_back(std::move(blob));
  for (size_t i = 0; i < 2; ++i) {
    auto& processed = *wire.program->execution_plan[0]->delegates[i]->processed;
    processed.location = format::pte::DataLocation::INLINE;
    processed.index = 0;
  }
  wire.program->segments[2]->size = 0;  // where it was
  Bytes moved = put_together(wire);
  moved.insert(moved.begin(), std::byte{0});
  const auto program = read_in_place(std::span(moved).subspan(1));
  ASSERT_TRUE(program.ok()) << program.error().place << ": " << program.error().message;
  EXPECT_FALSE(lies_in(program.value().delegate_data[0], moved));
  EXPECT_EQ(Blob(Bytes(40, std::byte{7})), program.value().delegate_data[0]);
}

TEST(Read, OffsetsAbove4GiBAreReadWhole) {
  Program program = sample_program();
  Method& m = program.methods[0];
  m.pools[0].bytes = uint64_t{6} << 30;
  m.storages[0].offset = (uint64_t{5} << 30) + 64;
  const Program again = must_read(must_write(program));
  EXPECT_EQ((uint64_t{5} << 30) + 64, again.methods[0].storages[0].offset);
}

TEST(Read, StateWithExternalBytesIsState) {
  Program program = sample_program();
  Method& m = program.methods[0];
  m.storages[2].data = -1;
  m.values[2].tensor()->external = true;
  program.mutable_data.clear();
  for (bool record : {true, false}) {
    WriteOptions options;
    options.record = record;
    const Program again = must_read(must_write(program, options));
    const Tensor& tensor = *again.methods[0].values[2].tensor();
    EXPECT_TRUE(tensor.external);
    EXPECT_EQ(StorageKind::kState,
              again.methods[0].storages[static_cast<size_t>(tensor.storage)].kind);
  }
}

// Without a record: same place and size, same storage; the role is what the interface shows.
TEST(Read, StoragesWithoutARecordFollowPlaces) {
  Program program = add_program();
  Method& m = program.methods[0];
  m.values.push_back(m.values[0]);  // 4: all of the first input
  m.values.push_back(m.values[0]);  // 5: half of it
  m.values.back().tensor()->sizes = {1, 2};
  const Program again = must_read(must_write(program));
  const Method& read_back = again.methods[0];
  ASSERT_EQ(4u, read_back.storages.size());
  EXPECT_EQ(read_back.values[0].tensor()->storage, read_back.values[4].tensor()->storage);
  EXPECT_NE(read_back.values[0].tensor()->storage, read_back.values[5].tensor()->storage);
  EXPECT_EQ(Role::kInput, read_back.storages[0].role);
  EXPECT_EQ(Role::kOutput, read_back.storages[2].role);
  EXPECT_EQ(Role::kActivation, read_back.storages[3].role);
}

TEST(Read, RepointedValueOfARecordStaysTheCallers) {
  Program program = sample_program();
  program.methods[0].instructions[3].call = MoveCall{0, 7};
  program.methods[0].plan->value_buffer[7] = 0;
  const Program again = must_read(must_write(program));
  const Method& m = again.methods[0];
  EXPECT_EQ(StorageKind::kCaller,
            m.storages[static_cast<size_t>(m.values[7].tensor()->storage)].kind);
  EXPECT_EQ(0, m.plan->value_buffer[7]);
}

TEST(Read, FieldsOfANewerFormatAreNamed) {
  // A program whose tables have one field more than ours: the same, with a vtable made by hand.
  flatbuffers::FlatBufferBuilder builder;
  namespace pte = format::pte;
  const auto args = builder.CreateVector(std::vector<int32_t>());
  const auto start = builder.StartTable();
  builder.AddOffset(pte::DelegateCall::VT_ARGS, args);
  builder.AddElement<uint32_t>(8, 7, 0);  // slot 2, as a later release may have it
  const flatbuffers::Offset<pte::DelegateCall> call(builder.EndTable(start));
  const auto instruction =
      pte::CreateInstruction(builder, pte::InstructionArguments::DelegateCall, call.Union());
  const auto instructions = builder.CreateVector(&instruction, 1);
  const auto chain_inputs = builder.CreateVector(std::vector<int32_t>{5});
  const auto chain = pte::CreateChain(builder, chain_inputs, 0, instructions);
  const auto chains = builder.CreateVector(&chain, 1);
  const auto id = builder.CreateString("Npu");
  const auto processed = pte::CreateBackendDelegateDataReference(builder);
  const auto delegate = pte::CreateBackendDelegate(builder, id, processed);
  const auto delegates = builder.CreateVector(&delegate, 1);
  const auto name = builder.CreateString("forward");
  const auto none = builder.CreateVector(std::vector<int32_t>());
  const auto values = builder.CreateVector(std::vector<flatbuffers::Offset<pte::EValue>>());
  const auto sizes = builder.CreateVector(std::vector<int64_t>{0});
  const auto plan =
      pte::CreateExecutionPlan(builder, name, 0, values, none, none, chains, 0, delegates, sizes);
  const auto plans = builder.CreateVector(&plan, 1);
  const auto blob = pte::CreateBackendDelegateInlineData(builder);
  const auto blobs = builder.CreateVector(&blob, 1);
  builder.Finish(pte::CreateProgram(builder, 0, plans, 0, blobs), pte::ProgramIdentifier());
  const auto* data = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  const Program program = must_read(Bytes(data, data + builder.GetSize()));
  const std::vector<std::string> expected = {
      "execution_plan[0].chains[0].inputs (unused by all known runtimes, but not empty)",
      "execution_plan[0].chains[0].instructions[0].instr_args slot 2"};
  EXPECT_EQ(expected, program.unknown_fields);
  EXPECT_TRUE(std::get<DelegateCall>(program.methods[0].instructions[0].call).newer_fields);
}

TEST(Read, BytesThatNothingRefersToAreNamed) {
  WireFile wire = take_apart(must_write(sample_program()));
  wire.program->segments.push_back(
      std::make_unique<format::pte::DataSegmentT>(*wire.program->segments[5]));
  const Program program = must_read(put_together(wire));
  EXPECT_EQ(std::vector<std::string>{"segments[7] (nothing refers to it)"}, program.unknown_fields);
}

}  // namespace
}  // namespace berth::program
