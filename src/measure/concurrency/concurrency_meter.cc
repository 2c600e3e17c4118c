#include "measure/concurrency/concurrency_meter.h"

#include <algorithm>
#include <utility>

#include "base/int128.h"

namespace syncline {
namespace {

CollectivePart PartOf(const ConcurrencyEvent& e) {
  return {e.process, e.group, e.message, e.flow, e.is_root, e.takes_part};
}

}  // namespace

void MeterTotals::Put(Parcel& parcel) const {
  parcel.Put(processes_, messages_, collective_ends_, order_);
}

void MeterTotals::Adopt(ParcelReader& parcel) {
  const auto processes = parcel.TakeAll<MeasuredProcess>();
  for (size_t i = 0; i < processes.size(); ++i) {
    // Of processes without events all know the same.
    if (!processes_[i].has_events) processes_[i] = processes[i];
  }
  messages_ += parcel.Take<uint64_t>();
  collective_ends_ += parcel.Take<uint64_t>();
  order_.Adopt(parcel);
}

MeasuredComputation MeterTotals::Measure() const {
  MeasuredComputation computation;
  std::vector<ProcessTotals> active;
  for (const MeasuredProcess& p : processes_) {
    if (p.has_events) active.push_back(p.totals);
  }
  computation.processes = processes_;
  computation.measures = MeasureComputation(active);
  computation.cuts = order_.Count();
  computation.messages = messages_;
  computation.collective_ends = collective_ends_;
  return computation;
}

ConcurrencyMeter::ConcurrencyMeter(size_t processes, std::span<const std::vector<ProcessId>> groups,
                                   ConcurrencyOptions options, OnRegion on_region,
                                   const MeterShare* share)
    : processes_(processes),
      collectives_(groups, share),
      totals_(processes, options.max_cuts),
      on_region_(std::move(on_region)),
      share_(share) {
  for (size_t i = 0; i < processes; ++i) {
    processes_[i].known.past = PastVector(processes);
    if (i < options.speeds.size()) processes_[i].speed = options.speeds[i];
  }
}

void ConcurrencyMeter::Add(const ConcurrencyEvent& event) {
  Process& p = processes_[event.process.index()];
  if (!p.has_begun) {
    p.has_begun = true;
    p.first_ns = event.time_ns;
    p.clocks = LocalClocks(event.time_ns, p.speed);
  }
  if (!p.is_waiting && Take(event)) {
    RunWoken();
    return;
  }
  p.is_waiting = true;
  p.queue.push_back(event);
}

void ConcurrencyMeter::RunWoken() {
  while (!woken_.empty()) {
    Process& p = processes_[woken_.back().index()];
    woken_.pop_back();
    while (!p.queue.empty() && Take(p.queue.front())) p.queue.pop_front();
    p.is_waiting = !p.queue.empty();
  }
}

bool ConcurrencyMeter::Take(const ConcurrencyEvent& event) {
  Process& p = processes_[event.process.index()];
  switch (event.kind) {
    case Kind::kInternal: p.clocks.Advance(event.time_ns); break;
    case Kind::kBlock: p.clocks.Block(event.time_ns); break;
    case Kind::kResume: p.clocks.Resume(event.time_ns); break;
    case Kind::kSend: TakeSend(event); break;
    case Kind::kDelivery:
      if (!TakeDelivery(event)) return false;
      break;
    case Kind::kCollectiveBegin: TakeCollectiveBegin(event); break;
    case Kind::kCollectiveEnd:
      if (!TakeCollectiveEnd(event)) return false;
      break;
  }
  p.last_event = event.event;
  p.last_ns = event.time_ns;
  return true;
}

void ConcurrencyMeter::TakeSend(const ConcurrencyEvent& event) {
  TakeMessageEvent(event, {.end = RegionEnd::kSend});
  const Process& p = processes_[event.process.index()];
  const EventOrigin origin{event.process, p.events};
  if (event.leaving > 0) share_->tell_send({event.message, origin}, p.known);
  if (event.copies == event.leaving) return;
  Deliver(event.message, {p.known, origin, event.copies - event.leaving});
}

void ConcurrencyMeter::Deliver(uint64_t message, Flight flight) {
  in_flight_[message] = std::move(flight);
  if (waiting_for_.empty()) return;
  const auto waiting = waiting_for_.find(message);
  if (waiting == waiting_for_.end()) return;
  woken_.insert(woken_.end(), waiting->second.begin(), waiting->second.end());
  waiting_for_.erase(waiting);
}

void ConcurrencyMeter::Adopt(const SendElsewhere& send, PastStamp stamp) {
  const auto known = in_flight_.find(send.message);
  if (known != in_flight_.end()) {
    ++known->second.copies;
    return;
  }
  Deliver(send.message, {std::move(stamp), send.origin, 1});
  RunWoken();
}

void ConcurrencyMeter::Adopt(const BeginsElsewhere& begins) {
  woken_ = collectives_.Adopt(begins);
  RunWoken();
}

bool ConcurrencyMeter::TakeDelivery(const ConcurrencyEvent& event) {
  const auto found = in_flight_.find(event.message);
  if (found == in_flight_.end()) {
    waiting_for_[event.message].push_back(event.process);
    return false;
  }
  const Flight& flight = found->second;
  TakeMessageEvent(event, {.end = RegionEnd::kDelivery,
                           .learned = &flight.stamp,
                           .after = {&flight.origin, 1},
                           .sender = flight.origin.process});
  if (--found->second.copies == 0) in_flight_.erase(found);
  totals_.CountMessage();
  ++processes_[event.process.index()].deliveries;
  return true;
}

void ConcurrencyMeter::TakeCollectiveBegin(const ConcurrencyEvent& event) {
  TakeMessageEvent(event, {.end = RegionEnd::kCollectiveBegin});
  const Process& p = processes_[event.process.index()];
  const auto waited = collectives_.Begin(PartOf(event), p.known, {event.process, p.events});
  woken_.insert(woken_.end(), waited.begin(), waited.end());
}

bool ConcurrencyMeter::TakeCollectiveEnd(const ConcurrencyEvent& event) {
  const auto learned = collectives_.End(PartOf(event));
  if (!learned) return false;
  TakeMessageEvent(event, {.end = RegionEnd::kCollectiveEnd,
                           .learned = learned->stamp ? &*learned->stamp : nullptr,
                           .after = learned->from});
  totals_.CountCollectiveEnd();
  ++processes_[event.process.index()].deliveries;
  return true;
}

void ConcurrencyMeter::TakeMessageEvent(const ConcurrencyEvent& event, const News& news) {
  Process& p = processes_[event.process.index()];
  p.clocks.Resume(event.time_ns);
  p.known.height_ns = Saturate(Int128{p.known.height_ns} + p.clocks.computed_ns() - p.old_computed);
  if (news.learned != nullptr) p.known.Merge(*news.learned);
  ++p.events;
  ++p.known.event_height;
  totals_.order().Add(event.process, news.after);
  if (!totals_.order().is_kept()) collectives_.ForgetOrigins();
  EndRegion(event, news);
}

void ConcurrencyMeter::EndRegion(const ConcurrencyEvent& event, const News& news) {
  Process& p = processes_[event.process.index()];
  const int64_t computed = p.clocks.computed_ns();
  const int64_t delayed = p.clocks.delayed_ns();
  p.known.past.Set(event.process.index(), {computed, delayed, p.events, p.known.event_height});
  const PastEntry sum = p.known.past.Sum();
  on_region_({.process = event.process,
              .number = p.regions++,
              .end = news.end,
              .event = event.event,
              .end_ns = event.time_ns,
              .own_computed_ns = computed - p.old_computed,
              .own_delayed_ns = delayed - p.old_delayed,
              .sender = news.sender,
              .values = {.computed_ns = computed,
                         .delayed_ns = delayed,
                         .height_ns = p.known.height_ns,
                         .weight_ns = sum.computed_ns,
                         .volume_ns = Saturate(Int128{sum.computed_ns} + sum.delayed_ns),
                         .events = sum.events,
                         .event_height = p.known.event_height,
                         .event_volume = sum.height}});
  p.old_computed = computed;
  p.old_delayed = delayed;
}

void ConcurrencyMeter::Terminate(ProcessId process) {
  Process& p = processes_[process.index()];
  p.known.height_ns = Saturate(Int128{p.known.height_ns} + p.clocks.computed_ns() - p.old_computed);
  EndRegion({.process = process, .time_ns = p.last_ns, .event = p.last_event},
            {.end = RegionEnd::kTermination});
}

uint64_t ConcurrencyMeter::CountQueued() const {
  uint64_t queued = 0;
  for (const Process& p : processes_) queued += p.queue.size();
  return queued;
}

// Members that take no part, or none of whose events were recorded, are waited for in vain.
void ConcurrencyMeter::GiveUpMissing() {
  std::vector<CollectivePart> to_come;
  for (const Process& p : processes_) {
    for (const ConcurrencyEvent& event : p.queue) {
      if (event.kind == Kind::kCollectiveBegin) to_come.push_back(PartOf(event));
    }
  }
  collectives_.GiveUpMissing(to_come);
  for (uint32_t i = 0; i < processes_.size(); ++i) {
    if (processes_[i].is_waiting) woken_.emplace_back(i);
  }
  waiting_for_.clear();
  RunWoken();
}

tl::expected<MeasuredComputation, StuckProcess> ConcurrencyMeter::Finish() {
  for (uint64_t before = 0, queued = CountQueued(); queued > 0 && queued != before;) {
    before = queued;
    GiveUpMissing();
    queued = CountQueued();
  }
  for (uint32_t i = 0; i < processes_.size(); ++i) {
    const Process& p = processes_[i];
    if (!p.queue.empty()) {
      return tl::unexpected(StuckProcess{ProcessId(i), p.queue.front().event});
    }
  }
  return Totals().Measure();
}

std::optional<MeterTotals> ConcurrencyMeter::FinishShare() {
  if (CountQueued() > 0) return std::nullopt;
  return Totals();
}

MeterTotals ConcurrencyMeter::Totals() {
  for (uint32_t i = 0; i < processes_.size(); ++i) {
    const Process& p = processes_[i];
    if (p.has_begun) Terminate(ProcessId(i));
    const ProcessTotals totals{.computed_ns = p.clocks.computed_ns(),
                               .delayed_ns = p.clocks.delayed_ns(),
                               .height_ns = p.known.height_ns,
                               .events = p.events,
                               .event_height = p.known.event_height,
                               .speed = p.speed};
    totals_.SetProcess(ProcessId(i), {p.has_begun, p.first_ns, totals, p.regions, p.deliveries});
  }
  return std::move(totals_);
}

}  // namespace syncline
