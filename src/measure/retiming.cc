#include "measure/retiming.h"

#include "base/int128.h"
#include "base/ticks.h"

namespace syncline {

GlobalTime Retiming::operator()(const EventRef& event) const {
  if (!moved_.empty()) {
    const auto it = moved_.find({event.process.value, event.index});
    if (it != moved_.end()) return it->second;
  }
  const ProcessTimes& times = by_process_[event.process.index()];
  return {QuantizeNs(times.correction(event.time).ns, times.ticks_per_second)};
}

bool Retiming::RepairRounding(const Message& m, Duration minimum_delay) {
  const GlobalTime needed{Saturate(static_cast<Int128>((*this)(m.send).ns) + minimum_delay.ns)};
  if ((*this)(m.receive) >= needed) return false;
  const ProcessTimes& sender = by_process_[m.send.process.index()];
  const ProcessTimes& receiver = by_process_[m.receive.process.index()];
  // Each correction is within ½ ns of its exact value, and so are the knots it was made of.
  const Int128 delay = static_cast<Int128>(receiver.correction(m.receive.time).ns) -
                       sender.correction(m.send.time).ns;
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
