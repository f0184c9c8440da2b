#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/report/html_parts.h"
#include "compiler/report/html_test_util.h"
#include "compiler/report/report.h"

namespace berth::report {
namespace {

// A program of `count` buffers in a row, each alive for three instructions.
Report make_report(size_t count) {
  Report report;
  report.file = "a.pte";
  report.has_record = true;
  report.board = "host";
  MethodReport& method = report.methods.emplace_back();
  method.name = "forward";
  method.has_plan = true;
  PoolRow& pool = method.pools.emplace_back();
  pool.name = "main";
  pool.bytes = 4000;
  pool.lower_bound = 3900;
  pool.capacity = 4096;
  for (size_t b = 0; b < count; ++b) {
    BufferRow& buffer = method.buffers.emplace_back();
    buffer.pool = 0;
    buffer.offset = b % 4 * 1000;
    buffer.bytes = buffer.rounded = 992;
    const auto begin = static_cast<uint32_t>(b);
    buffer.live = {{begin, begin + 2}, {begin + 3, begin + 4}};
    buffer.role = static_cast<Role>(b % kRoleCount);
    buffer.owner = static_cast<int32_t>(b);
    buffer.name = "value" + std::to_string(b);
    InstructionRow& row = method.instructions.emplace_back();
    row.kind = "kernel";
    row.name = "aten::add.out";
    pool.live_bytes.push_back(b == 2 ? 3900 : 992);
  }
  pool.peak_step = 2;
  if (count > 2) pool.peak = {0, 2};
  return report;
}

TEST(HtmlReport, IsWellFormedAndShowsEachBufferOnce) {
  const Report report = make_report(100);
  const std::string page = html_report(report);
  EXPECT_EQ(find_mistake(page), "");
  for (int b = 0; b < 100; ++b)
    EXPECT_EQ(count_of(page, "data-b=\"" + std::to_string(b) + "\""), 1u) << b;
  for (const char* part :
       {"planned 4,000", "lower bound 3,900", "capacity 4,096", "fullest moment: 3,900 bytes",
        "prefers-color-scheme:dark",
        "Method "
        "forward",
        "value9: 992 bytes at 1,000, activation, live [9,11) [12,13), of 9 aten::add.out"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(html_report(report), page);
}

TEST(HtmlReport, MistakesOfFormAreFound) {
  for (const char* page : {"\n<p>", "\n<p></b>", "\na & b", "\n<p a=\"></p>", "\n</p>"})
    EXPECT_NE(find_mistake(page), "") << page;
}

TEST(HtmlReport, NamesOfAStrangerStayText) {
  const std::string evil = "\"><script>alert('x')</script>&\x01\xff";
  Report report = make_report(60);  // too many for names below the map
  report.file = report.board = evil;
  report.unknown_fields = {evil};
  report.named_data.push_back({evil, 1});
  report.constants.push_back({0, 8, evil, ScalarType::kFloat, {2}, {{0, 0}}});
  MethodReport& method = report.methods[0];
  method.name = method.not_certified = method.pools[0].name = evil;
  method.clobbers.push_back({0, 0, 0, evil});
  for (BufferRow& buffer : method.buffers) buffer.name = evil;
  for (InstructionRow& row : method.instructions) row.name = evil;
  DelegateRow& delegate = method.delegates.emplace_back();
  delegate.id = delegate.kind.name = evil;
  Port& port = method.inputs.emplace_back();
  port.name = port.kind = evil;
  for (const size_t instructions : {size_t{60}, size_t{10}}) {
    method.instructions.resize(instructions);
    method.pools[0].live_bytes.resize(instructions);
    const std::string page = html_report(report);
    EXPECT_EQ(find_mistake(page), "");
    EXPECT_EQ(count_of(page, "<script"), 1u);
    EXPECT_EQ(count_of(page, "alert('"), 0u);
    EXPECT_GT(count_of(page, "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;\\x01"),
              10u);
  }
}

TEST(HtmlReport, WhatOtherMethodsKeepInAPoolIsShown) {
  Report report = make_report(4);
  EXPECT_EQ(html_report(report).find("other methods keep"), std::string::npos);
  PoolRow& pool = report.methods[0].pools[0];
  BufferRow kept = report.methods[0].buffers[0];
  kept.name = "cache";
  kept.role = Role::kPersistent;
  kept.offset = 5000;
  pool.kept_elsewhere.assign(30, {"decode", "0 D<&", kept});
  pool.kept_elsewhere_bytes = 29'760;
  const std::string page = html_report(report);
  EXPECT_EQ(find_mistake(page), "");
  EXPECT_NE(page.find("Pool main: 29,760 bytes that other methods keep"), std::string::npos);
  EXPECT_NE(page.find("cache</td><td class=\"n\">992</td><td class=\"n\">5,000</td>"
                      "<td class=\"dim\">0 D&lt;&amp;</td><td class=\"dim\">decode</td>"),
            std::string::npos);
  EXPECT_EQ(count_of(page, ">decode<"), 24u);
  EXPECT_NE(page.find("and 6 more"), std::string::npos);
}

TEST(HtmlReport, AThousandBuffersAreAPageOfReasonableSizeAndAMillionOneThatOpens) {
  const std::string page = html_report(make_report(1000));
  EXPECT_EQ(count_of(page, "\" data-b=\""), 1000u);
  EXPECT_LT(page.size(), 500'000u);
  const std::string large = html_report(make_report(100'000));
  EXPECT_EQ(count_of(large, "\" data-b=\""), 5000u);
  EXPECT_NE(large.find("95,000 smaller buffers are not drawn"), std::string::npos);
  EXPECT_LT(large.size(), 3'000'000u);
}

TEST(HtmlReport, AnEmptyMethodAndOneWithoutAPlanArePagesToo) {
  Report report = make_report(0);
  EXPECT_EQ(find_mistake(html_report(report)), "");
  report.methods[0].has_plan = false;
  report.methods[0].pools[0].live_bytes.clear();
  const std::string page = html_report(report);
  EXPECT_EQ(find_mistake(page), "");
  EXPECT_NE(page.find("No plan is known"), std::string::npos);
}

TEST(HtmlReport, SizesNearTheEndOfNumbersAreDrawn) {
  Report report = make_report(4);
  report.methods[0].pools[0].bytes = UINT64_MAX;
  report.methods[0].pools[0].capacity = UINT64_MAX;
  report.methods[0].buffers[0].offset = UINT64_MAX - 992;
  const std::string page = html_report(report);
  EXPECT_EQ(find_mistake(page), "");
  EXPECT_EQ(count_of(page, "nan"), 0u);
}

TEST(HtmlReport, NumbersAndOperatorsReadWell) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1505280), "1,505,280");
  EXPECT_EQ(short_operator("cortex_m::quantized_conv2d.out"), "conv2d");
  EXPECT_EQ(short_operator("XnnpackBackend"), "XnnpackBackend");
}

}  // namespace
}  // namespace berth::report
