// Delegates that are not in order: each wrong number has its status and its field, and no backend
// is asked before all of them have been looked at.
#include <functional>

#include "runtime/exec/delegate_test_util.h"

namespace berth::runtime::delegate_tests {
namespace {

using make::TestFile;

// The fault of a file; nothing may be left of it.
LoadFault refused(const TestFile& file) {
  Session session(file);
  EXPECT_NE(session.load(), Status::kOk);
  EXPECT_FALSE(session.method.is_loaded());
  EXPECT_TRUE(session.log.destroys.empty());
  return session.fault;
}

struct HostileCase {
  Status status;
  const char* field;
  uint32_t index;  // of the entry, or of the instruction
  std::function<void(TestFile&)> spoil;
};

make::TestMethodRecord& record_of(TestFile& f) { return f.record->methods[0]; }
make::TestInstruction& call_of(TestFile& f) { return f.method().code()[kProbeCall]; }
make::TestDelegate& delegate_of(TestFile& f) { return f.method().delegates[0]; }

TEST(DelegateRefusalsTest, NamesTheFieldOfEveryHostileValue) {
  const Status truncated = Status::kTruncated, mismatch = Status::kPlanRecordMismatch;
  const std::vector<HostileCase> cases = {
      // The entry.
      {Status::kMissingField, "delegates.id", 0,
       [](TestFile& f) { delegate_of(f).missing = "id"; }},
      {Status::kMissingField, "delegates.processed", 0,
       [](TestFile& f) { delegate_of(f).missing = "processed"; }},
      {Status::kMissingField, "delegates.compile_specs.key", 0,
       [](TestFile& f) { delegate_of(f).missing = "spec_key"; }},
      {Status::kBadValue, "delegates.processed.location", 0,
       [](TestFile& f) { delegate_of(f).location = 2; }},
      {Status::kBadIndex, "delegates.processed.index", 0,
       [](TestFile& f) { delegate_of(f).index = 2; }},
      {Status::kBadIndex, "delegates.processed.index", 0,
       [](TestFile& f) { delegate_of(f).location = 0; }},
      {truncated, "segments.size", 0,
       [](TestFile& f) {
         f.spoil_segment = [](uint32_t i, uint64_t*, uint64_t* size) {
           if (i == 0) *size += 1 << 20;
         };
       }},
      {Status::kNoSuchBackend, "delegates.id", 1,
       [](TestFile& f) {
         f.method().delegates.push_back({"other", 1, 0});
       }},
      // A blob that its backend finds too short.
      {Status::kBadValue, "delegates", 0, [](TestFile& f) { f.segments[0].pop_back(); }},

      // The call.
      {Status::kNewerFeature, "instructions.instr_args", kProbeCall,
       [](TestFile& f) { call_of(f).has_newer_field = true; }},
      {Status::kBadIndex, "instructions.delegate_index", kProbeCall,
       [](TestFile& f) { call_of(f).first = 1; }},
      {Status::kBadIndex, "instructions.delegate_index", kProbeCall,
       [](TestFile& f) { call_of(f).first = -1; }},
      {Status::kBadIndex, "instructions.delegate_index", kProbeCall,
       [](TestFile& f) { f.method().delegates.clear(); }},
      {Status::kBadIndex, "instructions.args", kProbeCall,
       [](TestFile& f) { call_of(f).args[2] = 5; }},
      {Status::kBadIndex, "instructions.args", kProbeCall,
       [](TestFile& f) { call_of(f).args[0] = -1; }},
      {Status::kBadCount, "instructions.args", kProbeCall,
       [](TestFile& f) { call_of(f).args.assign(65536, kB); }},

      // What the record says of it.
      {mismatch, "plan_record.calls", kProbeCall,
       [](TestFile& f) { record_of(f).calls[0].scratch = 2; }},  // more than there are arguments
      {mismatch, "plan_record.calls", kProbeCall,
       [](TestFile& f) { record_of(f).calls[0].inputs = UINT32_MAX; }},
      {mismatch, "plan_record.calls", kProbeCall,
       [](TestFile& f) {
         record_of(f).calls = {{0, 1, 1, 1}, {kProbeCall, 1, 1, 1}};
       }},
      {mismatch, "plan_record.calls", kProbeCall,
       [](TestFile& f) {
         record_of(f).calls = {{kProbeCall, 1, 1, 1}, {kProbeCall, 1, 1, 1}};
       }},
      {mismatch, "plan_record.calls", 2,
       [](TestFile& f) {
         record_of(f).calls = {{2, 1, 1, 1}};
       }},
      {mismatch, "plan_record.calls", UINT32_MAX,
       [](TestFile& f) {
         record_of(f).calls.push_back({UINT32_MAX, 1, 1, 1});
       }},
      // Roles of the buffers that say otherwise.
      {mismatch, "plan_record.buffer_role", kProbeCall,
       [](TestFile& f) { record_of(f).calls[0].scratch = 0; }},
      {mismatch, "plan_record.buffer_role", kProbeCall,
       [](TestFile& f) {
         record_of(f).calls[0] = {kProbeCall, 1, 2, 0};
       }},
      {mismatch, "plan_record.buffer_role", kProbeCall,
       [](TestFile& f) {
         record_of(f).calls[0] = {kProbeCall, 2, 1, 0};
       }},
      {mismatch, "plan_record.buffer_role", kProbeCall,
       [](TestFile& f) {
         record_of(f).calls[0] = {kProbeCall, 1, 0, 2};
       }},
      {mismatch, "plan_record.buffer_role", kProbeCall,
       [](TestFile& f) { record_of(f).buffers[3].role = kActivationRole; }},
      {mismatch, "plan_record.buffer_role", kProbeCall,
       [](TestFile& f) {
         f.method().values[kC] = make::planned({16}, 0, kByteType);
         record_of(f).buffers[2].role = kScratchRole;
       }},
      // Scratch behind persistent memory.
      {mismatch, "plan_record.buffer_role", kProbeCall,
       [](TestFile& f) {
         f.method().values.push_back(make::planned({16}, 64, kByteType));
         f.method().values[kWork].sizes = {32};
         call_of(f).args = {kB, kC, 5, kWork};
         record_of(f).value_buffer = {0, 1, 3, 5, 4, 2};
         record_of(f).buffers.insert(record_of(f).buffers.begin() + 2,
                                     {5, {{0, 3}}, kPersistentRole});
         record_of(f).calls[0] = {kProbeCall, 1, 1, 2};
       }},
      // What it writes must be writable, and scratch is bytes.
      {Status::kBadArguments, "instructions.args", kProbeCall,
       [](TestFile& f) { f.method().values[kWork] = make::planned({kScratchBytes / 4}, 32); }},
      {Status::kBadArguments, "instructions.args", kProbeCall,
       [](TestFile& f) {
         f.constants = make::TestSegments{1, {0, 0}};
         f.segments.push_back(std::vector<uint8_t>(16));
         f.method().values.push_back(make::constant({4}, 1));
         record_of(f).value_buffer.push_back(-1);
         call_of(f).args = {kB, 5, kWork};
       }},

      // Nor is it a list, even where the record says that the list is the buffer.
      {Status::kBadArguments, "instructions.args", kProbeCall,
       [](TestFile& f) {
         f.method().values.push_back(make::list_value(make::kTensorList, {kWork}));
         record_of(f).value_buffer.push_back(3);
         record_of(f).buffers[3].extent = 5;
         call_of(f).args = {kB, kC, 5};
       }},

      // The proof: bytes that live while the call runs.
      {Status::kPlanOverlap, "plan_record.intervals", 1,
       [](TestFile& f) { f.method().values[kWork].place->offset = 16; }},  // on its input
      {Status::kPlanOverlap, "plan_record.intervals", 2,
       [](TestFile& f) {
         f.method().values[kWork] = make::planned({16}, 0, kByteType);  // on its output
       }},
      {Status::kPlanOverlap, "plan_record.intervals", 1,
       [](TestFile& f) { f.method().values[kC].place->offset = 16; }},  // output on input
      {mismatch, "plan_record.intervals", 3,
       [](TestFile& f) {
         record_of(f).buffers[3].live = {{2, 3}};
       }},  // scratch that is not live
      {mismatch, "plan_record.intervals", 2,
       [](TestFile& f) {
         record_of(f).buffers[2].live = {{1, 2}};
       }},
  };
  int number = 0;
  for (const HostileCase& c : cases) {
    SCOPED_TRACE(std::to_string(number++) + " " + c.field);
    TestFile file = recorded_file();
    c.spoil(file);
    const LoadFault fault = refused(file);
    EXPECT_EQ(fault.status, c.status) << status_words(fault.status);
    EXPECT_STREQ(fault.field, c.field);
    EXPECT_EQ(fault.index, c.index);
  }
}

TEST(DelegateRefusalsTest, IndexOutOfRangeSaysBothIndices) {
  TestFile file = recorded_file();
  call_of(file).first = 7;
  const LoadFault fault = refused(file);
  EXPECT_EQ(fault.index, static_cast<uint32_t>(kProbeCall));
  EXPECT_EQ(fault.need, 1u);
  EXPECT_EQ(fault.have, 7u);
}

// A handle with scratch serves one call: another may come while the first one's is in use.
TestFile called_twice() {
  TestFile file = recorded_file();
  file.method().delegates.insert(file.method().delegates.begin(), {"probe", 1, 0});
  call_of(file).first = 1;
  file.method().code().push_back(make::delegate_call(1, {kC, kD, kWork}));
  make::TestMethodRecord& r = record_of(file);
  r.instruction_count = 4;
  r.buffers[2].live = {{1, 4}};
  r.buffers[3].live = {{1, 2}, {3, 4}};
  r.buffers[4].live = {{2, 4}};
  r.calls.push_back({3, 1, 1, 1});
  return file;
}

TEST(DelegateRefusalsTest, ADelegateWithScratchHasOneCallSite) {
  const LoadFault fault = refused(called_twice());
  EXPECT_EQ(fault.status, Status::kBadArguments);
  EXPECT_STREQ(fault.field, "delegates.scratch");
  EXPECT_EQ(fault.index, 3u);  // this call,
  EXPECT_EQ(fault.need, 1u);   // that call,
  EXPECT_EQ(fault.have, 1u);   // of this delegate
}

// A stripped file cannot tell.
TEST(DelegateRefusalsTest, AStrippedFileWithScratchAtTwoCallSitesLoads) {
  TestFile file = called_twice();
  file.record = {};
  Session session(file);
  EXPECT_EQ(session.load(), Status::kOk) << session.fault.field;
}

TEST(DelegateRefusalsTest, CallsOfOneEntryDivideTheirArgumentsAlike) {
  TestFile file = called_twice();
  call_of(file).args = {kB, kC};
  file.method().code()[3].args = {kC, kD};
  make::TestMethodRecord& r = record_of(file);
  r.value_buffer = {0, 1, 2, 3, -1};
  file.method().values[kWork] = make::int_value(0);
  r.buffers.erase(r.buffers.begin() + 3);
  r.calls = {{1, 1, 1, 0}, {3, 1, 1, 0}};
  {
    Session session(file);
    ASSERT_EQ(session.load(), Status::kOk) << session.fault.field;
  }
  TestFile other = file;
  record_of(other).calls[1] = {3, 2, 0, 0};
  LoadFault fault = refused(other);
  EXPECT_EQ(fault.status, Status::kPlanRecordMismatch);
  EXPECT_STREQ(fault.field, "plan_record.calls");
  EXPECT_EQ(fault.index, 3u);
  other = file;
  record_of(other).calls.pop_back();  // known of one call, not of the other
  EXPECT_EQ(refused(other).status, Status::kPlanRecordMismatch);
}

TEST(DelegateRefusalsTest, WithoutBackendsADelegateIsRefusedAsBefore) {
  Session session(recorded_file());
  session.backends.clear();
  EXPECT_EQ(session.load(), Status::kNoSuchBackend);
  EXPECT_STREQ(session.fault.field, "delegates");
  EXPECT_EQ(session.fault.have, 1u);
}

// Bytes that many entries share could keep the loader busy for ever.
TEST(DelegateRefusalsTest, MoreDelegatesThanACountHoldsAreRefused) {
  TestFile file = recorded_file();
  file.method().delegates.assign(65536, delegate_of(file));
  const LoadFault fault = refused(file);
  EXPECT_EQ(fault.status, Status::kUnsupported);
  EXPECT_STREQ(fault.field, "delegates");
  EXPECT_EQ(fault.have, 65536u);
}

}  // namespace
}  // namespace berth::runtime::delegate_tests
