// Runs .pte files in the stock ExecuTorch C++ runtime, the one inside the executorch wheel: what
// Berth writes must load and answer there too. Linked with nothing of Berth;
// tests/interop/stock_runtime.py builds it and speaks to it.
//
// Jobs come on stdin, a line each, fields apart by tabs:
//
//   job  OUTPUT_FOLDER  PROGRAM.pte  [DATA.ptd]   begins a job
//   trace FILE.etdump                             after job: traces its loads and calls
//   call METHOD  ARGUMENT...                      runs a method; state stays between calls of a job
//
// An ARGUMENT is t:TYPE:SIZES:DIM_ORDER:FILE (TYPE a ScalarType's number, lists with commas, "-"
// for none), i:INT, d:DOUBLE, b:0|1 or n. All methods of the program are loaded first. Every pool
// has exactly the bytes that the file asks for, the same for all methods, full of noise, with
// marked bytes on both sides. Answers, one line each; other lines are what the runtime logs:
//
//   @job N
//   @output CALL INDEX KIND [VALUE | TYPE SIZES DIM_ORDER]   a tensor's bytes are in
//                                                            OUTPUT_FOLDER/CALL_INDEX.bin
//   what stock_probe_backend.h tells of delegates with the id berth_probe
//   at the end of a job: @done · @refused WHERE ERROR_CODE · @overrun POOL · @crashed SIGNAL
#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tests/interop/stock_probe_backend.h"

namespace {

namespace runtime = executorch::runtime;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::extension::FileDataLoader;
using executorch::extension::FlatTensorDataMap;
using executorch::extension::MallocMemoryAllocator;
using runtime::Error;
using runtime::EValue;
using Fields = std::vector<std::string>;

// Each job has a process of its own: leaving it ends the job, not the runner.
[[noreturn]] void refuse(const std::string& where, Error error) {
  std::printf("@refused %s 0x%x\n", where.c_str(), static_cast<unsigned>(error));
  std::fflush(stdout);
  std::_Exit(0);
}

template <class T>
T need(runtime::Result<T> result, const std::string& where) {
  if (!result.ok()) refuse(where, result.error());
  return std::move(*result);
}

void need(Error error, const std::string& where) {
  if (error != Error::Ok) refuse(where, error);
}

Fields split(const std::string& text, char separator, size_t most = SIZE_MAX) {
  Fields fields;
  size_t begin = 0;
  while (fields.size() + 1 < most) {
    const size_t end = text.find(separator, begin);
    if (end == std::string::npos) break;
    fields.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  fields.push_back(text.substr(begin));
  return fields;
}

template <class T>
std::vector<T> numbers(const std::string& text) {
  std::vector<T> list;
  if (text == "-") return list;
  for (const std::string& item : split(text, ',')) list.push_back(static_cast<T>(std::stol(item)));
  return list;
}

template <class List>
std::string joined(const List& list) {
  std::string text;
  for (auto item : list) text += (text.empty() ? "" : ",") + std::to_string(static_cast<int>(item));
  return text.empty() ? "-" : text;
}

// Memory of an exact size between two marked strips.
class GuardedBytes {
 public:
  explicit GuardedBytes(size_t size) : size_(size), bytes_(size + 2 * kStrip, kMark) {
    uint32_t noise = 12345;
    for (size_t i = 0; i < size; ++i) {
      noise = noise * 1664525 + 1013904223;
      data()[i] = static_cast<uint8_t>(noise >> 24);
    }
  }
  // The strip is a multiple of the alignment that operator new gives.
  uint8_t* data() { return bytes_.data() + kStrip; }
  size_t size() const { return size_; }
  bool intact() const {
    const auto is_mark = [](uint8_t byte) { return byte == kMark; };
    return std::all_of(bytes_.begin(), bytes_.begin() + kStrip, is_mark) &&
           std::all_of(bytes_.end() - kStrip, bytes_.end(), is_mark);
  }

 private:
  static constexpr std::ptrdiff_t kStrip = 256;
  static constexpr uint8_t kMark = 0xA5;
  size_t size_;
  std::vector<uint8_t> bytes_;
};

// A tensor argument and all that it points at.
struct TensorArgument {
  std::vector<executorch::aten::SizesType> sizes;
  std::vector<executorch::aten::DimOrderType> dim_order;
  std::vector<executorch::aten::StridesType> strides;
  std::vector<char> bytes;
  std::unique_ptr<TensorImpl> impl;
};

std::unique_ptr<TensorArgument> read_tensor(const Fields& fields) {
  auto argument = std::make_unique<TensorArgument>();
  argument->sizes = numbers<executorch::aten::SizesType>(fields[2]);
  argument->dim_order = numbers<executorch::aten::DimOrderType>(fields[3]);
  argument->strides.resize(argument->sizes.size());
  executorch::aten::StridesType step = 1;
  for (auto dim = argument->dim_order.rbegin(); dim != argument->dim_order.rend(); ++dim) {
    argument->strides[*dim] = step;
    step *= std::max(1, argument->sizes[*dim]);
  }
  std::ifstream in(fields[4], std::ios::binary);
  argument->bytes.assign(std::istreambuf_iterator<char>(in), {});
  argument->impl = std::make_unique<TensorImpl>(
      static_cast<executorch::aten::ScalarType>(std::stoi(fields[1])), argument->sizes.size(),
      argument->sizes.data(), argument->bytes.data(), argument->dim_order.data(),
      argument->strides.data());
  return argument;
}

// An ETDump of whatever runs with `generator`, values included.
struct Trace {
  explicit Trace(const std::string& file) : path(file), values(new uint8_t[kValueBytes]) {
    generator.set_event_tracer_debug_level(runtime::EventTracerDebugLogLevel::kIntermediateOutputs);
    need(generator.set_debug_buffer({values.get(), kValueBytes}), "debug buffer");
  }
  void write() {
    const executorch::etdump::ETDumpResult dump = generator.get_etdump_data();
    std::ofstream out(path, std::ios::binary);
    out.write(static_cast<const char*>(dump.buf), static_cast<std::streamsize>(dump.size));
    std::free(dump.buf);
  }

  static constexpr size_t kValueBytes = size_t{256} << 20;  // only what is used costs anything
  std::string path;
  std::unique_ptr<uint8_t[]> values;
  executorch::etdump::ETDumpGen generator;
};

class Job {
 public:
  // `trace` may be null.
  Job(const Fields& fields, Trace* trace, stock_probe::ProbeBackend* probe)
      : folder_(fields.at(1)),
        trace_(trace),
        loader_(need(FileDataLoader::from(fields.at(2).c_str()), "open")),
        program_(need(
            runtime::Program::load(&loader_, runtime::Program::Verification::InternalConsistency),
            "program")) {
    if (fields.size() > 3) {
      data_loader_ = std::make_unique<FileDataLoader>(
          need(FileDataLoader::from(fields[3].c_str()), "open data"));
      data_ = std::make_unique<FlatTensorDataMap>(
          need(FlatTensorDataMap::load(data_loader_.get()), "data"));
    }
    make_pools();
    probe->set_pools(&spans_);
    for (size_t m = 0; m < program_.num_methods(); ++m)
      load(need(program_.get_method_name(m), "method name"));
  }

  void call(size_t number, const Fields& fields) {
    const auto found = methods_.find(fields.at(1));
    if (found == methods_.end()) refuse("no method " + fields[1], Error::NotFound);
    runtime::Method& method = *found->second;
    const std::string label = "call " + std::to_string(number);
    std::vector<std::unique_ptr<TensorArgument>> held;
    for (size_t i = 2; i < fields.size(); ++i)
      need(method.set_input(make_value(fields[i], &held), i - 2),
           label + " input " + std::to_string(i - 2));
    std::vector<std::vector<char>> own(method.outputs_size());
    for (size_t i = 0; i < own.size(); ++i) {
      const auto meta = method.method_meta().output_tensor_meta(i);
      if (!meta.ok() || meta->is_memory_planned()) continue;
      if (lies_in_argument(method.get_output(i).toTensor(), held)) continue;
      own[i].resize(meta->nbytes() + 1);  // one more: no vector of 0 bytes has an address
      need(method.set_output_data_ptr(own[i].data(), meta->nbytes(), i),
           label + " output " + std::to_string(i));
    }
    need(method.execute(), label);
    for (size_t i = 0; i < method.outputs_size(); ++i) tell(number, i, method.get_output(i));
  }

  void finish() {
    for (size_t p = 0; p < pools_.size(); ++p) {
      if (pools_[p]->intact()) continue;
      std::printf("@overrun %zu\n", p + 1);
      return;
    }
    std::printf("@done\n");
  }

 private:
  void make_pools() {
    std::vector<size_t> sizes;
    for (size_t m = 0; m < program_.num_methods(); ++m) {
      const auto meta = need(program_.method_meta(need(program_.get_method_name(m), "method name")),
                             "method meta");
      sizes.resize(std::max(sizes.size(), meta.num_memory_planned_buffers()));
      for (size_t p = 0; p < meta.num_memory_planned_buffers(); ++p) {
        const auto bytes =
            static_cast<size_t>(need(meta.memory_planned_buffer_size(p), "pool size"));
        sizes[p] = std::max(sizes[p], bytes);
      }
    }
    for (size_t size : sizes) pools_.push_back(std::make_unique<GuardedBytes>(size));
    for (auto& pool : pools_) spans_.emplace_back(pool->data(), pool->size());
  }

  void load(const std::string& name) {
    planned_.push_back(std::make_unique<runtime::HierarchicalAllocator>(
        runtime::Span<runtime::Span<uint8_t>>(spans_.data(), spans_.size())));
    managers_.push_back(std::make_unique<runtime::MemoryManager>(
        &method_memory_, planned_.back().get(), &temp_memory_));
    methods_[name] = std::make_unique<runtime::Method>(
        need(program_.load_method(name.c_str(), managers_.back().get(),
                                  trace_ == nullptr ? nullptr : &trace_->generator, data_.get()),
             "method " + name));
  }

  // An output that is an input has its address from there.
  static bool lies_in_argument(const Tensor& output,
                               const std::vector<std::unique_ptr<TensorArgument>>& held) {
    return std::any_of(held.begin(), held.end(), [&output](const auto& argument) {
      return !argument->bytes.empty() && argument->bytes.data() == output.const_data_ptr();
    });
  }

  static EValue make_value(const std::string& argument,
                           std::vector<std::unique_ptr<TensorArgument>>* held) {
    const Fields fields = split(argument, ':', 5);
    if (fields[0] == "t") {
      held->push_back(read_tensor(fields));
      return EValue(Tensor(held->back()->impl.get()));
    }
    if (fields[0] == "i") return EValue(static_cast<int64_t>(std::stoll(fields[1])));
    if (fields[0] == "d") return EValue(std::stod(fields[1]));
    if (fields[0] == "b") return EValue(fields[1] == "1");
    return EValue();
  }

  void tell(size_t call, size_t index, const EValue& value) {
    std::printf("@output %zu %zu ", call, index);
    if (value.isTensor()) {
      const Tensor& tensor = value.toTensor();
      std::ofstream out(folder_ + "/" + std::to_string(call) + "_" + std::to_string(index) + ".bin",
                        std::ios::binary);
      out.write(static_cast<const char*>(tensor.const_data_ptr()),
                static_cast<std::streamsize>(tensor.nbytes()));
      std::printf("tensor %d %s %s\n", static_cast<int>(tensor.scalar_type()),
                  joined(tensor.sizes()).c_str(), joined(tensor.dim_order()).c_str());
    } else if (value.isInt()) {
      std::printf("int %lld\n", static_cast<long long>(value.toInt()));
    } else if (value.isDouble()) {
      std::printf("double %.17g\n", value.toDouble());
    } else if (value.isBool()) {
      std::printf("bool %d\n", value.toBool());
    } else if (value.isString()) {
      std::printf("string %s\n",
                  std::string(value.toString().data(), value.toString().size()).c_str());
    } else {
      std::printf("none\n");
    }
  }

  std::string folder_;
  Trace* trace_;
  FileDataLoader loader_;
  runtime::Program program_;
  std::unique_ptr<FileDataLoader> data_loader_;
  std::unique_ptr<FlatTensorDataMap> data_;
  std::vector<std::unique_ptr<GuardedBytes>> pools_;
  std::vector<runtime::Span<uint8_t>> spans_;
  MallocMemoryAllocator method_memory_;
  MallocMemoryAllocator temp_memory_;
  std::vector<std::unique_ptr<runtime::HierarchicalAllocator>> planned_;
  std::vector<std::unique_ptr<runtime::MemoryManager>> managers_;
  std::map<std::string, std::unique_ptr<runtime::Method>> methods_;
};

stock_probe::ProbeBackend probe;

void run_job(const std::vector<Fields>& lines) {
  std::unique_ptr<Trace> trace;
  const size_t first = lines.size() > 1 && lines[1][0] == "trace" ? 2 : 1;
  if (first == 2) trace = std::make_unique<Trace>(lines[1].at(1));
  Job job(lines[0], trace.get(), &probe);
  for (size_t k = first; k < lines.size(); ++k) job.call(k - first, lines[k]);
  if (trace != nullptr) trace->write();
  job.finish();
}

}  // namespace

int main() {
  runtime::runtime_init();
  if (runtime::register_backend({"berth_probe", &probe}) != Error::Ok) return 4;
  std::vector<std::vector<Fields>> jobs;
  for (std::string line; std::getline(std::cin, line);) {
    const Fields fields = split(line, '\t');
    if (fields[0] == "job") jobs.emplace_back();
    if (jobs.empty() || fields.size() < 2) return 2;
    jobs.back().push_back(fields);
  }
  for (size_t n = 0; n < jobs.size(); ++n) {
    std::printf("@job %zu\n", n);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child < 0) return 3;
    if (child == 0) {
      dup2(STDOUT_FILENO, STDERR_FILENO);  // what the runtime logs stands beside the answer
      run_job(jobs[n]);
      std::fflush(stdout);
      std::_Exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) std::printf("@crashed %d\n", WTERMSIG(status));
    std::fflush(stdout);
  }
  return 0;
}
