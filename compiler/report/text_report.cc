// The report for people. One screen per method answers: how many bytes, could it be fewer, who is
// in the way.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/report/printable.h"
#include "compiler/report/report.h"
#include "compiler/report/timeline.h"
#include "compiler/target/byte_size.h"

namespace berth::report {
namespace {

std::string shape_text(ScalarType dtype, const std::vector<int32_t>& shape) {
  std::string sizes;
  for (int32_t size : shape) sizes += (sizes.empty() ? "" : "x") + std::to_string(size);
  return fmt::format("{}[{}]", scalar_type_name(dtype), sizes);
}

std::string live_text(const std::vector<program::Interval>& live) {
  std::string text;
  for (const program::Interval& i : live) {
    text += fmt::format("{}[{},{})", text.empty() ? "" : " ", i.begin, i.end);
  }
  return text;
}

std::string plural(size_t count, const char* one, const char* many = nullptr) {
  if (count == 1) return fmt::format("1 {}", one);
  return many != nullptr ? fmt::format("{} {}", count, many) : fmt::format("{} {}s", count, one);
}

// "3 cortex_m::pad.out", printable.
std::string label(const MethodReport& method, int32_t instruction) {
  return printable(instruction_label(method, instruction));
}

std::string buffer_name(const BufferRow& buffer) {
  if (!buffer.name.empty()) return printable(buffer.name, 21);
  return buffer.values.empty() ? "?" : fmt::format("%{}", buffer.values.front());
}

void add_buffer_line(const BufferRow& buffer, const std::string& live, const std::string& owner,
                     std::string* out) {
  *out += fmt::format("    {:>10}  at {:<10} {:<16} {:<24} {:<8}  of {}\n", buffer.rounded,
                      buffer.offset, role_name(buffer.role), buffer_name(buffer), live, owner);
}
void add_buffer_line(const MethodReport& method, const BufferRow& buffer, std::string* out) {
  add_buffer_line(buffer, live_text(buffer.live), label(method, buffer.owner), out);
}

// What other methods keep in the pool while this one runs.
void add_kept_elsewhere(const PoolRow& pool, std::string* out) {
  constexpr size_t kLongest = 24;
  const size_t shown = std::min(pool.kept_elsewhere.size(), kLongest);
  for (size_t i = 0; i < shown; ++i) {
    const KeptElsewhereRow& row = pool.kept_elsewhere[i];
    add_buffer_line(row.buffer, "always",
                    printable(row.owner) + ", method " + printable(row.method), out);
  }
  if (pool.kept_elsewhere.size() > shown)
    *out += fmt::format("    {:>10}  {} more\n", "", pool.kept_elsewhere.size() - shown);
}

void add_ports(const std::vector<Port>& ports, const char* what, std::string* out) {
  for (size_t i = 0; i < ports.size(); ++i) {
    const Port& port = ports[i];
    const std::string type = port.kind == "tensor" ? shape_text(port.dtype, port.shape) : port.kind;
    *out += fmt::format("  {:<6} {}  {:<24} {:>10} bytes", what, i, type, port.bytes);
    if (!port.name.empty()) *out += "  " + printable(port.name, 40);
    if (port.dynamic) *out += "  (at most)";
    if (port.kind == "tensor" && !port.planned) *out += "  (bound by the caller)";
    *out += "\n";
  }
}

void add_verdict(const MethodReport& method, std::string* out) {
  constexpr size_t kLongest = 24;
  for (size_t i = 0; i < std::min(method.clobbers.size(), kLongest); ++i)
    *out += fmt::format("  wrong plan: {}\n", printable(method.clobbers[i].words));
  if (method.clobbers.size() > kLongest)
    *out += fmt::format("  and {} more\n", method.clobbers.size() - kLongest);
  if (!method.not_certified.empty())
    *out += fmt::format("  not certified: {}\n", printable(method.not_certified));
}

// What the order of operators bought.
void add_schedule(const MethodReport& method, std::string* out) {
  if (!method.schedule) return;
  const ScheduleRow& row = *method.schedule;
  *out += fmt::format("  order  {} bytes live at the fullest moment", row.peak_after);
  if (row.peak_after < row.peak_before) *out += fmt::format(", {} as given", row.peak_before);
  if (row.peak_after == row.lower_bound) {
    *out += "; no order needs less\n";
  } else {
    *out += fmt::format("; no order needs less than {}\n", row.lower_bound);
  }
}

void add_kernel_sums(const MethodReport& method, std::string* out) {
  if (!method.kernel_sums) return;
  *out += fmt::format("  for mve  kernel sums of linear layers: {} constants, {} bytes\n",
                      method.kernel_sums->operators, method.kernel_sums->bytes);
}

// Which kinds of buffers fill the pool at its fullest moment, and how much of it is rounding.
void add_roles(const MethodReport& method, const PoolRow& pool, std::string* out) {
  uint64_t by_role[kRoleCount] = {};
  for (int32_t b : pool.peak) {
    const BufferRow& buffer = method.buffers[b];
    by_role[static_cast<int>(buffer.role)] += buffer.bytes;
  }
  *out += "    that is";
  const char* separator = " ";
  for (int role = 0; role < kRoleCount; ++role) {
    if (by_role[role] == 0) continue;
    *out += fmt::format("{}{} {}", separator, role_name(static_cast<Role>(role)), by_role[role]);
    separator = ", ";
  }
  *out += fmt::format("{}rounding up {}", separator, pool.padding);
  if (pool.kept_elsewhere_bytes != 0)
    *out += fmt::format(", other methods {}", pool.kept_elsewhere_bytes);
  *out += "\n";
}

// Why the pool is larger than its lower bound.
void add_above_bound(const MethodReport& method, const PoolRow& pool, std::string* out) {
  if (pool.above.empty()) return;
  *out += "    above the bound:\n";
  for (const AboveBoundRow& row : pool.above) {
    const BufferRow& buffer = method.buffers[row.buffer];
    *out += fmt::format(
        "    {:>10}  at {:<10} {:<16} {:<24} {:<8}  {} free below its end at {}\n", buffer.rounded,
        buffer.offset, role_name(buffer.role), buffer_name(buffer), live_text(buffer.live),
        row.free_below,
        method.instructions.empty() ? "0" : label(method, static_cast<int32_t>(row.instruction)));
  }
}

void add_pool(const MethodReport& method, const PoolRow& pool, std::string* out) {
  *out += fmt::format("\n  pool {} (mem_id {}, base aligned to {}{}{})\n", printable(pool.name),
                      pool.mem_id, pool.alignment,
                      pool.capacity ? fmt::format(", capacity {}", *pool.capacity) : "",
                      pool.cost ? fmt::format(", cost {} a byte", *pool.cost) : "");
  *out += fmt::format("    planned      {:>12} bytes   {}\n", pool.bytes,
                      target::human_bytes(pool.bytes));
  if (pool.capacity && *pool.capacity >= pool.bytes) {
    *out += fmt::format("    left over    {:>12}\n", *pool.capacity - pool.bytes);
  }
  if (!method.has_plan) return;
  if (pool.greedy_bytes) *out += fmt::format("    greedy       {:>12}\n", *pool.greedy_bytes);
  std::string verdict;
  const uint64_t filled = pool.bytes - std::min(pool.tail, pool.bytes);
  if (method.proven_optimal || filled == pool.lower_bound) {
    verdict = "   no plan needs less";
  } else if (filled > pool.lower_bound) {
    verdict = fmt::format("   {} above it", filled - pool.lower_bound);
  }
  *out += fmt::format("    lower bound  {:>12}{}\n", pool.lower_bound, verdict);
  if (pool.tail != 0)
    *out += fmt::format("    tail         {:>12}   kept above the last buffer\n", pool.tail);
  if (pool.peak.empty()) return;
  *out += fmt::format(
      "    fullest at instruction {}, {} bytes live{}:\n",
      method.instructions.empty() ? "0" : label(method, static_cast<int32_t>(pool.peak_step)),
      pool.live_bytes[pool.peak_step],
      pool.kept_elsewhere_bytes == 0
          ? ""
          : fmt::format(" and {} that other methods keep", pool.kept_elsewhere_bytes));
  constexpr size_t kLongest = 24;
  for (size_t i = 0; i < std::min(pool.peak.size(), kLongest); ++i) {
    add_buffer_line(method, method.buffers[pool.peak[i]], out);
  }
  if (pool.peak.size() > kLongest) {
    *out += fmt::format("    {:>10}  {} smaller ones\n", "", pool.peak.size() - kLongest);
  }
  add_kept_elsewhere(pool, out);
  add_roles(method, pool, out);
  add_above_bound(method, pool, out);
  *out += timeline(pool.live_bytes, pool.bytes, "    ");
}

void add_runtime(const MethodReport& method, std::string* out) {
  struct Row {
    const char* what;
    uint64_t count;
    uint32_t (*size)(const RuntimeSizes&);
  };
  const MethodCounts& c = method.counts;
  const Row rows[] = {
      {"method", 1, [](const RuntimeSizes& s) { return s.header; }},
      {"values", c.values, [](const RuntimeSizes& s) { return s.value; }},
      {"tensors", c.tensors, [](const RuntimeSizes& s) { return s.tensor; }},
      {"instructions", c.instructions, [](const RuntimeSizes& s) { return s.instruction; }},
      {"operators", c.operators, [](const RuntimeSizes& s) { return s.op; }},
      {"delegates", c.delegates, [](const RuntimeSizes& s) { return s.delegate; }},
      {"input flags", c.inputs, [](const RuntimeSizes&) { return 1u; }},
      {"dynamic sizes", c.dynamic_dims, [](const RuntimeSizes&) { return 4u; }},
  };
  *out += fmt::format("\n  method memory: the runtime's own structures, aligned to {}\n",
                      kMethodMemoryAlignment);
  *out += fmt::format("    {:<14} {:>8} {:>10} {:>10}\n", "", "count", "arm32", "host64");
  for (const Row& row : rows) {
    if (row.count == 0) continue;
    uint64_t bytes[kAbiCount];
    for (int abi = 0; abi < kAbiCount; ++abi)
      bytes[abi] = (row.count * row.size(kRuntimeSizes[abi]) + 7) / 8 * 8;
    *out +=
        fmt::format("    {:<14} {:>8} {:>10} {:>10}\n", row.what, row.count,
                    bytes[static_cast<int>(Abi::kArm32)], bytes[static_cast<int>(Abi::kHost64)]);
  }
  *out += fmt::format("    {:<14} {:>8} {:>10} {:>10}\n", "total", "",
                      method.runtime_bytes(Abi::kArm32), method.runtime_bytes(Abi::kHost64));
}

// A buffer that a delegate works in: where, when, and for which call.
void add_work_line(const MethodReport& method, const BufferRow& buffer, std::string* out) {
  *out +=
      fmt::format("    {:<16} {:<24} {:>10} bytes aligned to {}, pool {} at {}, live {}, call {}\n",
                  role_name(buffer.role), buffer_name(buffer), buffer.bytes, buffer.alignment,
                  buffer.pool < 0 ? "?" : printable(method.pools[buffer.pool].name), buffer.offset,
                  live_text(buffer.live), label(method, buffer.owner));
}

void add_delegates(const MethodReport& method, std::string* out) {
  for (size_t d = 0; d < method.delegates.size(); ++d) {
    const DelegateRow& delegate = method.delegates[d];
    *out += fmt::format("\n  delegate {}: {}, {} bytes of processed model", printable(delegate.id),
                        plural(delegate.calls.size(), "call"), delegate.processed_bytes);
    const auto same =
        std::find_if(method.delegates.begin(), method.delegates.begin() + static_cast<long>(d),
                     [&](const DelegateRow& other) { return other.blob == delegate.blob; });
    if (same != method.delegates.begin() + static_cast<long>(d)) {
      *out += fmt::format(", those of delegate {}\n", same - method.delegates.begin());
    } else {
      std::string parts;
      for (const BlobPart& part : delegate.kind.parts)
        parts += fmt::format("{} {} {}", parts.empty() ? ":" : ",", part.name, part.bytes);
      *out += fmt::format(", {}{}\n",
                          delegate.kind.name.empty() ? "of no kind known here" : delegate.kind.name,
                          parts);
    }
    for (int32_t b : delegate.scratch) add_work_line(method, method.buffers[b], out);
    for (int32_t b : delegate.persistent) add_work_line(method, method.buffers[b], out);
  }
}

void add_shared_handles(const MethodReport& method, std::string* out) {
  for (const SharedHandleRow& row : method.shared_handles) {
    const DelegateRow& delegate = method.delegates[row.delegate];
    *out += fmt::format("\n  delegate {} ({}) is now {} of the file before: {} share its handle\n",
                        row.delegate, printable(delegate.id),
                        plural(row.entries.size(), "entry", "entries"),
                        plural(delegate.calls.size(), "call"));
  }
}

void add_listing(const MethodReport& method, std::string* out) {
  *out += "\n  instructions\n";
  for (size_t k = 0; k < method.instructions.size(); ++k) {
    const InstructionRow& row = method.instructions[k];
    std::string args;
    for (int32_t arg : row.args)
      args += (args.empty() ? "" : ", ") + (arg < 0 ? "none" : "%" + std::to_string(arg));
    *out += fmt::format("    {:>4}  {}({}){}\n", k, printable(row.name), args,
                        row.target >= 0 ? fmt::format(" to {}", row.target) : "");
  }
  if (method.buffers.empty()) return;
  *out += "\n  buffers (rounded bytes)\n";
  for (const BufferRow& buffer : method.buffers) {
    *out += fmt::format("    {:<10}",
                        buffer.pool < 0 ? "" : printable(method.pools[buffer.pool].name, 10));
    add_buffer_line(method, buffer, out);
  }
}

void add_lowered(const Report& report, std::string* out) {
  if (report.lowered.empty()) return;
  *out += fmt::format("\n{}\n", plural(report.lowered.size(), "lowered module"));
  for (const LoweredRow& row : report.lowered) {
    std::string nodes;
    for (const std::string& node : row.nodes)
      nodes += (nodes.empty() ? "" : ", ") + printable(node);
    *out += fmt::format(
        "  {}: backend {}, scratch {} bytes a call, persistent {} bytes a handle{}, blob {} "
        "bytes\n    {} of method {}: {}\n",
        printable(row.name), printable(row.backend), row.scratch_bytes, row.persistent_bytes,
        row.share_handle ? " that calls share" : "", row.processed_bytes,
        plural(row.nodes.size(), "node"), printable(row.method), nodes);
    if (!row.hidden_bytes) {
      *out +=
          "    hidden: unknown; what a call takes that no plan has could not be measured here\n";
    } else if (*row.hidden_bytes != 0) {
      *out +=
          fmt::format("    hidden: a call takes {} bytes that no plan has\n", *row.hidden_bytes);
    }
    for (const std::string& note : row.notes) *out += fmt::format("    {}\n", printable(note));
  }
}

void add_named_data(const Report& report, size_t longest, std::string* out) {
  if (report.named_data.empty()) return;
  uint64_t total = 0;
  for (const NamedDataRow& row : report.named_data) total += row.bytes;
  *out += fmt::format("\nnamed data: {} bytes, {}\n", total,
                      plural(report.named_data.size(), "entry", "entries"));
  uint64_t rest = 0;
  for (size_t i = 0; i < report.named_data.size(); ++i) {
    const NamedDataRow& row = report.named_data[i];
    if (i < longest) {
      *out += fmt::format("  {:>10}  {}\n", row.bytes, printable(row.key, 80));
    } else {
      rest += row.bytes;
    }
  }
  if (report.named_data.size() > longest)
    *out += fmt::format("  {:>10}  in {} smaller ones\n", rest, report.named_data.size() - longest);
}

void add_constants(const Report& report, size_t longest, std::string* out) {
  *out += fmt::format("\nconstants: {} bytes in the file, {}, each stored once\n",
                      report.constant_bytes, plural(report.constants.size(), "constant"));
  uint64_t rest = 0;
  for (size_t i = 0; i < report.constants.size(); ++i) {
    const ConstantRow& row = report.constants[i];
    if (i >= longest) {
      rest += row.bytes;
      continue;
    }
    std::string users =
        row.users.empty() ? "nobody" : printable(user_label(report, row.users.front()));
    if (row.users.size() > 1) users += fmt::format(" and {} more", row.users.size() - 1);
    *out += fmt::format("  {:>10}  {:<20} {}{}used by {}\n", row.bytes,
                        shape_text(row.dtype, row.shape), printable(row.name, 40),
                        row.name.empty() ? "" : "  ", users);
  }
  if (report.constants.size() > longest) {
    *out += fmt::format("  {:>10}  in {} smaller ones\n", rest, report.constants.size() - longest);
  }
}

}  // namespace

std::string text_report(const Report& report, const TextOptions& options) {
  std::string out = fmt::format("{}: {} bytes", printable(report.file), report.file_bytes);
  if (report.has_record) {
    out += fmt::format(", planned for {} (isa {})\n",
                       report.board.empty() ? "no board" : "board " + printable(report.board),
                       isa_name(report.isa));
  } else {
    out += ", without a plan record\n";
  }
  for (const std::string& field : report.unknown_fields) {
    out += fmt::format("  field not known here: {}\n", printable(field));
  }
  for (const MethodReport& method : report.methods) {
    out += fmt::format("\nmethod {}: {}", printable(method.name),
                       plural(method.instructions.size(), "instruction"));
    if (!method.planner.empty()) out += fmt::format(", planner {}", printable(method.planner));
    out += "\n";
    add_verdict(method, &out);
    add_ports(method.inputs, "input", &out);
    add_ports(method.outputs, "output", &out);
    add_schedule(method, &out);
    add_kernel_sums(method, &out);
    if (method.cost)
      out += fmt::format("  cost   {}: bytes x the cost of their pools\n", *method.cost);
    for (const PoolRow& pool : method.pools) add_pool(method, pool, &out);
    add_runtime(method, &out);
    add_delegates(method, &out);
    add_shared_handles(method, &out);
    if (options.instructions) add_listing(method, &out);
  }
  add_lowered(report, &out);
  add_constants(report, options.constants, &out);
  add_named_data(report, options.constants, &out);
  if (report.initial_state_bytes > 0)
    out += fmt::format("\ninitial state: {} bytes\n", report.initial_state_bytes);
  return out;
}

std::string text_at(const MethodReport& method, uint32_t instruction) {
  std::string out = fmt::format("method {}, instruction {}:\n", printable(method.name),
                                label(method, static_cast<int32_t>(instruction)));
  for (size_t p = 0; p < method.pools.size(); ++p) {
    const PoolRow& pool = method.pools[p];
    const uint64_t live = instruction < pool.live_bytes.size() ? pool.live_bytes[instruction] : 0;
    out += fmt::format("  pool {}: {} of {} bytes live{}\n", printable(pool.name), live, pool.bytes,
                       pool.kept_elsewhere_bytes == 0
                           ? ""
                           : fmt::format(", {} kept by other methods", pool.kept_elsewhere_bytes));
    for (const BufferRow& buffer : method.buffers) {
      if (buffer.pool != static_cast<int32_t>(p)) continue;
      if (is_live_at(buffer, instruction)) add_buffer_line(method, buffer, &out);
    }
    add_kept_elsewhere(pool, &out);
  }
  return out;
}

}  // namespace berth::report
