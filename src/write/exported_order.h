// The events of all processes in one order, each process's in program order.
//
// By time: in order of time as far as program order allows; of equal times the process defined
// first. By cause: the same, but no receive before its send; events that wait for themselves in a
// cycle of messages are left over. Cost: O(log processes) per event. Memory: some words per
// process, one bit per message. Tested by: exported_order_test.cc.
#pragma once

#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "write/exported_trace.h"

namespace syncline {

enum class ExportOrder { kByTime, kByCause };

class ExportedOrder {
 public:
  // `trace` must outlive this object.
  ExportedOrder(const ExportedTrace& trace, ExportOrder order);

  // The next event; nothing at the end.
  std::optional<VisitedExport> Next();
  // After the end: the first event of a process that waits in a cycle; nothing where all events
  // came.
  std::optional<VisitedExport> LeftOver() const;

 private:
  struct Place {
    uint64_t event = 0, link = 0;
  };
  using Ready = std::pair<int64_t, uint32_t>;  // time, process

  VisitedExport At(uint32_t process) const;
  void Offer(uint32_t process);
  // True where the event receives a message that is still to be sent, and waits for it.
  bool Waits(const VisitedExport& visited);
  void Release(const VisitedExport& visited);

  const ExportedTrace& trace_;
  ExportOrder order_;
  std::vector<Place> next_;  // by process
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
  std::vector<bool> is_sent_;                          // by message
  absl::flat_hash_map<uint64_t, uint32_t> waits_for_;  // by message: its receiver
};

}  // namespace syncline
