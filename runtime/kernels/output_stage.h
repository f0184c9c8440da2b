// From accumulators to output elements: bias, multiplier and shift (per channel or one for all),
// output zero point, clamp. The last step of every convolution, linear and matmul.
//
// What depends on the channel alone is prepared once for a block of channels (a Block, on the
// stack), then used for many positions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernels/kernel_checks.h"

namespace berth::runtime {

// Multipliers and shifts of one output channel each, or of all of them (step 0).
struct ChannelScaling {
  const int32_t* multipliers = nullptr;
  const int32_t* shifts = nullptr;
  size_t step = 1;
};

// 32-bit accumulators: int8 operators, and int16 ones with int32 bias.
struct OutputStage {
  ChannelScaling scaling;
  const int32_t* bias = nullptr;  // null: none
  int32_t zero_point = 0;
  Range range;

  template <int kSize>
  struct Block {
    uint32_t bias[kSize], multipliers[kSize], terms[kSize];
    uint32_t factors[kSize];  // the shifts themselves when not plain
    bool plain = true;        // all channels are, as scaling.h has it
  };
};

// 64-bit accumulators of int16 operators: the multiplier is reduced to 16 bits first.
struct WideOutputStage {
  ChannelScaling scaling;
  const int64_t* bias = nullptr;  // null: none
  int32_t zero_point = 0;
  Range range;

  template <int kSize>
  struct Block {
    size_t first = 0;
    int count = 1;  // before repetition
  };
};

// Prepares channels first .. first + count, `repeats` times one after the other. REQUIRES:
// check_channel_scaling has passed; count * repeats <= kSize.
template <int kSize>
void prepare(const OutputStage& stage, size_t first, int count, int repeats,
             OutputStage::Block<kSize>* block) {
  const int32_t* multipliers = stage.scaling.multipliers + first * stage.scaling.step;
  const int32_t* shifts = stage.scaling.shifts + first * stage.scaling.step;
  block->plain = true;
  for (int i = 0; i < count; ++i) {
    const size_t at = i * stage.scaling.step;
    block->plain = block->plain && multipliers[at] >= 0 && shifts[at] <= 0;
  }
  for (int i = 0; i < count * repeats; ++i) {
    const int channel = i % count;
    const int32_t shift = shifts[channel * stage.scaling.step];
    block->bias[i] = stage.bias == nullptr ? 0 : static_cast<uint32_t>(stage.bias[first + channel]);
    block->multipliers[i] = static_cast<uint32_t>(multipliers[channel * stage.scaling.step]);
    block->terms[i] = block->plain ? rounding_term(-shift) : 0;
    block->factors[i] = block->plain ? shift_factor(-shift) : static_cast<uint32_t>(shift);
  }
}

// One position's outputs. sums: int32 that may have wrapped.
template <int kSize, typename T>
void finish(const OutputStage& stage, const OutputStage::Block<kSize>& block, int count,
            const uint32_t* sums, T* out) {
  const int32_t low = stage.range.low, high = stage.range.high;
  const uint32_t zero_point = static_cast<uint32_t>(stage.zero_point);
  if (block.plain) {
    for (int i = 0; i < count; ++i) {
      const int32_t sum = static_cast<int32_t>(sums[i] + block.bias[i]);
      const int32_t scaled =
          scale_plain(sum, block.multipliers[i], block.terms[i], block.factors[i]);
      const int32_t value = static_cast<int32_t>(static_cast<uint32_t>(scaled) + zero_point);
      out[i] = static_cast<T>(clamp_to(value, low, high));
    }
    return;
  }
  for (int i = 0; i < count; ++i) {
    const int32_t sum = static_cast<int32_t>(sums[i] + block.bias[i]);
    const int32_t scaled = mbqm(sum, static_cast<int32_t>(block.multipliers[i]),
                                static_cast<int32_t>(block.factors[i]));
    out[i] = static_cast<T>(clamp_to(wrapping_add(scaled, stage.zero_point), low, high));
  }
}

template <int kSize>
void prepare(const WideOutputStage&, size_t first, int count, int,
             WideOutputStage::Block<kSize>* block) {
  block->first = first;
  block->count = count;
}

template <int kSize>
void finish(const WideOutputStage& stage, const WideOutputStage::Block<kSize>& block, int count,
            const int64_t* sums, int16_t* out) {
  for (int i = 0; i < count; ++i) {
    const size_t channel = block.first + i % block.count;
    const uint64_t bias = stage.bias == nullptr ? 0 : static_cast<uint64_t>(stage.bias[channel]);
    const int64_t sum = static_cast<int64_t>(static_cast<uint64_t>(sums[i]) + bias);
    const size_t at = channel * stage.scaling.step;
    const int32_t scaled = mbqm64(sum, stage.scaling.multipliers[at], stage.scaling.shifts[at]);
    out[i] = static_cast<int16_t>(
        clamp_to(wrapping_add(scaled, stage.zero_point), stage.range.low, stage.range.high));
  }
}

// A sink of multiply(): row r's outputs stand at out + r * row_stride.
template <typename Stage, typename T>
struct RowSink {
  Stage stage;
  T* out;
  size_t row_stride;
  size_t first_channel = 0;  // of the group

  template <int kSize>
  using Block = typename Stage::template Block<kSize>;

  template <int kSize>
  void begin(size_t first, int count, Block<kSize>* block) const {
    prepare<kSize>(stage, first_channel + first, count, 1, block);
  }
  template <int kSize, typename Sum>
  void store(const Block<kSize>& block, size_t row, size_t first, int count,
             const Sum* sums) const {
    finish<kSize>(stage, block, count, sums, out + row * row_stride + first_channel + first);
  }
};

}  // namespace berth::runtime
