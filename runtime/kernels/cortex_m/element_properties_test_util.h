// Random runs of elements through the kernels for Cortex-M that look at each element alone, and
// through what defines them, with guards beside the output. Needs no heap, as
// int8_properties_test_util.h; the answers that define an operator are written out here again.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/kernels/byte_copy.h"
#include "runtime/kernels/cortex_m/column_sums.h"
#include "runtime/kernels/cortex_m/int8_elements.h"
#include "runtime/kernels/cortex_m/quantize_run.h"
#include "runtime/kernels/cortex_m/rescaling.h"
#include "runtime/kernels/dequantization.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {

class ElementProperties {
 public:
  explicit ElementProperties(uint32_t seed) : state_(seed) {}

  // Null, or what went wrong.
  const char* check_table() {
    const size_t count = begin();
    int8_t* in = start_of<int8_t>(in_);
    const int8_t* table = start_of<int8_t>(other_);
    for (size_t i = 0; i < count; ++i) wanted_[i] = table[in[i] + 128];
    if (chance(3)) return check_in_place(in, count, [&] { look_up_run(table, in, count, in); });
    look_up_run(table, in, count, out<int8_t>());
    return compare(count);
  }

  const char* check_extremes() {
    const size_t count = begin();
    int8_t* a = start_of<int8_t>(in_);
    const int8_t* b = start_of<int8_t>(other_);
    const bool repeated = chance(3), larger = chance(2);
    for (size_t i = 0; i < count; ++i) {
      const int8_t y = repeated ? b[0] : b[i];
      wanted_[i] = (a[i] > y) == larger ? a[i] : y;
    }
    const auto pick = larger ? pick_run<true> : pick_run<false>;
    if (chance(3)) return check_in_place(a, count, [&] { pick(a, b, repeated, count, a); });
    pick(a, b, repeated, count, out<int8_t>());
    return compare(count);
  }

  const char* check_quantization() {
    switch (draw() % 5) {
      case 0:
        return quantize<Half::kToEven, int8_t>();
      case 1:
        return quantize<Half::kToEven, int16_t>();
      case 2:
        return quantize<Half::kAway, uint8_t>();
      case 3:
        return quantize<Half::kAway, int8_t>();
      default:
        return quantize<Half::kAway, int16_t>();
    }
  }

  const char* check_dequantization() {
    switch (draw() % 3) {
      case 0:
        return dequantize_some<uint8_t>();
      case 1:
        return dequantize_some<int8_t>();
      default:
        return dequantize_some<int16_t>();
    }
  }

  // A matrix whose rows or columns lie side by side, or neither.
  const char* check_sums() { return chance(2) ? add<int8_t>() : add<int16_t>(); }

  const char* check_rescaling() {
    const size_t count = begin();
    auto* values = start_of<int32_t>(in_);
    Scaling scaling{static_cast<int32_t>(draw() << 8 ^ draw()), between(-31, 31)};
    if (scaling.multiplier == kInt32Min) scaling.multiplier = 1;
    const int32_t bits = chance(3) ? 31 : chance(2) ? 15 : 7;
    const int32_t low = -1 - (kInt32Max >> (31 - bits)), high = kInt32Max >> (31 - bits);
    const int32_t zero_point = static_cast<int32_t>(draw() << 8) >> (31 - bits);
    auto* wanted = reinterpret_cast<int32_t*>(wanted_);
    for (size_t i = 0; i < count; ++i) {
      const int64_t moved =
          int64_t{mbqm(values[i], scaling.multiplier, scaling.shift)} + zero_point;
      wanted[i] = static_cast<int32_t>(moved < low ? low : moved > high ? high : moved);
    }
    rescale(Rescaling(scaling, zero_point, low, high), count, values);
    return memcmp(values, wanted, count * sizeof(int32_t)) == 0 ? nullptr : "wrong values";
  }

  const char* check_copy() {
    const size_t count = begin();
    memcpy(wanted_, start_of<uint8_t>(in_), count);
    copy_bytes(start_of<uint8_t>(in_), out<uint8_t>(), count);
    return compare(count);
  }

  // Up to three loops in any order on either side, or an element that is read again and again.
  const char* check_strided_copy() {
    constexpr size_t kSizes[] = {1, 1, 1, 2, 4, 8, 16};
    begin();
    const size_t size = kSizes[draw() % 7], most = kMost * 4 / size;
    size_t counts[3] = {1, 1, 1}, steps[3] = {}, places[3] = {0, 1, 2};
    counts[0] = draw() % most + 1;
    counts[1] = draw() % (most / counts[0]) + 1;
    counts[2] = draw() % (most / (counts[0] * counts[1])) + 1;
    const bool repeats = chance(6);
    // The input's order: loops that are shuffled.
    for (size_t i = 3; i > 1; --i) {
      const size_t other = draw() % i, place = places[i - 1];
      places[i - 1] = places[other], places[other] = place;
    }
    size_t step = 1;
    for (const size_t place : places) {
      steps[place] = repeats && place == 0 ? 0 : step;
      step *= counts[place];
    }
    LoopNest<2> nest;
    nest.append(counts[0], {counts[1] * counts[2], steps[0]});
    nest.append(counts[1], {counts[2], steps[1]});
    nest.append(counts[2], {1, steps[2]});
    const uint8_t* in = start_of<uint8_t>(in_);
    uint8_t* wanted = wanted_;
    for (size_t i = 0; i < counts[0]; ++i) {
      for (size_t j = 0; j < counts[1]; ++j) {
        for (size_t k = 0; k < counts[2]; ++k, wanted += size) {
          memcpy(wanted, in + (i * steps[0] + j * steps[1] + k * steps[2]) * size, size);
        }
      }
    }
    copy_strided(nest, size, in, out_ + kGuard);
    return compare(counts[0] * counts[1] * counts[2] * size);
  }

  // The rounding of bits against that of floats.
  const char* check_rounding() {
    for (size_t i = 0; i < kMost; ++i) {
      const float value = draw_float(1.0f);
      if (round_bits<Half::kToEven>(value) != round_half_even(value)) return "wrong half to even";
      if (round_bits<Half::kAway>(value) != round_half_away(value)) return "wrong half away";
    }
    return nullptr;
  }

 private:
  static constexpr size_t kMost = 75, kGuard = 16, kOffsets = 16;
  static constexpr uint8_t kMark = 0x5A;

  uint32_t draw() {
    state_ = state_ * 1664525u + 1013904223u;
    return state_ >> 8;
  }
  bool chance(uint32_t one_in) { return draw() % one_in == 0; }
  int32_t between(int32_t low, int32_t high) {
    return low + static_cast<int32_t>(draw() % static_cast<uint32_t>(high - low + 1));
  }

  // Fresh bytes everywhere, at another place than before; how many elements.
  size_t begin() {
    for (uint8_t& byte : in_) byte = static_cast<uint8_t>(draw());
    for (uint8_t& byte : other_) byte = static_cast<uint8_t>(draw());
    memset(out_, kMark, sizeof(out_));
    offset_ = draw() % kOffsets;
    return chance(9) ? 0 : draw() % kMost;
  }
  template <typename T>
  T* start_of(uint8_t* room) const {
    return reinterpret_cast<T*>(room + offset_ / sizeof(T) * sizeof(T));
  }
  template <typename T>
  T* out() {
    return reinterpret_cast<T*>(out_ + kGuard);
  }

  // Any bits: NaN, infinity, what is below 2^-126; near a half of `step`; or what is common.
  float draw_float(float step) {
    const uint32_t bits = draw() << 8 ^ draw();
    float value = 0;
    memcpy(&value, &bits, sizeof(value));
    if (chance(4)) return value;
    const float halves = static_cast<float>(between(-70000, 70000)) * 0.5f;
    if (chance(2)) return halves * step;
    return static_cast<float>(between(-600000, 600000)) * 0x1p-11f * step;
  }
  float draw_scale() {
    const uint32_t bits = (draw() << 8 ^ draw()) & 0x7FFFFFFF;
    float value = 0;
    memcpy(&value, &bits, sizeof(value));
    if (chance(4) && value > 0) return value;  // not NaN
    return chance(3) ? 0.25f : static_cast<float>(between(1, 1 << 20)) * 0x1p-22f;
  }

  template <Half kHalf, typename T>
  const char* quantize() {
    const size_t count = begin();
    const float scale = draw_scale();
    float* in = start_of<float>(in_);
    for (size_t i = 0; i < count; ++i) in[i] = draw_float(scale);
    constexpr Range kFull = full_range<T>();
    const bool whole = chance(2);
    const Quantization<kHalf, T> by{kHalf == Half::kToEven ? 1.0f / scale : scale,
                                    between(kFull.low, kFull.high),
                                    {whole ? kFull.low : between(kFull.low, kFull.high / 2),
                                     whole ? kFull.high : between(kFull.high / 2, kFull.high)}};
    T* wanted = reinterpret_cast<T*>(wanted_);
    for (size_t i = 0; i < count; ++i) {
      // Not in a register of vectors, which take what is below 2^-126 for 0: clang uses them.
      const volatile float scaled = kHalf == Half::kToEven ? in[i] * by.factor : in[i] / by.factor;
      const int32_t rounded =
          kHalf == Half::kToEven ? round_half_even(scaled) : round_half_away(scaled);
      wanted[i] = static_cast<T>(clamp_to(rounded + by.zero_point, by.range.low, by.range.high));
    }
    quantize_run(by, in, count, out<T>());
    return compare(count * sizeof(T));
  }

  template <typename T>
  const char* dequantize_some() {
    const size_t count = begin();
    const T* in = start_of<T>(in_);
    const float scale = chance(8) ? draw_float(1.0f) : draw_scale();
    if (scale != scale) return nullptr;  // whose NaN comes out is the processor's business
    const int32_t zero_point =
        chance(3) && count > 0 ? in[0] : between(full_range<T>().low, full_range<T>().high);
    float* wanted = reinterpret_cast<float*>(wanted_);
    for (size_t i = 0; i < count; ++i) {
      wanted[i] =
          static_cast<float>(static_cast<double>(scale) * static_cast<double>(in[i] - zero_point));
      if (wanted[i] != wanted[i]) return nullptr;
    }
    dequantize_run(in, count, scale, zero_point, out<float>());
    return compare(count * sizeof(float));
  }

  template <typename T>
  const char* add() {
    begin();
    const size_t kind = draw() % 4;  // 3: one row again and again, more than 16 bits can sum up
    const size_t rows = kind == 3 ? 200 + draw() % 400 : draw() % 20;
    const size_t held = kind == 3 ? 1 : rows + 1;
    const size_t columns = draw() % (4 * kMost / sizeof(T) / held) / (kind == 2 ? 2 : 1);
    const size_t row_step = kind == 0 ? columns + draw() % 2 : kind % 3;
    const size_t column_step = kind % 3 == 0 ? 1 : rows * kind;
    const T* in = start_of<T>(in_);
    alignas(16) int32_t sums[4 * kMost + 4];
    for (size_t i = 0; i < columns; ++i) {
      sums[i] = static_cast<int32_t>(draw() << 8);
      auto wanted = static_cast<uint32_t>(sums[i]);
      for (size_t r = 0; r < rows; ++r) {
        wanted += static_cast<uint32_t>(int32_t{in[i * column_step + r * row_step]});
      }
      memcpy(copy_ + i * 4, &wanted, 4);
    }
    add_terms(in, row_step, rows, column_step, columns, sums);
    return memcmp(copy_, sums, columns * sizeof(int32_t)) == 0 ? nullptr : "wrong sums";
  }

  // What stands beside the elements must stay as it is, too.
  template <typename Run>
  const char* check_in_place(int8_t* in, size_t count, const Run& run) {
    memcpy(copy_, in_, sizeof(in_));
    run();
    memcpy(copy_ + (reinterpret_cast<uint8_t*>(in) - in_), wanted_, count);
    return memcmp(copy_, in_, sizeof(in_)) == 0 ? nullptr : "wrong in place";
  }
  const char* compare(size_t bytes) const {
    if (memcmp(out_ + kGuard, wanted_, bytes) != 0) return "wrong bytes";
    for (size_t i = 0; i < kGuard; ++i) {
      if (out_[i] != kMark || out_[kGuard + bytes + i] != kMark) return "a write beside the output";
    }
    return nullptr;
  }

  uint32_t state_;
  size_t offset_ = 0;
  alignas(16) uint8_t in_[4 * kMost + kOffsets + kGuard];
  alignas(16) uint8_t other_[256 + kOffsets];
  alignas(16) uint8_t wanted_[4 * kMost];
  alignas(16) uint8_t out_[4 * kMost + 2 * kGuard];
  uint8_t copy_[4 * 4 * kMost];  // of in_, or the sums of columns
};

}  // namespace berth::runtime
