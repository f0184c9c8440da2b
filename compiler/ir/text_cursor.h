// The words of the text form: where the parser stands, what comes next, and the first mistake with
// its line and column.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "compiler/ir/ir.h"
#include "contract/result.h"

namespace berth::ir {

// Functions that take something answer false and set error() when it is not there; nothing may be
// called after that. Comments run from '#' to the end of the line; line ends count except inside
// brackets.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}
  const Error& error() const { return error_; }

 protected:
  static bool is_word_char(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == ':';
  }
  static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  }

  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }

  void skip_space() {
    while (!at_end()) {
      const char c = peek();
      if (c == '#') {
        while (!at_end() && peek() != '\n') ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && inside_brackets_)) {
        ++at_;
      } else {
        break;
      }
    }
  }
  void skip_lines() {
    skip_space();
    while (peek() == '\n') {
      ++at_;
      skip_space();
    }
  }

  bool fail_at(size_t position, std::string message) {
    size_t line = 1, line_begin = 0;
    for (size_t i = 0; i < position; ++i) {
      if (text_[i] == '\n') {
        ++line;
        line_begin = i + 1;
      }
    }
    error_ = {"line " + std::to_string(line) + ":" + std::to_string(position - line_begin + 1),
              std::move(message)};
    return false;
  }
  bool fail(std::string message) { return fail_at(at_, std::move(message)); }
  bool fail_expected(const std::string& what) { return fail("expected " + what + instead()); }

  // What stands here, for errors: `, not "-16"`.
  std::string instead() const {
    constexpr size_t kLongest = 40;
    size_t end = at_;
    while (end < text_.size() && text_[end] != ' ' && text_[end] != '\n' && text_[end] != '\r')
      ++end;
    if (end == at_) return at_end() ? ", not the end of the text" : ", not the end of the line";
    const std::string_view word = text_.substr(at_, end - at_);
    return ", not \"" + std::string(word.substr(0, kLongest)) +
           (word.size() > kLongest ? "...\"" : "\"");
  }

  bool accept(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  bool expect(std::string_view token) {
    return accept(token) || fail_expected("'" + std::string(token) + "'");
  }

  // The word ahead (letters, digits, '_', '.', ':'), not taken.
  std::string_view word_ahead() {
    skip_space();
    size_t end = at_;
    while (end < text_.size() && is_word_char(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  bool accept_word(std::string_view word) {
    if (word_ahead() != word) return false;
    at_ += word.size();
    return true;
  }
  bool end_of_line() {
    skip_space();
    if (at_end()) return true;
    if (peek() != '\n') return fail_expected("the end of the line");
    ++at_;
    return true;
  }

  // Takes an opening bracket, items separated by commas, and the closing one; line ends do not
  // count inside.
  template <typename Item>
  bool bracketed(char open, char close, Item item) {
    if (!expect(std::string_view(&open, 1))) return false;
    const bool outer = inside_brackets_;
    inside_brackets_ = true;
    bool ok = true;
    if (!accept(std::string_view(&close, 1))) {
      do {
        ok = item();
      } while (ok && accept(","));
      ok = ok && expect(std::string_view(&close, 1));
    }
    inside_brackets_ = outer;
    return ok;
  }

  // The characters that a number could consist of: all that from_chars may look at.
  std::string_view number_ahead() {
    skip_space();
    size_t end = at_;
    while (end < text_.size() &&
           (is_word_char(text_[end]) || text_[end] == '-' || text_[end] == '+'))
      ++end;
    return text_.substr(at_, end - at_);
  }
  template <typename T>
  bool number(T* out) {
    const std::string_view digits = number_ahead();
    const char* end = digits.data() + digits.size();
    const auto [stop, code] = std::from_chars(digits.data(), end, *out);
    if (code == std::errc::result_out_of_range)
      return fail("number " + std::string(digits) + " is out of range here");
    if (code != std::errc() || stop != end) {
      return fail_expected(std::is_floating_point_v<T> ? "a number" : "a whole number");
    }
    at_ += digits.size();
    return true;
  }

  bool string(std::string* out) {
    if (!expect("\"")) return false;
    const size_t begin = at_ - 1;
    while (peek() != '"') {
      if (at_end() || peek() == '\n')
        return fail_at(begin, "a string without an end; it ends with '\"' on its line");
      char c = text_[at_++];
      if (c == '\\') {
        if (at_end()) continue;  // reported above
        c = text_[at_++];
        if (c == 'n') {
          c = '\n';
        } else if (c == 'x') {
          const int high = at_ < text_.size() ? hex_digit(text_[at_]) : -1;
          const int low = at_ + 1 < text_.size() ? hex_digit(text_[at_ + 1]) : -1;
          if (high < 0 || low < 0) return fail_at(at_ - 2, "'\\x' takes two hex digits");
          c = static_cast<char>(high * 16 + low);
          at_ += 2;
        } else if (c != '"' && c != '\\') {
          return fail_at(at_ - 2, "no such escape; \\\" \\\\ \\n and \\xNN are known");
        }
      }
      *out += c;
    }
    ++at_;
    return true;
  }

  bool identifier(const char* what, std::string* out) {
    std::string_view word = word_ahead();
    word = word.substr(0, word.find(':'));  // "%x:" is the name x
    if (!is_clean_name(word)) return fail_expected(what);
    *out = word;
    at_ += word.size();
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;

 private:
  bool inside_brackets_ = false;
  Error error_;
};

}  // namespace berth::ir
