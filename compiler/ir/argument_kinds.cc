#include "compiler/ir/argument_kinds.h"

#include <string>
#include <vector>

namespace berth::ir {
namespace {

template <typename... Kinds>
bool is_one_of(const Arg& arg) {
  return (std::holds_alternative<Kinds>(arg) || ...);
}

}  // namespace

const char* kind_words(char letter) {
  switch (letter) {
    case 'T':
      return "a tensor";
    case 't':
      return "a tensor or none";
    case 'L':
    case 'l':
      return "a list of tensors";
    case 'X':
      return "scratch (the result of an alloc) or none";
    case 'M':
      return "a tensor that may be written";
    case 'i':
      return "an int";
    case 'n':
      return "an int or none";
    case 'd':
      return "a double";
    case 'e':
      return "a double or none";
    case 's':
      return "an int, double or bool";
    case 'z':
      return "an int, double, bool or none";
    case 'b':
      return "a bool";
    case 'c':
      return "a bool or none";
    case 'I':
      return "a list of ints";
    case 'j':
      return "a list of ints or none";
    case 'D':
      return "a list of doubles";
    case 'k':
      return "a list of doubles or none";
    case 'B':
      return "a list of bools";
    case 'a':
      return "a string";
    case 'S':
      return "a string or none";
    default:
      return "an argument of another kind";
  }
}

const char* arg_words(const Arg& arg) {
  constexpr const char* kWords[] = {"none",
                                    "a tensor",
                                    "an int",
                                    "a double",
                                    "a bool",
                                    "a string",
                                    "a list of ints",
                                    "a list of doubles",
                                    "a list of bools",
                                    "a list of tensors"};
  return kWords[arg.index()];
}

bool fits_letter(const Arg& arg, char letter) {
  switch (letter) {
    case 'T':
    case 'M':
      return is_one_of<Ref>(arg);
    case 't':
    case 'X':
      return is_one_of<Ref, None>(arg);
    case 'L':
    case 'l':
      return is_one_of<RefList>(arg);
    case 'i':
      return is_one_of<int64_t>(arg);
    case 'n':
      return is_one_of<int64_t, None>(arg);
    case 'd':
      return is_one_of<double, int64_t>(arg);
    case 'e':
      return is_one_of<double, int64_t, None>(arg);
    case 's':
      return is_one_of<int64_t, double, bool>(arg);
    case 'z':
      return is_one_of<int64_t, double, bool, None>(arg);
    case 'b':
      return is_one_of<bool>(arg);
    case 'c':
      return is_one_of<bool, None>(arg);
    case 'I':
      return is_one_of<std::vector<int64_t>>(arg);
    case 'j':
      return is_one_of<std::vector<int64_t>, None>(arg);
    case 'D':
      return is_one_of<std::vector<double>>(arg);
    case 'k':
      return is_one_of<std::vector<double>, None>(arg);
    case 'B':
      return is_one_of<std::vector<bool>>(arg);
    case 'a':
      return is_one_of<std::string>(arg);
    case 'S':
      return is_one_of<std::string, None>(arg);
    default:
      return false;
  }
}

}  // namespace berth::ir
