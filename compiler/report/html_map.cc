// The memory map: one path per buffer, with a rectangle for each interval of its life.
//
//   address ▲  planned ─────────────
//           │ ┌───┐   ┌──────┐   - - lower bound
//           │ │ a │   │  c   │
//           │ └┬──┴───┴─┬────┘
//           └──┴────────┴──────▶ instruction
#include <fmt/format.h>

#include <algorithm>

#include "compiler/report/html_parts.h"
#include "compiler/report/printable.h"
#include "compiler/target/byte_size.h"

namespace berth::report {
namespace {

// Of the picture, in its own units; a page shows it as wide as it has room.
constexpr double kWidth = 960, kHeight = 380, kLeft = 78, kTop = 38, kRight = 16;
// A browser draws this many without losing patience.
constexpr size_t kMostDrawn = 5000;
// So many instructions have room for their names below.
constexpr size_t kMostNamed = 48;
constexpr double kLetter = 6.1;  // width of one in the picture's smallest type

struct Scale {
  double steps = 1;
  uint64_t top = 1;  // bytes
  double x(double step) const { return kLeft + step * kWidth / steps; }
  double y(double bytes) const {
    return kTop + kHeight - bytes * kHeight / static_cast<double>(top);
  }
};

// The least round number of which `range` holds at most `most`: 1, 2 or 5 times a power of ten, of
// bytes a power of two.
uint64_t tick_distance(uint64_t range, uint64_t most, bool is_bytes) {
  uint64_t unit = 1;
  if (is_bytes) {
    while (range / unit > most && unit < uint64_t{1} << 62) unit *= 2;
    return unit;
  }
  constexpr uint64_t kFactors[] = {1, 2, 5};
  for (; unit < 1'000'000'000'000; unit *= 10) {
    for (const uint64_t factor : kFactors) {
      if (range / (unit * factor) <= most) return unit * factor;
    }
  }
  return unit;
}

std::string fitting(const std::string& text, double width) {
  const auto letters = static_cast<size_t>(std::max(0.0, (width - 6) / kLetter));
  if (text.size() <= letters) return text;
  if (letters < 5) return "";
  return text.substr(0, letters - 1) + "~";
}

void add_axes(const MethodReport& method, const PoolRow& pool, const Scale& scale,
              std::string* out) {
  const uint64_t distance = tick_distance(scale.top, 8, true);
  for (uint64_t tick = 0; tick <= scale.top / distance; ++tick) {
    const uint64_t bytes = tick * distance;
    const double y = scale.y(static_cast<double>(bytes));
    *out +=
        fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", kLeft, y, kLeft + kWidth);
    *out += fmt::format("<text class=\"tick e\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", kLeft - 6,
                        y + 4, bytes == 0 ? "0" : target::human_bytes(bytes));
  }
  const size_t steps = pool.live_bytes.size();
  const double bottom = kTop + kHeight;
  if (steps <= kMostNamed && !method.instructions.empty()) {
    for (size_t k = 0; k < steps; ++k) {
      const double x = scale.x(static_cast<double>(k) + 0.5);
      std::string name = short_operator(method.instructions[k].name);
      name.resize(std::min<size_t>(name.size(), 20));
      *out += fmt::format(
          "<text class=\"tick e\" transform=\"translate({:.1f} {:.1f})rotate(-45)\">{} {}</text>\n",
          x + 4, bottom + 12, html_text(name), k);
    }
    return;
  }
  const uint64_t every = tick_distance(steps, 16, false);
  for (uint64_t k = 0; k < steps; k += every) {
    const double x = scale.x(static_cast<double>(k));
    *out += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}v5\"/>", x, bottom);
    *out += fmt::format("<text class=\"tick m\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x,
                        bottom + 17, grouped(k));
  }
}

std::string owner_text(const MethodReport& method, const BufferRow& buffer) {
  return instruction_label(method, buffer.owner);
}

void add_buffer(const MethodReport& method, int32_t index, const Scale& scale, std::string* shapes,
                std::string* names) {
  const BufferRow& buffer = method.buffers[index];
  const double low = scale.y(static_cast<double>(buffer.offset));
  const double high =
      scale.y(static_cast<double>(buffer.offset) + static_cast<double>(buffer.rounded));
  std::string path;
  double widest = 0, middle = 0;
  for (const program::Interval& live : buffer.live) {
    const double begin = scale.x(live.begin);
    const double end = scale.x(std::min<double>(live.end, scale.steps));
    path += fmt::format("M{:.2f} {:.2f}H{:.2f}V{:.2f}H{:.2f}Z", begin, low, end, high, begin);
    if (end - begin <= widest) continue;
    widest = end - begin;
    middle = (begin + end) / 2;
  }
  *shapes += fmt::format(
      "<path class=\"b r{}\" data-b=\"{}\" d=\"{}\"><title>{}: {} bytes at {}, {}, live {}, of "
      "{}</title></path>\n",
      static_cast<int>(buffer.role), index, path, html_buffer_name(buffer), grouped(buffer.rounded),
      grouped(buffer.offset), role_name(buffer.role), html_live(buffer),
      html_text(owner_text(method, buffer)));
  if (low - high < 12) return;
  const std::string name = buffer.name.empty() && !buffer.values.empty()
                               ? "%" + std::to_string(buffer.values.front())
                               : printable(buffer.name, 40);
  const std::string text = fitting(name, widest);
  if (text.empty()) return;
  *names += fmt::format("<text class=\"name\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", middle,
                        (low + high) / 2 + 4, html_text(text));
}

// A line across, with words at its right end, above it or below.
void add_level(const Scale& scale, const char* kind, uint64_t bytes, const std::string& words,
               bool above, std::string* out) {
  const double y = scale.y(static_cast<double>(bytes));
  *out += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.2f}H{:.1f}\"/>", kind, kLeft, y,
                      kLeft + kWidth);
  *out += fmt::format("<text class=\"level e\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                      kLeft + kWidth - 4, above ? y - 5 : y + 14, words);
}

void add_levels(const PoolRow& pool, const Scale& scale, std::string* out) {
  if (pool.capacity && *pool.capacity <= scale.top) {
    add_level(scale, "capacity", *pool.capacity, "capacity " + grouped(*pool.capacity), true, out);
  }
  if (pool.bytes == pool.lower_bound) {
    add_level(scale, "planned", pool.bytes, "planned " + grouped(pool.bytes) + " = lower bound",
              true, out);
    return;
  }
  add_level(scale, "planned", pool.bytes, "planned " + grouped(pool.bytes), true, out);
  add_level(scale, "bound", pool.lower_bound, "lower bound " + grouped(pool.lower_bound), false,
            out);
}

}  // namespace

std::string html_memory_map(const MethodReport& method, size_t p, size_t* left_out) {
  const PoolRow& pool = method.pools[p];
  std::vector<int32_t> drawn;
  uint64_t top = std::max<uint64_t>({1, pool.bytes, pool.lower_bound});
  for (size_t b = 0; b < method.buffers.size(); ++b) {
    const BufferRow& buffer = method.buffers[b];
    if (buffer.pool != static_cast<int32_t>(p)) continue;
    drawn.push_back(static_cast<int32_t>(b));
    top = std::max(top, buffer.offset + buffer.rounded);
  }
  *left_out = drawn.size() > kMostDrawn ? drawn.size() - kMostDrawn : 0;
  std::stable_sort(drawn.begin(), drawn.end(), [&](int32_t a, int32_t b) {
    return method.buffers[a].rounded > method.buffers[b].rounded;
  });
  drawn.resize(drawn.size() - *left_out);
  if (pool.capacity && *pool.capacity / 5 <= top / 4) top = std::max(top, *pool.capacity);

  Scale scale;
  scale.steps = static_cast<double>(std::max<size_t>(1, pool.live_bytes.size()));
  scale.top = top;
  const bool names_below = pool.live_bytes.size() <= kMostNamed && !method.instructions.empty();
  std::string shapes, names;
  for (const int32_t b : drawn) add_buffer(method, b, scale, &shapes, &names);

  std::string out = fmt::format(
      "<svg class=\"map\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"memory map of "
      "pool {}\" data-left=\"{:.0f}\" data-plot=\"{:.0f}\" data-steps=\"{:.0f}\" "
      "data-pool=\"{}\">\n",
      kLeft + kWidth + kRight, kTop + kHeight + (names_below ? 92 : 28), html_text(pool.name),
      kLeft, kWidth, scale.steps, p);
  add_axes(method, pool, scale, &out);
  if (!pool.peak.empty()) {
    const double x = scale.x(pool.peak_step);
    const double width = std::max(2.0, kWidth / scale.steps);
    out += fmt::format(
        "<rect class=\"peak\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\"/>", x,
        kTop, width, kHeight);
    const bool at_left = x < kLeft + kWidth / 2;
    out += fmt::format(
        "<text class=\"level {}\" x=\"{:.1f}\" y=\"{:.1f}\">fullest moment: {} bytes "
        "at {}</text>\n",
        at_left ? "s" : "e", at_left ? x : x + width, kTop - 22,
        grouped(pool.live_bytes[pool.peak_step]),
        html_text(instruction_label(method, static_cast<int32_t>(pool.peak_step))));
  }
  out += shapes;
  if (!pool.peak.empty()) {
    out += fmt::format("<path class=\"moment\" d=\"M{:.2f} {:.1f}v{:.1f}\"/>",
                       scale.x(pool.peak_step + 0.5), kTop - 18, kHeight + 18);
  }
  out += names;
  add_levels(pool, scale, &out);
  out += "</svg>\n";
  return out;
}

}  // namespace berth::report
