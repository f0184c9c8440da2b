// Where we are in a program, in the words of the format:
// "execution_plan[0].values[12].allocation_info". Kept as a stack of names while reading or
// checking, made into text only when something is wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/result.h"

namespace berth::program {

class FieldPath {
 public:
  static constexpr int64_t kNoIndex = -1;

  // Enters a field for the life of the object.
  class Scope {
   public:
    Scope(FieldPath& path, const char* name, int64_t index = kNoIndex) : path_(path) {
      path_.parts_.push_back({name, index});
    }
    ~Scope() { path_.parts_.pop_back(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    FieldPath& path_;
  };

  // "a[1].b", or "a[1].b.field" with a field.
  std::string text(std::string_view field = {}) const {
    std::string out;
    for (const Part& part : parts_) {
      if (!out.empty()) out += '.';
      out += part.name;
      if (part.index != kNoIndex) out += '[' + std::to_string(part.index) + ']';
    }
    if (!field.empty()) {
      if (!out.empty()) out += '.';
      out += field;
    }
    return out;
  }

  Error error(std::string_view field, std::string message) const {
    return Error{text(field), std::move(message)};
  }

 private:
  struct Part {
    const char* name;
    int64_t index;
  };
  std::vector<Part> parts_;
};

}  // namespace berth::program
