// The golden files of the stock tools, run: every case without a foreign delegate gives the
// answers that stand beside it, as the file is and replanned in every way, from pools filled with
// anything, twice in a row.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "compiler/compiler.h"
#include "contract/half_floats.h"
#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/portable/portable_kernels.h"
#include "runtime/runtime.h"
#include "tests/support/pte_builder.h"

namespace berth::runtime {
namespace {

namespace fs = std::filesystem;
using berth::testing::AlignedBytes;
using nlohmann::json;

// Cases that do not run, and why not.
const std::map<std::string, std::string>& not_run() {
  static const std::map<std::string, std::string> cases = {
      {"demo_backend_partitions", "delegate"},
      {"demo_backend_sin", "delegate"},
      {"ethosu_residual_int8", "delegate"},
      {"etdump_xnnpack", "delegate"},
      {"xnnpack_add", "delegate"},
      {"xnnpack_cnn_int8", "delegate"},
      {"xnnpack_dyn_batch", "delegate"},
      {"xnnpack_inline_blob", "delegate"},
      {"xnnpack_mlp", "delegate"},
      {"xnnpack_repeated_call", "delegate"},
      {"xnnpack_two_partitions", "delegate"},
      {"small_cnn_ptd", "constants in another file"},
  };
  return cases;
}

std::vector<uint8_t> read_bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> case_folders() {
  std::vector<fs::path> folders;
  const fs::path root = fs::path(BERTH_SHARED_DIR) / "pte";
  if (!fs::exists(root)) return folders;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (fs::exists(entry.path() / "case.json")) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

ScalarType dtype_named(const std::string& name) {
  const std::map<std::string, ScalarType> types = {
      {"float32", ScalarType::kFloat}, {"float64", ScalarType::kDouble},
      {"float16", ScalarType::kHalf},  {"bfloat16", ScalarType::kBFloat16},
      {"int8", ScalarType::kChar},     {"uint8", ScalarType::kByte},
      {"int32", ScalarType::kInt},     {"int64", ScalarType::kLong},
      {"bool", ScalarType::kBool}};
  return types.at(name);
}

double float_at(const Tensor& tensor, const void* data, size_t i) {
  switch (tensor.dtype) {
    case ScalarType::kFloat:
      return static_cast<double>(static_cast<const float*>(data)[i]);
    case ScalarType::kDouble:
      return static_cast<const double*>(data)[i];
    case ScalarType::kHalf:
      return static_cast<double>(static_cast<float>(static_cast<const Half*>(data)[i]));
    default:
      return static_cast<double>(static_cast<float>(static_cast<const BFloat16*>(data)[i]));
  }
}

bool is_float(ScalarType type) {
  return type == ScalarType::kFloat || type == ScalarType::kDouble || type == ScalarType::kHalf ||
         type == ScalarType::kBFloat16;
}

// Floats to 1e-5 and 1e-4 of the value, all else exactly.
void expect_tensor(const Tensor& got, const json& expected, const fs::path& folder) {
  ASSERT_EQ(got.dtype, dtype_named(expected["dtype"]));
  const std::vector<int32_t> shape = expected["shape"];
  ASSERT_EQ(std::vector<int32_t>(got.sizes, got.sizes + got.rank), shape);
  const std::vector<uint8_t> bytes = read_bytes(folder / expected["file"].get<std::string>());
  ASSERT_EQ(got.nbytes(), bytes.size());
  if (!is_float(got.dtype)) {
    ASSERT_TRUE(bytes.empty() || memcmp(got.data, bytes.data(), bytes.size()) == 0);
    return;
  }
  for (size_t i = 0; i < got.numel(); ++i) {
    const double value = float_at(got, got.data, i), truth = float_at(got, bytes.data(), i);
    if (std::isnan(truth) || std::isinf(truth)) {
      ASSERT_TRUE(value == truth || (std::isnan(truth) && std::isnan(value))) << "element " << i;
    } else {
      ASSERT_NEAR(value, truth, 1e-5 + 1e-4 * std::fabs(truth)) << "element " << i;
    }
  }
}

// One loaded program with all its methods. Arenas behind the first are shared among methods.
class GoldenRun {
 public:
  GoldenRun(const fs::path& folder, const json& file_case, const std::vector<uint8_t>& file,
            int fill)
      : folder_(folder), fill_(fill), file_(file) {
    const Span<const Kernel> tables[] = {cortex_m_kernels(), berth_kernels(), portable_kernels()};
    LoadFault fault;
    status_ = program_.open({file_.data(), file_.size()}, &fault);
    std::set<std::string> names;
    for (const json& vector : file_case["vectors"]) names.insert(vector["method"]);
    std::map<uint32_t, size_t> shared;
    for (const std::string& name : names) {
      MethodNeed& need = needs_[name];
      if (status_ == Status::kOk) status_ = program_.need(name.c_str(), &need, &fault);
      for (uint32_t p = 0; p < need.pool_count; ++p) {
        size_t& bytes = shared[need.pools[p].mem_id];
        bytes = std::max(bytes, static_cast<size_t>(need.pools[p].bytes));
      }
    }
    for (const std::string& name : names) {
      if (status_ != Status::kOk) break;
      const MethodNeed& need = needs_[name];
      std::vector<PoolMemory> pools;
      for (uint32_t p = 0; p < need.pool_count; ++p) {
        const uint32_t id = need.pools[p].mem_id;
        AlignedBytes& memory =
            id == 1 || shared_.count(id) == 0 ? filled(shared[id]) : *shared_[id];
        shared_[id] = &memory;
        pools.push_back({id, {memory.data(), memory.size()}});
      }
      AlignedBytes& own = filled(need.method_bytes);
      status_ =
          methods_[name].load(program_, name.c_str(), {tables},
                              {{own.data(), own.size()}, {pools.data(), pools.size()}}, &fault);
    }
    fault_ = fault;
  }

  Status status() const { return status_; }
  const LoadFault& fault() const { return fault_; }

  // The outputs of `vector`, or the eager ones, where the stock plan spoils them.
  void run(const json& vector, bool eager) {
    Method& method = methods_.at(vector["method"]);
    const json& inputs = vector["inputs"];
    ASSERT_EQ(method.input_count(), inputs.size());
    std::deque<AlignedBytes> given;
    for (uint32_t i = 0; i < inputs.size(); ++i) {
      ASSERT_EQ(set_input(method, i, inputs[i], given), Status::kOk) << "input " << i;
    }
    for (uint32_t i = 0; i < method.output_count(); ++i) {
      if ((method.output(i).flags & kAwaited) == 0) continue;
      AlignedBytes& memory = given.emplace_back(method.output(i).tensor->capacity);
      ASSERT_EQ(method.set_output(i, memory.data(), memory.size()), Status::kOk);
    }
    ASSERT_EQ(method.execute(), Status::kOk) << "at instruction " << method.stopped_at();
    const bool has_eager = eager && vector.contains("eager_outputs");
    const json& outputs = vector[has_eager ? "eager_outputs" : "outputs"];
    ASSERT_EQ(method.output_count(), outputs.size());
    for (uint32_t i = 0; i < outputs.size(); ++i) {
      SCOPED_TRACE("output " + std::to_string(i));
      expect_output(method.output(i), outputs[i]);
    }
  }

 private:
  AlignedBytes& filled(size_t bytes) {
    AlignedBytes& memory = memory_.emplace_back(bytes, static_cast<uint8_t>(fill_));
    uint32_t noise = 2463534242;
    for (size_t i = 0; fill_ < 0 && i < bytes; ++i) {
      noise = noise * 1664525 + 1013904223;
      memory.data()[i] = static_cast<uint8_t>(noise >> 24);
    }
    return memory;
  }

  Status set_input(Method& method, uint32_t i, const json& value, std::deque<AlignedBytes>& given) {
    const std::string kind = value["kind"];
    if (kind == "int") return method.set_input_int(i, value["value"]);
    if (kind == "double") return method.set_input_double(i, value["value"]);
    if (kind == "bool") return method.set_input_bool(i, value["value"]);
    if (kind == "none") return method.set_input_none(i);
    AlignedBytes& bytes =
        given.emplace_back(read_bytes(folder_ / value["file"].get<std::string>()));
    const std::vector<int32_t> shape = value["shape"];
    InputTensor tensor;
    tensor.data = bytes.data();
    tensor.dtype = dtype_named(value["dtype"]);
    tensor.sizes = {shape.data(), shape.size()};
    return method.set_input(i, tensor);
  }

  void expect_output(const EValue& got, const json& expected) {
    const std::string kind = expected["kind"];
    if (kind == "int") {
      ASSERT_EQ(got.tag, Tag::kInt);
      EXPECT_EQ(got.integer, expected["value"].get<int64_t>());
    } else if (kind == "double") {
      ASSERT_EQ(got.tag, Tag::kDouble);
      EXPECT_EQ(got.number, expected["value"].get<double>());
    } else {
      ASSERT_EQ(got.tag, Tag::kTensor);
      expect_tensor(*got.tensor, expected, folder_);
    }
  }

  fs::path folder_;
  int fill_;
  AlignedBytes file_;
  Program program_;
  std::deque<AlignedBytes> memory_;
  std::map<uint32_t, AlignedBytes*> shared_;
  std::map<std::string, MethodNeed> needs_;
  std::map<std::string, Method> methods_;
  Status status_ = Status::kOk;
  LoadFault fault_;
};

// One form of a case: the file as it is, or planned anew.
struct Form {
  const char* name;
  bool replanned;
  bool reuse;
  bool caller_io;
};
constexpr Form kForms[] = {{"as it is", false, true, false},
                           {"replanned", true, true, false},
                           {"without reuse", true, false, false},
                           {"the caller's inputs and outputs", true, true, true}};

std::vector<uint8_t> file_of(const fs::path& folder, const Form& form) {
  const std::vector<uint8_t> stock = read_bytes(folder / "model.pte");
  if (!form.replanned) return stock;
  ReplanOptions options;
  options.reuse = form.reuse;
  options.caller_io = form.caller_io;
  Diagnostics notes;
  const std::byte* begin = reinterpret_cast<const std::byte*>(stock.data());
  Result<Replanned> replanned = replan({begin, begin + stock.size()}, options, &notes);
  EXPECT_TRUE(replanned.ok()) << replanned.error().message;
  if (!replanned.ok()) return stock;
  const program::Bytes& file = replanned.value().file;
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(file.data());
  return {bytes, bytes + file.size()};
}

// False when it does not load. All vectors, twice: on one loaded program, or on two where state
// goes from one vector to the next.
bool run_twice(const fs::path& folder, const json& file_case, const std::vector<uint8_t>& file,
               int fill, bool eager, LoadFault* fault) {
  for (int round = 0; round < 2; ++round) {
    GoldenRun run(folder, file_case, file, fill);
    if (run.status() != Status::kOk) {
      *fault = run.fault();
      return false;
    }
    for (const json& vector : file_case["vectors"]) run.run(vector, eager);
    if (file_case.value("sequence", false)) continue;
    for (const json& vector : file_case["vectors"]) run.run(vector, eager);
  }
  return true;
}

class GoldenPteTest : public ::testing::TestWithParam<Form> {};

TEST_P(GoldenPteTest, EveryCaseGivesItsAnswers) {
  const std::vector<fs::path> folders = case_folders();
  if (folders.empty()) GTEST_SKIP() << "no golden files in " << BERTH_SHARED_DIR << "/pte";
  const Form form = GetParam();
  size_t ran = 0;
  for (const fs::path& folder : folders) {
    const std::string name = folder.filename().string();
    SCOPED_TRACE(name);
    const json file_case = json::parse(std::ifstream(folder / "case.json"));
    const bool excused = not_run().count(name) != 0;
    const std::vector<uint8_t> file = file_of(folder, form);
    for (const int fill : {0x00, 0xff, -1}) {
      SCOPED_TRACE(fill < 0 ? "noise" : std::to_string(fill));
      LoadFault fault;
      const bool runs = run_twice(folder, file_case, file, fill, form.replanned, &fault);
      EXPECT_EQ(runs, !excused) << status_words(fault.status) << ": " << fault.field << " "
                                << fault.index;
      ran += runs && fill == 0 ? 1 : 0;
      if (!runs) break;
    }
  }
  printf("%s: %zu of %zu cases run\n", form.name, ran, folders.size());
}

INSTANTIATE_TEST_SUITE_P(AllForms, GoldenPteTest, ::testing::ValuesIn(kForms),
                         [](const ::testing::TestParamInfo<Form>& form) {
                           std::string name;
                           for (const char* c = form.param.name; *c != '\0'; ++c) {
                             if (isalpha(*c) != 0) name += *c;
                           }
                           return name;
                         });

}  // namespace
}  // namespace berth::runtime
