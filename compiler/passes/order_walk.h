// A state on the way through an OrderProblem: which tasks have run, and what is live. Running a
// task, and taking it back, cost as much as it has buffers and successors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "compiler/passes/order_problem.h"

namespace berth::passes {

class OrderWalk {
 public:
  // `problem` must outlive the walk.
  explicit OrderWalk(const OrderProblem& problem)
      : problem_(problem),
        uses_(problem.tasks.size()),
        successors_(problem.tasks.size()),
        buffers_(problem.buffers.size()),
        waits_for_(problem.tasks.size()),
        live_(problem.always) {
    for (size_t b = 0; b < buffers_.size(); ++b) {
      const OrderBuffer& buffer = problem.buffers[b];
      for (const int32_t user : buffer.users) uses_[user].push_back(static_cast<int32_t>(b));
      buffers_[b].left = buffer.users.size();
      buffers_[b].has_begun = buffer.from_start;
      if (buffer.from_start) live_ += buffer.bytes;
    }
    for (size_t t = 0; t < problem.tasks.size(); ++t) {
      waits_for_[t] = problem.tasks[t].after.size();
      for (const int32_t before : problem.tasks[t].after)
        successors_[before].push_back(static_cast<int32_t>(t));
      if (waits_for_[t] == 0) ready_.insert(ready_.end(), static_cast<int32_t>(t));
    }
  }

  const std::set<int32_t>& ready() const { return ready_; }
  bool is_ready(int32_t task) const { return ready_.count(task) != 0; }
  // Those that wait for the task, among others.
  const std::vector<int32_t>& successors(int32_t task) const { return successors_[task]; }
  const std::vector<int32_t>& done() const { return done_; }  // in the sequence of run()
  bool is_complete() const { return done_.size() == problem_.tasks.size(); }
  uint64_t live() const { return live_; }  // between two tasks

  // Bytes live while the task runs next, and after it. REQUIRES: it is ready.
  uint64_t moment_of(int32_t task) const {
    uint64_t bytes = live_;
    if (done_.empty()) bytes += problem_.at_first;
    for (const int32_t b : uses_[task]) {
      if (!buffers_[b].has_begun) bytes += problem_.buffers[b].bytes;
    }
    uint64_t saved = 0;
    for (const OrderChoice& choice : problem_.tasks[task].choices) {
      if (dies(choice.input) && !buffers_[choice.output].has_begun)
        saved = std::max(saved, problem_.buffers[choice.output].bytes);
    }
    return bytes - saved;
  }
  uint64_t live_after(int32_t task) const {
    uint64_t bytes = live_;
    for (const int32_t b : uses_[task]) {
      if (dies(b)) {
        if (buffers_[b].has_begun) bytes -= problem_.buffers[b].bytes;
      } else if (!buffers_[b].has_begun) {
        bytes += problem_.buffers[b].bytes;
      }
    }
    return bytes;
  }

  // REQUIRES: the task is ready.
  void run(int32_t task) {
    live_ = live_after(task);
    for (const int32_t b : uses_[task]) {
      Buffer& buffer = buffers_[b];
      if (!buffer.has_begun) buffer.begun_by = task;
      buffer.has_begun = true;
      --buffer.left;
    }
    ready_.erase(task);
    for (const int32_t next : successors_[task]) {
      if (--waits_for_[next] == 0) ready_.insert(next);
    }
    done_.push_back(task);
  }

  // Takes back the last run(). REQUIRES: something has run.
  void undo() {
    const int32_t task = done_.back();
    done_.pop_back();
    for (const int32_t next : successors_[task]) {
      if (waits_for_[next]++ == 0) ready_.erase(next);
    }
    ready_.insert(task);
    for (const int32_t b : uses_[task]) {
      Buffer& buffer = buffers_[b];
      const bool died = dies_with(buffer.left + 1, b);
      ++buffer.left;
      const bool began_here = buffer.begun_by == task && !problem_.buffers[b].from_start;
      if (began_here) {
        buffer.has_begun = false;
        buffer.begun_by = -1;
        if (!died) live_ -= problem_.buffers[b].bytes;
      } else if (died) {
        live_ += problem_.buffers[b].bytes;
      }
    }
  }

 private:
  struct Buffer {
    size_t left = 0;  // users that have not run
    bool has_begun = false;
    int32_t begun_by = -1;
  };

  bool dies_with(size_t left, int32_t b) const { return left == 1 && !problem_.buffers[b].to_end; }
  // With its next user.
  bool dies(int32_t b) const { return dies_with(buffers_[b].left, b); }

  const OrderProblem& problem_;
  std::vector<std::vector<int32_t>> uses_;        // per task: buffers
  std::vector<std::vector<int32_t>> successors_;  // per task
  std::vector<Buffer> buffers_;
  std::vector<size_t> waits_for_;  // per task
  std::set<int32_t> ready_;
  std::vector<int32_t> done_;
  uint64_t live_;
};

}  // namespace berth::passes
