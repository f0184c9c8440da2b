// Files in and out. Reading takes the whole file; writing puts all outputs of a command there or
// none of them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "contract/result.h"

namespace berth::tools {

using Bytes = std::vector<std::byte>;

// The error has no place: the caller names the file.
Result<Bytes> read_file(const std::string& path);

inline std::string_view as_text(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
Bytes as_bytes(std::string_view text);

bool ends_with(std::string_view text, std::string_view suffix);

// "kws" for "out/kws.pte".
std::string file_stem(const std::string& path);

// Gathers outputs, then writes them: first every file under a temporary name beside its place, then
// all renames. A failure before the renames leaves older files as they were and no temporary file
// behind. Links are followed: what they lead to is replaced, never the link. Pipes, devices and
// what a descriptor's name stands for (/dev/stdout, /dev/fd/3) are written to as they are.
class OutputFiles {
 public:
  void add(std::string path, Bytes bytes);
  // What the command has read: no output may replace it. An empty path is ignored.
  void keep(std::string path) { kept_.push_back(std::move(path)); }
  // The error's place is the file.
  MaybeError commit();

 private:
  struct File {
    std::string path;
    Bytes bytes;
    std::string place;      // where links lead
    std::string temporary;  // empty: nothing to clean up
  };
  MaybeError check_paths() const;
  void remove_temporaries();
  std::vector<File> files_;
  std::vector<std::string> kept_;
};

}  // namespace berth::tools
