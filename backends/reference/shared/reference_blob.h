// What the two halves agree on: a blob that says which steps to compute, then the constants.
//
//     | Header | Step... | floats |
//
// A step's result goes to the next: the last step's is the output, the others lie by turns in the
// buffers "even" and "odd".
#pragma once

#include <cstdint>

#include "contract/blob_magics.h"

namespace berth::reference {

inline constexpr char kBackendId[] = "reference";
inline constexpr uint32_t kMagic = blob_magic(kReferenceMagic);
inline constexpr uint32_t kGuardBytes = 16;  // behind what a call uses of a buffer

struct Header {
  uint32_t magic = kMagic;
  uint32_t blob_bytes = 0;
  uint32_t inputs = 0;
  uint32_t steps = 0;
  uint32_t slot_bytes[2] = {0, 0};  // what "even" and "odd" hold
  uint32_t shares = 0;              // 1: the buffers are persistent, all calls use one handle
};

// Where an operand's floats are.
struct Place {
  enum : uint32_t { kNone, kInput, kConstant, kPrevious };
  uint32_t where = kNone;
  uint32_t at = 0;  // kInput: which; kConstant: byte of the blob
};

// A tensor of four axes; strides count floats.
struct Axes {
  uint32_t size[4] = {1, 1, 1, 1}, stride[4] = {};
};

// kAdd: y = x + w, element by element as they lie. kSum, convolutions and matrix products:
//   y[n, o, h, v] = bias[o] + sum of x[n, c, h * step - pad + i * dilation, ..] * w[o, c, i, j]
struct Step {
  enum : uint32_t { kAdd, kSum };
  uint32_t kind = kAdd;
  uint32_t count = 0;  // floats of the result
  Place operands[3];   // x, w, bias
  uint32_t groups = 1;
  uint32_t step[2] = {1, 1}, pad[2] = {0, 0}, dilation[2] = {1, 1};
  Axes x, w, y;
};

static_assert(sizeof(Header) == 28 && sizeof(Step) == 156, "a blob is read by other builds");

}  // namespace berth::reference
