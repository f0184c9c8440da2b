// The report as one page: a memory map per pool, tables beside it. It needs nothing but itself: no
// network (a content policy says so), no fonts, no data beside what stands in the page. Every text
// that a file brought is escaped, and no script holds any of it.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/report/html_parts.h"
#include "compiler/report/printable.h"
#include "compiler/report/report.h"
#include "compiler/target/byte_size.h"

namespace berth::report {

std::string html_text(std::string_view text, size_t longest) {
  std::string out;
  for (const char c : printable(text, longest)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string short_operator(std::string_view name) {
  if (const size_t at = name.rfind("::"); at != std::string_view::npos) name.remove_prefix(at + 2);
  if (const size_t at = name.find('.'); at != std::string_view::npos && at > 0)
    name = name.substr(0, at);
  constexpr std::string_view kCommon = "quantized_";  // where one is, all are
  if (name.size() > kCommon.size() && name.substr(0, kCommon.size()) == kCommon)
    name.remove_prefix(kCommon.size());
  return std::string(name);
}

std::string html_buffer_name(const BufferRow& buffer, size_t longest) {
  if (!buffer.name.empty()) return html_text(buffer.name, longest);
  return buffer.values.empty() ? "?" : "%" + std::to_string(buffer.values.front());
}

std::string html_live(const BufferRow& buffer) {
  constexpr size_t kMost = 3;
  std::string text;
  for (size_t i = 0; i < std::min(buffer.live.size(), kMost); ++i)
    text += fmt::format("{}[{},{})", i == 0 ? "" : " ", buffer.live[i].begin, buffer.live[i].end);
  if (buffer.live.size() > kMost) text += fmt::format(" and {} more", buffer.live.size() - kMost);
  return text;
}

namespace {

// What a table lists before it says how much more there is.
constexpr size_t kMostRows = 24;
// Instructions listed at the end of a method.
constexpr size_t kMostInstructions = 5000;

// Cells are {class, content}; content is HTML. Classes: "n" a number, "w" not to be wrapped, "dim".
struct Cell {
  const char* kind;
  std::string content;
};

std::string row_of(const std::vector<Cell>& cells, const char* tag = "td",
                   const std::string& attributes = "") {
  std::string out = "<tr" + attributes + ">";
  for (const Cell& cell : cells) {
    out += std::string("<") + tag;
    if (*cell.kind != '\0') out += std::string(" class=\"") + cell.kind + "\"";
    out += ">" + cell.content + "</" + tag + ">";
  }
  return out + "</tr>\n";
}

std::string table_begin(const std::string& title, const std::vector<Cell>& head) {
  return "<div class=\"card\"><h3>" + title + "</h3><table>\n" + row_of(head, "th");
}

// "3 conv2d"
std::string short_label(const MethodReport& method, int32_t instruction) {
  if (instruction < 0 || static_cast<size_t>(instruction) >= method.instructions.size())
    return instruction_label(method, instruction);
  return std::to_string(instruction) + " " + short_operator(method.instructions[instruction].name);
}

std::string key_of(Role role) {
  return fmt::format("<i class=\"key r{}\"></i>", static_cast<int>(role));
}

std::string shape_text(ScalarType dtype, const std::vector<int32_t>& shape) {
  std::string sizes;
  for (const int32_t size : shape) sizes += (sizes.empty() ? "" : "x") + std::to_string(size);
  return fmt::format("{}[{}]", scalar_type_name(dtype), sizes);
}

void add_legend(const MethodReport& method, std::string* out) {
  bool is_there[kRoleCount] = {};
  for (const BufferRow& buffer : method.buffers) is_there[static_cast<int>(buffer.role)] = true;
  *out += "<div class=\"legend\">";
  for (int role = 0; role < kRoleCount; ++role) {
    if (!is_there[role]) continue;
    const auto it = static_cast<Role>(role);
    *out += fmt::format("<span>{}{}</span>", key_of(it), role_name(it));
  }
  *out += "</div>\n";
}

void add_maps(const MethodReport& method, std::string* out) {
  for (size_t p = 0; p < method.pools.size(); ++p) {
    const PoolRow& pool = method.pools[p];
    size_t left_out = 0;
    const std::string map = html_memory_map(method, p, &left_out);
    *out += fmt::format(
        "<div class=\"card\"><span class=\"zoom dim\"></span><h3>Pool {}: address over "
        "instructions</h3>\n",
        html_text(pool.name));
    add_legend(method, out);
    *out += "<div class=\"scroll\">" + map + "</div>";
    if (left_out > 0)
      *out +=
          fmt::format("<p class=\"dim\">{} smaller buffers are not drawn.</p>", grouped(left_out));
    *out += "</div>\n";
  }
}

std::string optional_bytes(const std::optional<uint64_t>& bytes) {
  return bytes ? grouped(*bytes) : "";
}

void add_pools(const MethodReport& method, std::string* out) {
  *out += table_begin(
      "Pools",
      {{"", "pool"}, {"n", "planned"}, {"n", "lower bound"}, {"n", "greedy"}, {"n", "capacity"}});
  for (const PoolRow& pool : method.pools) {
    *out += row_of({{"", html_text(pool.name)},
                    {"n", grouped(pool.bytes)},
                    {"n", method.has_plan ? grouped(pool.lower_bound) : ""},
                    {"n", optional_bytes(pool.greedy_bytes)},
                    {"n", optional_bytes(pool.capacity)}});
  }
  *out += "</table>\n";
  for (const PoolRow& pool : method.pools) {
    const uint64_t filled = pool.bytes - std::min(pool.tail, pool.bytes);
    if (method.has_plan && (method.proven_optimal || filled == pool.lower_bound)) {
      *out += fmt::format(
          "<p class=\"dim\">{}: no plan needs less; rounding takes {} of it at the "
          "fullest moment.</p>\n",
          html_text(pool.name), grouped(pool.padding));
    }
    if (pool.tail != 0)
      *out += fmt::format("<p class=\"dim\">{}: {} bytes are kept above the last buffer.</p>\n",
                          html_text(pool.name), grouped(pool.tail));
  }
  *out += fmt::format(
      "<p class=\"dim\">The runtime's own structures: {} bytes on arm32, {} on host64.</p></div>\n",
      grouped(method.runtime_bytes(Abi::kArm32)), grouped(method.runtime_bytes(Abi::kHost64)));
}

void add_buffers(const MethodReport& method, std::string* out) {
  std::vector<int32_t> order(method.buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return method.buffers[a].rounded > method.buffers[b].rounded;
  });
  std::vector<bool> at_peak(order.size(), false);
  for (const PoolRow& pool : method.pools) {
    for (const int32_t b : pool.peak) at_peak[b] = true;
  }
  const size_t shown = std::min(order.size(), kMostRows);
  *out += table_begin(fmt::format("Biggest buffers: {} of {}", shown, grouped(order.size())),
                      {{"", "buffer"}, {"n", "bytes"}, {"n", "at"}, {"", "live"}, {"", "of"}});
  for (size_t i = 0; i < shown; ++i) {
    const int32_t b = order[i];
    const BufferRow& buffer = method.buffers[b];
    *out += row_of({{"w", key_of(buffer.role) + html_buffer_name(buffer, 28) +
                              (at_peak[b] ? " <b class=\"bad\">*</b>" : "")},
                    {"n", grouped(buffer.rounded)},
                    {"n", grouped(buffer.offset)},
                    {"w", html_live(buffer)},
                    {"dim", html_text(short_label(method, buffer.owner))}},
                   "td", fmt::format(" data-r=\"{}\"", b));
  }
  *out += "</table><p class=\"dim\">* live at the fullest moment</p></div>\n";
}

void add_delegates(const MethodReport& method, std::string* out) {
  if (method.delegates.empty()) return;
  const auto bytes_of = [&](const std::vector<int32_t>& buffers) {
    uint64_t bytes = 0;
    for (const int32_t b : buffers) bytes += method.buffers[b].bytes;
    return grouped(bytes);
  };
  *out += table_begin(
      "Delegates",
      {{"", "backend"}, {"n", "calls"}, {"n", "blob"}, {"n", "scratch"}, {"n", "kept"}});
  const size_t shown = std::min(method.delegates.size(), kMostRows);
  for (size_t d = 0; d < shown; ++d) {
    const DelegateRow& row = method.delegates[d];
    const std::string kind = row.kind.name.empty() ? "" : " (" + html_text(row.kind.name) + ")";
    *out += row_of({{"", html_text(row.id) + kind},
                    {"n", grouped(row.calls.size())},
                    {"n", grouped(row.processed_bytes)},
                    {"n", bytes_of(row.scratch)},
                    {"n", bytes_of(row.persistent)}});
  }
  if (shown < method.delegates.size()) {
    *out += row_of({{"dim", fmt::format("and {} more", method.delegates.size() - shown)}});
  }
  *out += "</table></div>\n";
}

void add_instructions(const MethodReport& method, std::string* out) {
  const size_t shown = std::min(method.instructions.size(), kMostInstructions);
  std::vector<Cell> head = {{"n", "index"}, {"", "instruction"}};
  for (const PoolRow& pool : method.pools) head.push_back({"n", "live in " + html_text(pool.name)});
  *out += fmt::format("<details><summary>{} instructions</summary><table>\n",
                      grouped(method.instructions.size()));
  *out += row_of(head, "th");
  for (size_t k = 0; k < shown; ++k) {
    std::vector<Cell> cells = {{"n", std::to_string(k)},
                               {"", html_text(method.instructions[k].name)}};
    for (const PoolRow& pool : method.pools)
      cells.push_back({"n", k < pool.live_bytes.size() ? grouped(pool.live_bytes[k]) : ""});
    *out += row_of(cells, "td", fmt::format(" data-k=\"{}\"", k));
  }
  *out += "</table>";
  if (shown < method.instructions.size())
    *out += fmt::format("<p class=\"dim\">and {} more</p>",
                        grouped(method.instructions.size() - shown));
  *out += "</details>\n";
}

void add_verdict(const MethodReport& method, std::string* out) {
  constexpr size_t kMost = 8;
  for (size_t i = 0; i < std::min(method.clobbers.size(), kMost); ++i)
    *out += fmt::format("<p class=\"bad\">wrong plan: {}</p>\n",
                        html_text(method.clobbers[i].words, 400));
  if (method.clobbers.size() > kMost)
    *out += fmt::format("<p class=\"bad\">and {} more</p>\n", method.clobbers.size() - kMost);
  if (!method.not_certified.empty())
    *out += fmt::format("<p class=\"dim\">not certified: {}</p>\n",
                        html_text(method.not_certified, 400));
  if (!method.schedule) return;
  const ScheduleRow& row = *method.schedule;
  *out += fmt::format("<p>Order of operators: {} bytes live at the fullest moment",
                      grouped(row.peak_after));
  if (row.peak_after < row.peak_before)
    *out += fmt::format(", {} in the model&#39;s order", grouped(row.peak_before));
  *out += row.peak_after == row.lower_bound
              ? "; no order needs less.</p>\n"
              : fmt::format("; no order needs less than {}.</p>\n", grouped(row.lower_bound));
}

void add_ports(const std::vector<Port>& ports, const char* what, std::string* out) {
  for (size_t i = 0; i < std::min(ports.size(), kMostRows); ++i) {
    const Port& port = ports[i];
    *out += fmt::format(
        "<p class=\"dim\">{} {}: {} {}, {} bytes{}</p>\n", what, i, html_text(port.name),
        port.kind == "tensor" ? shape_text(port.dtype, port.shape) : html_text(port.kind),
        grouped(port.bytes), port.kind == "tensor" && !port.planned ? ", bound by the caller" : "");
  }
}

void add_method(const MethodReport& method, std::string* out) {
  *out += fmt::format("<section><h2>Method {}</h2>\n", html_text(method.name));
  add_verdict(method, out);
  add_ports(method.inputs, "input", out);
  add_ports(method.outputs, "output", out);
  *out += "<div class=\"row\"><div>\n";
  if (method.has_plan) add_maps(method, out);
  if (!method.has_plan) *out += "<p class=\"dim\">No plan is known of this method.</p>\n";
  add_instructions(method, out);
  *out += "</div><div>\n";
  add_pools(method, out);
  if (method.has_plan) add_buffers(method, out);
  add_delegates(method, out);
  *out += "</div></div></section>\n";
}

void add_constants(const Report& report, std::string* out) {
  const size_t shown = std::min(report.constants.size(), kMostRows);
  *out += table_begin(fmt::format("Constants: {} bytes, {} of {}", grouped(report.constant_bytes),
                                  shown, grouped(report.constants.size())),
                      {{"n", "bytes"}, {"", "type"}, {"", "name"}, {"", "used by"}});
  for (size_t i = 0; i < shown; ++i) {
    const ConstantRow& row = report.constants[i];
    std::string users = row.users.empty() ? "nobody" : user_label(report, row.users.front());
    if (row.users.size() > 1) users += fmt::format(" and {} more", row.users.size() - 1);
    *out += row_of({{"n", grouped(row.bytes)},
                    {"w", shape_text(row.dtype, row.shape)},
                    {"", html_text(row.name)},
                    {"dim", html_text(users, 120)}});
  }
  *out += "</table></div>\n";
}

void add_named_data(const Report& report, std::string* out) {
  if (report.named_data.empty()) return;
  const size_t shown = std::min(report.named_data.size(), kMostRows);
  *out += table_begin(fmt::format("Named data: {} of {}", shown, grouped(report.named_data.size())),
                      {{"n", "bytes"}, {"", "key"}});
  for (size_t i = 0; i < shown; ++i) {
    const NamedDataRow& row = report.named_data[i];
    *out += row_of({{"n", grouped(row.bytes)}, {"", html_text(row.key)}});
  }
  *out += "</table></div>\n";
}

}  // namespace

std::string html_report(const Report& report) {
  const std::string file = html_text(report.file, 200);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; "
      "style-src &#39;unsafe-inline&#39;; script-src &#39;unsafe-inline&#39;\"/>\n"
      "<title>{}: memory</title>\n<style>{}</style></head><body><main>\n<h1>{}</h1>\n",
      file, kHtmlStyle, file);
  out += fmt::format("<p class=\"dim\">{} bytes, of which constants {}; ",
                     grouped(report.file_bytes), grouped(report.constant_bytes));
  out += report.has_record
             ? fmt::format("planned for {} (isa {})</p>\n",
                           report.board.empty() ? "no board" : "board " + html_text(report.board),
                           isa_name(report.isa))
             : "without a plan record</p>\n";
  for (const std::string& field : report.unknown_fields)
    out += fmt::format("<p class=\"bad\">field not known here: {}</p>\n", html_text(field));
  for (const MethodReport& method : report.methods) add_method(method, &out);
  add_constants(report, &out);
  add_named_data(report, &out);
  if (report.initial_state_bytes > 0)
    out += fmt::format("<p class=\"dim\">initial state: {} bytes</p>\n",
                       grouped(report.initial_state_bytes));
  out += fmt::format("</main><script>{}</script></body></html>\n", kHtmlScript);
  return out;
}

}  // namespace berth::report
