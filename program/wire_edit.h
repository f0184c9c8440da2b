// For tests: a .pte taken apart into plain objects (of the FlatBuffers library), changed at will,
// put together again.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "format/program_generated.h"
#include "program/program.h"

namespace berth::program {

struct WireFile {
  std::unique_ptr<format::pte::ProgramT> program;
  Bytes data;  // what follows the segment base
};

// REQUIRES: a sound file.
inline WireFile take_apart(const Bytes& file) {
  WireFile out;
  out.program = format::pte::UnPackProgram(file.data());
  uint64_t base = 0;
  if (std::memcmp(file.data() + 8, "eh00", 4) == 0) std::memcpy(&base, file.data() + 24, 8);
  if (base != 0) out.data.assign(file.begin() + static_cast<std::ptrdiff_t>(base), file.end());
  return out;
}

// The FlatBuffer alone, without a header.
inline Bytes pack(const format::pte::ProgramT& program) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(format::pte::Program::Pack(builder, &program), format::pte::ProgramIdentifier());
  const auto* data = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  return Bytes(data, data + builder.GetSize());
}

// `header_bytes` 24, 32 or more: the header's length field; what it takes is rounded up to 16.
// `slack` zeros follow the FlatBuffer and count as its own.
inline Bytes put_together(const WireFile& file, uint32_t header_bytes = 32, size_t slack = 0) {
  Bytes inner = pack(*file.program);
  inner.resize(inner.size() + slack);
  const uint64_t padded = align_up(header_bytes, 16);
  const uint64_t program_size = inner.size() + padded;
  const uint64_t base = align_up(program_size, 128);
  const uint64_t data_size = file.data.size();
  Bytes out(base + data_size);
  std::memcpy(out.data(), inner.data(), 8);
  uint32_t root = 0;
  std::memcpy(&root, inner.data(), 4);
  root += static_cast<uint32_t>(padded);
  std::memcpy(out.data(), &root, 4);
  std::memcpy(out.data() + 8, "eh00", 4);
  std::memcpy(out.data() + 12, &header_bytes, 4);
  std::memcpy(out.data() + 16, &program_size, 8);
  std::memcpy(out.data() + 24, &base, 8);
  if (header_bytes >= 32) std::memcpy(out.data() + 32, &data_size, 8);
  std::memcpy(out.data() + 8 + padded, inner.data() + 8, inner.size() - 8);
  if (data_size != 0) std::memcpy(out.data() + base, file.data.data(), data_size);
  return out;
}

// Takes the field of `slot` away from one table: gives it a vtable of its own, in the slack at
// `slack_at`.
template <typename T>
void take_away(Bytes& file, const T* table, int slot, size_t slack_at) {
  const auto* start = reinterpret_cast<const uint8_t*>(file.data());
  const uint8_t* vtable = reinterpret_cast<const flatbuffers::Table*>(table)->GetVTable();
  uint16_t size = 0;
  std::memcpy(&size, vtable, 2);
  std::memcpy(file.data() + slack_at, vtable, size);
  std::memset(file.data() + slack_at + 4 + 2 * slot, 0, 2);
  const auto table_at = reinterpret_cast<const uint8_t*>(table) - start;
  const auto distance = static_cast<int32_t>(table_at - static_cast<std::ptrdiff_t>(slack_at));
  std::memcpy(file.data() + table_at, &distance, 4);
}

}  // namespace berth::program
