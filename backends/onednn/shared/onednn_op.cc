#include "backends/onednn/shared/onednn_op.h"

#include <cstring>

#include "contract/blob_magics.h"

namespace berth::onednn {
namespace {

constexpr uint32_t kMagic = blob_magic(kOnednnMagic);
constexpr size_t kMaxRank = 6;
constexpr size_t kMaxPosts = 8;

// Reading and writing go through one list of fields, so that they cannot differ.
class Writer {
 public:
  template <typename T>
  void word(T& value) {
    static_assert(sizeof(T) == 4);
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    out.insert(out.end(), bytes, bytes + 4);
  }
  template <typename T>
  void resize(std::vector<T>& list, size_t) {
    auto count = static_cast<uint32_t>(list.size());
    word(count);
  }
  std::vector<std::byte> out;
};

class Reader {
 public:
  Reader(const std::byte* data, size_t size) : data_(data), size_(size) {}
  template <typename T>
  void word(T& value) {
    static_assert(sizeof(T) == 4);
    ok = ok && size_ - at_ >= 4;
    if (!ok) return;
    std::memcpy(&value, data_ + at_, 4);
    at_ += 4;
  }
  template <typename T>
  void resize(std::vector<T>& list, size_t most) {
    uint32_t count = 0;
    word(count);
    ok = ok && count <= most;
    if (ok) list.resize(count);
  }
  size_t at() const { return at_; }
  bool ok = true;

 private:
  const std::byte* data_;
  size_t size_, at_ = 0;
};

template <typename Archive>
void ints(Archive& archive, std::vector<int32_t>& list) {
  archive.resize(list, kMaxRank);
  for (int32_t& item : list) archive.word(item);
}

template <typename Archive>
void fields(Archive& archive, Op& op) {
  for (uint32_t* word : {&op.kind, &op.algorithm, &op.inputs, &op.threads, &op.isa, &op.shares,
                         &op.scratch_bytes, &op.weights_bytes, &op.weights_at, &op.bias_at})
    archive.word(*word);
  archive.word(op.alpha);
  archive.word(op.beta);
  for (int32_t* word : {&op.axis, &op.src_input, &op.other_input}) archive.word(*word);
  for (View* view : {&op.src, &op.dst, &op.other, &op.weights}) {
    ints(archive, view->sizes);
    ints(archive, view->strides);
  }
  for (auto* list : {&op.stride, &op.dilation, &op.padding, &op.kernel}) ints(archive, *list);
  archive.resize(op.posts, kMaxPosts);
  for (Post& post : op.posts) {
    archive.word(post.algorithm);
    archive.word(post.alpha);
    archive.word(post.beta);
    archive.word(post.input);
  }
}

// A view of at most 2^31 bytes whose last element is inside as many floats as it has. `rank` 0:
// any.
bool is_view(const View& view, size_t rank) {
  if (view.sizes.empty() || view.sizes.size() != view.strides.size()) return false;
  if (rank != 0 && view.sizes.size() != rank) return false;
  uint64_t last = 0;
  for (size_t i = 0; i < view.sizes.size(); ++i) {
    if (view.sizes[i] < 1 || view.strides[i] < 0) return false;
    last += uint64_t(view.sizes[i] - 1) * uint64_t(view.strides[i]);
  }
  return view.count() <= INT32_MAX / 4 && last < view.count();
}

bool are_numbers(const std::vector<int32_t>& list, int32_t least) {
  if (list.size() != 2) return false;
  for (const int32_t item : list) {
    if (item < least || item > 1 << 20) return false;
  }
  return true;
}

bool is_input(const Op& op, int32_t index) {
  return index >= 0 && static_cast<uint32_t>(index) < op.inputs;
}

// Rows by depth times depth by columns, or stacks of as many.
bool are_matrices(const Op& op) {
  const std::vector<int32_t>&x = op.src.sizes, &w = op.other.sizes, &y = op.dst.sizes;
  const size_t rank = y.size();
  return (rank == 2 || rank == 3) && is_view(op.other, rank) && x[rank - 2] == y[rank - 2] &&
         x[rank - 1] == w[rank - 2] && w[rank - 1] == y[rank - 1] &&
         (rank == 2 || (x[0] == y[0] && w[0] == y[0]));
}

bool is_sound(const Op& op, size_t begin, size_t size) {
  const auto kind = static_cast<Kind>(op.kind);
  const bool is_image = kind == Kind::kConvolution || kind == Kind::kPool;
  const size_t rank = is_image ? 4 : op.dst.sizes.size();
  if (op.kind > static_cast<uint32_t>(Kind::kMatmul) || !is_view(op.src, rank) ||
      !is_view(op.dst, rank) || !is_input(op, op.src_input) || op.inputs > 1 + 1 + kMaxPosts) {
    return false;
  }
  if (op.threads < 1 || op.threads > 1024) return false;
  // The library looks at one of the two alone.
  if (!is_image && kind != Kind::kMatmul &&
      (op.src.sizes != op.dst.sizes || op.src.strides != op.dst.strides)) {
    return false;
  }
  for (const Post& post : op.posts) {
    if (post.input != -1 && !is_input(op, post.input)) return false;
  }
  if (op.bias_at != 0 && kind != Kind::kConvolution && kind != Kind::kMatmul) return false;
  if (is_image && !(are_numbers(op.stride, 1) && are_numbers(op.padding, 0))) return false;
  if (kind == Kind::kPool) return are_numbers(op.kernel, 1);
  if (kind == Kind::kSoftmax)
    return op.axis >= 0 && static_cast<size_t>(op.axis) < op.src.sizes.size();
  if (kind == Kind::kBinary)
    return is_view(op.other, rank) && op.other.sizes == op.dst.sizes &&
           is_input(op, op.other_input);
  const auto holds = [&](uint64_t at, uint64_t floats) {
    return at >= begin && at % 4 == 0 && at <= size && floats <= (size - at) / 4;
  };
  const auto holds_bias = [&](size_t axis) {
    return op.bias_at == 0 || holds(op.bias_at, static_cast<uint64_t>(op.dst.sizes[axis]));
  };
  if (kind == Kind::kMatmul)
    return are_matrices(op) && is_input(op, op.other_input) && holds_bias(rank - 1);
  if (kind != Kind::kConvolution) return true;
  if (!are_numbers(op.dilation, 1) || !(is_view(op.weights, 4) || is_view(op.weights, 5)))
    return false;
  return holds(op.weights_at, op.weights.count()) && holds_bias(1);
}

}  // namespace

uint64_t View::count() const {
  uint64_t product = 1;
  for (const int32_t size : sizes) {
    product *= static_cast<uint64_t>(size);
    if (product > UINT32_MAX) return UINT32_MAX;
  }
  return product;
}

std::vector<std::byte> write_op(const Op& op) {
  Writer writer;
  uint32_t magic = kMagic;
  writer.word(magic);
  Op copy = op;
  fields(writer, copy);
  return std::move(writer.out);
}

bool read_op(const std::byte* data, size_t size, Op* op) {
  Reader reader(data, size);
  uint32_t magic = 0;
  reader.word(magic);
  if (!reader.ok || magic != kMagic) return false;
  fields(reader, *op);
  return reader.ok && is_sound(*op, reader.at(), size);
}

}  // namespace berth::onednn
