// Bytes that a program carries and nobody changes: constants, initial state, delegates' blobs,
// named data. Most of a file is such bytes, so copies of a program share them, and whoever keeps
// the file anyway can have them left where they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace berth::program {

using Bytes = std::vector<std::byte>;

class Blob {
 public:
  Blob() = default;
  // Owns the bytes, together with all copies of itself.
  Blob(Bytes bytes)  // NOLINT: implicit by design
      : own_(std::make_shared<const Bytes>(std::move(bytes))), bytes_(*own_) {}
  // Owns nothing: the bytes must outlive it and all copies of it.
  static Blob in_place(std::span<const std::byte> bytes) {
    Blob blob;
    blob.bytes_ = bytes;
    return blob;
  }

  const std::byte* data() const { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  const std::byte* begin() const { return bytes_.data(); }
  const std::byte* end() const { return bytes_.data() + bytes_.size(); }
  operator std::span<const std::byte>() const { return bytes_; }  // NOLINT: implicit by design

  // Of the bytes, whoever owns them.
  bool operator==(const Blob& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  std::shared_ptr<const Bytes> own_;
  std::span<const std::byte> bytes_;
};

}  // namespace berth::program
