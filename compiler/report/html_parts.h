// Pieces of the HTML pages: how text and numbers get into one, tables, and the picture of a pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/report/report.h"

namespace berth::report {

// A stranger's text on one line, cut to `longest` bytes or little more, as part of an element or of
// an attribute in double quotes.
std::string html_text(std::string_view text, size_t longest = 80);

// "1505280" is "1,505,280".
std::string grouped(uint64_t number);

// "cortex_m::quantized_conv2d.out" is "conv2d": for where room is short.
std::string short_operator(std::string_view name);

// What a buffer is called: its name, or its first value.
std::string html_buffer_name(const BufferRow& buffer, size_t longest = 40);

// "[3,5) [8,9)": at most three intervals, then how many more.
std::string html_live(const BufferRow& buffer);

// Everything before the first section and behind the last; `title` is HTML.
std::string html_page_begin(const std::string& title);
std::string html_page_end();

// Cells are {class, content}; content is HTML. Classes: "n" a number, "w" not to be wrapped, "dim".
struct Cell {
  const char* kind;
  std::string content;
};
std::string html_row(const std::vector<Cell>& cells, const char* tag = "td",
                     const std::string& attributes = "");
// A card with a table that is left open.
std::string html_table_begin(const std::string& title, const std::vector<Cell>& head);

// "<i class="key r2">": a dot in one of the colours of kHtmlStyle, 0 to 6.
std::string html_colour_key(int colour);

// One buffer in the picture of a pool: a rectangle for each stretch of its life.
struct MapShape {
  int32_t index = 0;                            // data-b: ties it to the rows with the same data-r
  std::vector<std::pair<double, double>> live;  // columns, half-open
  uint64_t offset = 0;
  uint64_t bytes = 0;
  int colour = 0;
  std::string title;  // HTML: what the pointer shows
  std::string name;   // text, for inside
};

// The rest of the picture.
struct MapFrame {
  std::string pool;   // its name
  size_t number = 0;  // ... and which column of the table of moments (data-k) tells its live bytes
  size_t columns = 0;
  uint64_t bytes = 0;
  uint64_t lower_bound = 0;
  std::optional<uint64_t> capacity;
  std::vector<std::string> names;  // text: of each column, to stand below it; empty: `ticks`
  std::vector<std::pair<size_t, std::string>> ticks;  // column and text
  std::optional<size_t> peak;                         // the fullest column
  std::string peak_words;                             // HTML
};

// Of how many columns there is room for names below.
constexpr size_t kMostNamedColumns = 48;
// The least of 1, 2, 5, 10, 20, ... of which `range` holds at most `most`.
uint64_t html_tick_distance(uint64_t range, uint64_t most);

// The memory map of a pool as an <svg>: time across, addresses up, an element with data-b for each
// shape (the largest, where they are more than a page can hold; *left_out says how many are
// missing).
std::string html_map(const MapFrame& frame, std::vector<MapShape> shapes, size_t* left_out);

// The map in its card, with the colours that stand in it: {colour, HTML}.
std::string html_map_card(const MapFrame& frame, std::vector<MapShape> shapes,
                          const std::string& title,
                          const std::vector<std::pair<int, std::string>>& legend);

// What the page looks like, and what it does where scripts run.
extern const char kHtmlStyle[];
extern const char kHtmlScript[];

}  // namespace berth::report
