#include "program/container.h"

#include <fmt/format.h>

#include <cstring>
#include <string_view>
#include <utility>

#include "contract/checked.h"

namespace berth::program {
namespace {

namespace pte = format::pte;

constexpr size_t kHeadBytes = 64;  // stock loaders read this much first, so no .pte is shorter
constexpr size_t kHeaderAt = 8;
constexpr uint32_t kMinHeaderBytes = 24;  // magic, length, program size, segment base
constexpr uint32_t kDataSizeHeader = 32;  // and the size of the segment data

struct Layout {
  uint64_t program_size = 0;
  uint64_t segment_base = 0;  // 0: no segment has bytes
};

uint64_t read_number(std::span<const std::byte> file, size_t at, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value |= std::to_integer<uint64_t>(file[at + i]) << (8 * i);
  return value;
}

std::string_view read_text(std::span<const std::byte> file, size_t at, size_t bytes) {
  return {reinterpret_cast<const char*>(file.data()) + at, bytes};
}

// The identifier in printable form, for errors.
std::string printable(std::string_view text) {
  std::string out;
  for (char c : text) out += c >= ' ' && c <= '~' ? c : '?';
  return out;
}

MaybeError check_identifier(std::span<const std::byte> file) {
  if (file.size() < kHeadBytes) {
    return Error{"file size",
                 fmt::format("{} bytes; a .pte has at least {}", file.size(), kHeadBytes)};
  }
  const std::string_view identifier = read_text(file, 4, 4);
  if (identifier == pte::ProgramIdentifier()) return {};
  const char* advice =
      identifier.substr(0, 2) == "ET" ? "; this is a .pte of another format version"
      : identifier == "TFL3"          ? "; this is a .tflite: berth compile makes a .pte of it"
                                      : "; this is no .pte file";
  return Error{"file identifier", fmt::format("\"{}\" instead of \"{}\"{}", printable(identifier),
                                              pte::ProgramIdentifier(), advice)};
}

Result<Layout> read_header(std::span<const std::byte> file) {
  Layout layout;
  layout.program_size = file.size();
  if (read_text(file, kHeaderAt, 4) != "eh00") return layout;
  const auto length = static_cast<uint32_t>(read_number(file, kHeaderAt + 4, 4));
  if (length < kMinHeaderBytes || length > file.size() - kHeaderAt) {
    return Error{"extended_header.length", fmt::format("{}; must be {} or more and lie in the file",
                                                       length, kMinHeaderBytes)};
  }
  layout.program_size = read_number(file, kHeaderAt + 8, 8);
  layout.segment_base = read_number(file, kHeaderAt + 16, 8);
  if (layout.program_size < kHeaderAt + length || layout.program_size > file.size()) {
    return Error{"extended_header.program_size",
                 fmt::format("{}; must be {}..{} (header and file size)", layout.program_size,
                             kHeaderAt + length, file.size())};
  }
  if (layout.segment_base > file.size()) {
    return Error{"extended_header.segment_base_offset",
                 fmt::format("{}; the file has {} bytes", layout.segment_base, file.size())};
  }
  if (length >= kDataSizeHeader) {
    const uint64_t data_size = read_number(file, kHeaderAt + 24, 8);
    const uint64_t base = layout.segment_base;
    // No base and a size is a contradiction that stock loaders refuse by the same rule: the data
    // must fit.
    const uint64_t room = base == 0 ? file.size() - layout.program_size : file.size() - base;
    if (data_size > room) {
      return Error{"extended_header.segment_data_size",
                   fmt::format("{}, but {} bytes follow; the file is cut short", data_size, room)};
    }
  }
  return layout;
}

MaybeError find_segments(std::span<const std::byte> file, const Layout& layout,
                         const pte::Program& program,
                         std::vector<std::span<const std::byte>>* out) {
  if (program.segments() == nullptr) return {};
  out->reserve(program.segments()->size());
  for (uint32_t i = 0; i < program.segments()->size(); ++i) {
    const pte::DataSegment& segment = *program.segments()->Get(i);
    if (segment.size() == 0) {
      out->emplace_back();
      continue;
    }
    if (layout.segment_base == 0) {
      return Error{fmt::format("segments[{}].size", i),
                   fmt::format("{}, but the file has no header that says where segments begin",
                               segment.size())};
    }
    uint64_t begin = 0, end = 0;
    if (!checked_add(layout.segment_base, segment.offset(), &begin) ||
        !checked_add(begin, segment.size(), &end) || end > file.size()) {
      return Error{fmt::format("segments[{}]", i),
                   fmt::format("offset {} and size {} from base {}; the file ends at {}",
                               segment.offset(), segment.size(), layout.segment_base, file.size())};
    }
    out->push_back(file.subspan(static_cast<size_t>(begin), static_cast<size_t>(segment.size())));
  }
  return {};
}

}  // namespace

AlignedBytes::AlignedBytes(std::span<const std::byte> bytes)
    : data_(reinterpret_cast<const uint8_t*>(bytes.data())), size_(bytes.size()) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(uint64_t) == 0) return;
  copy_ = std::make_unique<uint64_t[]>(size_ / sizeof(uint64_t) + 1);
  std::memcpy(copy_.get(), bytes.data(), size_);
  data_ = reinterpret_cast<const uint8_t*>(copy_.get());
}

flatbuffers::Verifier::Options verifier_options(size_t bytes) {
  flatbuffers::Verifier::Options options;
  options.max_depth = 64;
  options.max_tables = static_cast<flatbuffers::uoffset_t>(bytes / 8 + 16);
  return options;
}

Result<Container> open_container(std::span<const std::byte> file) {
  if (auto error = check_identifier(file)) return *error;
  auto layout = read_header(file);
  if (!layout.ok()) return layout.error();
  const uint64_t size = layout.value().program_size;
  if (size >= FLATBUFFERS_MAX_BUFFER_SIZE) {
    return Error{"program size", fmt::format("{} bytes; a FlatBuffer has less than 2 GiB", size)};
  }
  AlignedBytes bytes(file.first(static_cast<size_t>(size)));
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), verifier_options(bytes.size()));
  if (!pte::VerifyProgramBuffer(verifier)) {
    return Error{"program", fmt::format("its {} bytes are no sound FlatBuffer: an offset, a length "
                                        "or a string in them is damaged",
                                        size)};
  }
  const pte::Program* program = pte::GetProgram(bytes.data());
  std::vector<std::span<const std::byte>> segments;
  if (auto error = find_segments(file, layout.value(), *program, &segments)) return *error;
  return Container{std::move(bytes), program, std::move(segments), layout.value().segment_base};
}

}  // namespace berth::program
