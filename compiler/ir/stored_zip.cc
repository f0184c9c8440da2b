#include "compiler/ir/stored_zip.h"

#include <array>
#include <cstdint>
#include <set>
#include <utility>

namespace berth::ir {
namespace {

using Bytes = std::vector<std::byte>;
using View = std::span<const std::byte>;

constexpr uint32_t kLocal = 0x04034b50, kDirectory = 0x02014b50, kEnd = 0x06054b50;
constexpr size_t kLocalBytes = 30, kDirectoryBytes = 46, kEndBytes = 22;
constexpr uint16_t kUtf8Names = 1 << 11, kEncrypted = 1;
constexpr uint16_t kVersion = 20;  // that can store and nothing else
constexpr uint16_t kDate = 0x21;   // 1980-01-01, the first that there is
constexpr uint64_t kMost = UINT32_MAX;

// CRC-32 as in IEEE 802.3, a byte at a time.
uint32_t crc_of(View bytes) {
  static const std::array<uint32_t, 256> kTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) * 0xedb88320u);
      table[i] = value;
    }
    return table;
  }();
  uint32_t crc = UINT32_MAX;
  for (const std::byte byte : bytes) crc = kTable[(crc ^ uint32_t(byte)) & 255] ^ (crc >> 8);
  return ~crc;
}

// Little-endian numbers. REQUIRES: they are inside.
uint32_t number_at(View bytes, size_t at, size_t size) {
  uint32_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | uint32_t(bytes[at + i]);
  return value;
}
uint32_t u32_at(View bytes, size_t at) { return number_at(bytes, at, 4); }
uint32_t u16_at(View bytes, size_t at) { return number_at(bytes, at, 2); }

void put(Bytes* out, uint32_t value, size_t size) {
  for (size_t i = 0; i < size; ++i) out->push_back(static_cast<std::byte>(value >> (8 * i) & 255));
}
void put_u16(Bytes* out, uint32_t value) { put(out, value, 2); }
void put_u32(Bytes* out, uint32_t value) { put(out, value, 4); }
void put_text(Bytes* out, const std::string& text) {
  for (const char c : text) out->push_back(static_cast<std::byte>(c));
}

// What an entry's header and its line in the directory both say, from the version on.
void put_common(Bytes* out, const ZipEntry& entry, uint32_t crc) {
  put_u16(out, kVersion);
  put_u16(out, kUtf8Names);
  put_u16(out, 0);  // stored
  put_u16(out, 0);  // midnight
  put_u16(out, kDate);
  put_u32(out, crc);
  put_u32(out, static_cast<uint32_t>(entry.bytes.size()));  // stored
  put_u32(out, static_cast<uint32_t>(entry.bytes.size()));  // itself
  put_u16(out, static_cast<uint32_t>(entry.name.size()));
  put_u16(out, 0);  // no extra field
}

class ZipReader {
 public:
  explicit ZipReader(View file) : file_(file) {}

  Result<std::vector<ZipEntry>> run() {
    if (file_.size() < kEndBytes || u32_at(file_, file_.size() - kEndBytes) != kEnd)
      return Error{"archive", "does not end as a zip file does: cut short, or with a comment"};
    const size_t end = file_.size() - kEndBytes;
    const uint32_t count = u16_at(file_, end + 10);
    const uint64_t bytes = u32_at(file_, end + 12), begin = u32_at(file_, end + 16);
    if (u32_at(file_, end + 4) != 0 || u16_at(file_, end + 8) != count ||
        u16_at(file_, end + 20) != 0) {
      return Error{"archive", "is one of several disks, or ends in a comment"};
    }
    if (begin > end || bytes != end - begin)
      return Error{"archive", "has its directory of " + std::to_string(bytes) + " bytes at " +
                                  std::to_string(begin) + "; it ends where the file's last " +
                                  std::to_string(kEndBytes) + " bytes begin"};
    std::vector<ZipEntry> entries;
    at_ = static_cast<size_t>(begin);
    end_ = end;
    room_ = file_.size();
    for (uint32_t i = 0; i < count; ++i) {
      if (auto error = read_line(i, &entries)) return *error;
    }
    if (at_ != end_) return Error{"archive", "has a directory longer than its entries"};
    return entries;
  }

 private:
  MaybeError read_line(uint32_t i, std::vector<ZipEntry>* out) {
    const std::string place = "entry " + std::to_string(i);
    if (end_ - at_ < kDirectoryBytes || u32_at(file_, at_) != kDirectory)
      return Error{place, "is not in the directory, which ends before"};
    const uint32_t flags = u16_at(file_, at_ + 8), method = u16_at(file_, at_ + 10);
    const uint32_t crc = u32_at(file_, at_ + 16);
    const uint64_t stored = u32_at(file_, at_ + 20), size = u32_at(file_, at_ + 24);
    const uint64_t name = u16_at(file_, at_ + 28);
    const uint64_t rest = name + u16_at(file_, at_ + 30) + u16_at(file_, at_ + 32);
    const uint64_t local = u32_at(file_, at_ + 42);
    if (rest > end_ - at_ - kDirectoryBytes) return Error{place, "has a name that is cut short"};
    ZipEntry entry;
    for (size_t c = 0; c < name; ++c)
      entry.name.push_back(static_cast<char>(file_[at_ + kDirectoryBytes + c]));
    at_ += kDirectoryBytes + static_cast<size_t>(rest);
    if ((flags & kEncrypted) != 0 || method != 0 || stored != size)
      return Error{place, "is compressed or encrypted; entries are stored as they are"};
    if (local > file_.size() - kEndBytes || file_.size() - local < kLocalBytes ||
        u32_at(file_, static_cast<size_t>(local)) != kLocal) {
      return Error{place, "begins at " + std::to_string(local) + ", where no entry does"};
    }
    const auto header = static_cast<size_t>(local);
    const uint64_t begin =
        local + kLocalBytes + u16_at(file_, header + 26) + u16_at(file_, header + 28);
    if (begin > file_.size() || size > file_.size() - begin || size > room_)
      return Error{place, "has " + std::to_string(size) + " bytes, more than the file has for it"};
    room_ -= size;
    entry.bytes = file_.subspan(static_cast<size_t>(begin), static_cast<size_t>(size));
    if (crc_of(entry.bytes) != crc) return Error{place, "has other bytes than its checksum says"};
    if (!names_.insert(entry.name).second) return Error{place, "is the second of its name"};
    out->push_back(std::move(entry));
    return {};
  }

  View file_;
  size_t at_ = 0, end_ = 0;  // in the directory
  uint64_t room_ = 0;        // bytes that entries may still have
  std::set<std::string> names_;
};

}  // namespace

Result<std::vector<ZipEntry>> read_zip(View file) { return ZipReader(file).run(); }

Result<Bytes> write_zip(const std::vector<ZipEntry>& entries) {
  uint64_t total = kEndBytes;
  for (const ZipEntry& entry : entries)
    total += kLocalBytes + kDirectoryBytes + 2 * entry.name.size() + entry.bytes.size();
  if (total > kMost || entries.size() > UINT16_MAX)
    return Error{"archive", "would have " + std::to_string(total) + " bytes in " +
                                std::to_string(entries.size()) +
                                " entries; a zip file has at most 4 GiB and 65535"};
  Bytes out, directory;
  out.reserve(static_cast<size_t>(total));
  for (const ZipEntry& entry : entries) {
    const auto at = static_cast<uint32_t>(out.size());
    const uint32_t crc = crc_of(entry.bytes);
    put_u32(&out, kLocal);
    put_common(&out, entry, crc);
    put_text(&out, entry.name);
    out.insert(out.end(), entry.bytes.begin(), entry.bytes.end());
    put_u32(&directory, kDirectory);
    put_u16(&directory, kVersion);
    put_common(&directory, entry, crc);
    put_u16(&directory, 0);  // no comment
    put_u16(&directory, 0);  // on the first disk
    put_u16(&directory, 0);  // no attributes
    put_u32(&directory, 0);
    put_u32(&directory, at);
    put_text(&directory, entry.name);
  }
  const auto begin = static_cast<uint32_t>(out.size());
  out.insert(out.end(), directory.begin(), directory.end());
  put_u32(&out, kEnd);
  put_u32(&out, 0);  // one disk
  put_u16(&out, static_cast<uint32_t>(entries.size()));
  put_u16(&out, static_cast<uint32_t>(entries.size()));
  put_u32(&out, static_cast<uint32_t>(directory.size()));
  put_u32(&out, begin);
  put_u16(&out, 0);  // no comment
  return out;
}

}  // namespace berth::ir
