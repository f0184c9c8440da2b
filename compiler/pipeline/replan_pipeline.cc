// The stages from a .pte to the same one with other places.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/compiler.h"
#include "compiler/pipeline/lost_persistent.h"
#include "compiler/pipeline/stage_clock.h"
#include "compiler/place/find_buffers.h"
#include "compiler/place/place.h"
#include "compiler/place/recorded_plan.h"
#include "compiler/place/replan.h"
#include "program/file_alignments.h"
#include "program/read.h"
#include "program/write.h"

namespace berth {
namespace {

// Whether the buffers lie where they were, and the record says nothing new.
bool is_unchanged(const program::Program& before, const program::Program& after) {
  if (before.record.has_value() != after.record.has_value()) return false;
  if (after.record && !(*before.record == *after.record)) return false;
  for (size_t m = 0; m < before.methods.size(); ++m) {
    const program::Method& a = before.methods[m];
    const program::Method& b = after.methods[m];
    if (a.values.size() != b.values.size() || a.delegates.size() != b.delegates.size())
      return false;
    const auto bytes_of = [](const program::Method& method, uint32_t mem_id) {
      for (const program::PoolSize& pool : method.pools) {
        if (pool.mem_id == mem_id) return pool.bytes;
      }
      return uint64_t{0};
    };
    for (const program::PoolSize& pool : a.pools) {
      if (pool.mem_id != 0 && bytes_of(b, pool.mem_id) != pool.bytes) return false;
    }
    for (const program::PoolSize& pool : b.pools) {
      if (pool.mem_id != 0 && bytes_of(a, pool.mem_id) != pool.bytes) return false;
    }
    for (size_t v = 0; v < a.values.size(); ++v) {
      const program::Tensor* x = a.values[v].tensor();
      const program::Tensor* y = b.values[v].tensor();
      if (x == nullptr || x->storage < 0) continue;
      const program::Storage& s = a.storages[static_cast<size_t>(x->storage)];
      const program::Storage& t = b.storages[static_cast<size_t>(y->storage)];
      if (in_pool(s) != in_pool(t)) return false;
      if (in_pool(s) && (s.mem_id != t.mem_id || s.offset + x->offset != t.offset + y->offset))
        return false;
    }
  }
  return true;
}

// Delegates that a record tells to have memory of their own.
void note_lost_persistent(const program::Program& program, Diagnostics* notes) {
  for (const program::Method& method : program.methods) {
    std::set<int32_t> told;
    for (const program::Instruction& instruction : method.instructions) {
      const auto* const call = std::get_if<program::DelegateCall>(&instruction.call);
      if (call == nullptr) continue;
      const bool keeps = std::any_of(call->args.begin(), call->args.end(), [&](int32_t value) {
        const program::Tensor* const tensor = method.values[static_cast<size_t>(value)].tensor();
        return tensor != nullptr && tensor->storage >= 0 &&
               method.storages[static_cast<size_t>(tensor->storage)].role == Role::kPersistent;
      });
      if (!keeps || !told.insert(call->delegate).second) continue;
      notes->notes.push_back(
          {fmt::format("method {}, delegate {} ({})", method.name, call->delegate,
                       method.delegates[static_cast<size_t>(call->delegate)].id),
           kLostPersistent});
    }
  }
}

Error unknown_fields_error(const std::vector<std::string>& fields) {
  constexpr size_t kShown = 8;
  std::string names;
  for (size_t i = 0; i < fields.size() && i < kShown; ++i)
    names += (i == 0 ? "" : ", ") + fields[i];
  if (fields.size() > kShown) names += fmt::format(" and {} more", fields.size() - kShown);
  return Error{"unknown fields",
               names + "; a new file would lose what they hold, so it is not written"};
}

}  // namespace

Result<Replanned> replan(const std::vector<std::byte>& file, const ReplanOptions& options,
                         Diagnostics* notes) {
  StageClock clock(options.on_stage);
  Result<program::Program> read = program::read(file);
  if (!read.ok()) return read.error();
  const program::Program before = read.take();
  clock.done("read");

  // What we do not understand we might misplace.
  if (!before.unknown_fields.empty()) return unknown_fields_error(before.unknown_fields);
  Replanned out;
  out.program = before;
  if (options.share_handles) {
    Result<std::vector<place::SharedHandle>> shared =
        place::share_handles(*options.share_handles, &out.program);
    if (!shared.ok()) return shared.error();
    out.shared = shared.take();
    clock.done("share handles");
  }
  place::ReplanOptions where;
  if (options.board) where.place.pools = board_pools(*options.board);
  if (options.board && options.spread) {
    where.place.spread = board_spread(*options.board);
    where.place.spread->is_replan = true;
    for (const delegate::Backend* backend : options.backends) {
      where.place.spread->reach[std::string(backend->id())] = backend->reachable_attributes();
    }
  }
  where.place.planner = options.planner;
  where.place.on_progress = options.on_progress;
  where.place.reuse = options.reuse;
  where.capacities = options.capacities;
  where.caller_io = options.caller_io;
  where.record = options.record;
  if (auto error = place::replan(&out.program, where, notes)) return *error;
  if (options.board && out.program.record) out.program.record->board = options.board->name;
  place::raise_pool_alignments(&out.program);
  clock.done("plan");

  // A record that is false is a gain to be had.
  if (is_unchanged(before, out.program) && !(before.record && place::prove_plan(before))) {
    out.file = file;
    return out;
  }
  if (before.record && !options.record && notes != nullptr) note_lost_persistent(before, notes);
  const program::WriteOptions alignments = program::find_alignments(file, &out.program);
  Result<program::Bytes> written = program::write(out.program, alignments);
  if (!written.ok()) return written.error();
  out.file = written.take();
  clock.done("write");

  // The proof is about the bytes that leave the house.
  Result<program::Program> again = program::read(out.file);
  if (!again.ok()) return again.error();
  // Without a record the buffers are those that a stranger would find.
  if (!again.value().record) {
    if (auto error = place::find_buffers(&again.value())) return *error;
  }
  if (auto error = place::prove_plan(again.value())) return *error;
  clock.done("prove");
  return out;
}

}  // namespace berth
