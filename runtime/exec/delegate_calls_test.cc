// Delegates that are in order: what init(), execute() and destroy() are given and when.
#include <functional>

#include "runtime/exec/delegate_test_util.h"

namespace berth::runtime::delegate_tests {
namespace {

TEST(DelegateCallsTest, InitOnceExecuteEachRunDestroyOnUnload) {
  Session session(recorded_file());
  ASSERT_EQ(session.load(), Status::kOk) << session.fault.field << " " << session.fault.index;
  EXPECT_TRUE(session.method.is_proven());
  EXPECT_EQ(session.log.inits, Names{"first"});
  for (int run = 0; run < 3; ++run) EXPECT_EQ(session.outputs(), kSame);
  EXPECT_EQ(session.log.calls.size(), 3u);
  EXPECT_TRUE(session.log.destroys.empty());
  session.method.unload();
  EXPECT_FALSE(session.method.is_loaded());
  session.method.unload();
  EXPECT_EQ(session.log.destroys, Names{"first"});
  EXPECT_EQ(session.log.inits.size(), 1u);
}

TEST(DelegateCallsTest, TheRecordTellsInputsOutputsAndScratchApart) {
  Session session(recorded_file());
  ASSERT_EQ(session.load(), Status::kOk) << session.fault.field;
  session.outputs();
  const make::ProbeLog::Call& call = session.log.calls.at(0);
  EXPECT_EQ(call.arguments, 3u);
  EXPECT_EQ(call.inputs, 1u);
  EXPECT_EQ(call.outputs, 1u);
  ASSERT_EQ(call.scratch.size(), 1u);
  EXPECT_FALSE(call.from_temp);
  EXPECT_EQ(call.scratch[0].data(), session.pool(32));  // where the plan put it
  EXPECT_EQ(call.scratch[0].size(), static_cast<size_t>(kScratchBytes));
}

TEST(DelegateCallsTest, WithoutARecordAllIsInTheFlatList) {
  Session session(sample_file());
  ASSERT_EQ(session.load(), Status::kOk) << session.fault.field;
  EXPECT_FALSE(session.method.is_proven());
  EXPECT_EQ(session.outputs(), kSame);
  const make::ProbeLog::Call& call = session.log.calls.at(0);
  EXPECT_EQ(call.arguments, 3u);
  EXPECT_EQ(call.scratch.at(0).data(), session.pool(32));
}

// What the loader looks at where the record tells of a call, a backend has looked at where it does
// not.
TEST(DelegateCallsTest, ArgumentsOfTheFlatListAreNotBelieved) {
  const auto outcome = [](const std::function<void(make::TestFile&)>& spoil) {
    make::TestFile file = sample_file();
    spoil(file);
    Session session(file);
    EXPECT_EQ(session.load(), Status::kOk) << session.fault.field;
    std::vector<float> out;
    const Status status = session.run(&out);
    EXPECT_TRUE(session.log.calls.empty());
    return status;
  };
  std::vector<int32_t>& (*args)(make::TestFile&) = [](make::TestFile& f) -> std::vector<int32_t>& {
    return f.method().code()[kProbeCall].args;
  };
  // Too few; a number as scratch; floats as scratch; a constant as output.
  EXPECT_EQ(outcome([&](make::TestFile& f) { args(f) = {kB}; }), Status::kBadArguments);
  EXPECT_EQ(outcome([](make::TestFile& f) { f.method().values[kWork] = make::int_value(1); }),
            Status::kBadArguments);
  EXPECT_EQ(outcome([](make::TestFile& f) { f.method().values[kWork] = make::planned({12}, 32); }),
            Status::kBadArguments);
  EXPECT_EQ(outcome([&](make::TestFile& f) {
              f.constants = make::TestSegments{1, {0, 0}};
              f.segments.push_back(std::vector<uint8_t>(16));
              f.method().values.push_back(make::constant({4}, 1));
              args(f)[1] = 5;
            }),
            Status::kBadArguments);
}

// Files of other compilers that were replanned: there is a record, but nobody knows the counts.
TEST(DelegateCallsTest, ARecordThatIsSilentAboutACallLeavesTheFlatList) {
  make::TestFile file = recorded_file();
  file.record->methods[0].calls.clear();
  Session session(file);
  ASSERT_EQ(session.load(), Status::kOk) << session.fault.field << " " << session.fault.index;
  EXPECT_TRUE(session.method.is_proven());
  EXPECT_EQ(session.outputs(), kSame);
  EXPECT_EQ(session.log.calls.at(0).scratch.at(0).data(), session.pool(32));
}

// An accelerator's arena: an argument may lie inside the scratch, also as long as all of it.
TEST(DelegateCallsTest, AnArgumentMayLieInsideTheScratch) {
  for (const int32_t scratch_bytes : {16, 32}) {
    make::TestFile file = recorded_file();
    file.method().values[kWork] = make::planned({scratch_bytes}, 16, kByteType);
    make::TestMethodRecord& m = file.record->methods[0];
    m.value_buffer = {0, 1, 2, 3, 1};
    m.buffers[1] = {
        static_cast<uint32_t>(scratch_bytes == 16 ? kB : kWork), {{0, 2}}, kScratchRole};
    m.buffers.erase(m.buffers.begin() + 3);
    Session session(file);
    EXPECT_EQ(session.load(), Status::kOk) << session.fault.field << " " << session.fault.index;
    EXPECT_TRUE(session.method.is_proven());
  }
}

// A file whose compiler declared no scratch.
make::TestFile old_file(bool with_record) {
  make::TestFile file = recorded_file();
  file.method().code()[kProbeCall].args = {kB, kC};
  make::TestMethodRecord& m = file.record->methods[0];
  m.value_buffer[kWork] = -1;
  m.value_buffer[kD] = 3;
  m.buffers.erase(m.buffers.begin() + 3);
  m.calls = {{kProbeCall, 1, 1, 0}};
  file.method().values[kWork] = make::int_value(0);
  if (!with_record) file.record = {};
  return file;
}

TEST(DelegateCallsTest, WithoutDeclaredScratchItComesFromTheTempMemory) {
  for (const bool with_record : {true, false}) {
    Session session(old_file(with_record));
    ASSERT_EQ(session.load(), Status::kOk) << session.fault.field << " " << session.fault.index;
    make::AlignedBytes temp(kScratchBytes + 1);
    session.method.set_temp({temp.data() + 1, kScratchBytes});
    std::vector<float> out;
    EXPECT_EQ(session.run(&out), Status::kScratchTooSmall);  // 15 bytes go by until it is aligned
    EXPECT_EQ(session.method.stopped_at(), 1u);
    session.method.set_temp({temp.data(), kScratchBytes});
    EXPECT_EQ(session.outputs(), kSame);
    const make::ProbeLog::Call& call = session.log.calls.at(0);
    EXPECT_TRUE(call.from_temp);
    EXPECT_EQ(call.scratch.at(0).data(), temp.data());
    session.method.set_temp({});
    EXPECT_EQ(session.run(&out), Status::kScratchTooSmall);
  }
}

TEST(DelegateCallsTest, TempMemoryIsCutPieceByPiece) {
  make::AlignedBytes temp(100);
  ExecuteContext context;
  context.temp = {temp.data(), temp.size()};
  Span<uint8_t> first, second, third;
  EXPECT_EQ(context.take_temp(10, 16, &first), Status::kOk);
  EXPECT_EQ(context.take_temp(20, 32, &second), Status::kOk);
  EXPECT_EQ(first.data(), temp.data());
  EXPECT_EQ(second.data(), temp.data() + 32);
  EXPECT_EQ(context.take_temp(49, 1, &third), Status::kScratchTooSmall);
  EXPECT_EQ(context.take_temp(48, 1, &third), Status::kOk);
  EXPECT_EQ(context.take_temp(0, 1, &third), Status::kOk);
  EXPECT_EQ(context.take_temp(0, 64, &third), Status::kScratchTooSmall);
}

// A probe that wants more than the file's scratch, or another alignment.
TEST(DelegateCallsTest, PlannedScratchThatDoesNotSufficeIsAStatus) {
  make::TestFile file = recorded_file();
  file.segments[0] = make::probe_blob(1, 1, 1, kScratchBytes + 1);
  Session session(file);
  ASSERT_EQ(session.load(), Status::kOk);
  std::vector<float> out;
  EXPECT_EQ(session.run(&out), Status::kScratchTooSmall);
}

TEST(DelegateCallsTest, PersistentMemoryIsHandedOverInInit) {
  Session session(persistent_file());
  ASSERT_EQ(session.load(), Status::kOk) << session.fault.field << " " << session.fault.index;
  EXPECT_TRUE(session.method.is_proven());
  ASSERT_EQ(session.log.persistent.size(), 2u);
  EXPECT_EQ(session.log.persistent[0].data(), session.pool(80));
  EXPECT_EQ(session.log.persistent[0].size(), 64u);
  EXPECT_EQ(session.log.persistent[1].data(), session.pool(144));
  EXPECT_EQ(session.outputs(), kSame);
  EXPECT_EQ(session.log.calls.at(0).scratch.size(), 1u);  // not part of it
}

TEST(DelegateCallsTest, AFileThatLostItsRecordHasNoPersistentMemoryToTell) {
  make::TestFile file = persistent_file();
  file.record = {};
  Session session(file);
  ASSERT_EQ(session.load(), Status::kOk) << session.fault.field;
  EXPECT_TRUE(session.log.persistent.empty());
}

TEST(DelegateCallsTest, InitFindsSpecsNamedDataAndOptionsOfItsBackend) {
  make::TestFile file = recorded_file();
  file.segments.push_back(bytes_of("weights"));
  file.named_data = {{"other", 0}, {"key", 1}};
  file.method().delegates[0].specs.push_back({"data", bytes_of("key")});
  file.method().delegates[0].specs.push_back({"window", bytes_of("128")});
  Session session(file);
  make::AlignedBytes memory(128), others(128);
  BackendOption limit{"probe", "limit"}, mode{"probe", "mode"}, window{"probe", "window"};
  limit.integer = -5;
  mode.kind = BackendOption::Kind::kText, mode.text = "fast";
  window.kind = BackendOption::Kind::kMemory, window.memory = {memory.data(), memory.size()};
  BackendOption foreign = window;
  foreign.backend = "other", foreign.memory = {others.data(), others.size()};
  session.options = {foreign, limit, mode, window};
  ASSERT_EQ(session.load(), Status::kOk) << session.fault.field;
  EXPECT_EQ(session.log.named_data, "weights");
  EXPECT_EQ(session.log.limit, -5);
  EXPECT_EQ(session.log.mode, "fast");
  EXPECT_EQ(session.log.window.data(), memory.data());
}

TEST(DelegateCallsTest, MemoryThatWasNotGivenIsTheLoadsFault) {
  make::TestFile file = recorded_file();
  file.method().delegates[0].specs.push_back({"window", bytes_of("128")});
  make::AlignedBytes memory(192);
  BackendOption window{"probe", "window"};
  const auto outcome = [&](const std::vector<BackendOption>& options) {
    Session session(file);
    session.options = options;
    const Status status = session.load();
    EXPECT_EQ(session.fault.status, status);
    EXPECT_STREQ(session.fault.field, "backends.options.memory");
    EXPECT_FALSE(session.method.is_loaded());
    return std::make_tuple(status, session.fault.need, session.fault.have);
  };
  EXPECT_EQ(outcome({}), std::make_tuple(Status::kTooSmall, 128u, 0u));
  EXPECT_EQ(outcome({window}), std::make_tuple(Status::kTooSmall, 128u, 0u));  // an integer
  window.kind = BackendOption::Kind::kMemory;
  window.memory = {memory.data(), 127};
  EXPECT_EQ(outcome({window}), std::make_tuple(Status::kTooSmall, 128u, 127u));
  window.memory = {memory.data() + 8, 128};
  EXPECT_EQ(outcome({window}), std::make_tuple(Status::kMisaligned, 64u, 8u));
}

TEST(DelegateCallsTest, WhatABackendRefusesIsToldWithItsPartNeedAndHave) {
  make::TestFile file = persistent_file();  // keeps 64 and 16 bytes
  auto& specs = file.method().delegates[0].specs;
  const auto refused = [&](const char* key, const char* value) {
    specs.push_back({key, bytes_of(value)});
    Session session(file);
    session.fault.part = 9;
    const Status status = session.load();
    EXPECT_EQ(session.fault.status, status);
    EXPECT_EQ(session.fault.index, 0u);
    specs.pop_back();
    return session.fault;
  };
  const auto numbers = [](const LoadFault& fault) {
    return std::make_tuple(fault.status, std::string(fault.field), fault.part, fault.need,
                           fault.have);
  };
  EXPECT_EQ(refused("kept", "16").status, Status::kOk);
  EXPECT_EQ(numbers(refused("kept", "17")),
            std::make_tuple(Status::kTooSmall, "delegates.init.persistent", 1u, 17u, 16u));
  EXPECT_EQ(numbers(refused("scratch", "100")),
            std::make_tuple(Status::kScratchTooSmall, "delegates.init.scratch", 2u, 100u, 8u));
  EXPECT_EQ(numbers(refused("blob", "")),
            std::make_tuple(Status::kBadMagic, "delegates.init.processed", 0u, 0u, 0u));
  EXPECT_EQ(numbers(refused("fail", "")),
            std::make_tuple(Status::kBackendFailed, "delegates", 0u, 0u, 0u));
}

// Blobs lie in the FlatBuffer or behind it.
TEST(DelegateCallsTest, AnInlineBlobIsFound) {
  make::TestFile file = recorded_file();
  file.inline_blobs = {{}, make::probe_blob(1, 1, 1, 8)};
  file.method().delegates[0].location = 0;
  file.method().delegates[0].index = 1;
  Session session(file);
  ASSERT_EQ(session.load(), Status::kOk) << session.fault.field;
  EXPECT_EQ(session.outputs(), kSame);
}

TEST(DelegateCallsTest, TheFirstBackendOfAnIdCounts) {
  constexpr Backend kOther = {"probe", nullptr, nullptr, nullptr};
  Session session(recorded_file());
  session.backends = {&make::kProbe, &kOther};
  ASSERT_EQ(session.load(), Status::kOk);
  EXPECT_EQ(session.outputs(), kSame);
}

TEST(DelegateCallsTest, CallsOfOneEntryShareAHandle) {
  Session session(shared_file());
  ASSERT_EQ(session.load(), Status::kOk) << session.fault.field << " " << session.fault.index;
  EXPECT_EQ(session.outputs(), kSame);
  EXPECT_EQ(session.log.calls.size(), 2u);
  session.method.unload();
  EXPECT_EQ(session.log.inits, Names{"shared"});
  EXPECT_EQ(session.log.destroys, Names{"shared"});
}

TEST(DelegateCallsTest, CallsInALoopShareAHandle) {
  make::TestFile file = shared_file();
  file.method().code() = {make::delegate_call(0, {0, 1}), make::jump_false(3, 0)};
  Session session(file);
  ASSERT_EQ(session.load(), Status::kOk) << session.fault.field;
  const float in[] = {1, 2, 3, 4};
  ASSERT_EQ(session.method.set_input(0, in, sizeof in), Status::kOk);
  EXPECT_EQ(session.method.execute(10), Status::kTooManySteps);
  EXPECT_EQ(session.log.calls.size(), 5u);
  session.method.unload();
  EXPECT_EQ(session.log.inits.size(), 1u);
  EXPECT_EQ(session.log.destroys.size(), 1u);
}

TEST(DelegateCallsTest, MethodsHaveHandlesOfTheirOwn) {
  make::TestFile file = shared_file();
  file.methods.push_back(file.methods[0]);
  file.methods[1].name = "other";
  Session first(file), second(file);
  second.name = "other";
  for (Session* session : {&first, &second}) {
    ASSERT_EQ(session->load(), Status::kOk) << session->fault.field;
    EXPECT_EQ(session->outputs(), kSame);
    EXPECT_EQ(session->log.inits.size(), 1u);
  }
  first.method.unload();
  EXPECT_EQ(first.log.handles, 0);
  EXPECT_EQ(second.log.handles, 1);
  EXPECT_EQ(second.outputs(), kSame);
}

TEST(DelegateCallsTest, AnEntryThatNothingCallsIsInitialisedToo) {
  make::TestFile file = recorded_file();
  file.method().delegates.push_back({"probe", 1, 0, {{"name", bytes_of("idle")}}});
  Session session(file);
  ASSERT_EQ(session.load(), Status::kOk) << session.fault.field;
  session.method.unload();
  EXPECT_EQ(session.log.inits, (Names{"first", "idle"}));
  EXPECT_EQ(session.log.destroys, (Names{"idle", "first"}));
}

TEST(DelegateCallsTest, AFailureHalfWayDestroysWhatWasInitialised) {
  make::TestFile file = recorded_file();
  for (const char* name : {"second", "third", "fourth"}) {
    file.method().delegates.push_back({"probe", 1, 0, {{"name", bytes_of(name)}}});
  }
  file.method().delegates[2].specs.push_back({"fail", {}});
  Session session(file);
  EXPECT_EQ(session.load(), Status::kBackendFailed);
  EXPECT_EQ(session.fault.status, Status::kBackendFailed);
  EXPECT_STREQ(session.fault.field, "delegates");
  EXPECT_EQ(session.fault.index, 2u);
  EXPECT_EQ(session.log.inits, (Names{"first", "second", "third"}));
  EXPECT_EQ(session.log.destroys, (Names{"second", "first"}));
  EXPECT_FALSE(session.method.is_loaded());
}

// A failed proof comes before any backend is asked.
TEST(DelegateCallsTest, NothingIsInitialisedForAFileThatIsRefused) {
  make::TestFile file = recorded_file();
  file.record->methods[0].buffers[2].live = {{1, 2}};
  Session session(file);
  EXPECT_EQ(session.load(), Status::kPlanRecordMismatch);
  EXPECT_TRUE(session.log.inits.empty());
}

// A caller's input that is not planned is read where it is; an output likewise.
TEST(DelegateCallsTest, CallersInputsAndOutputsReachTheBackend) {
  make::TestFile file;
  make::TestMethod& m = file.method();
  m.values = {make::tensor_value({4}), make::tensor_value({4})};
  m.inputs = {0};
  m.outputs = {1};
  m.delegates = {{"probe", 1, 0}};
  m.code() = {make::delegate_call(0, {0, 1})};
  file.segments = {make::probe_blob(1, 1, 0, 0)};
  Session session(file);
  ASSERT_EQ(session.load(), Status::kOk) << session.fault.field;
  std::vector<float> out;
  EXPECT_EQ(session.run(&out), Status::kInputNotSet);
  float mine[4] = {};
  ASSERT_EQ(session.method.set_output(0, mine, sizeof mine), Status::kOk);
  EXPECT_EQ(session.outputs(), kSame);
  EXPECT_EQ(mine[3], 4.0f);
}

}  // namespace
}  // namespace berth::runtime::delegate_tests
