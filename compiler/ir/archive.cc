#include "compiler/ir/archive.h"

#include <map>
#include <memory>
#include <string>

#include "compiler/ir/stored_zip.h"
#include "compiler/ir/text.h"

namespace berth::ir {
namespace {

constexpr char kTextEntry[] = "module.bir";
constexpr size_t kLeastBlob = 65;  // bytes; less is more readable in the text

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

bool is_archive(const Bytes& file) {
  const std::string_view bytes = text_of(file);
  return bytes.substr(0, 4) == "PK\x03\x04" && bytes.find(kTextEntry) != bytes.npos;
}

Result<Module> read_archive(const Bytes& file) {
  const Result<std::vector<ZipEntry>> entries = read_zip(file);
  if (!entries.ok()) return entries.error();
  Blobs blobs;
  const ZipEntry* text = nullptr;
  for (const ZipEntry& entry : entries.value()) {
    if (entry.name == kTextEntry) {
      text = &entry;
    } else {
      blobs.emplace(entry.name,
                    std::make_shared<const Bytes>(entry.bytes.begin(), entry.bytes.end()));
    }
  }
  if (text == nullptr) return Error{"archive", "has no entry module.bir; not a .bira"};
  Result<Module> module = parse(text_of(text->bytes), blobs);
  if (!module.ok())
    return Error{std::string(kTextEntry) + ", " + module.error().place, module.error().message};
  return module;
}

Result<Bytes> write_archive(const Module& module) {
  std::map<Bytes, std::string> names;
  std::vector<ZipEntry> entries(1);
  PrintOptions options;
  options.keep = [&](const Bytes& bytes) -> std::string {
    if (bytes.size() < kLeastBlob) return "";
    const auto [it, fresh] = names.try_emplace(bytes, "blobs/" + std::to_string(names.size()));
    if (fresh) entries.push_back({it->second, it->first});
    return it->second;
  };
  const std::string text = print(module, options);
  entries[0] = {kTextEntry, std::as_bytes(std::span(text.data(), text.size()))};
  return write_zip(entries);
}

}  // namespace berth::ir
