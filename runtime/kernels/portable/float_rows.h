// Sums over rows of floats as the normalising operators need them, in vectors.
#pragma once

#include <cmath>
#include <cstddef>

namespace berth::runtime {

// Each of 16 lanes adds every 16th element: the rounding error grows slower than in one sum, and
// compilers keep the lanes in registers. term(x) is what is added.
template <typename Term>
float sum_row(const float* row, size_t count, const Term& term) {
  constexpr size_t kLanes = 16;
  float lanes[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (size_t j = 0; j < kLanes; ++j) lanes[j] += term(row[i + j]);
  }
  for (size_t j = 0; i + j < count; ++j) lanes[j] += term(row[i + j]);
  for (size_t width = kLanes / 2; width > 0; width /= 2) {
    for (size_t j = 0; j < width; ++j) lanes[j] += lanes[j + width];
  }
  return lanes[0];
}

struct RowMoments {
  float mean = 0.0f;
  float inverse_deviation = 0.0f;  // 1 / sqrt(variance + epsilon)
};

// Two passes: one would cancel where the mean is large. Without elements: NaN.
inline RowMoments row_moments(const float* row, size_t count, double epsilon) {
  RowMoments moments;
  const float elements = static_cast<float>(count);
  const float mean = sum_row(row, count, [](float x) { return x; }) / elements;
  const float variance =
      sum_row(row, count, [=](float x) { return (x - mean) * (x - mean); }) / elements;
  moments.mean = mean;
  moments.inverse_deviation = 1.0f / std::sqrt(variance + static_cast<float>(epsilon));
  return moments;
}

}  // namespace berth::runtime
