// A .pte as the tools look at it: read, analysed, reported.
#pragma once

#include <string>

#include "compiler/report/report.h"
#include "program/program.h"
#include "tools/files.h"

namespace berth::tools {

struct LoadedFile {
  Bytes bytes;
  program::Program
      program;  // without a record, each method's plan is filled with what its instructions say
  report::Report report;
  MaybeError plan_error;  // what is wrong with the plan, when something is
};

// The error has no file: the caller names it.
Result<LoadedFile> load_program(const std::string& path);

// The same of bytes that are, or will be, the file `path`.
Result<LoadedFile> analyse_file(Bytes bytes, const std::string& path);

}  // namespace berth::tools
