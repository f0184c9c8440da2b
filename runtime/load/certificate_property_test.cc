// The proof against random programs with jumps and random plans: whatever is accepted is run on
// every path beside the same program with a memory of its own for each buffer, and no path may read
// a byte that another buffer has overwritten, or a buffer that was never written. Then the same
// with one rule left out: bad plans must get through, or the rule is not needed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "runtime/load/certificate.h"
#include "runtime/load/method_loader.h"
#include "runtime/load/plan_record_slots.h"
#include "runtime/load/random_plans_test_util.h"
#include "tests/support/pte_builder.h"
#include "tests/support/test_kernels.h"

#ifndef BERTH_ACCEPTED
#define BERTH_ACCEPTED 2000  // the slow test asks for more
#endif

namespace berth::runtime::random_plans {
namespace {

namespace make = berth::testing;

// The file and the record of the program. Values 0 to 2: a number, false, true; then per buffer the
// whole and its slots.
struct Built {
  make::TestFile file;
  make::TestRecord record;
};

// How many arguments a delegate call reads that does the step.
int32_t inputs_of(const Step& step) { return step.act == Act::kWrite ? 0 : 1; }

// With `delegates`, every other step that a delegate can take is a call of one.
Built build(const Program& program, bool delegates = false) {
  Built built;
  make::TestMethod& m = built.file.method();
  make::TestMethodRecord record;
  m.operators = {
      {"test::fill", "out"}, {"test::use", ""}, {"test::double_", ""}, {"test::copy", "out"}};
  m.values = {make::int_value(1), make::bool_value(false), make::bool_value(true)};
  m.pool_sizes = {0, kPoolSlots * kSlotBytes};
  record.value_buffer = {-1, -1, -1};
  record.instruction_count = program.size();

  std::vector<uint32_t> order;  // of buffers in the record: by the begin of the first interval
  for (uint32_t b = 0; b < program.buffers.size(); ++b) {
    if (!program.buffers[b].live.empty()) order.push_back(b);
  }
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return program.buffers[a].live[0].begin < program.buffers[b].live[0].begin;
  });
  std::array<std::array<int32_t, 3>, kMaxBuffers + 1> value_of{};  // whole, slot 0, slot 1
  for (uint32_t b = 0; b < program.buffers.size(); ++b) {
    const Buffer& buffer = program.buffers[b];
    const auto found = std::find(order.begin(), order.end(), b);
    const int32_t index = found == order.end() ? -1 : static_cast<int32_t>(found - order.begin());
    for (uint32_t v = 0; v < 1 + (buffer.slots == 2 ? 2u : 0u); ++v) {
      const uint32_t slots = v == 0 ? buffer.slots : 1;
      const uint32_t slot = buffer.place + (v == 2 ? 1 : 0);
      value_of[b][v] = static_cast<int32_t>(m.values.size());
      m.values.push_back(make::planned({static_cast<int32_t>(4 * slots)}, slot * kSlotBytes));
      record.value_buffer.push_back(index);
    }
    if (buffer.input) m.inputs.push_back(value_of[b][0]);
    if (buffer.output) m.outputs.push_back(value_of[b][0]);
  }
  for (uint32_t b : order) {
    const Buffer& buffer = program.buffers[b];
    const uint8_t role = buffer.state ? 3 : buffer.input ? 0 : buffer.output ? 1 : 2;
    record.buffers.push_back({static_cast<uint32_t>(value_of[b][0]), buffer.live, role, 16});
  }
  for (const Step& step : program.steps) {
    const int32_t value = value_of[step.buffer][static_cast<size_t>(step.part + 1)];
    const int32_t from = value_of[step.from][static_cast<size_t>(step.from_part + 1)];
    const int32_t target = static_cast<int32_t>(step.target);
    const bool can_be_call =
        step.act == Act::kWrite || step.act == Act::kUse || step.act == Act::kCopy;
    if (delegates && can_be_call && m.code().size() % 2 == 0) {
      const std::vector<int32_t> args =
          step.act == Act::kCopy ? std::vector<int32_t>{from, value} : std::vector<int32_t>{value};
      m.code().push_back(make::delegate_call(static_cast<int32_t>(m.delegates.size()), args));
      m.delegates.push_back({"test", 0, 0});
      continue;
    }
    switch (step.act) {
      case Act::kWrite:
        m.code().push_back(make::call(0, {0, value, value}));
        break;
      case Act::kUse:
        m.code().push_back(make::call(1, {value}));
        break;
      case Act::kUpdate:
        m.code().push_back(make::call(2, {value, value}));
        break;
      case Act::kCopy:
        m.code().push_back(make::call(3, {from, value, value}));
        break;
      case Act::kJump:
        m.code().push_back(make::jump_false(2, target));
        break;
      case Act::kGoTo:
        m.code().push_back(make::jump_false(1, target));
        break;
    }
  }
  built.record.methods = {record};
  return built;
}

Status prove(const LoadedMethod& method, const make::AlignedBytes& record, CertificateRules rules) {
  LoadFaults faults(nullptr);
  FlatReader reader(record.data(), static_cast<uint32_t>(record.size()), faults);
  const FlatTable root = reader.root(0, slots::kRecordRoot);
  const FlatVector methods = reader.vector(root, slots::kRecordMethods);
  return prove_plan(method, reader, reader.table_at(methods, 0, slots::kRecordMethods), rules);
}

Status init(InitContext&, BackendHandle*) { return Status::kOk; }

// The verdict on the same plan where delegates do every other step: the proof knows no difference.
Status prove_with_delegates(const Program& program, const make::AlignedBytes& record,
                            Span<const PoolMemory> pools) {
  Built built = build(program, true);
  built.file.inline_blobs = {{}};
  const make::AlignedBytes bytes(build_file(built.file));
  LoadFault fault;
  LoadFaults faults(&fault);
  ProgramFile file;
  EXPECT_EQ(open_program({bytes.data(), bytes.size()}, &file, faults), Status::kOk);
  constexpr Backend kTest = {"test", init, nullptr, nullptr};
  const Backend* const backends[] = {&kTest};
  const Span<const Kernel> kernels[] = {make::kernels()};
  LoadOptions options;
  options.kernels = kernels;
  options.backends = Backends(backends);
  make::AlignedBytes own(1 << 14);
  LoadedMethod* method = nullptr;
  EXPECT_EQ(
      load_method(file, "forward", options, {{own.data(), own.size()}, pools}, &method, faults),
      Status::kOk)
      << fault.field;
  if (method == nullptr) return Status::kBadState;
  // What the record of a whole file would have said.
  for (uint32_t k = 0; k < program.size(); ++k) {
    const Instruction& call = method->instructions[k];
    if (call.what() != InstructionKind::kDelegate) continue;
    call.delegate->has_roles = true;
    call.delegate->inputs = static_cast<uint16_t>(inputs_of(program.steps[k]));
  }
  return prove(*method, record, {});
}

// One moment of a run: who wrote each slot of the pool last, and which slots of which buffers were
// written in this run.
struct Moment {
  uint32_t k = 0;
  std::array<int8_t, kPoolSlots> owner{};
  uint16_t written = 0;  // bit 2 b + slot
  bool operator<(const Moment& o) const {
    return std::tie(k, owner, written) < std::tie(o.k, o.owner, o.written);
  }
};

// Runs all paths. True when one reads what another buffer has overwritten, or a buffer that nothing
// has written.
class Runner {
 public:
  explicit Runner(const Program& program) : program_(program) {}

  bool goes_wrong() {
    Moment start;
    start.owner.fill(-1);
    for (uint32_t b = 0; b < program_.buffers.size(); ++b) {
      if (program_.buffers[b].input || program_.buffers[b].state) write(start, b, -1);
    }
    visit(start);
    while (!open_.empty()) {
      const Moment moment = open_.back();
      open_.pop_back();
      if (!step(moment)) return true;
    }
    return false;
  }

 private:
  enum class Read { kGood, kUnwrittenPart, kWrong };

  void visit(const Moment& moment) {
    if (seen_.insert(moment).second) open_.push_back(moment);
  }
  void write(Moment& moment, uint32_t b, int part) const {
    const Buffer& buffer = program_.buffers[b];
    for (uint32_t s = 0; s < buffer.slots; ++s) {
      if (part >= 0 && static_cast<uint32_t>(part) != s) continue;
      moment.owner[buffer.place + s] = static_cast<int8_t>(b);
      moment.written = static_cast<uint16_t>(moment.written | 1u << (2 * b + s));
    }
  }
  Read read(const Moment& moment, uint32_t b, int part) const {
    const Buffer& buffer = program_.buffers[b];
    bool any_written = false;
    bool all_written = true;
    bool intact = true;
    for (uint32_t s = 0; s < buffer.slots; ++s) {
      const bool written = (moment.written >> (2 * b + s) & 1) != 0;
      any_written = any_written || written;
      if (part >= 0 && static_cast<uint32_t>(part) != s) continue;
      all_written = all_written && written;
      if (written && moment.owner[buffer.place + s] != static_cast<int8_t>(b)) intact = false;
    }
    if (!any_written || !intact) return Read::kWrong;
    // The program itself reads what it never wrote: it has no right answer to compare with.
    return all_written ? Read::kGood : Read::kUnwrittenPart;
  }

  // False when something wrong is read.
  bool step(Moment moment) {
    if (moment.k == program_.size()) {
      for (uint32_t b = 0; b < program_.buffers.size(); ++b) {
        const Buffer& buffer = program_.buffers[b];
        if ((buffer.output || buffer.state) && read(moment, b, -1) == Read::kWrong) return false;
      }
      return true;
    }
    const Step& step = program_.steps[moment.k];
    Read result = Read::kGood;
    if (step.act == Act::kCopy) result = read(moment, step.from, step.from_part);
    if (step.act == Act::kUse || step.act == Act::kUpdate)
      result = read(moment, step.buffer, step.part);
    if (result == Read::kWrong) return false;
    if (result == Read::kUnwrittenPart) return true;
    if (step.writes(step.buffer)) write(moment, step.buffer, step.part);
    if (step.is_jump()) {
      Moment jumped = moment;
      jumped.k = step.target;
      visit(jumped);
    }
    if (step.act != Act::kGoTo) {
      ++moment.k;
      visit(moment);
    }
    return true;
  }

  const Program& program_;
  std::set<Moment> seen_;
  std::vector<Moment> open_;
};

std::string describe(const Program& program) {
  std::string text;
  for (uint32_t k = 0; k < program.size(); ++k) {
    const Step& s = program.steps[k];
    static const char* const kNames[] = {"write", "use", "update", "copy", "jump", "goto"};
    text += std::to_string(k) + " " + kNames[static_cast<int>(s.act)] + " b" +
            std::to_string(s.buffer) + "." + std::to_string(s.part) + " from b" +
            std::to_string(s.from) + "." + std::to_string(s.from_part) + " to " +
            std::to_string(s.target) + "\n";
  }
  for (uint32_t b = 0; b < program.buffers.size(); ++b) {
    const Buffer& buffer = program.buffers[b];
    text += "b" + std::to_string(b) + " at " + std::to_string(buffer.place) + " slots " +
            std::to_string(buffer.slots) + (buffer.input ? " input" : "") +
            (buffer.output ? " output" : "") + (buffer.state ? " state" : "");
    for (const TestInterval& live : buffer.live) {
      text += " [" + std::to_string(live.begin) + "," + std::to_string(live.end) + ")";
    }
    text += "\n";
  }
  return text;
}

TEST(CertificatePropertyTest, NoAcceptedPlanReadsAClobberedValue) {
  Random random(20240607);
  const Span<const Kernel> kernels[] = {make::kernels()};
  make::AlignedBytes pool(kPoolSlots * kSlotBytes), own(1 << 14);
  const PoolMemory pools[] = {{1, {pool.data(), pool.size()}}};
  CertificateRules no_jumps, no_assembly;
  no_jumps.jumps = false;
  no_assembly.assembly = false;
  int made = 0, accepted = 0, with_jumps = 0, shared = 0;
  int jumps_let_through = 0, wrong_without_jumps = 0, parts_let_through = 0,
      wrong_without_parts = 0;
  while (accepted < BERTH_ACCEPTED) {
    ++made;
    ASSERT_LT(made, 100 * BERTH_ACCEPTED) << "hardly any plan is accepted";
    Program program = random_program(random);
    if (random.chance(60)) {
      plan_by_liveness(program, random.chance(70));
    } else {
      plan_by_order(program);
    }
    if (random.chance(20)) spoil(program, random);
    place(program, random);
    if (random.chance(10)) spoil(program, random);

    const Built built = build(program);
    const make::AlignedBytes bytes(build_file(built.file));
    ProgramFile file;
    LoadedMethod* method = nullptr;
    LoadFaults faults(nullptr);
    ASSERT_EQ(open_program({bytes.data(), bytes.size()}, &file, faults), Status::kOk);
    ASSERT_EQ(
        load_method(file, "forward", {kernels}, {{own.data(), own.size()}, pools}, &method, faults),
        Status::kOk);
    const make::AlignedBytes record(build_record(built.record));
    const Status verdict = prove(*method, record, {});
    if (made % 4 == 0) {
      ASSERT_EQ(prove_with_delegates(program, record, pools), verdict) << describe(program);
    }
    if (verdict == Status::kOk) {
      ++accepted;
      with_jumps += std::any_of(program.steps.begin(), program.steps.end(),
                                [](const Step& s) { return s.is_jump(); });
      std::array<int, kPoolSlots> users{};
      for (const Buffer& b : program.buffers) {
        for (uint32_t s = 0; s < b.slots && !b.live.empty(); ++s) ++users[b.place + s];
      }
      shared += *std::max_element(users.begin(), users.end()) > 1;
      ASSERT_FALSE(Runner(program).goes_wrong()) << describe(program);
      continue;
    }
    if (prove(*method, record, no_jumps) == Status::kOk) {
      ++jumps_let_through;
      wrong_without_jumps += Runner(program).goes_wrong();
    }
    if (prove(*method, record, no_assembly) == Status::kOk) {
      ++parts_let_through;
      wrong_without_parts += Runner(program).goes_wrong();
    }
  }
  printf("%d plans, %d accepted (%d with jumps, %d where buffers share bytes), 0 wrong\n", made,
         accepted, with_jumps, shared);
  printf(
      "without the rule for jumps %d more, %d of them wrong; without the rule for parts %d more, "
      "%d wrong\n",
      jumps_let_through, wrong_without_jumps, parts_let_through, wrong_without_parts);
  EXPECT_GT(with_jumps, accepted / 4);
  EXPECT_GT(shared, accepted / 4);
  EXPECT_GT(wrong_without_jumps, accepted / 400);
  EXPECT_GT(wrong_without_parts, 0);
}

}  // namespace
}  // namespace berth::runtime::random_plans
