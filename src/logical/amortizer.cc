#include "logical/amortizer.h"

#include <algorithm>

#include "base/check.h"

namespace syncline {
namespace {

uint64_t IntervalNs(int64_t largest_jump_ns, const AmortizationOptions& options) {
  const Int128 interval =
      static_cast<Int128>(largest_jump_ns) * options.error_denominator / options.error_numerator;
  return interval > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(interval);
}

// `clock_ns` + the rise, modulo 2^64: a rise may be longer than an int64, the sum is not.
int64_t Later(int64_t clock_ns, UInt128 rise) {
  return static_cast<int64_t>(static_cast<uint64_t>(clock_ns) + WholeNs(rise));
}

uint64_t Distance(int64_t from, int64_t to) {
  return static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
}

}  // namespace

Amortizer::Amortizer(AmortizationOptions options) : options_(options) {
  SYNCLINE_CHECK(options.error_numerator > 0 && options.error_denominator > 0 &&
                 options.start_difference_ns >= 0);
  interval_ns_ = IntervalNs(options.start_difference_ns, options);
}

uint64_t Amortizer::Add(int64_t clock_ns, int64_t jump_ns, Hold hold, const ComputedEvent& event) {
  auto jump = static_cast<uint64_t>(std::max<int64_t>(jump_ns, 0));
  if (events_.end() > 0) {
    clock_ns = std::max(clock_ns, last_clock_ns_);
    const uint64_t step = Distance(last_clock_ns_, clock_ns);
    jump = std::min(jump, step);
    last_x_ += step - jump;
  }
  last_clock_ns_ = clock_ns;
  is_idle_ = false;
  const uint64_t sequence = events_.Append(clock_ns, last_x_, jump, hold == Hold::kWaits, event);
  if (jump == 0 && events_.next() == sequence) {
    events_.PassNext();
    SettleBatch();
  } else {
    Advance();
  }
  return sequence;
}

void Amortizer::Limit(uint64_t sequence, int64_t latest_ns) {
  if (sequence < events_.first_open() || sequence >= events_.end()) return;
  if (latest_ns >= events_.limit(sequence)) return;
  events_.SetLimit(sequence, latest_ns);
  if (sequence < first_held_) {
    PutLimit(sequence, static_cast<Int128>(events_.RaisedLater(sequence)));
  }
}

bool Amortizer::Release(uint64_t sequence) {
  if (sequence < popped_ || sequence >= events_.end() || !events_.is_held(sequence)) return false;
  events_.Release(sequence);
  if (sequence == first_held_) Advance();
  return true;
}

void Amortizer::SettleIdle() {
  if (events_.next() != events_.end()) return;
  while (events_.first_open() < events_.end()) SettleFirst();
}

uint64_t Amortizer::Flush(uint64_t end) {
  uint64_t holds = 0;
  for (uint64_t sequence = std::max(first_held_, events_.first_open()); sequence < end;
       ++sequence) {
    holds += events_.is_held(sequence) ? 1 : 0;
    events_.Release(sequence);
  }
  Advance();
  while (events_.first_open() < end) SettleFirst();
  return holds;
}

void Amortizer::Finish() {
  for (uint64_t sequence = events_.first_open(); sequence < events_.end(); ++sequence) {
    events_.Release(sequence);
  }
  Advance();
  while (events_.first_open() < events_.end()) SettleFirst();
}

int64_t Amortizer::LowerBound() const {
  return popped_ < events_.end() ? PresentTime(popped_) : last_clock_ns_;
}

std::optional<int64_t> Amortizer::Present(uint64_t sequence) const {
  if (sequence < popped_ || sequence >= events_.end()) return std::nullopt;
  return PresentTime(sequence);
}

// Fits: no event is raised above the clock of a later receive.
int64_t Amortizer::PresentTime(uint64_t sequence) const {
  const int64_t clock = events_.clock(sequence);
  if (sequence < events_.first_open()) return clock;
  if (sequence == events_.first_open()) return Later(clock, events_.RaisedFirst());
  return Later(clock, events_.RaisedLater(sequence));
}

// Amortizes the jumps of all events, until one has to wait for a held send in its interval.
void Amortizer::Advance() {
  while (events_.next() < events_.end()) {
    const uint64_t next = events_.next();
    const auto jump = static_cast<int64_t>(events_.next_jump());
    if (jump > 0) {
      // What the interval did not reach so far is final, even if it grows now.
      if (next > events_.first_open()) SettleOutOfReach(events_.x(next - 1));
      NoteJump(jump);
    }
    SettleOutOfReach(events_.x(next));
    if (jump > 0 && HasHeldSend()) return;
    events_.PassNext();
    if (jump > 0) Amortize(next, jump * kNanosecondRise);
  }
  if (is_idle_) SettleIdle();
}

void Amortizer::SettleBatch() {
  const uint64_t last = events_.first_open() + RaisedEvents::kBatch - 1;
  if (last >= events_.next() || last_x_ - events_.x(last) <= interval_ns_) return;
  for (uint64_t i = 0; i < RaisedEvents::kBatch; ++i) SettleFirst();
}

// From next(), whose abscissa is x. That stays the same: what is out of reach from here is out of
// reach from all later events.
void Amortizer::SettleOutOfReach(uint64_t x) {
  while (events_.first_open() < events_.next() &&
         x - events_.x(events_.first_open()) > interval_ns_) {
    SettleFirst();
  }
}

void Amortizer::SettleFirst() {
  const uint64_t first = events_.first_open();
  last_final_x_ = events_.x(first);
  events_.Settle(Later(events_.clock(first), events_.RaisedFirst()));
}

// Whether one of the events from which the next one can be reached is held. The limits of those
// before it count from now on; no jump has raised them yet.
bool Amortizer::HasHeldSend() {
  first_held_ = std::max(first_held_, events_.first_open());
  for (; first_held_ < events_.next(); ++first_held_) {
    if (events_.is_held(first_held_)) return true;
    if (events_.limit(first_held_) != RaisedEvents::kUnlimited) PutLimit(first_held_, 0);
  }
  return false;
}

void Amortizer::PutLimit(uint64_t send, Int128 raised) {
  const Int128 allowed = static_cast<Int128>(events_.limit(send)) - events_.clock(send);
  limits_.Put(send, {events_.x(send), allowed * kNanosecondRise - raised});
}

void Amortizer::NoteJump(int64_t jump_ns) {
  if (jump_ns <= figures_.largest_jump_ns) return;
  figures_.largest_jump_ns = jump_ns;
  if (jump_ns <= options_.start_difference_ns) return;
  figures_.exceeded_start = true;
  interval_ns_ = IntervalNs(jump_ns, options_);
}

RisePoint Amortizer::LeftEnd(uint64_t receive, Int128 jump) {
  if (events_.first_open() == 0) return {events_.x(0), limits_.Least(jump)};
  const uint64_t x = events_.x(receive);
  return {x - std::min(interval_ns_, x - last_final_x_), 0};
}

// Raises the open events before `receive` by the hull.
void Amortizer::Amortize(uint64_t receive, Int128 jump) {
  if (receive == 0) return;
  const uint64_t first = events_.first_open();
  ++figures_.jumps;
  if (first == 0) ++figures_.constant_shifts;
  if (first == receive) return;
  limits_.ForgetBefore(first);
  const HullVertex left{LeftEnd(receive, jump), first};
  const std::span<const HullVertex> hull =
      limits_.Hull(left, {{events_.x(receive), jump}, receive});
  RiseLine line;
  for (size_t i = 0; i + 1 < hull.size(); ++i) {
    const RiseLine before = line;
    line = LineThrough(hull[i].at, hull[i + 1].at);
    events_.Change(hull[i].number, line - before);
  }
  events_.Change(receive, RiseLine{} - line);
  const HullVertex& last = hull[hull.size() - 2];
  limits_.Raise(last.number, line);
  NoteSlope({jump - last.at.rise, hull.back().at.x - last.at.x}, receive);
}

// Edges get steeper to the right: the last one is the steepest.
void Amortizer::NoteSlope(RiseEdge edge, uint64_t receive) {
  if (CompareSlopes(edge, steepest_) <= 0) return;
  steepest_ = edge;
  figures_.largest_slope = {static_cast<int64_t>(CeilDiv(edge.rise, kNanosecondRise)), edge.run,
                            receive};
}

}  // namespace syncline
