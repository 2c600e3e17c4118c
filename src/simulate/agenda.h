// Which process goes on next: at most one time per process, the earliest on top.
//
// Ties go to the smaller process number. Cost: O(log processes). A binary heap with places, so that
// a process's time can change. Tested by: agenda_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace syncline {

class Agenda {
 public:
  struct Entry {
    int64_t ns = 0;
    uint32_t process = 0;
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.ns != b.ns ? a.ns < b.ns : a.process < b.process;
    }
  };

  explicit Agenda(uint32_t processes) : place_(processes, kNowhere) {}

  bool empty() const { return heap_.empty(); }
  const Entry& top() const { return heap_.front(); }

  // Puts the process at this time, in the place of the one it may have had.
  void Set(uint32_t process, int64_t ns) {
    size_t at = place_[process];
    if (at == kNowhere) {
      at = heap_.size();
      heap_.push_back({});
    }
    heap_[at] = {ns, process};
    Settle(at);
  }
  void RemoveTop() {
    place_[top().process] = kNowhere;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return;
    heap_.front() = last;
    Settle(0);
  }

 private:
  static constexpr size_t kNowhere = SIZE_MAX;

  // Moves the entry up or down to where it belongs.
  void Settle(size_t at) {
    const Entry entry = heap_[at];
    for (; at > 0 && entry < heap_[(at - 1) / 2]; at = (at - 1) / 2) Put(at, heap_[(at - 1) / 2]);
    for (;;) {
      size_t child = 2 * at + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) ++child;
      if (!(heap_[child] < entry)) break;
      Put(at, heap_[child]);
      at = child;
    }
    Put(at, entry);
  }
  void Put(size_t at, Entry entry) {
    heap_[at] = entry;
    place_[entry.process] = at;
  }

  std::vector<Entry> heap_;
  std::vector<size_t> place_;  // by process
};

}  // namespace syncline
