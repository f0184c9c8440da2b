// Files with delegates from a stranger: cut short at every byte, and damaged at random. Each load
// ends with a method or a status, and each handle that was made is destroyed.
#include <cstring>
#include <random>

#include "runtime/exec/delegate_test_util.h"

namespace berth::runtime::delegate_tests {
namespace {

std::vector<std::vector<uint8_t>> sample_files() {
  make::TestFile inline_blob = sample_file();
  inline_blob.inline_blobs = {make::probe_blob(1, 1, 1, 8)};
  inline_blob.method().delegates[0].location = 0;
  return {build_file(recorded_file()), build_file(sample_file()), build_file(persistent_file()),
          build_file(shared_file()), build_file(inline_blob)};
}

void look_at(const std::vector<uint8_t>& file, int* loaded) {
  Session session(file);
  if (session.load() != Status::kOk) {
    EXPECT_NE(session.fault.status, Status::kOk);
    EXPECT_EQ(session.log.handles, 0);
    return;
  }
  ++*loaded;
  make::AlignedBytes temp(256);
  session.method.set_temp({temp.data(), temp.size()});
  std::vector<std::vector<uint8_t>> given;  // an input that is not planned is read where it is
  for (uint32_t i = 0; i < session.method.input_count(); ++i) {
    const EValue& input = session.method.input(i);
    if (input.tag != Tag::kTensor) continue;
    given.emplace_back(input.tensor->nbytes());
    EXPECT_EQ(session.method.set_input(i, given.back().data(), given.back().size()), Status::kOk);
  }
  (void)session.method.execute(1000);
  session.method.unload();
  EXPECT_EQ(session.log.handles, 0);
}

TEST(DelegateHostileTest, CutAtEveryByte) {
  int loaded = 0;
  for (const std::vector<uint8_t>& file : sample_files()) {
    for (size_t length = 0; length < file.size(); ++length) {
      SCOPED_TRACE(std::to_string(length) + " of " + std::to_string(file.size()));
      look_at({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length)}, &loaded);
      if (HasFailure()) return;
    }
  }
}

TEST(DelegateHostileTest, DamagedAtRandom) {
  const std::vector<std::vector<uint8_t>> files = sample_files();
  int loaded = 0;
  for (uint32_t seed = 0; seed < 20000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::vector<uint8_t> file = files[seed % files.size()];
    const auto changes = static_cast<uint32_t>(1 + random() % 3);
    for (uint32_t i = 0; i < changes; ++i) {
      const size_t at = random() % (file.size() - 4);
      if (random() % 2 == 0) {
        file[at] = static_cast<uint8_t>(random());
        continue;
      }
      const uint32_t hostile[] = {0, 1, 2, 5, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff};
      const uint32_t number = hostile[random() % (sizeof hostile / sizeof hostile[0])];
      std::memcpy(file.data() + at / 4 * 4, &number, 4);
    }
    look_at(file, &loaded);
    if (HasFailure()) return;
  }
  EXPECT_GT(loaded, 1000);  // much of a file is padding
}

}  // namespace
}  // namespace berth::runtime::delegate_tests
