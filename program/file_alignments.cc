#include "program/file_alignments.h"

#include <algorithm>
#include <map>
#include <string>

#include "program/container.h"
#include "program/rules.h"

namespace berth::program {
namespace {

// Grain of a number of offsets; 0 has them all.
class Grain {
 public:
  void add(uint64_t offset) { bits_ |= offset; }
  uint32_t alignment(uint32_t least) const {
    uint64_t alignment = least;
    while (alignment < kMaxAlignment && (bits_ & (2 * alignment - 1)) == 0) alignment *= 2;
    return static_cast<uint32_t>(alignment);
  }
  bool is_empty() const { return bits_ == 0; }

 private:
  uint64_t bits_ = 0;
};

}  // namespace

WriteOptions find_alignments(std::span<const std::byte> file, Program* program) {
  WriteOptions options;
  const auto container = open_container(file);
  if (!container.ok()) return options;
  const format::pte::Program& wire = *container.value().program;
  const auto offset_of = [&](uint32_t segment) {
    return wire.segments() != nullptr && segment < wire.segments()->size()
               ? wire.segments()->Get(segment)->offset()
               : 0;
  };

  Grain segments;
  segments.add(container.value().segment_base);
  if (wire.segments() != nullptr) {
    for (uint32_t i = 0; i < wire.segments()->size(); ++i) {
      if (wire.segments()->Get(i)->size() != 0) segments.add(offset_of(i));
    }
  }
  if (!segments.is_empty()) options.segment_alignment = segments.alignment(kDefaultAlignment);

  Grain constants;
  if (wire.constant_segment() != nullptr && wire.constant_segment()->offsets() != nullptr) {
    for (uint64_t offset : *wire.constant_segment()->offsets()) constants.add(offset);
  }
  if (!constants.is_empty()) options.constant_alignment = constants.alignment(kDefaultAlignment);

  std::map<std::string, uint32_t> segment_of;
  if (wire.named_data() != nullptr) {
    for (const format::pte::NamedData* entry : *wire.named_data()) {
      if (entry->key() != nullptr) segment_of[entry->key()->str()] = entry->segment_index();
    }
  }
  for (NamedData& entry : program->named_data) {
    const auto found = segment_of.find(entry.key);
    if (found == segment_of.end()) continue;
    Grain own;
    own.add(offset_of(found->second));
    if (!own.is_empty()) entry.alignment = own.alignment(kDefaultAlignment);
  }
  return options;
}

}  // namespace berth::program
