#include "compiler/place/place.h"

#include <algorithm>

#include "compiler/place/lifetimes.h"
#include "compiler/place/method_plan.h"
#include "compiler/place/state_places.h"

namespace berth::place {
namespace {

using program::Method;
using program::Program;

MaybeError place_method(const StatePlaces& states, const PlaceOptions& options, Method* method) {
  Result<Lifetimes> lifetimes = find_lifetimes(*method);
  if (!lifetimes.ok()) return lifetimes.error();
  Result<MethodPlan> planned = plan_method(*method, lifetimes.value(), options, states);
  if (!planned.ok()) return planned.error();
  apply_plan(planned.value(), options, method);
  return record_method(planned.value(), options, method);
}

}  // namespace

MaybeError place(Program* program, const PlaceOptions& options) {
  if (options.pools.empty()) return Error{"board", "has no pool; a board needs at least one"};
  Program placed = *program;
  Result<std::vector<StatePlaces>> states = place_states(placed, options.pools);
  if (!states.ok()) return states.error();
  for (size_t m = 0; m < placed.methods.size(); ++m) {
    if (auto error = place_method(states.value()[m], options, &placed.methods[m])) return error;
  }
  *program = std::move(placed);
  return std::nullopt;
}

void raise_pool_alignments(Program* program) {
  if (!program->record) return;
  for (program::Pool& pool : program->record->pools) {
    for (const Method& method : program->methods) {
      for (const program::Storage& storage : method.storages) {
        if (in_pool(storage) && storage.mem_id == pool.mem_id)
          pool.alignment = std::max(pool.alignment, storage.alignment);
      }
    }
  }
}

std::string instruction_name(const Method& method, int32_t instruction) {
  if (instruction < 0 || static_cast<size_t>(instruction) >= method.instructions.size())
    return std::to_string(instruction);
  std::string name = "?";
  const auto& call = method.instructions[instruction].call;
  if (const auto* kernel = std::get_if<program::KernelCall>(&call)) {
    const program::Operator& op = method.operators[kernel->op];
    name = op.overload.empty() ? op.name : op.name + "." + op.overload;
  } else if (const auto* delegate = std::get_if<program::DelegateCall>(&call)) {
    name = method.delegates[delegate->delegate].id;
  } else if (std::holds_alternative<program::MoveCall>(call)) {
    name = "move";
  } else if (std::holds_alternative<program::JumpFalseCall>(call)) {
    name = "jump_false";
  } else if (std::holds_alternative<program::FreeCall>(call)) {
    name = "free";
  }
  return std::to_string(instruction) + " " + name;
}

}  // namespace berth::place
