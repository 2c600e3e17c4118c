#include "measure/logical_figures.h"

#include <algorithm>

#include "base/int128.h"

namespace syncline {

LogicalFigures::LogicalFigures(const TraceSet& traces) {
  for (const Process& process : traces.processes) AddProcess(process.clock);
}

void LogicalFigures::AddProcess(ClockId clock) {
  const ProcessId process(static_cast<uint32_t>(processes_.size()));
  processes_.push_back({clock, IntervalTracker(process)});
}

void LogicalFigures::AddEvent(ProcessId process, int64_t recorded_ns, GlobalTime after) {
  processes_[process.index()].intervals.Add(recorded_ns, after, intervals_);
}

void LogicalFigures::OnMessage(const RetimedMessage& m) {
  const Duration before = m.receive_before - m.send_before;
  const Duration after = m.receive_after - m.send_after;
  if (m.kind == RetimedMessage::Kind::kCollective) {
    ++collectives_.ends;
    collectives_.violated_before += before < m.minimum_delay ? 1 : 0;
    collectives_.violated_after += after < m.minimum_delay ? 1 : 0;
    return;
  }
  const ClockId from = processes_[m.sender.index()].clock;
  const ClockId to = processes_[m.receiver.index()].clock;
  before_.AddMessage(from, to, before, m.minimum_delay);
  after_.AddMessage(from, to, after, m.minimum_delay);
}

void LogicalFigures::AdoptMessages(ParcelReader& parcel) {
  before_.Adopt(parcel);
  after_.Adopt(parcel);
  const auto others = parcel.Take<CollectiveFigures>();
  collectives_.ends += others.ends;
  collectives_.violated_before += others.violated_before;
  collectives_.violated_after += others.violated_after;
}

std::optional<HalfRoundTrips> LogicalFigures::FindHalfRoundTrips() const {
  HalfRoundTrips trips;
  Int128 sum = 0;
  for (const auto& [direction, there] : before_.directions()) {
    const auto& [from, to] = direction;
    if (from >= to) continue;
    const auto back = before_.directions().find({to, from});
    if (back == before_.directions().end()) continue;
    const Int128 round_trip =
        static_cast<Int128>(*there.delays.smallest()) + *back->second.delays.smallest();
    const int64_t half = Saturate(round_trip / 2);
    trips.min_ns = trips.pairs == 0 ? half : std::min(trips.min_ns, half);
    trips.max_ns = trips.pairs == 0 ? half : std::max(trips.max_ns, half);
    sum += half;
    ++trips.pairs;
  }
  if (trips.pairs == 0) return std::nullopt;
  trips.mean_ns = Saturate(sum / static_cast<Int128>(trips.pairs));
  return trips;
}

}  // namespace syncline
