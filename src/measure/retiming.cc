#include "measure/retiming.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "base/int128.h"
#include "base/ticks.h"
#include "model/correct_all.h"

namespace syncline {
namespace {

// The epoch of an event: 0, or 1 + its place in later_epochs.
size_t EpochOf(const Retiming::ProcessTimes& times, uint64_t event) {
  const auto later =
      std::ranges::upper_bound(times.later_epochs, event, {}, &Retiming::LaterEpoch::first_event);
  return static_cast<size_t>(later - times.later_epochs.begin());
}

const Correction& CorrectionOf(const Retiming::ProcessTimes& times, size_t epoch) {
  return epoch == 0 ? times.correction : times.later_epochs[epoch - 1].correction;
}

}  // namespace

GlobalTime Retiming::Rounded(const EventRef& event) const {
  if (const auto& as_read = as_read_[event.process.index()]) return as_read(event.time);
  return {QuantizeNs(ExactNs(event), by_process_[event.process.index()].ticks_per_second)};
}

GlobalTime Retiming::operator()(const EventRef& event) const {
  const GlobalTime rounded = Rounded(event);
  const MovedEvents& moved = moved_events_[event.process.index()];
  const auto behind = moved.upper_bound(event.index);
  if (behind == moved.begin()) return rounded;
  const auto& [number, last] = *std::prev(behind);
  return IsAfter(event, number, last.recorded) ? std::max(rounded, last.written) : rounded;
}

// Of an event whose number is not smaller.
bool Retiming::IsAfter(const EventRef& event, uint64_t moved, LocalTime recorded) const {
  const ProcessTimes& times = by_process_[event.process.index()];
  return event.time >= recorded || EpochOf(times, event.index) > EpochOf(times, moved);
}

void Retiming::Retime(ProcessId process, uint64_t first, std::span<const LocalTime> local,
                      std::span<GlobalTime> written) const {
  const ProcessTimes& times = by_process_[process.index()];
  const bool is_plain = !as_read_[process.index()] && moved_events_[process.index()].empty() &&
                        shifts_ns_[process.index()].empty() &&
                        times.ticks_per_second >= kNsPerSecond;
  if (is_plain && times.later_epochs.empty()) {
    return CorrectAll(times.correction, local, written);
  }
  if (is_plain) return CorrectEpochs(times, first, local, written);
  for (size_t i = 0; i < local.size(); ++i) written[i] = (*this)({process, first + i, local[i]});
}

void Retiming::CorrectEpochs(const ProcessTimes& times, uint64_t first,
                             std::span<const LocalTime> local, std::span<GlobalTime> written) {
  size_t epoch = EpochOf(times, first);
  for (size_t done = 0; done < local.size(); ++epoch) {
    const uint64_t left = local.size() - done;
    const uint64_t in_epoch = epoch == times.later_epochs.size()
                                  ? left
                                  : times.later_epochs[epoch].first_event - (first + done);
    const size_t count = std::min(left, in_epoch);
    CorrectAll(CorrectionOf(times, epoch), local.subspan(done, count),
               written.subspan(done, count));
    done += count;
  }
}

GlobalTime Retiming::Plain(ProcessId process, uint32_t epoch, LocalTime local) const {
  if (const auto& as_read = as_read_[process.index()]) return as_read(local);
  const ProcessTimes& times = by_process_[process.index()];
  const size_t known = std::min<size_t>(epoch, times.later_epochs.size());
  return {QuantizeNs(CorrectionOf(times, known)(local).ns, times.ticks_per_second)};
}

bool Retiming::KeepEpochsInOrder() {
  bool any = false;
  for (uint32_t p = 0; p < by_process_.size(); ++p) {
    for (const LaterEpoch& epoch : by_process_[p].later_epochs) {
      if (!epoch.set_back || epoch.first_event == 0) continue;
      const auto& [before, after] = *epoch.set_back;
      const GlobalTime last = (*this)({ProcessId(p), epoch.first_event - 1, before});
      const Duration held = last - (*this)({ProcessId(p), epoch.first_event, after});
      if (held.ns <= 0) continue;
      moved_events_[p][epoch.first_event - 1] = {before, last};
      most_held_ns_[p] = std::max(most_held_ns_[p], held.ns);
      any = true;
    }
  }
  return any;
}

void Retiming::SetShifts(ProcessId process, std::vector<int64_t> shifts_ns) {
  shifts_ns_[process.index()] = std::move(shifts_ns);
}

void Retiming::SetAsRead(ProcessId process, std::function<GlobalTime(LocalTime)> as_read) {
  as_read_[process.index()] = std::move(as_read);
}

int64_t Retiming::ExactNs(const EventRef& event) const {
  if (const auto& as_read = as_read_[event.process.index()]) return as_read(event.time).ns;
  const ProcessTimes& times = by_process_[event.process.index()];
  const size_t epoch = times.later_epochs.empty() ? 0 : EpochOf(times, event.index);
  const int64_t ns = CorrectionOf(times, epoch)(event.time).ns;
  const std::vector<int64_t>& shifts = shifts_ns_[event.process.index()];
  return event.index < shifts.size() ? Saturate(static_cast<Int128>(ns) + shifts[event.index]) : ns;
}

int64_t Retiming::RoundedUpNs(int64_t ns, ProcessId process) const {
  const int64_t ticks_per_second = by_process_[process.index()].ticks_per_second;
  const int64_t nearest = QuantizeNs(ns, ticks_per_second);
  if (nearest >= ns) return nearest;
  return Saturate(SeenNs(NearestTick(ns, ticks_per_second) + 1, ticks_per_second));
}

void Retiming::Move(const EventRef& event, GlobalTime written) {
  written = std::max(written, (*this)(event));
  MovedEvents& moved = moved_events_[event.process.index()];
  const auto [at, is_new] = moved.insert_or_assign(event.index, Moved{event.time, written});
  if (is_new) ++moved_;
  for (auto next = std::next(at); next != moved.end(); ++next) {
    auto& [number, later] = *next;
    const bool is_after = IsAfter({event.process, number, later.recorded}, event.index, event.time);
    if (!is_after || later.written >= written) break;
    later.written = written;
  }
}

bool Retiming::RepairRounding(const Message& m, Duration minimum_delay) {
  if (as_read_[m.receive.process.index()]) return false;
  // Each correction is within ½ ns of its exact value, and so are the knots it was made of.
  const Int128 delay = static_cast<Int128>(ExactNs(m.receive)) - ExactNs(m.send) + 2;
  if (delay < 0) return false;
  GlobalTime needed = (*this)(m.send);
  if (delay >= minimum_delay.ns) {
    needed.ns = std::max(needed.ns, SaturatedSum(Rounded(m.send).ns, minimum_delay.ns));
  }
  if ((*this)(m.receive) >= needed) return false;
  Move(m.receive, {RoundedUpNs(needed.ns, m.receive.process)});
  return true;
}

// Of what is taken along, less.
int64_t Retiming::MostMovedNs(ProcessId process) const {
  int64_t most_ns = most_held_ns_[process.index()];
  for (const auto& [event, moved] : moved_events_[process.index()]) {
    const GlobalTime rounded = Rounded({process, event, moved.recorded});
    most_ns = std::max(most_ns, (moved.written - rounded).ns);
  }
  return most_ns;
}

bool Retiming::is_of_corrections_alone() const {
  const auto is_empty = [](const auto& of_process) { return of_process.empty(); };
  const auto is_set = [](const auto& as_read) { return static_cast<bool>(as_read); };
  return std::ranges::all_of(moved_events_, is_empty) &&
         std::ranges::all_of(shifts_ns_, is_empty) && std::ranges::none_of(as_read_, is_set);
}

Retiming Retiming::Unrounded() const {
  std::vector<ProcessTimes> by_process = by_process_;
  for (ProcessTimes& times : by_process) times.ticks_per_second = kNsPerSecond;
  return Retiming(std::move(by_process));
}

void Retiming::Put(Parcel& parcel) const {
  parcel.Put(uint64_t{by_process_.size()});
  for (const ProcessTimes& times : by_process_) {
    parcel.Put(times.correction.knots());
    parcel.Put(times.ticks_per_second);
    parcel.Put(uint64_t{times.later_epochs.size()});
    for (const LaterEpoch& epoch : times.later_epochs) {
      parcel.Put(epoch.first_event, epoch.correction.knots());
    }
  }
}

Retiming Retiming::Take(ParcelReader& parcel) {
  const auto take_correction = [&] {
    return *Correction::FromKnots(parcel.TakeAll<Correction::Knot>());
  };
  std::vector<ProcessTimes> by_process;
  const auto processes = parcel.Take<uint64_t>();
  for (uint64_t p = 0; p < processes; ++p) {
    ProcessTimes& times = by_process.emplace_back(ProcessTimes{take_correction()});
    times.ticks_per_second = parcel.Take<int64_t>();
    const auto epochs = parcel.Take<uint64_t>();
    for (uint64_t e = 0; e < epochs; ++e) {
      const auto first_event = parcel.Take<uint64_t>();
      times.later_epochs.push_back({first_event, take_correction()});
    }
  }
  return Retiming(std::move(by_process));
}

void Retiming::AdoptMoved(ParcelReader& parcel) {
  const auto by_process = parcel.TakeAll<MovedEvents>();
  for (uint32_t p = 0; p < by_process.size(); ++p) {
    for (const auto& [event, moved] : by_process[p]) {
      Move({ProcessId(p), event, moved.recorded}, moved.written);
    }
  }
}

GlobalTime ProgramOrder::Place(LocalTime recorded, GlobalTime written, uint32_t epoch,
                               ReadingRank rank) {
  if (rank == ReadingRank::kLast) return written;
  constexpr GlobalTime kNone{std::numeric_limits<int64_t>::min()};
  const bool is_same = any_ && epoch == last_epoch_ && recorded == last_recorded_;
  const bool is_after =
      any_ && (epoch == last_epoch_ ? recorded > last_recorded_ : epoch > last_epoch_);
  if (!is_same) {
    before_reading_ = is_after ? last_written_ : kNone;
    last_written_ = before_reading_;
  }
  written = std::max(written, rank == ReadingRank::kFirst ? before_reading_ : last_written_);
  any_ = true;
  last_epoch_ = epoch;
  last_recorded_ = recorded;
  last_written_ = std::max(last_written_, written);
  return written;
}

}  // namespace syncline
