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

namespace {

// What a table lists before it says how much more there is.
constexpr size_t kMostRows = 24;
// Instructions listed at the end of a method.
constexpr size_t kMostInstructions = 5000;

// "3 conv2d"
std::string short_label(const MethodReport& method, int32_t instruction) {
  if (instruction < 0 || static_cast<size_t>(instruction) >= method.instructions.size())
    return instruction_label(method, instruction);
  return std::to_string(instruction) + " " + short_operator(method.instructions[instruction].name);
}

std::string key_of(Role role) { return html_colour_key(static_cast<int>(role)); }

std::string shape_text(ScalarType dtype, const std::vector<int32_t>& shape) {
  std::string sizes;
  for (const int32_t size : shape) sizes += (sizes.empty() ? "" : "x") + std::to_string(size);
  return fmt::format("{}[{}]", scalar_type_name(dtype), sizes);
}

std::vector<std::pair<int, std::string>> legend_of(const MethodReport& method) {
  bool is_there[kRoleCount] = {};
  for (const BufferRow& buffer : method.buffers) is_there[static_cast<int>(buffer.role)] = true;
  std::vector<std::pair<int, std::string>> legend;
  for (int role = 0; role < kRoleCount; ++role) {
    if (is_there[role]) legend.push_back({role, std::string(role_name(static_cast<Role>(role)))});
  }
  return legend;
}

MapShape shape_of(const MethodReport& method, size_t index) {
  const BufferRow& buffer = method.buffers[index];
  MapShape shape;
  shape.index = static_cast<int32_t>(index);
  for (const program::Interval& live : buffer.live) shape.live.push_back({live.begin, live.end});
  shape.offset = buffer.offset;
  shape.bytes = buffer.rounded;
  shape.colour = static_cast<int>(buffer.role);
  shape.title = fmt::format("{}: {} bytes at {}, {}, live {}, of {}", html_buffer_name(buffer),
                            grouped(buffer.rounded), grouped(buffer.offset), role_name(buffer.role),
                            html_live(buffer), html_text(instruction_label(method, buffer.owner)));
  shape.name = buffer.name.empty() && !buffer.values.empty()
                   ? "%" + std::to_string(buffer.values.front())
                   : printable(buffer.name, 40);
  return shape;
}

MapFrame frame_of(const MethodReport& method, size_t p) {
  const PoolRow& pool = method.pools[p];
  MapFrame frame;
  frame.pool = pool.name;
  frame.number = p;
  frame.columns = pool.live_bytes.size();
  frame.bytes = pool.bytes;
  frame.lower_bound = pool.lower_bound;
  frame.capacity = pool.capacity;
  if (frame.columns <= kMostNamedColumns && !method.instructions.empty()) {
    for (size_t k = 0; k < frame.columns; ++k) {
      std::string name = short_operator(method.instructions[k].name);
      name.resize(std::min<size_t>(name.size(), 20));
      frame.names.push_back(name + " " + std::to_string(k));
    }
  } else {
    const uint64_t every = html_tick_distance(frame.columns, 16);
    for (uint64_t k = 0; k < frame.columns; k += every) frame.ticks.push_back({k, grouped(k)});
  }
  if (!pool.peak.empty()) {
    frame.peak = pool.peak_step;
    frame.peak_words =
        fmt::format("fullest moment: {} bytes at {}", grouped(pool.live_bytes[pool.peak_step]),
                    html_text(instruction_label(method, static_cast<int32_t>(pool.peak_step))));
  }
  return frame;
}

void add_maps(const MethodReport& method, std::string* out) {
  for (size_t p = 0; p < method.pools.size(); ++p) {
    std::vector<MapShape> shapes;
    for (size_t b = 0; b < method.buffers.size(); ++b) {
      if (method.buffers[b].pool == static_cast<int32_t>(p)) shapes.push_back(shape_of(method, b));
    }
    *out += html_map_card(
        frame_of(method, p), std::move(shapes),
        fmt::format("Pool {}: address over instructions", html_text(method.pools[p].name)),
        legend_of(method));
  }
}

std::string optional_bytes(const std::optional<uint64_t>& bytes) {
  return bytes ? grouped(*bytes) : "";
}

void add_pools(const MethodReport& method, std::string* out) {
  *out += html_table_begin(
      "Pools",
      {{"", "pool"}, {"n", "planned"}, {"n", "lower bound"}, {"n", "greedy"}, {"n", "capacity"}});
  for (const PoolRow& pool : method.pools) {
    *out += html_row({{"", html_text(pool.name)},
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
  *out += html_table_begin(fmt::format("Biggest buffers: {} of {}", shown, grouped(order.size())),
                           {{"", "buffer"}, {"n", "bytes"}, {"n", "at"}, {"", "live"}, {"", "of"}});
  for (size_t i = 0; i < shown; ++i) {
    const int32_t b = order[i];
    const BufferRow& buffer = method.buffers[b];
    *out += html_row({{"w", key_of(buffer.role) + html_buffer_name(buffer, 28) +
                                (at_peak[b] ? " <b class=\"bad\">*</b>" : "")},
                      {"n", grouped(buffer.rounded)},
                      {"n", grouped(buffer.offset)},
                      {"w", html_live(buffer)},
                      {"dim", html_text(short_label(method, buffer.owner))}},
                     "td", fmt::format(" data-r=\"{}\"", b));
  }
  *out += "</table><p class=\"dim\">* live at the fullest moment</p></div>\n";
}

// What other methods keep in this one's pools.
void add_kept_elsewhere(const MethodReport& method, std::string* out) {
  for (const PoolRow& pool : method.pools) {
    if (pool.kept_elsewhere.empty()) continue;
    const size_t shown = std::min(pool.kept_elsewhere.size(), kMostRows);
    *out +=
        html_table_begin(fmt::format("Pool {}: {} bytes that other methods keep",
                                     html_text(pool.name), grouped(pool.kept_elsewhere_bytes)),
                         {{"", "buffer"}, {"n", "bytes"}, {"n", "at"}, {"", "of"}, {"", "method"}});
    for (size_t i = 0; i < shown; ++i) {
      const KeptElsewhereRow& row = pool.kept_elsewhere[i];
      *out += html_row({{"w", key_of(row.buffer.role) + html_buffer_name(row.buffer, 28)},
                        {"n", grouped(row.buffer.rounded)},
                        {"n", grouped(row.buffer.offset)},
                        {"dim", html_text(row.owner)},
                        {"dim", html_text(row.method)}});
    }
    if (shown < pool.kept_elsewhere.size())
      *out += html_row({{"dim", fmt::format("and {} more", pool.kept_elsewhere.size() - shown)}});
    *out += "</table></div>\n";
  }
}

void add_delegates(const MethodReport& method, std::string* out) {
  if (method.delegates.empty()) return;
  const auto bytes_of = [&](const std::vector<int32_t>& buffers) {
    uint64_t bytes = 0;
    for (const int32_t b : buffers) bytes += method.buffers[b].bytes;
    return grouped(bytes);
  };
  *out += html_table_begin(
      "Delegates",
      {{"", "backend"}, {"n", "calls"}, {"n", "blob"}, {"n", "scratch"}, {"n", "kept"}});
  const size_t shown = std::min(method.delegates.size(), kMostRows);
  for (size_t d = 0; d < shown; ++d) {
    const DelegateRow& row = method.delegates[d];
    const std::string kind = row.kind.name.empty() ? "" : " (" + html_text(row.kind.name) + ")";
    *out += html_row({{"", html_text(row.id) + kind},
                      {"n", grouped(row.calls.size())},
                      {"n", grouped(row.processed_bytes)},
                      {"n", bytes_of(row.scratch)},
                      {"n", bytes_of(row.persistent)}});
  }
  if (shown < method.delegates.size()) {
    *out += html_row({{"dim", fmt::format("and {} more", method.delegates.size() - shown)}});
  }
  *out += "</table></div>\n";
}

void add_instructions(const MethodReport& method, std::string* out) {
  const size_t shown = std::min(method.instructions.size(), kMostInstructions);
  std::vector<Cell> head = {{"n", "index"}, {"", "instruction"}};
  for (const PoolRow& pool : method.pools) head.push_back({"n", "live in " + html_text(pool.name)});
  *out += fmt::format("<details><summary>{} instructions</summary><table>\n",
                      grouped(method.instructions.size()));
  *out += html_row(head, "th");
  for (size_t k = 0; k < shown; ++k) {
    std::vector<Cell> cells = {{"n", std::to_string(k)},
                               {"", html_text(method.instructions[k].name)}};
    for (const PoolRow& pool : method.pools)
      cells.push_back({"n", k < pool.live_bytes.size() ? grouped(pool.live_bytes[k]) : ""});
    *out += html_row(cells, "td", fmt::format(" data-k=\"{}\"", k));
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
  if (method.cost)
    *out += fmt::format("<p>Cost: {}, bytes times the cost of their pools.</p>\n",
                        grouped(*method.cost));
  if (method.kernel_sums)
    *out +=
        fmt::format("<p>Made for MVE: kernel sums of linear layers, {} constants, {} bytes.</p>\n",
                    method.kernel_sums->operators, grouped(method.kernel_sums->bytes));
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
  add_kept_elsewhere(method, out);
  add_delegates(method, out);
  *out += "</div></div></section>\n";
}

void add_constants(const Report& report, std::string* out) {
  const size_t shown = std::min(report.constants.size(), kMostRows);
  *out +=
      html_table_begin(fmt::format("Constants: {} bytes, {} of {}", grouped(report.constant_bytes),
                                   shown, grouped(report.constants.size())),
                       {{"n", "bytes"}, {"", "type"}, {"", "name"}, {"", "used by"}});
  for (size_t i = 0; i < shown; ++i) {
    const ConstantRow& row = report.constants[i];
    std::string users = row.users.empty() ? "nobody" : user_label(report, row.users.front());
    if (row.users.size() > 1) users += fmt::format(" and {} more", row.users.size() - 1);
    *out += html_row({{"n", grouped(row.bytes)},
                      {"w", shape_text(row.dtype, row.shape)},
                      {"", html_text(row.name)},
                      {"dim", html_text(users, 120)}});
  }
  *out += "</table></div>\n";
}

void add_named_data(const Report& report, std::string* out) {
  if (report.named_data.empty()) return;
  const size_t shown = std::min(report.named_data.size(), kMostRows);
  *out += html_table_begin(
      fmt::format("Named data: {} of {}", shown, grouped(report.named_data.size())),
      {{"n", "bytes"}, {"", "key"}});
  for (size_t i = 0; i < shown; ++i) {
    const NamedDataRow& row = report.named_data[i];
    *out += html_row({{"n", grouped(row.bytes)}, {"", html_text(row.key)}});
  }
  *out += "</table></div>\n";
}

}  // namespace

std::string html_report(const Report& report) {
  const std::string file = html_text(report.file, 200);
  std::string out = html_page_begin(file);
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
  return out + html_page_end();
}

}  // namespace berth::report
