// Zip files whose entries are stored as they are: the container of archives. Read and written here,
// since that much of the format is a page; what is compressed, encrypted, split over disks or
// larger than 4 GiB is refused. (The format: PKWARE's APPNOTE.TXT, 4.3.)
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "contract/result.h"

namespace berth::ir {

struct ZipEntry {
  std::string name;
  std::span<const std::byte> bytes;  // the caller's: of the file, when read
};

// Entries in the order of the directory at the file's end. Checks every number against the file,
// and the sums; all entries together are no larger than it. The error's place is the entry.
Result<std::vector<ZipEntry>> read_zip(std::span<const std::byte> file);

// The same entries, the same bytes: no clock, no names of systems or users. Fails above 4 GiB or
// 65535 entries.
Result<std::vector<std::byte>> write_zip(const std::vector<ZipEntry>& entries);

}  // namespace berth::ir
