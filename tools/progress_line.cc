#include "tools/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace berth::tools {
namespace {

// Nobody wonders earlier; nobody reads faster.
constexpr double kFirstAfter = 1.0, kEvery = 0.1;

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

ProgressLine::ProgressLine(const Console& console)
    : ProgressLine(!console.quiet && isatty(STDERR_FILENO) != 0 ? stderr : nullptr,
                   steady_seconds) {}

ProgressLine::ProgressLine(std::FILE* to, std::function<double()> clock)
    : to_(to), clock_(std::move(clock)), next_(clock_() + kFirstAfter) {}

std::function<void(const plan::Progress&)> ProgressLine::callback() {
  if (to_ == nullptr) return {};
  return [this](const plan::Progress& progress) { show(progress); };
}

void ProgressLine::show(const plan::Progress& progress) {
  const double now = clock_();
  if (now < next_) return;
  next_ = now + kEvery;
  is_shown_ = true;
  std::string text = fmt::format("planning: {} nodes, {} bytes, bound {}", progress.nodes,
                                 progress.bytes, progress.bound);
  if (progress.bound > 0 && progress.bytes > progress.bound) {
    const auto bound = static_cast<double>(progress.bound);
    text +=
        fmt::format(" ({:.2f} % above)", (static_cast<double>(progress.bytes) / bound - 1) * 100);
  }
  text.resize(std::min<size_t>(text.size(), 79));  // one line of the narrowest usual terminal
  text = "\r" + text + "\x1b[K";                   // and nothing of a longer one before it
  std::fwrite(text.data(), 1, text.size(), to_);
  std::fflush(to_);
}

void ProgressLine::clear() {
  if (!is_shown_) return;
  is_shown_ = false;
  std::fputs("\r\x1b[K", to_);
  std::fflush(to_);
}

}  // namespace berth::tools
