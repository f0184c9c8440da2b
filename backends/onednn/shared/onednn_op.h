// What the two halves agree on: one oneDNN primitive with what is fused behind it, as plain data,
// and as the bytes of a blob.
//
//     | magic | Op, field by field in 32-bit words | weights and bias as the model has them |
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace berth::onednn {

inline constexpr char kBackendId[] = "onednn";
inline constexpr uint32_t kAlignment = 64;  // of scratchpad and weights: a cache line

// Floats somewhere in memory: as many as the product of `sizes`; strides count floats.
struct View {
  std::vector<int32_t> sizes;
  std::vector<int32_t> strides;
  // Saturates.
  uint64_t count() const;
};

enum class Kind : uint32_t { kConvolution, kPool, kSoftmax, kEltwise, kBinary, kMatmul };

// Something that is done to each element of the result.
struct Post {
  uint32_t algorithm = 0;  // dnnl_alg_kind_t
  float alpha = 0, beta = 0;
  int32_t input = -1;  // binary: which of the call's inputs, of the result's shape; else -1
};

// Matrix products with constant weights are convolutions of kernel 1, whose implementations need no
// memory of their own; kMatmul is for two matrices (or two stacks of them) that both come with the
// call.
struct Op {
  uint32_t kind = 0;       // Kind
  uint32_t algorithm = 0;  // dnnl_alg_kind_t
  float alpha = 0, beta = 0;
  int32_t axis = 0;  // kSoftmax
  View src, dst;
  int32_t src_input = 0;
  View other;  // kBinary: the second operand, of the same sizes; kMatmul: the right-hand side
  int32_t other_input = 0;
  View weights;                                            // kConvolution
  uint32_t weights_at = 0, bias_at = 0;                    // bytes in the blob; 0: no bias
  std::vector<int32_t> stride, dilation, padding, kernel;  // two each; kernel: kPool
  std::vector<Post> posts;

  uint32_t inputs = 0;   // of a call
  uint32_t threads = 1;  // primitive and scratchpad are made for so many
  uint32_t isa = 0;      // dnnl_cpu_isa_t that was asked for; 0: whatever the machine has
  uint32_t shares = 0;   // 1: calls share a handle, the scratchpad is persistent
  uint32_t scratch_bytes = 0;
  uint32_t weights_bytes = 0;  // prepared ones; 0: used as they lie in the blob
};

// The op's words, without the floats behind them.
std::vector<std::byte> write_op(const Op& op);

// False when the bytes are cut short, or a number is not what it may be: the op's views, indices
// and positions are then not to be used. What comes out is safe to give to the library.
bool read_op(const std::byte* data, size_t size, Op* op);

}  // namespace berth::onednn
