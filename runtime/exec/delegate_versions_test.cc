// Version skew: whatever of file, runtime and backend is older or newer, the backend gets its
// memory or says that it does not. {with record, stripped, record of a newer version} x {backend
// that is told the counts, backend that reads the flat list} x {scratch declared, none}.
#include "runtime/exec/delegate_test_util.h"

namespace berth::runtime::delegate_tests {
namespace {

enum class Record { kCurrent, kStripped, kNewer };

make::TestFile file_of(Record record, bool flat, bool has_scratch) {
  make::TestFile file = recorded_file();
  if (flat) file.method().delegates[0].specs.push_back({"flat", {}});
  if (!has_scratch) {
    file.method().values[kWork] = make::int_value(0);
    file.method().code()[kProbeCall].args = {kB, kC};
    make::TestMethodRecord& m = file.record->methods[0];
    m.value_buffer = {0, 1, 2, 3, -1};
    m.buffers.erase(m.buffers.begin() + 3);
    m.calls = {{kProbeCall, 1, 1, 0}};
  }
  if (record == Record::kStripped) file.record = {};
  if (record == Record::kNewer) {
    file.record->version = 2;
    file.record->has_newer_field = true;
  }
  return file;
}

TEST(DelegateVersionsTest, EveryPairOfVersionsRunsOrSaysWhatIsMissing) {
  for (const Record record : {Record::kCurrent, Record::kStripped, Record::kNewer}) {
    for (const bool flat : {false, true}) {
      for (const bool has_scratch : {true, false}) {
        SCOPED_TRACE(std::to_string(static_cast<int>(record)) + (flat ? " flat" : " aware") +
                     (has_scratch ? " scratch" : " none"));
        Session session(file_of(record, flat, has_scratch));
        ASSERT_EQ(session.load(), Status::kOk) << session.fault.field << " " << session.fault.index;
        EXPECT_EQ(session.method.is_proven(), record != Record::kStripped);
        std::vector<float> out;
        make::AlignedBytes temp(kScratchBytes);
        if (!has_scratch) {
          EXPECT_EQ(session.run(&out), Status::kScratchTooSmall);
          session.method.set_temp({temp.data(), temp.size()});
        }
        ASSERT_EQ(session.run(&out), Status::kOk);
        EXPECT_EQ(out, kSame);
        ASSERT_EQ(session.log.calls.size(), 1u);
        const make::ProbeLog::Call& call = session.log.calls[0];
        EXPECT_EQ(call.arguments, has_scratch ? 3u : 2u);
        EXPECT_EQ(call.from_temp, !has_scratch);
        const uint8_t* place = has_scratch ? session.pool(32) : temp.data();
        ASSERT_EQ(call.scratch.size(), 1u);
        EXPECT_EQ(call.scratch[0].data(), place);
      }
    }
  }
}

// A flag that changes meaning refuses the whole file, for every backend.
TEST(DelegateVersionsTest, AFeatureFlagOfANewerVersionIsRefused) {
  make::TestFile file = file_of(Record::kNewer, false, true);
  file.record->feature_flags = 1;
  Session session(file);
  EXPECT_EQ(session.load(), Status::kNewerFeature);
  EXPECT_STREQ(session.fault.field, "plan_record.feature_flags");
}

}  // namespace
}  // namespace berth::runtime::delegate_tests
