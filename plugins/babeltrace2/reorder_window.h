// Puts items that arrive in another order into the order of their times, as soon as it is known
// that no earlier one can come.
//
// Items of one time keep the order in which they came. Memory: the items between the earliest that
// can come and the latest that came. Cost: O(log n) per item. Tested by: reorder_window_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <utility>

#include "syncline/time.h"

namespace syncline::babeltrace_plugin {

template <typename T>
class ReorderWindow {
 public:
  void Add(GlobalTime time, T item) { waiting_.push({time, number_++, std::move(item)}); }

  // No item that is added from now on is earlier.
  void NothingBefore(GlobalTime time) { earliest_ = time; }

  // The next in order, at most as late as what NothingBefore() said.
  std::optional<T> Take() {
    if (waiting_.empty() || waiting_.top().time > earliest_) return std::nullopt;
    T item = waiting_.top().item;
    waiting_.pop();
    return item;
  }

 private:
  struct Waiting {
    GlobalTime time;
    uint64_t number = 0;
    T item;
    // The queue has the largest in front.
    friend bool operator<(const Waiting& a, const Waiting& b) {
      return std::pair(b.time, b.number) < std::pair(a.time, a.number);
    }
  };
  std::priority_queue<Waiting> waiting_;
  uint64_t number_ = 0;
  GlobalTime earliest_ = {INT64_MIN};
};

}  // namespace syncline::babeltrace_plugin
