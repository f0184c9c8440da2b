// ETDump files: the times of a program's loads and runs, and the shapes of the values it made, as
// ExecuTorch's Inspector reads them. format/etdump.fbs has the wire format.
//
//     EtdumpWriter writer;
//     writer.begin_run("Execute");
//     writer.add(ProfileEvent{{0, 3}, "OPERATOR_CALL", 120, 340});
//     Bytes file = writer.finish();
//     Result<Etdump> again = read_etdump(file);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "contract/result.h"
#include "program/program.h"

namespace berth::report {

// Whose event it is.
struct EventPlace {
  int32_t chain = -1;       // -1: the whole method's, with instruction 0
  int32_t instruction = 0;  // within its chain; -1: none is said
  // What a delegate calls a part of itself by: a number, or a text, or (all other events) neither.
  int32_t delegate_number = -1;
  std::string delegate_name;
};

struct ProfileEvent {
  EventPlace place;
  std::string name;    // "Method::execute", "native_call_add.out"; may be empty with a delegate's
  uint64_t start = 0;  // nanoseconds in files of ours; the clock's own unit in others
  uint64_t end = 0;
};

struct TracedTensor {
  ScalarType dtype = ScalarType::kFloat;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;  // in elements, one per size
  int64_t offset = -1;           // of its bytes in the debug buffer, a file beside; -1: not there
};

// Float and double are kept apart: the format does.
using TracedValue = std::variant<std::monostate, TracedTensor, std::vector<TracedTensor>, int64_t,
                                 bool, float, double>;

// A value that an instruction made, or an output of the method.
struct DebugEvent {
  EventPlace place;
  std::string name;
  TracedValue value;
  bool is_output = false;
};

struct TraceRun {
  std::string name;                  // "Default" for a load, "Execute" for a run
  int32_t bundled_input_index = -1;  // the test case of a bundled program that it ran; -1: none
  std::vector<std::variant<ProfileEvent, DebugEvent>> events;  // in the order in which they ended
};

struct Etdump {
  std::vector<TraceRun> runs;
};

// Whether the file says that it is one.
bool is_etdump(std::span<const std::byte> file);

// The bytes come from a stranger: everything is checked, the error names the field in the words of
// the format. Events of allocators, which stock runtimes do not write, are left out.
[[nodiscard]] Result<Etdump> read_etdump(std::span<const std::byte> file);

// Puts events into a file's bytes as they come.
class EtdumpWriter {
 public:
  // A file stays below `limit` bytes, at most what FlatBuffers can hold.
  explicit EtdumpWriter(uint64_t limit = uint64_t{1} << 30);
  ~EtdumpWriter();
  EtdumpWriter(const EtdumpWriter&) = delete;
  EtdumpWriter& operator=(const EtdumpWriter&) = delete;

  void begin_run(const std::string& name, int32_t bundled_input_index = -1);
  // REQUIRES: a run was begun; texts are UTF-8. Nothing is added once the limit is reached.
  void add(const ProfileEvent& event);
  void add(const DebugEvent& event);
  // Whether the limit was reached: then events are missing.
  bool is_full() const;

  // The whole file. REQUIRES: not called before.
  program::Bytes finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// For people, and for scripts: {"file", "runs": [{"name", "bundled_input_index", "events":
// [...]}]}.
std::string etdump_text(const Etdump& dump);
std::string etdump_json(const Etdump& dump, const std::string& file);

}  // namespace berth::report
