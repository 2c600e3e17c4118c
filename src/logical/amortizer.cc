#include "logical/amortizer.h"

#include <algorithm>

namespace syncline {
namespace {

uint64_t Distance(int64_t from, int64_t to) {
  return static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
}

}  // namespace

void RaisedEvents::ChangeLater(uint64_t number, const RiseLine& line) {
  Event& event = events_[number];
  if (event.content <= 1) {
    if (free_changes_.empty()) {
      changes_.emplace_back();
      free_changes_.push_back(changes_.size());
    }
    event.content |= free_changes_.back() << 1;
    free_changes_.pop_back();
  }
  changes_[(event.content >> 1) - 1] += line;
}

void RaisedEvents::TakeChange() {
  Event& event = events_[first_open_];
  const uint64_t change = event.content >> 1;
  event.content &= 1;
  first_line_ += changes_[change - 1];
  changes_[change - 1] = {};
  free_changes_.push_back(change);
}

// From the other end: events from next() on are not raised.
UInt128 RaisedEvents::RaisedLater(uint64_t number) const {
  RiseLine line;
  for (uint64_t later = number + 1; later < next_; ++later) {
    const uint64_t change = events_[later].content >> 1;
    if (change > 0) line -= changes_[change - 1];
  }
  return line.At(events_[number].x);
}

Amortizer::Amortizer(AmortizationOptions options) : spread_(options) {}

uint64_t Amortizer::Add(int64_t clock_ns, int64_t jump_ns, Hold hold, const ComputedEvent& event) {
  auto jump = static_cast<uint64_t>(std::max<int64_t>(jump_ns, 0));
  if (events_.end() > 0) {
    clock_ns = std::max(clock_ns, last_clock_ns_);
    const uint64_t step = Distance(last_clock_ns_, clock_ns);
    jump = std::min(jump, step);
    last_x_ += step - jump;
  }
  last_clock_ns_ = clock_ns;
  if (idle_ns_ > 0 && events_.next() != events_.end()) idles_.push_back({events_.end(), idle_ns_});
  idle_ns_ = 0;
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
  if (events_.next() != events_.end() || !spread_.IsIdle(idle_ns_)) return;
  SettleBefore(events_.end());
}

void Amortizer::SettleBefore(uint64_t end) {
  while (events_.first_open() < end) SettleFirst();
}

uint64_t Amortizer::Flush(uint64_t end) {
  uint64_t holds = 0;
  for (uint64_t sequence = std::max(first_held_, events_.first_open()); sequence < end;
       ++sequence) {
    holds += events_.is_held(sequence) ? 1 : 0;
    events_.Release(sequence);
  }
  Advance();
  SettleBefore(end);
  return holds;
}

void Amortizer::Finish() {
  for (uint64_t sequence = events_.first_open(); sequence < events_.end(); ++sequence) {
    events_.Release(sequence);
  }
  Advance();
  SettleBefore(events_.end());
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
    if (!idles_.empty() && idles_.front().sequence == next) {
      if (spread_.IsIdle(idles_.front().ns)) SettleBefore(next);
      idles_.pop_front();
    }
    if (jump > 0) {
      // What the interval did not reach so far is final, even if it grows now.
      if (next > events_.first_open()) SettleOutOfReach(events_.x(next - 1));
      spread_.NoteJump(jump);
    }
    SettleOutOfReach(events_.x(next));
    if (jump > 0 && HasHeldSend()) return;
    events_.PassNext();
    if (jump == 0) continue;
    spread_.Spread({next, events_.x(next), jump}, {events_.first_open(), last_final_x_},
                   [&](uint64_t number, const RiseLine& line) { events_.Change(number, line); });
  }
  SettleIdle();
}

void Amortizer::SettleBatch() {
  const uint64_t last = events_.first_open() + RaisedEvents::kBatch - 1;
  if (last >= events_.next() || last_x_ - events_.x(last) <= spread_.interval_ns()) return;
  for (uint64_t i = 0; i < RaisedEvents::kBatch; ++i) SettleFirst();
}

// From next(), whose abscissa is x. That stays the same: what is out of reach from here is out of
// reach from all later events.
void Amortizer::SettleOutOfReach(uint64_t x) {
  while (events_.first_open() < events_.next() &&
         x - events_.x(events_.first_open()) > spread_.interval_ns()) {
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
  spread_.PutLimit(send, events_.x(send), events_.clock(send), events_.limit(send), raised);
}

}  // namespace syncline
