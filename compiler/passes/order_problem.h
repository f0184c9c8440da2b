// In which order tasks run decides how many bytes are live at once. This is that question alone,
// without a graph: tasks, what must come before what, and buffers that live from their first user
// to their last. Worked example, sizes in brackets:
//
//   x[9] ─▶ t0 ─▶ a[4] ─▶ t1 ─▶ b[1] ─┐        given t0 t2 t1 t3:  x+a, x+a+c, a+b+c, b+c+y
//    └────▶ t2 ─▶ c[4] ──────────────▶ t3 ─▶ y  better t0 t1 t2 t3: x+a, x+a+b, x+b+c, b+c+y
//
// Live bytes are submodular: what a task adds in one state it adds, or less, in every state with
// more done (a buffer that has begun does not begin again; one with fewer users left dies sooner).
// The search (order_search.h) rests on it.
#pragma once

#include <cstdint>
#include <vector>

namespace berth::passes {

struct OrderBuffer {
  uint64_t bytes = 0;
  std::vector<int32_t> users = {};  // tasks that write or read it, ascending; it lives through all
  bool from_start = false;          // live before the first task
  bool to_end = false;              // and after the last
};

// The task may lay buffer `output` over buffer `input`, when the task is input's last user and
// output's first: then both count once while it runs. Both have the same bytes.
struct OrderChoice {
  int32_t output = 0;
  int32_t input = 0;
};

struct OrderTask {
  std::vector<int32_t> after = {};  // tasks that must have run, ascending, each once, all smaller
  std::vector<OrderChoice> choices = {};  // one of them at most is taken
};

// Tasks stand in the given order. The sum of all bytes fits in 62 bits.
struct OrderProblem {
  std::vector<OrderTask> tasks;
  std::vector<OrderBuffer> buffers;
  uint64_t always = 0;    // bytes live all the time
  uint64_t at_first = 0;  // bytes live while the first task runs, whichever that is
};

using Order = std::vector<int32_t>;

Order given_order(const OrderProblem& problem);

// Whether every task stands in `order` once, behind all that it must come after.
bool is_order(const OrderProblem& problem, const Order& order);

// Bytes live while each task runs, in the order's sequence. REQUIRES: is_order.
std::vector<uint64_t> find_moments(const OrderProblem& problem, const Order& order);
// The largest of them; what is always live when there are no tasks.
uint64_t find_peak(const OrderProblem& problem, const Order& order);

// No order has a lower peak: the most that a task meets whatever the order is: what it uses, and
// what was made before it and is used behind it in every order. Past some thousand tasks only
// the former is counted.
uint64_t bound_of_orders(const OrderProblem& problem);

// Cuts the tasks, in the given order, into the longest list of stretches that every order runs one
// after the other: the ends of the stretches, the last of them the number of tasks. A stretch ends
// with a task that all before it lead to and all behind it come from.
std::vector<int32_t> find_stretches(const OrderProblem& problem);

// Tasks order[begin, end) as a problem of their own, numbered from 0 in that sequence, when what
// stands before them has run and what stands behind them has not.
OrderProblem make_stretch(const OrderProblem& problem, const Order& order, int32_t begin,
                          int32_t end);

}  // namespace berth::passes
