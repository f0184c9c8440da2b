// Pieces of the HTML report: how text and numbers get into a page, and the picture of a pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

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

// The memory map of a pool as an <svg>: time across, addresses up, an element with data-b="INDEX"
// for each of its buffers (the largest, where they are more than a page can hold; *left_out says
// how many are missing). REQUIRES: the method has a plan.
std::string html_memory_map(const MethodReport& method, size_t pool, size_t* left_out);

// What the page looks like, and what it does where scripts run.
extern const char kHtmlStyle[];
extern const char kHtmlScript[];

}  // namespace berth::report
