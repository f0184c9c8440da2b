// What a person or a script sees: results on stdout, everything else on stderr, one line each, and
// the exit code.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "contract/result.h"

namespace berth::tools {

enum ExitCode : int {
  kDone = 0,
  kRefused = 1,      // the input: bad file, unsupported operator, does not fit
  kUsage = 2,        // the command line
  kCheckFailed = 3,  // a check that was asked for
  kBug = 70,         // ours
};

class Console {
 public:
  bool quiet = false;
  bool verbose = false;

  // "error: FILE: PLACE: what is wrong; what would be right". Parts that are empty are left out.
  void error(std::string_view file, const Error& error) const { line("error", file, error); }
  void error(std::string_view file, std::string_view message) const {
    line("error", file, {"", std::string(message)});
  }
  // Silent with -q.
  void note(std::string_view file, const Error& note) const {
    if (!quiet) line("note", file, note);
  }
  // A line on stderr that is neither, for --time and -v.
  void remark(const std::string& text) const { std::fprintf(stderr, "%s\n", text.c_str()); }
  // Result text on stdout.
  void print(const std::string& text) const { std::fwrite(text.data(), 1, text.size(), stdout); }

 private:
  static void line(const char* kind, std::string_view file, const Error& error);
};

}  // namespace berth::tools
