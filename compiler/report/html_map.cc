// The memory map: one path per buffer, with a rectangle for each interval of its life.
//
//   address ▲  planned ─────────────
//           │ ┌───┐   ┌──────┐   - - lower bound
//           │ │ a │   │  c   │
//           │ └┬──┴───┴─┬────┘
//           └──┴────────┴──────▶ time
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
constexpr double kLetter = 6.1;  // width of one in the picture's smallest type

struct Scale {
  double columns = 1;
  uint64_t top = 1;  // bytes
  double x(double column) const { return kLeft + column * kWidth / columns; }
  double y(double bytes) const {
    return kTop + kHeight - bytes * kHeight / static_cast<double>(top);
  }
};

// The least power of two of which `range` holds at most `most`.
uint64_t byte_tick_distance(uint64_t range, uint64_t most) {
  uint64_t unit = 1;
  while (range / unit > most && unit < uint64_t{1} << 62) unit *= 2;
  return unit;
}

std::string fitting(const std::string& text, double width) {
  const auto letters = static_cast<size_t>(std::max(0.0, (width - 6) / kLetter));
  if (text.size() <= letters) return text;
  if (letters < 5) return "";
  return text.substr(0, letters - 1) + "~";
}

void add_axes(const MapFrame& frame, const Scale& scale, std::string* out) {
  const uint64_t distance = byte_tick_distance(scale.top, 8);
  for (uint64_t tick = 0; tick <= scale.top / distance; ++tick) {
    const uint64_t bytes = tick * distance;
    const double y = scale.y(static_cast<double>(bytes));
    *out +=
        fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", kLeft, y, kLeft + kWidth);
    *out += fmt::format("<text class=\"tick e\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", kLeft - 6,
                        y + 4, bytes == 0 ? "0" : target::human_bytes(bytes));
  }
  const double bottom = kTop + kHeight;
  for (size_t k = 0; k < frame.names.size(); ++k) {
    *out += fmt::format(
        "<text class=\"tick e\" transform=\"translate({:.1f} {:.1f})rotate(-45)\">{}</text>\n",
        scale.x(static_cast<double>(k) + 0.5) + 4, bottom + 12, html_text(frame.names[k]));
  }
  for (const auto& [column, text] : frame.ticks) {
    const double x = scale.x(static_cast<double>(column));
    *out += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}v5\"/>", x, bottom);
    *out += fmt::format("<text class=\"tick m\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x,
                        bottom + 17, html_text(text));
  }
}

void add_shape(const MapShape& shape, const Scale& scale, std::string* shapes, std::string* names) {
  const double low = scale.y(static_cast<double>(shape.offset));
  const double high = scale.y(static_cast<double>(shape.offset) + static_cast<double>(shape.bytes));
  std::string path;
  double widest = 0, middle = 0;
  for (const auto& [from, to] : shape.live) {
    const double begin = scale.x(from);
    const double end = scale.x(std::min(to, scale.columns));
    path += fmt::format("M{:.2f} {:.2f}H{:.2f}V{:.2f}H{:.2f}Z", begin, low, end, high, begin);
    if (end - begin <= widest) continue;
    widest = end - begin;
    middle = (begin + end) / 2;
  }
  *shapes += fmt::format("<path class=\"b r{}\" data-b=\"{}\" d=\"{}\"><title>{}</title></path>\n",
                         shape.colour, shape.index, path, shape.title);
  if (low - high < 12) return;
  const std::string text = fitting(shape.name, widest);
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

void add_levels(const MapFrame& frame, const Scale& scale, std::string* out) {
  const bool is_full = frame.capacity && *frame.capacity == frame.bytes;
  if (frame.capacity && *frame.capacity <= scale.top && !is_full) {
    add_level(scale, "capacity", *frame.capacity, "capacity " + grouped(*frame.capacity), true,
              out);
  }
  const bool is_at_bound = frame.bytes == frame.lower_bound;
  add_level(scale, "planned", frame.bytes,
            "planned " + grouped(frame.bytes) + (is_at_bound ? " = lower bound" : "") +
                (is_full ? " = capacity" : ""),
            true, out);
  if (is_at_bound) return;
  add_level(scale, "bound", frame.lower_bound, "lower bound " + grouped(frame.lower_bound), false,
            out);
}

}  // namespace

uint64_t html_tick_distance(uint64_t range, uint64_t most) {
  constexpr uint64_t kFactors[] = {1, 2, 5};
  uint64_t unit = 1;
  for (; unit < 1'000'000'000'000; unit *= 10) {
    for (const uint64_t factor : kFactors) {
      if (range / (unit * factor) <= most) return unit * factor;
    }
  }
  return unit;
}

std::string html_map(const MapFrame& frame, std::vector<MapShape> shapes, size_t* left_out) {
  Scale scale;
  scale.columns = static_cast<double>(std::max<size_t>(1, frame.columns));
  scale.top = std::max<uint64_t>({1, frame.bytes, frame.lower_bound});
  for (const MapShape& shape : shapes) scale.top = std::max(scale.top, shape.offset + shape.bytes);
  if (frame.capacity && *frame.capacity / 5 <= scale.top / 4) {
    scale.top = std::max(scale.top, *frame.capacity);
  }
  *left_out = shapes.size() > kMostDrawn ? shapes.size() - kMostDrawn : 0;
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const MapShape& a, const MapShape& b) { return a.bytes > b.bytes; });
  shapes.resize(shapes.size() - *left_out);
  std::string drawn, names;
  for (const MapShape& shape : shapes) add_shape(shape, scale, &drawn, &names);

  std::string out = fmt::format(
      "<svg class=\"map\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"memory map of "
      "pool {}\" data-left=\"{:.0f}\" data-plot=\"{:.0f}\" data-steps=\"{:.0f}\" "
      "data-pool=\"{}\">\n",
      kLeft + kWidth + kRight, kTop + kHeight + (frame.names.empty() ? 28 : 92),
      html_text(frame.pool), kLeft, kWidth, scale.columns, frame.number);
  add_axes(frame, scale, &out);
  if (frame.peak) {
    const double x = scale.x(static_cast<double>(*frame.peak));
    const double width = std::max(2.0, kWidth / scale.columns);
    out += fmt::format(
        "<rect class=\"peak\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\"/>", x,
        kTop, width, kHeight);
    const bool at_left = x < kLeft + kWidth / 2;
    out += fmt::format("<text class=\"level {}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                       at_left ? "s" : "e", at_left ? x : x + width, kTop - 22, frame.peak_words);
  }
  out += drawn;
  if (frame.peak) {
    out += fmt::format("<path class=\"moment\" d=\"M{:.2f} {:.1f}v{:.1f}\"/>",
                       scale.x(static_cast<double>(*frame.peak) + 0.5), kTop - 18, kHeight + 18);
  }
  out += names;
  add_levels(frame, scale, &out);
  out += "</svg>\n";
  return out;
}

std::string html_map_card(const MapFrame& frame, std::vector<MapShape> shapes,
                          const std::string& title,
                          const std::vector<std::pair<int, std::string>>& legend) {
  size_t left_out = 0;
  const std::string map = html_map(frame, std::move(shapes), &left_out);
  std::string out = "<div class=\"card\"><span class=\"zoom dim\"></span><h3>" + title + "</h3>\n";
  out += "<div class=\"legend\">";
  for (const auto& [colour, words] : legend) {
    out += "<span>" + html_colour_key(colour) + words + "</span>";
  }
  out += "</div>\n<div class=\"scroll\">" + map + "</div>";
  if (left_out > 0) {
    out += fmt::format("<p class=\"dim\">{} smaller buffers are not drawn.</p>", grouped(left_out));
  }
  return out + "</div>\n";
}

}  // namespace berth::report
