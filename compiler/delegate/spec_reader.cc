#include "compiler/delegate/spec_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "compiler/target/byte_size.h"
#include "compiler/target/nearest.h"

namespace berth::delegate {

std::optional<std::string> SpecReader::text(const std::string& key) {
  keys_.push_back(key);
  const ir::CompileSpec* spec = find_spec(specs_, key);
  return spec == nullptr ? std::nullopt : std::optional(text_of(*spec));
}

std::optional<uint32_t> SpecReader::number(const std::string& key, uint32_t least, uint32_t most) {
  const std::optional<std::string> word = text(key);
  if (!word) return {};
  uint32_t value = 0;
  const char* const last = word->data() + word->size();
  const auto [end, code] = std::from_chars(word->data(), last, value);
  if (code == std::errc() && end == last && value >= least && value <= most) return value;
  const std::string range = least + 1 == most ? std::to_string(least) + " or "
                                              : "a number from " + std::to_string(least) + " to ";
  refuse(key, "is \"" + *word + "\"; " + range + std::to_string(most));
  return {};
}

std::optional<uint32_t> SpecReader::bytes(const std::string& key) {
  const std::optional<std::string> word = text(key);
  if (!word) return {};
  const Result<uint64_t> size = target::parse_byte_size(*word);
  if (size.ok() && size.value() <= UINT32_MAX) return static_cast<uint32_t>(size.value());
  refuse(key, "is \"" + *word + "\"; bytes like 4096, 64KiB or 2MiB, up to " +
                  std::to_string(UINT32_MAX));
  return {};
}

void SpecReader::needs(const std::string& key, const std::string& other) {
  if (find_spec(specs_, key) == nullptr || find_spec(specs_, other) != nullptr) return;
  refuse(key, "is given without " + other + ", and says nothing without it");
}

void SpecReader::refuse(const std::string& key, std::string message) {
  if (!error_) error_ = Error{"compile spec " + key, std::move(message)};
}

MaybeError SpecReader::finish() const {
  for (const ir::CompileSpec& spec : specs_) {
    if (std::find(keys_.begin(), keys_.end(), spec.key) == keys_.end()) {
      return Error{"compile spec " + spec.key, "is unknown; there are " + target::name_list(keys_)};
    }
  }
  return error_;
}

}  // namespace berth::delegate
