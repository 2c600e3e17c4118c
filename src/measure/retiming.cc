#include "measure/retiming.h"

#include "base/int128.h"

namespace syncline {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;

Int128 ToTicks(int64_t ns, int64_t ticks_per_second) {
  // Floor of value + ½, so that equal values round alike whatever their sign.
  return FloorDiv(static_cast<Int128>(ns) * ticks_per_second * 2 + kNsPerSecond,
                  static_cast<Int128>(2) * kNsPerSecond);
}

int64_t FromTicks(Int128 ticks, int64_t ticks_per_second) {
  return Saturate(FloorDiv(ticks * kNsPerSecond, ticks_per_second));
}

}  // namespace

int64_t RoundToTicks(int64_t ns, int64_t ticks_per_second) {
  if (ticks_per_second >= kNsPerSecond) return ns;
  return FromTicks(ToTicks(ns, ticks_per_second), ticks_per_second);
}

GlobalTime Retiming::operator()(const EventRef& event) const {
  if (!moved_.empty()) {
    const auto it = moved_.find({event.process.value, event.index});
    if (it != moved_.end()) return it->second;
  }
  const ProcessTimes& times = by_process_[event.process.index()];
  return {RoundToTicks(times.correction(event.time).ns, times.ticks_per_second)};
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
  int64_t moved = RoundToTicks(needed.ns, receiver.ticks_per_second);
  if (moved < needed.ns) {
    const Int128 ticks = ToTicks(moved, receiver.ticks_per_second) + 1;
    moved = FromTicks(ticks, receiver.ticks_per_second);
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
