#include "compiler/place/control_flow.h"

#include <algorithm>

namespace berth::place {
namespace {

using program::JumpFalseCall;
using program::Method;

// Values that some instruction may change: scalar results stand last among the arguments.
std::vector<bool> find_changed(const Method& method) {
  std::vector<bool> changed(method.values.size(), false);
  for (const program::Instruction& instruction : method.instructions) {
    const auto& call = instruction.call;
    if (const auto* kernel = std::get_if<program::KernelCall>(&call)) {
      if (!kernel->args.empty()) changed[static_cast<size_t>(kernel->args.back())] = true;
    } else if (const auto* move = std::get_if<program::MoveCall>(&call)) {
      changed[static_cast<size_t>(move->to)] = true;
    } else if (const auto* delegate = std::get_if<program::DelegateCall>(&call)) {
      for (int32_t v : delegate->args) changed[static_cast<size_t>(v)] = true;
    }
  }
  return changed;
}

}  // namespace

ControlFlow find_control_flow(const Method& method) {
  const auto count = static_cast<uint32_t>(method.instructions.size());
  const std::vector<bool> changed = find_changed(method);
  std::vector<bool> leads(size_t{count} + 1, false);  // a block begins here
  leads[0] = leads[count] = true;
  for (uint32_t k = 0; k < count; ++k) {
    const auto* jump = std::get_if<JumpFalseCall>(&method.instructions[k].call);
    if (jump == nullptr) continue;
    leads[k + 1] = true;
    leads[static_cast<size_t>(jump->target)] = true;
  }

  ControlFlow flow;
  flow.block_of.resize(size_t{count} + 1);
  for (uint32_t k = 0; k <= count; ++k) {
    if (leads[k]) {
      if (!flow.blocks.empty()) flow.blocks.back().end = k;
      flow.blocks.push_back({k, k, {}, {}});
    }
    flow.block_of[k] = static_cast<uint32_t>(flow.blocks.size() - 1);
  }
  for (uint32_t b = 0; b + 1 < flow.blocks.size(); ++b) {
    bool falls_through = true;
    const program::Instruction& last = method.instructions[flow.blocks[b].end - 1];
    if (const auto* jump = std::get_if<JumpFalseCall>(&last.call)) {
      flow.blocks[b].successors.push_back(flow.block_of[static_cast<size_t>(jump->target)]);
      const auto condition = static_cast<size_t>(jump->condition);
      const bool* constant = std::get_if<bool>(&method.values[condition].data);
      if (constant != nullptr && !*constant && !changed[condition]) falls_through = false;
    }
    if (falls_through) flow.blocks[b].successors.push_back(b + 1);
    for (uint32_t next : flow.blocks[b].successors) flow.blocks[next].predecessors.push_back(b);
  }
  return flow;
}

bool is_unconditional(const ControlFlow& flow, uint32_t instruction) {
  const uint32_t b = flow.block_of[instruction];
  const ControlFlow::Block& block = flow.blocks[b];
  if (instruction + 1 != block.end) return false;
  return std::find(block.successors.begin(), block.successors.end(), b + 1) ==
         block.successors.end();
}

}  // namespace berth::place
