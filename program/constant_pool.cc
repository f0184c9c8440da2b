#include "program/constant_pool.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/read_context.h"

namespace berth::program {

MaybeError ConstantPool::open(const Container& container, std::vector<bool>* used_segments) {
  const auto* segment = container.program->constant_segment();
  const auto* buffers = container.program->constant_buffer();
  const bool has_offsets =
      segment != nullptr && segment->offsets() != nullptr && segment->offsets()->size() > 0;
  if (!has_offsets) {
    inline_ = buffers;
    bytes_ = {reinterpret_cast<const std::byte*>(container.program_bytes.data()),
              container.program_bytes.size()};
    return {};
  }
  offsets_ = segment->offsets();
  if (is_misaligned(*offsets_)) return Error{"constant_segment.offsets", kMisaligned};
  if (offsets_->size() == 1) return {};
  if (buffers != nullptr && buffers->size() > 0) {
    return Error{"constant_buffer", fmt::format("{} entries; must be empty where constant_segment "
                                                "has constants",
                                                buffers->size())};
  }
  const uint32_t index = segment->segment_index();
  if (index >= container.segments.size()) {
    return Error{"constant_segment.segment_index",
                 fmt::format("{}; the file has {} segments", index, container.segments.size())};
  }
  bytes_ = container.segments[index];
  (*used_segments)[index] = true;
  return {};
}

Result<ConstantPool::Range> ConstantPool::add(uint32_t index, uint64_t nbytes,
                                              const FieldPath& path) {
  const uint64_t count = offsets_ != nullptr  ? offsets_->size()
                         : inline_ != nullptr ? inline_->size()
                                              : 0;
  if (index >= count) {
    return path.error("data_buffer_idx", fmt::format("{}; the file has {} constants", index,
                                                     count == 0 ? 0 : count - 1));
  }
  Range range;
  uint64_t room = 0;
  if (offsets_ != nullptr) {
    range.begin = offsets_->Get(index);
    room = range.begin > bytes_.size() ? 0 : bytes_.size() - range.begin;
  } else if (const auto* storage = inline_->Get(index)->storage()) {
    range.begin =
        static_cast<uint64_t>(reinterpret_cast<const std::byte*>(storage->data()) - bytes_.data());
    room = storage->size();
  }
  if (range.begin > bytes_.size() || nbytes > room) {
    return path.error("data_buffer_idx",
                      fmt::format("{}, which starts at byte {} and has room for {}; the tensor "
                                  "needs {}",
                                  index, range.begin, room, nbytes));
  }
  range.end = range.begin + nbytes;
  ranges_.push_back(range);
  return range;
}

MaybeError ConstantPool::build(ReadContext& context, std::vector<Blob>* pieces) {
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  std::vector<Range> merged;
  for (const Range& range : ranges_) {
    if (!merged.empty() &&
        (range.begin < merged.back().end || range.begin == merged.back().begin)) {
      merged.back().end = std::max(merged.back().end, range.end);
    } else {
      merged.push_back(range);
    }
  }
  ranges_ = std::move(merged);
  if (!context.budget.take(ranges_.size(), sizeof(Blob) + 2 * sizeof(Range))) {
    return Budget::exhausted(FieldPath());
  }
  pieces->reserve(ranges_.size());
  for (const Range& range : ranges_) {
    const auto piece = bytes_.subspan(static_cast<size_t>(range.begin),
                                      static_cast<size_t>(range.end - range.begin));
    if (auto error = context.read_blob(piece, &pieces->emplace_back())) return error;
  }
  return {};
}

ConstantPool::Place ConstantPool::find(Range range) const {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), range.begin,
                       [](uint64_t begin, const Range& piece) { return begin < piece.begin; });
  const auto piece = after - 1;  // every range asked for was added before
  return {static_cast<int32_t>(piece - ranges_.begin()), range.begin - piece->begin};
}

}  // namespace berth::program
