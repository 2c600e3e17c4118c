#include <cstddef>
#include <utility>
#include <vector>

#include "pipeline/page/report_trace.h"

namespace syncline {
namespace {

constexpr size_t kMost = 1000;  // of a clock

// Evenly.
std::vector<ReportTrace::Broadcast> Thinned(std::vector<ReportTrace::Broadcast> all) {
  if (all.size() <= kMost) return all;
  std::vector<ReportTrace::Broadcast> kept;
  for (size_t i = 0; i < kMost; ++i) kept.push_back(all[i * all.size() / kMost]);
  return kept;
}

class BroadcastCollector {
 public:
  BroadcastCollector(const LoadedTraces& loaded, const Solution& solution)
      : loaded_(loaded),
        group_(solution.group),
        received_(loaded.traces.clocks.size()),
        by_clock_(received_.size()) {}

  void Add(const Broadcast& broadcast) {
    // The first of each clock counts.
    for (const EventRef& event : broadcast.receives) {
      const EventRef*& first = received_[loaded_.ClockOf(event).index()];
      if (first == nullptr) first = &event;
    }
    for (const EventRef& event : broadcast.receives) {
      const ClockId clock = loaded_.ClockOf(event);
      const ClockId root = group_.roots[group_.clocks[clock.index()].component];
      const EventRef* there = received_[root.index()];
      if (root == clock || there == nullptr || received_[clock.index()] != &event) continue;
      by_clock_[clock.index()].push_back(
          {loaded_.traces.clocks[clock.index()].NominalNs(event.time),
           CorrectedTime(loaded_, group_, event).ns, CorrectedTime(loaded_, group_, *there).ns});
    }
    for (const EventRef& event : broadcast.receives)
      received_[loaded_.ClockOf(event).index()] = nullptr;
  }
  std::vector<std::vector<ReportTrace::Broadcast>> Take() { return std::move(by_clock_); }

 private:
  const LoadedTraces& loaded_;
  const GroupEstimate& group_;
  std::vector<const EventRef*> received_;  // of one broadcast, by clock
  std::vector<std::vector<ReportTrace::Broadcast>> by_clock_;
};

}  // namespace

void AddReportBroadcasts(const LoadedTraces& loaded, const Solution& solution, ReportTrace& trace) {
  BroadcastCollector collector(loaded, solution);
  for (const Broadcast& broadcast : loaded.messages.broadcasts()) collector.Add(broadcast);
  auto by_clock = collector.Take();
  for (size_t i = 0; i < trace.clocks.size(); ++i) {
    trace.clocks[i].broadcasts_total = by_clock[i].size();
    trace.clocks[i].broadcasts = Thinned(std::move(by_clock[i]));
  }
}

}  // namespace syncline
