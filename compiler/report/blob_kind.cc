// Headers as the stock backends write them (executorch 1.5.1):
//
//   XNNPACK   4 bytes, "XH00", u16 header size, u32 graph offset, u32 graph size, u32 constants
//             offset, u64 constants size; the graph is a FlatBuffer "XNnn". Older ones begin with
//             the graph itself
//   Vulkan    the same fields behind "VH00": graph, then constants and shaders
//   Vela      blocks of a name (16 bytes), u32 size, 12 bytes, data padded to 16; the first is
//             "vela_bin_stream"
//   demo      text: a digit, "version:"
//
// and as ours do: contract/blob_magics.h.
#include "compiler/report/blob_kind.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "contract/blob_magics.h"

namespace berth::report {
namespace {

using Blob = std::span<const std::byte>;

bool has_text(Blob blob, uint64_t at, std::string_view text) {
  return at <= blob.size() && blob.size() - at >= text.size() &&
         std::equal(text.begin(), text.end(), blob.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char c, std::byte b) { return static_cast<std::byte>(c) == b; });
}

// Little-endian. 0 where the blob ends before it.
uint64_t read_number(Blob blob, uint64_t at, uint32_t size) {
  if (at > blob.size() || blob.size() - at < size) return 0;
  uint64_t number = 0;
  for (uint32_t i = 0; i < size; ++i)
    number |= std::to_integer<uint64_t>(blob[static_cast<size_t>(at + i)]) << (8 * i);
  return number;
}

void add_part(Blob blob, const char* name, uint64_t begin, uint64_t size, BlobKind* kind) {
  if (begin <= blob.size() && size <= blob.size() - begin) kind->parts.push_back({name, size});
}

// The two kinds with a header of that layout.
BlobKind read_headed(Blob blob, const char* name, const char* rest) {
  BlobKind kind{name, {}};
  add_part(blob, "graph", read_number(blob, 10, 4), read_number(blob, 14, 4), &kind);
  add_part(blob, rest, read_number(blob, 18, 4), read_number(blob, 22, 8), &kind);
  return kind;
}

BlobKind read_vela(Blob blob, const char* name_of_kind) {
  constexpr uint64_t kNameSize = 16, kHeaderSize = 32, kAlignment = 16, kMostBlocks = 64;
  BlobKind kind{name_of_kind, {}};
  for (uint64_t at = 0; blob.size() - at >= kHeaderSize && kind.parts.size() < kMostBlocks;) {
    std::string name;
    for (uint64_t i = 0; i < kNameSize && blob[static_cast<size_t>(at + i)] != std::byte{0}; ++i) {
      const char c = static_cast<char>(blob[static_cast<size_t>(at + i)]);
      if (c < ' ' || c > '~') return kind;
      name += c;
    }
    const uint64_t size = read_number(blob, at + kNameSize, 4);
    at += kHeaderSize;
    if (size > blob.size() - at) break;
    if (name == "scratch_size") {  // the block's number is what matters, not that it has 4 bytes
      kind.parts.push_back({"scratch", read_number(blob, at, 4)});
    } else if (size > 0) {
      kind.parts.push_back({name, size});
    }
    const uint64_t padded = (size + kAlignment - 1) / kAlignment * kAlignment;
    if (padded > blob.size() - at) break;
    at += padded;
  }
  return kind;
}

// All kinds, told by the text at a place; the first that fits.
struct Known {
  uint64_t at;
  std::string_view text;
  const char* name;
  BlobKind (*read)(Blob, const char* name);
};
BlobKind read_nothing(Blob, const char* name) { return {name, {}}; }
constexpr Known kKnown[] = {
    {4, "XH00", "xnnpack", [](Blob b, const char* n) { return read_headed(b, n, "constants"); }},
    {4, "VH00", "vulkan",
     [](Blob b, const char* n) { return read_headed(b, n, "constants and shaders"); }},
    {4, "XN0", "xnnpack",
     [](Blob b, const char* n) {
       return BlobKind{n, {{"graph", b.size()}}};
     }},
    {0, std::string_view("vela_bin_stream\0", 16), "vela", read_vela},
    {1, "version:", "demo", read_nothing},
    {0, kReferenceMagic, "reference", read_nothing},
    {0, kOnednnMagic, "onednn", read_nothing},
};

}  // namespace

BlobKind recognise_blob(Blob blob) {
  for (const Known& known : kKnown) {
    if (has_text(blob, known.at, known.text)) return known.read(blob, known.name);
  }
  return {};
}

}  // namespace berth::report
