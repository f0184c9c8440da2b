#include "tools/host_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "program/read.h"
#include "tools/load_program.h"

namespace berth::tools {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> shared_programs() {
  std::vector<std::string> paths;
  const fs::path folder = fs::path(BERTH_SHARED_DIR) / "pte";
  if (!fs::is_directory(folder)) return paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".pte") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(HostProgram, ReportedMethodBytesAreWhatTheRuntimeAsksFor) {
  const std::vector<std::string> paths = shared_programs();
  if (paths.empty()) GTEST_SKIP() << "no .pte files in " << BERTH_SHARED_DIR << "/pte";
  size_t compared = 0;
  for (const std::string& path : paths) {
    Result<LoadedFile> loaded = load_program(path);
    ASSERT_TRUE(loaded.ok()) << path << ": " << loaded.error().place << ": "
                             << loaded.error().message;
    const Bytes& file = loaded.value().bytes;
    runtime::Program program;
    const Status opened =
        program.open({reinterpret_cast<const uint8_t*>(file.data()), file.size()});
    ASSERT_EQ(opened, Status::kOk) << path;
    for (const report::MethodReport& method : loaded.value().report.methods) {
      runtime::MethodNeed need;
      LoadFault fault;
      // Pools on other devices and the like are beyond this runtime.
      if (program.need(method.name.c_str(), &need, &fault) != Status::kOk) continue;
      EXPECT_EQ(method.runtime_bytes(Abi::kHost64), need.method_bytes)
          << path << " " << method.name;
      ++compared;
    }
  }
  EXPECT_GT(compared, paths.size() / 2);
}

TEST(HostProgram, EveryPlanOfTheStockToolsIsProvenByAnalysis) {
  const std::vector<std::string> paths = shared_programs();
  if (paths.empty()) GTEST_SKIP() << "no .pte files in " << BERTH_SHARED_DIR << "/pte";
  for (const std::string& path : paths) {
    Result<LoadedFile> loaded = load_program(path);
    ASSERT_TRUE(loaded.ok()) << path;
    EXPECT_FALSE(loaded.value().plan_error.has_value())
        << path << ": " << loaded.value().plan_error->place << ": "
        << loaded.value().plan_error->message;
  }
}

TEST(HostProgram, KernelsOfOneNameStandInOneTableOnly) {
  std::vector<std::string> names;
  for (const auto& table : host_kernels()) {
    for (const runtime::Kernel& kernel : table) {
      names.push_back(std::string(kernel.schema->name) + "." + kernel.schema->overload);
    }
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_GT(names.size(), 30u);
}

}  // namespace
}  // namespace berth::tools
