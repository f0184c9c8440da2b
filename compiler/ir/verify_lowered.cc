// What a backend declared, checked as soon as it has: the planner and the file rely on it.
#include <algorithm>
#include <string>

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "contract/checked.h"
#include "contract/plan_record.h"

namespace berth::ir {
namespace {

class LoweredVerifier {
 public:
  explicit LoweredVerifier(const LoweredModule& module) : module_(module) {}

  MaybeError run() {
    if (!is_clean_name(module_.name))
      return error("", "the name is no identifier; letters, digits, '_' and '.' make one");
    if (module_.backend.empty()) return error("", "names no backend; a delegate has an id");
    for (size_t i = 0; i < module_.scratch.size(); ++i) {
      if (auto wrong = check_memory("scratch", i, module_.scratch[i])) return wrong;
    }
    for (size_t i = 0; i < module_.persistent.size(); ++i) {
      if (auto wrong = check_memory("persistent", i, module_.persistent[i])) return wrong;
    }
    if (module_.share_handle && !module_.scratch.empty()) {
      return error("", "shares its handle across calls and has " +
                           std::to_string(module_.scratch.size()) +
                           " scratch buffers; calls that share a handle have none, their working "
                           "memory is persistent");
    }
    for (size_t i = 0; i < module_.inside.size(); ++i) {
      if (auto wrong = check_inside(i)) return wrong;
    }
    return check_named_data();
  }

 private:
  Error error(const std::string& place, std::string message) const {
    return {"lowered @" + module_.name + " (" + module_.backend + ")" +
                (place.empty() ? "" : ", " + place),
            std::move(message)};
  }
  static std::string item(const char* list, size_t i, const std::string& name) {
    return std::string(list) + " " + std::to_string(i) + " \"" + name + "\"";
  }

  MaybeError check_memory(const char* list, size_t i, const MemorySpec& spec) const {
    const std::string place = item(list, i, spec.name);
    if (spec.name.empty()) return error(place, "has no name; reports tell buffers by it");
    if (spec.nbytes == 0)
      return error(place, "has 0 bytes; 1 or more, or it is not declared at all");
    // Tensors count bytes in 32 bits.
    if (spec.nbytes > INT32_MAX) {
      return error(place, "has " + std::to_string(spec.nbytes) + " bytes; at most " +
                              std::to_string(INT32_MAX));
    }
    return check_alignment(place, spec.alignment);
  }

  MaybeError check_alignment(const std::string& place, uint32_t alignment) const {
    if (is_power_of_two(alignment) && alignment <= kMaxAlignment) return {};
    return error(place, "has the alignment " + std::to_string(alignment) +
                            "; a power of two up to " + std::to_string(kMaxAlignment));
  }

  const TensorSpec& argument(size_t i) const {
    return i < module_.inputs.size() ? module_.inputs[i]
                                     : module_.outputs[i - module_.inputs.size()];
  }

  MaybeError check_inside(size_t i) const {
    const Inside& it = module_.inside[i];
    const std::string place = "inside " + std::to_string(i);
    const size_t arguments = module_.inputs.size() + module_.outputs.size();
    if (it.argument >= arguments) {
      return error(place, "names argument " + std::to_string(it.argument) + "; there are " +
                              std::to_string(arguments));
    }
    if (it.scratch >= module_.scratch.size()) {
      return error(place, "names scratch " + std::to_string(it.scratch) + "; there are " +
                              std::to_string(module_.scratch.size()));
    }
    const MemorySpec& scratch = module_.scratch[it.scratch];
    uint64_t end = 0;
    if (!checked_add(it.offset, argument(it.argument).nbytes(), &end) || end > scratch.nbytes) {
      return error(place, "argument " + std::to_string(it.argument) + " of " +
                              std::to_string(argument(it.argument).nbytes()) + " bytes at " +
                              std::to_string(it.offset) + " ends behind the " +
                              std::to_string(scratch.nbytes) + " bytes of scratch \"" +
                              scratch.name + "\"");
    }
    const uint64_t grain = element_size(argument(it.argument).dtype);
    if (it.offset % grain != 0 || scratch.alignment % grain != 0) {
      return error(place, "argument " + std::to_string(it.argument) + " lies at " +
                              std::to_string(it.offset) + " of scratch \"" + scratch.name +
                              "\", aligned to " + std::to_string(scratch.alignment) +
                              "; both must be multiples of its elements' " + std::to_string(grain) +
                              " bytes");
    }
    const auto same = [&](const Inside& other) { return other.argument == it.argument; };
    if (std::count_if(module_.inside.begin(), module_.inside.end(), same) > 1) {
      return error(place,
                   "argument " + std::to_string(it.argument) + " is inside twice; once at most");
    }
    return {};
  }

  MaybeError check_named_data() const {
    for (size_t i = 0; i < module_.named_data.size(); ++i) {
      const NamedBlob& it = module_.named_data[i];
      const std::string place = item("data", i, it.key);
      if (it.key.empty()) return error(place, "has no key; runtimes find it by that");
      if (auto wrong = check_alignment(place, it.alignment)) return wrong;
      for (size_t j = 0; j < i; ++j) {
        if (module_.named_data[j].key == it.key)
          return error(place, "is the second of this key; keys are unique");
      }
    }
    return {};
  }

  const LoweredModule& module_;
};

}  // namespace

MaybeError verify(const LoweredModule& module) { return LoweredVerifier(module).run(); }

}  // namespace berth::ir
