// The files of boards/ as text, so that the command needs no folder beside it. CMake writes the
// table.
#pragma once

#include <cstddef>

namespace berth::target {

struct BoardFile {
  const char* name;  // the file's name without .toml
  const char* text;
};

extern const BoardFile kBoardFiles[];
extern const size_t kBoardFileCount;

}  // namespace berth::target
