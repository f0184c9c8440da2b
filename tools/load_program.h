// A .pte as the tools look at it: read, analysed, reported.
#pragma once

#include <optional>
#include <string>

#include "compiler/report/report.h"
#include "program/bundled_program.h"
#include "program/program.h"
#include "tools/files.h"

namespace berth::tools {

// Moved, never copied: the program's blobs lie in `bytes`.
struct LoadedFile {
  LoadedFile() = default;
  LoadedFile(LoadedFile&&) = default;
  LoadedFile& operator=(LoadedFile&&) = default;

  Bytes bytes;                                    // of the program, also of a bundled one
  std::optional<program::BundledProgram> bundle;  // its tests; the program's bytes are taken out
  program::Program program;  // without a record, plans are what the instructions say
  report::Report report;
  MaybeError plan_error;  // what is wrong with the plan, when something is
};

// The proof of a program's plan, whoever made it: its lifetimes are found anew from the
// instructions, and no two live values may overlap. Storages of a file without a record become its
// buffers on the way. The error names values and moment.
MaybeError analyse_plan(program::Program* program);

// The error has no file: the caller names it.
Result<LoadedFile> load_program(const std::string& path);

// The same of bytes that are, or will be, the file `path`.
Result<LoadedFile> analyse_file(Bytes bytes, const std::string& path);

}  // namespace berth::tools
