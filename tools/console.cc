#include "tools/console.h"

#include "compiler/report/printable.h"

namespace berth::tools {

void Console::line(const char* kind, std::string_view file, const Error& error) {
  constexpr size_t kLongest = 4000;  // an error may list every unsupported operator of a model
  std::string text = kind;
  text += ":";
  for (std::string_view part : {file, std::string_view(error.place)}) {
    if (!part.empty()) text += " " + report::printable(part, kLongest) + ":";
  }
  text += " " + report::printable(error.message, kLongest) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace berth::tools
