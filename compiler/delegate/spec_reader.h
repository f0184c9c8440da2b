// What the user said behind `--backend ID,`, for backends to read: ask for each key that there is,
// then finish(), which knows whether something is left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/delegate/compile_backend.h"

namespace berth::delegate {

class SpecReader {
 public:
  // `specs` outlives the reader.
  explicit SpecReader(const CompileSpecs& specs) : specs_(specs) {}

  // The value of a key, where there is one.
  std::optional<std::string> text(const std::string& key);
  // The same as a number from `least` to `most`; anything else is an error, which finish() tells.
  std::optional<uint32_t> number(const std::string& key, uint32_t least, uint32_t most);
  // The same of bytes, also as "64KiB" or "2MiB".
  std::optional<uint32_t> bytes(const std::string& key);
  bool flag(const std::string& key) { return number(key, 0, 1).value_or(0) == 1; }

  // A key that says something only beside another one: alone it is an error.
  void needs(const std::string& key, const std::string& other);

  // The first error: a value that cannot be read, or a key that nobody asked for.
  MaybeError finish() const;

 private:
  void refuse(const std::string& key, std::string message);

  const CompileSpecs& specs_;
  std::vector<std::string> keys_;
  MaybeError error_;
};

}  // namespace berth::delegate
