// The report for scripts: the fields and units of docs/cli.md. Keys keep the order in which they
// are written here.
#include <nlohmann/json.hpp>

#include "compiler/report/report.h"

namespace berth::report {
namespace {

using Json = nlohmann::ordered_json;

Json ports_json(const std::vector<Port>& ports) {
  Json list = Json::array();
  for (const Port& port : ports) {
    Json row = {{"value", port.value}, {"name", port.name}, {"kind", port.kind}};
    if (port.kind == "tensor") {
      row["dtype"] = scalar_type_name(port.dtype);
      row["shape"] = port.shape;
      row["dim_order"] = Json::array();
      for (uint8_t dim : port.dim_order) row["dim_order"].push_back(static_cast<int>(dim));
      row["bytes"] = port.bytes;
      row["planned"] = port.planned;
      row["dynamic"] = port.dynamic;
    }
    list.push_back(std::move(row));
  }
  return list;
}

// "cortex_m::pad.out@3"; null for what no instruction owns.
Json owner_json(const MethodReport& method, int32_t owner) {
  if (owner < 0 || static_cast<size_t>(owner) >= method.instructions.size()) return nullptr;
  return method.instructions[owner].name + "@" + std::to_string(owner);
}

Json memory_json(const MethodReport& method, const std::vector<int32_t>& buffers) {
  Json list = Json::array();
  for (int32_t b : buffers) {
    const BufferRow& buffer = method.buffers[b];
    list.push_back(
        {{"name", buffer.name},
         {"bytes", buffer.bytes},
         {"alignment", buffer.alignment},
         {"pool", buffer.pool < 0 ? Json(nullptr) : Json(method.pools[buffer.pool].name)},
         {"offset", buffer.offset},
         {"begin", buffer.live.front().begin},
         {"end", buffer.live.back().end},
         {"call", buffer.owner}});
  }
  return list;
}

Json shared_handles_json(const MethodReport& method) {
  Json list = Json::array();
  for (const SharedHandleRow& row : method.shared_handles)
    list.push_back({{"delegate", row.delegate}, {"entries", row.entries}});
  return list;
}

Json method_summary(const MethodReport& method) {
  Json pools = Json::array();
  uint64_t greedy = 0;
  bool greedy_known = method.has_plan;
  for (const PoolRow& pool : method.pools) {
    if (pool.greedy_bytes) greedy += *pool.greedy_bytes;
    greedy_known = greedy_known && pool.greedy_bytes.has_value();
    pools.push_back({{"name", pool.name},
                     {"mem_id", pool.mem_id},
                     {"bytes", pool.bytes},
                     {"lower_bound", method.has_plan ? Json(pool.lower_bound) : Json(nullptr)},
                     {"tail", pool.tail},
                     {"kept_elsewhere", pool.kept_elsewhere_bytes},
                     {"alignment", pool.alignment},
                     {"capacity", pool.capacity ? Json(*pool.capacity) : Json(nullptr)},
                     {"cost", pool.cost ? Json(*pool.cost) : Json(nullptr)}});
  }
  Json delegates = Json::array();
  for (const DelegateRow& delegate : method.delegates) {
    delegates.push_back({{"id", delegate.id},
                         {"calls", delegate.calls},
                         {"processed_bytes", delegate.processed_bytes},
                         {"scratch", memory_json(method, delegate.scratch)},
                         {"persistent", memory_json(method, delegate.persistent)}});
  }
  Json planner = {{"name", method.planner.empty() ? Json(nullptr) : Json(method.planner)},
                  {"greedy_bytes", greedy_known ? Json(greedy) : Json(nullptr)},
                  {"proven_optimal", method.proven_optimal},
                  {"cost", method.cost ? Json(*method.cost) : Json(nullptr)}};
  return {{"name", method.name},
          {"inputs", ports_json(method.inputs)},
          {"outputs", ports_json(method.outputs)},
          {"instructions", method.instructions.size()},
          {"pools", std::move(pools)},
          {"runtime_bytes",
           {{"host64", method.runtime_bytes(Abi::kHost64)},
            {"arm32", method.runtime_bytes(Abi::kArm32)}}},
          {"delegates", std::move(delegates)},
          {"shared_handles", shared_handles_json(method)},
          {"planner", std::move(planner)}};
}

Json parts_json(const BlobKind& kind) {
  Json parts = Json::array();
  for (const BlobPart& part : kind.parts)
    parts.push_back({{"name", part.name}, {"bytes", part.bytes}});
  return parts;
}

Json clobbers_json(const MethodReport& method) {
  Json list = Json::array();
  for (const ClobberRow& row : method.clobbers) {
    list.push_back({{"instruction", row.instruction},
                    {"writer", row.writer},
                    {"victim", row.victim},
                    {"message", row.words}});
  }
  return list;
}

// What inspect tells beyond the summary of compile.
void add_details(const MethodReport& method, Json* json) {
  (*json)["certified"] = method.certified;
  (*json)["not_certified"] =
      method.not_certified.empty() ? Json(nullptr) : Json(method.not_certified);
  (*json)["clobbers"] = clobbers_json(method);
  for (size_t d = 0; d < method.delegates.size(); ++d) {
    const DelegateRow& delegate = method.delegates[d];
    Json& out = (*json)["delegates"][d];
    out["blob"] = delegate.blob;
    out["kind"] = delegate.kind.name.empty() ? Json(nullptr) : Json(delegate.kind.name);
    out["parts"] = parts_json(delegate.kind);
  }
  for (size_t p = 0; p < method.pools.size(); ++p) {
    const PoolRow& pool = method.pools[p];
    Json& out = (*json)["pools"][p];
    out["bound_at"] = pool.peak.empty() ? Json(nullptr) : Json(pool.peak_step);
    out["padding"] = pool.padding;
    out["above_bound"] = Json::array();
    for (const AboveBoundRow& row : pool.above) {
      out["above_bound"].push_back({{"buffer", row.buffer},
                                    {"instruction", row.instruction},
                                    {"live", row.live},
                                    {"free_below", row.free_below}});
    }
  }
}

Json buffers_json(const MethodReport& method) {
  Json list = Json::array();
  for (const BufferRow& buffer : method.buffers) {
    Json intervals = Json::array();
    for (const program::Interval& i : buffer.live) intervals.push_back({i.begin, i.end});
    list.push_back(
        {{"values", buffer.values},
         {"pool", buffer.pool < 0 ? Json(nullptr) : Json(method.pools[buffer.pool].name)},
         {"offset", buffer.offset},
         {"bytes", buffer.bytes},
         {"alignment", buffer.alignment},
         {"begin", buffer.live.empty() ? 0 : buffer.live.front().begin},
         {"end", buffer.live.empty() ? 0 : buffer.live.back().end},
         {"intervals", std::move(intervals)},
         {"role", role_name(buffer.role)},
         {"owner", owner_json(method, buffer.owner)},
         {"name", buffer.name}});
  }
  return list;
}

// What is live at one instruction: bytes per pool, and which buffers.
Json live_json(const MethodReport& method, uint32_t instruction) {
  Json out = {{"instruction", instruction}, {"live", Json::array()}, {"buffers", Json::array()}};
  for (const PoolRow& pool : method.pools)
    out["live"].push_back(instruction < pool.live_bytes.size() ? pool.live_bytes[instruction] : 0);
  for (size_t b = 0; b < method.buffers.size(); ++b) {
    if (is_live_at(method.buffers[b], instruction)) out["buffers"].push_back(b);
  }
  return out;
}

Json summary(const Report& report) {
  Json methods = Json::array();
  for (const MethodReport& method : report.methods) methods.push_back(method_summary(method));
  Json json = {{"file", report.file},
               {"methods", std::move(methods)},
               {"constant_bytes", report.constant_bytes},
               {"file_bytes", report.file_bytes}};
  for (const MethodReport& method : report.methods) {
    if (!method.schedule) continue;
    const ScheduleRow& row = *method.schedule;
    json["schedule"].push_back({{"method", method.name},
                                {"peak_before", row.peak_before},
                                {"peak_after", row.peak_after},
                                {"lower_bound", row.lower_bound},
                                {"proven_optimal", row.peak_after == row.lower_bound}});
  }
  for (const MethodReport& method : report.methods) {
    if (!method.kernel_sums) continue;
    json["kernel_sums"].push_back({{"method", method.name},
                                   {"operators", method.kernel_sums->operators},
                                   {"bytes", method.kernel_sums->bytes}});
  }
  for (const LoweredRow& row : report.lowered) {
    json["lowered"].push_back(
        {{"name", row.name},
         {"backend", row.backend},
         {"method", row.method},
         {"nodes", row.nodes},
         {"processed_bytes", row.processed_bytes},
         {"scratch_bytes", row.scratch_bytes},
         {"persistent_bytes", row.persistent_bytes},
         {"share_handle", row.share_handle},
         {"hidden_bytes", row.hidden_bytes ? Json(*row.hidden_bytes) : Json()},
         {"notes", row.notes}});
  }
  return json;
}

// A file may hold names that are no UTF-8; they are shown with replacement characters, not refused.
std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string json_summary(const Report& report) { return dump(summary(report)); }

std::string json_report(const Report& report, std::optional<uint32_t> moment) {
  Json json = summary(report);
  json["board"] = report.has_record ? Json(report.board) : Json(nullptr);
  json["isa"] = report.has_record ? Json(isa_name(report.isa)) : Json(nullptr);
  for (size_t m = 0; m < report.methods.size(); ++m) {
    const MethodReport& method = report.methods[m];
    Json instructions = Json::array();
    for (size_t k = 0; k < method.instructions.size(); ++k) {
      const InstructionRow& row = method.instructions[k];
      Json instruction = {{"index", k}, {"kind", row.kind}, {"name", row.name}, {"args", row.args}};
      if (row.target >= 0) instruction["target"] = row.target;
      instructions.push_back(std::move(instruction));
    }
    json["methods"][m]["instructions"] = std::move(instructions);
    json["methods"][m]["buffers"] = buffers_json(method);
    add_details(method, &json["methods"][m]);
    if (moment) json["methods"][m]["at"] = live_json(method, *moment);
  }
  Json constants = Json::array();
  for (const ConstantRow& row : report.constants) {
    Json users = Json::array();
    for (const InstructionRef& user : row.users) users.push_back(user_label(report, user));
    constants.push_back({{"index", row.index},
                         {"name", row.name},
                         {"bytes", row.bytes},
                         {"dtype", scalar_type_name(row.dtype)},
                         {"shape", row.shape},
                         {"users", std::move(users)}});
  }
  json["constants"] = std::move(constants);
  json["named_data"] = Json::array();
  for (const NamedDataRow& row : report.named_data)
    json["named_data"].push_back({{"key", row.key}, {"bytes", row.bytes}});
  json["initial_state_bytes"] = report.initial_state_bytes;
  json["unknown_fields"] = report.unknown_fields;
  return dump(json);
}

}  // namespace berth::report
