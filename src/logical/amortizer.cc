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

uint64_t Amortizer::Add(int64_t clock_ns, int64_t jump_ns, Hold hold) {
  auto jump = static_cast<uint64_t>(std::max<int64_t>(jump_ns, 0));
  if (events_.end() > 0) {
    clock_ns = std::max(clock_ns, last_clock_ns_);
    const uint64_t step = Distance(last_clock_ns_, clock_ns);
    jump = std::min(jump, step);
    last_x_ += step - jump;
  }
  last_clock_ns_ = clock_ns;
  is_idle_ = false;
  const uint64_t sequence = events_.Append(clock_ns, last_x_, jump, hold == Hold::kWaits);
  Advance();
  return sequence;
}

void Amortizer::Limit(uint64_t sequence, int64_t latest_ns) {
  if (sequence >= final_ && sequence < events_.end()) events_.Limit(sequence, latest_ns);
}

void Amortizer::Release(uint64_t sequence) {
  if (sequence < final_ || sequence >= events_.end()) return;
  events_.Release(sequence);
  if (sequence == first_held_) Advance();
}

void Amortizer::SettleIdle() {
  while (final_ < next_ && next_ == events_.end()) MakeFinal();
}

uint64_t Amortizer::Flush(uint64_t end) {
  uint64_t holds = 0;
  for (uint64_t sequence = std::max(first_held_, final_); sequence < end; ++sequence) {
    holds += events_.is_held(sequence) ? 1 : 0;
    events_.Release(sequence);
  }
  Advance();
  while (final_ < end) MakeFinal();
  return holds;
}

void Amortizer::Finish() {
  for (uint64_t sequence = final_; sequence < events_.end(); ++sequence) {
    events_.Release(sequence);
  }
  Advance();
  while (final_ < events_.end()) MakeFinal();
}

std::optional<Amortizer::Final> Amortizer::Pop() {
  if (popped_ == final_) return std::nullopt;
  const Final result{popped_, events_.clock(popped_)};
  events_.Drop(++popped_);
  return result;
}

int64_t Amortizer::LowerBound() const {
  return popped_ < events_.end() ? PresentTime(popped_) : last_clock_ns_;
}

std::optional<int64_t> Amortizer::Present(uint64_t sequence) const {
  if (sequence < popped_ || sequence >= events_.end()) return std::nullopt;
  return PresentTime(sequence);
}

int64_t Amortizer::PresentTime(uint64_t sequence) const {
  const int64_t clock = events_.clock(sequence);
  if (sequence < final_) return clock;
  // Fits: no event is raised above the clock of a later receive.
  return Later(clock, events_.Raised(sequence));
}

// Amortizes the jumps of all events, until one has to wait for a held send in its interval.
void Amortizer::Advance() {
  for (; next_ < events_.end(); ++next_) {
    const auto jump = static_cast<int64_t>(events_.jump(next_));
    if (jump > 0) NoteJump(jump);
    // x stays the same: what is out of reach from here is out of reach from all later events.
    const uint64_t x = events_.x(next_);
    while (final_ < next_ && x - events_.x(final_) > interval_ns_) MakeFinal();
    if (jump == 0) continue;
    if (HasHeldSend()) return;
    Amortize(next_);
  }
  if (is_idle_) SettleIdle();
}

void Amortizer::MakeFinal() {
  last_final_x_ = events_.x(final_);
  events_.Settle(PresentTime(final_));
  ++final_;
}

// Whether one of the events from which `next_` can be reached is held.
bool Amortizer::HasHeldSend() {
  first_held_ = std::max(first_held_, final_);
  while (first_held_ < next_ && !events_.is_held(first_held_)) ++first_held_;
  return first_held_ < next_;
}

void Amortizer::NoteJump(int64_t jump_ns) {
  if (jump_ns <= figures_.largest_jump_ns) return;
  figures_.largest_jump_ns = jump_ns;
  if (jump_ns <= options_.start_difference_ns) return;
  figures_.exceeded_start = true;
  interval_ns_ = IntervalNs(jump_ns, options_);
}

RisePoint Amortizer::LeftEnd(uint64_t receive, Int128 jump) {
  if (final_ == 0) return {events_.x(0), events_.LeastAllowed(0, receive, jump)};
  const uint64_t x = events_.x(receive);
  return {x - std::min(interval_ns_, x - last_final_x_), 0};
}

// Raises the events before `receive` by the hull, edge by edge from the right.
void Amortizer::Amortize(uint64_t receive) {
  if (receive == 0) return;
  ++figures_.jumps;
  if (final_ == 0) ++figures_.constant_shifts;
  RisePoint right{events_.x(receive), events_.jump(receive) * kNanosecondRise};
  const RisePoint left = LeftEnd(receive, right.rise);
  uint64_t end = receive;
  while (final_ < end && right.rise > 0) {
    const auto send = events_.Steepest(final_, end, right, left);
    const RisePoint from = send ? send->allowed : left;
    const uint64_t first = send ? send->number : final_;
    if (end == receive) NoteSlope({right.rise - from.rise, right.x - from.x}, receive);
    events_.Raise(first, end, LineThrough(from, right));
    end = first;
    right = from;
  }
  events_.CountRaise(static_cast<Int128>(events_.jump(receive)) * kNanosecondRise);
}

// Edges get steeper to the right: the last one is the steepest.
void Amortizer::NoteSlope(RiseEdge edge, uint64_t receive) {
  if (CompareSlopes(edge, steepest_) <= 0) return;
  steepest_ = edge;
  figures_.largest_slope = {static_cast<int64_t>(CeilDiv(edge.rise, kNanosecondRise)), edge.run,
                            receive};
}

}  // namespace syncline
