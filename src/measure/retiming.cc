#include "measure/retiming.h"

#include <algorithm>
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

GlobalTime Retiming::operator()(const EventRef& event) const {
  if (!moved_.empty()) {
    const auto it = moved_.find({event.process.value, event.index});
    if (it != moved_.end()) return it->second;
  }
  if (const auto& as_read = as_read_[event.process.index()]) return as_read(event.time);
  return {QuantizeNs(ExactNs(event), by_process_[event.process.index()].ticks_per_second)};
}

void Retiming::Retime(ProcessId process, uint64_t first, std::span<const LocalTime> local,
                      std::span<GlobalTime> written) const {
  const ProcessTimes& times = by_process_[process.index()];
  const bool is_plain = !as_read_[process.index()] && moved_.empty() &&
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

bool Retiming::RepairRounding(const Message& m, Duration minimum_delay) {
  if (as_read_[m.receive.process.index()]) return false;
  const GlobalTime needed{Saturate(static_cast<Int128>((*this)(m.send).ns) + minimum_delay.ns)};
  if ((*this)(m.receive) >= needed) return false;
  const ProcessTimes& receiver = by_process_[m.receive.process.index()];
  // Each correction is within ½ ns of its exact value, and so are the knots it was made of.
  const Int128 delay = static_cast<Int128>(ExactNs(m.receive)) - ExactNs(m.send);
  if (delay < static_cast<Int128>(minimum_delay.ns) - 2) return false;
  int64_t moved = QuantizeNs(needed.ns, receiver.ticks_per_second);
  if (moved < needed.ns) {
    const Int128 next = NearestTick(needed.ns, receiver.ticks_per_second) + 1;
    moved = Saturate(SeenNs(next, receiver.ticks_per_second));
  }
  moved_[{m.receive.process.value, m.receive.index}] = {moved};
  return true;
}

bool Retiming::is_of_corrections_alone() const {
  const auto is_empty = [](const auto& shifts) { return shifts.empty(); };
  const auto is_set = [](const auto& as_read) { return static_cast<bool>(as_read); };
  return moved_.empty() && std::ranges::all_of(shifts_ns_, is_empty) &&
         std::ranges::none_of(as_read_, is_set);
}

void Retiming::Put(Parcel& parcel) const {
  parcel.Put(uint64_t{by_process_.size()});
  for (const ProcessTimes& times : by_process_) {
    parcel.PutAll(times.correction.knots());
    parcel.Put(times.ticks_per_second);
    parcel.Put(uint64_t{times.later_epochs.size()});
    for (const LaterEpoch& epoch : times.later_epochs) {
      parcel.PutEach(epoch.first_event, epoch.correction.knots());
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

void Retiming::PutMoved(Parcel& parcel) const {
  parcel.Put(uint64_t{moved_.size()});
  for (const auto& [place, time] : moved_) {
    parcel.PutEach(place.first, place.second, time);
  }
}

void Retiming::AdoptMoved(ParcelReader& parcel) {
  const auto moved = parcel.Take<uint64_t>();
  for (uint64_t i = 0; i < moved; ++i) {
    const auto process = parcel.Take<uint32_t>();
    const auto event = parcel.Take<uint64_t>();
    moved_[{process, event}] = parcel.Take<GlobalTime>();
  }
}

GlobalTime ProgramOrder::Place(LocalTime recorded, GlobalTime written, uint32_t epoch) {
  const bool is_after = epoch == last_epoch_ ? recorded >= last_recorded_ : epoch > last_epoch_;
  if (any_ && is_after && written < last_written_) written = last_written_;
  any_ = true;
  last_epoch_ = epoch;
  last_recorded_ = recorded;
  last_written_ = written;
  return written;
}

}  // namespace syncline
