#include "logical/replay_backward.h"

#include <algorithm>

namespace syncline {
namespace {

// How far the jump moved x behind the clock. The first event's jump lies before all x.
uint64_t JumpedBy(const ReplayJump& jump) {
  return jump.event == 0 ? 0 : static_cast<uint64_t>(jump.ns);
}

}  // namespace

void ReplayBackward::Run(std::span<const ReplayJump> jumps) {
  if (jumps.empty()) return;
  jumps_ = jumps;
  origin_ = static_cast<uint64_t>(clock_.front());
  change_.assign(jumps.back().event + 1, 0);
  changes_.assign(jumps.size(), {});
  for (size_t i = 0; i < jumps.size(); ++i) change_[jumps[i].event] = static_cast<uint32_t>(i + 1);
  for (const ReplayJump& jump : jumps) Amortize(jump);
  // No event is raised from the last jump on.
  while (first_open_ < jumps.back().event) SettleFirst();
}

void ReplayBackward::Amortize(const ReplayJump& jump) {
  const uint64_t receive = jump.event;
  const uint64_t x_before = receive == 0 ? 0 : Abscissa(receive - 1, jumped_);
  const bool is_after_idle_time = IsAfterIdleTime(receive);
  const uint64_t jumped_before = jumped_;
  jumped_ += JumpedBy(jump);
  const uint64_t x = Abscissa(receive, jumped_);
  // What the interval did not reach so far is final, even if it grows now.
  if (is_after_idle_time) {
    while (first_open_ < receive) SettleFirst();
  }
  SettleOutOfReach(x_before, receive);
  spread_.NoteJump(jump.ns);
  SettleOutOfReach(x, receive);
  constexpr uint64_t kAhead = 16;
  for (limited_ = std::max(limited_, first_open_); limited_ < receive; ++limited_) {
    if (links_.size() - limited_ > kAhead) forward_.Prefetch(links_[limited_ + kAhead]);
    const int64_t latest = forward_.LatestOf(links_[limited_]);
    if (latest == INT64_MAX) continue;
    spread_.PutLimit(limited_, Abscissa(limited_, jumped_before), clock_[limited_], latest, 0);
  }
  spread_.Spread({receive, x, jump.ns}, {first_open_, last_final_x_},
                 [&](uint64_t event, const RiseLine& line) { Change(event, line); });
}

bool ReplayBackward::IsAfterIdleTime(uint64_t event) const {
  if (event == 0 || before_[event] <= clock_[event - 1]) return false;
  return spread_.IsIdle(static_cast<uint64_t>(before_[event]) -
                        static_cast<uint64_t>(clock_[event - 1]));
}

// Events from which x cannot be reached.
void ReplayBackward::SettleOutOfReach(uint64_t x, uint64_t end) {
  if (x <= spread_.interval_ns()) return;
  const uint64_t reached = x - spread_.interval_ns();
  while (first_open_ < end && Abscissa(first_open_, first_jumped_) < reached) SettleFirst();
}

void ReplayBackward::SettleFirst() {
  last_final_x_ = Abscissa(first_open_, first_jumped_);
  if (!line_.IsZero()) {
    clock_[first_open_] = Later(clock_[first_open_], line_.At(last_final_x_));
  }
  ++first_open_;
  if (change_[first_open_] != 0) TakeChange();
}

void ReplayBackward::TakeChange() {
  const size_t number = change_[first_open_] - 1;
  line_ += changes_[number];
  if (number < jumps_.size()) first_jumped_ += JumpedBy(jumps_[number]);
}

// From `event` on, events are raised by `line` more.
void ReplayBackward::Change(uint64_t event, const RiseLine& line) {
  if (event == first_open_) {
    line_ += line;
    return;
  }
  uint32_t& number = change_[event];
  if (number == 0) {
    changes_.emplace_back();
    number = static_cast<uint32_t>(changes_.size());
  }
  changes_[number - 1] += line;
}

}  // namespace syncline
