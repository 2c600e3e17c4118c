#include "measure/retiming.h"

#include "base/int128.h"
#include "base/ticks.h"
#include "model/correct_all.h"

namespace syncline {

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
  if (is_plain) return CorrectAll(times.correction, local, written);
  for (size_t i = 0; i < local.size(); ++i) written[i] = (*this)({process, first + i, local[i]});
}

void Retiming::SetShifts(ProcessId process, std::vector<int64_t> shifts_ns) {
  shifts_ns_[process.index()] = std::move(shifts_ns);
}

void Retiming::SetAsRead(ProcessId process, std::function<GlobalTime(LocalTime)> as_read) {
  as_read_[process.index()] = std::move(as_read);
}

int64_t Retiming::ExactNs(const EventRef& event) const {
  if (const auto& as_read = as_read_[event.process.index()]) return as_read(event.time).ns;
  const int64_t ns = by_process_[event.process.index()].correction(event.time).ns;
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
  if (delay < minimum_delay.ns - 2) return false;
  int64_t moved = QuantizeNs(needed.ns, receiver.ticks_per_second);
  if (moved < needed.ns) {
    const Int128 next = NearestTick(needed.ns, receiver.ticks_per_second) + 1;
    moved = Saturate(SeenNs(next, receiver.ticks_per_second));
  }
  moved_[{m.receive.process.value, m.receive.index}] = {moved};
  return true;
}

GlobalTime ProgramOrder::Place(LocalTime recorded, GlobalTime written) {
  if (any_ && recorded >= last_recorded_ && written < last_written_) written = last_written_;
  any_ = true;
  last_recorded_ = recorded;
  last_written_ = written;
  return written;
}

}  // namespace syncline
