#include "experiments/recording.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace syncline {
namespace {

class KeepingSink : public LogicalSink {
 public:
  explicit KeepingSink(size_t events) : after_ns(events) {}
  void OnEvent(const RetimedEvent& event) override { after_ns[event.tag] = event.after.ns; }
  std::vector<int64_t> after_ns;
};

LogicalEvent Adapt(const Event& event, uint64_t tag) {
  const bool is_send = event.kind == EventKind::kSend;
  return {.time = GlobalTime{event.time.ticks},
          .process = event.process,
          .peer = event.peer,
          .message = event.message,
          .tag = tag,
          .kind = is_send ? LogicalEvent::Kind::kSend : LogicalEvent::Kind::kReceive};
}

}  // namespace

Result<Recording> Record(ScenarioOptions options) {
  options.detail = Detail::kMessages;
  auto simulation = Simulation::Create(options);
  if (!simulation) return tl::unexpected(simulation.error());
  Recording recording;
  recording.processes = static_cast<uint32_t>(simulation->traces().processes.size());
  while (const SimulatedEvent* next = simulation->Next()) {
    recording.events.push_back(Adapt(next->event, recording.events.size()));
    recording.true_ns.push_back(next->true_ns);
    recording.shown_ns.push_back(next->event.time.ticks);
  }
  if (simulation->error()) return tl::unexpected(*simulation->error());
  return recording;
}

Result<Retimed> Retime(const Recording& recording, const LogicalOptions& options, int64_t mu_ns) {
  const DelayModel delays({mu_ns, 0});
  KeepingSink sink(recording.events.size());
  LogicalFilter filter(options, delays, sink);
  for (uint32_t p = 0; p < recording.processes; ++p) filter.AddProcess(ClockId{p});
  for (const LogicalEvent& event : recording.events) filter.Push(event);
  filter.Finish();
  return Retimed{std::move(sink.after_ns), filter.report()};
}

Deviations Compare(const Recording& recording, std::span<const int64_t> clock_ns) {
  struct Sums {
    int64_t events = 0;
    int64_t fast = 0;
    int64_t slow = 0;
    int64_t changes = 0;
    int64_t last = 0;  // LC − T of the latest event
  };
  std::vector<Sums> sums(recording.processes);
  for (size_t e = 0; e < recording.events.size(); ++e) {
    Sums& of = sums[recording.events[e].process.index()];
    const int64_t ahead = clock_ns[e] - recording.true_ns[e];
    of.fast += std::max<int64_t>(ahead, 0);
    of.slow += std::max<int64_t>(-ahead, 0);
    if (of.events > 0) of.changes += std::abs(ahead - of.last);
    of.last = ahead;
    ++of.events;
  }
  const auto length = static_cast<double>(recording.true_ns.back() - recording.true_ns.front());
  Deviations deviations;
  for (const Sums& of : sums) {
    const auto events = static_cast<double>(of.events);
    deviations.fast_ns.push_back(static_cast<double>(of.fast) / events);
    deviations.slow_ns.push_back(static_cast<double>(of.slow) / events);
    deviations.relative.push_back(static_cast<double>(of.changes) / length);
  }
  return deviations;
}

double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double Largest(std::span<const double> values) {
  return *std::max_element(values.begin(), values.end());
}

uint64_t TooFast(const Recording& recording, std::span<const int64_t> clock_ns, int64_t mu_ns) {
  std::map<std::tuple<ProcessId, ProcessId, uint64_t>, size_t> sends;
  uint64_t too_fast = 0;
  for (size_t e = 0; e < recording.events.size(); ++e) {
    const LogicalEvent& event = recording.events[e];
    if (event.kind == LogicalEvent::Kind::kSend) {
      sends[{event.process, event.peer, event.message}] = e;
      continue;
    }
    const auto send = sends.find({event.peer, event.process, event.message});
    if (send == sends.end()) continue;
    if (clock_ns[e] - clock_ns[send->second] < mu_ns) ++too_fast;
    sends.erase(send);
  }
  return too_fast;
}

}  // namespace syncline
