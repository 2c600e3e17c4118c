#include "trace/set_backs.h"

#include "base/int128.h"

namespace syncline {

SetBackRule SetBackRuleOf(const Clock& clock) {
  constexpr int64_t kLeastNs = 1'000;
  constexpr int64_t kNsPerSecond = 1'000'000'000;
  const int64_t tolerance_ns =
      std::max({kLeastNs, clock.reading_ns, Clock::ReadingNs(clock.ticks_per_second)});
  const Int128 ticks = static_cast<Int128>(tolerance_ns) * clock.ticks_per_second / kNsPerSecond;
  return {static_cast<uint64_t>(Saturate(ticks)), 0};
}

void SetBackFinder::AddSlowly(uint64_t event, LocalTime t) {
  waiting_.push_back({event, t});
  Settle(false);
}

// Decides about the first that waits as long as enough others have come.
void SetBackFinder::Settle(bool is_end) {
  size_t settled = 0;
  for (; settled < waiting_.size(); ++settled) {
    const auto& [event, time] = waiting_[settled];
    if (!IsBelow(time)) {
      seen_.highest = std::max(seen_.highest, time);
      continue;
    }
    const size_t end = std::min(waiting_.size(), settled + 1 + rule_.confirmed_by);
    const bool is_stray =
        std::any_of(waiting_.begin() + static_cast<ptrdiff_t>(settled) + 1,
                    waiting_.begin() + static_cast<ptrdiff_t>(end),
                    [this](const Waiting& later) { return later.time >= seen_.highest; });
    if (is_stray) continue;
    if (!is_end && waiting_.size() - settled <= rule_.confirmed_by) break;
    BeginEpoch(event, time);
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(settled));
}

void SetBackFinder::BeginEpoch(uint64_t event, LocalTime t) {
  ++set_backs_;
  if (seen_.found.size() < kMostSetBacks) {
    seen_.found.push_back({event, seen_.highest, t});
  } else {
    seen_.are_too_many = true;
  }
  top_ = std::max(top_, seen_.highest);
  seen_.highest = t;
}

SeenSetBacks SetBackFinder::Finish() const {
  SetBackFinder end = *this;
  end.Settle(true);
  if (end.IsInNoOrder()) {
    end.seen_.found.clear();
    end.seen_.are_too_many = false;
    end.seen_.highest = std::max(end.top_, end.seen_.highest);
  }
  return std::move(end.seen_);
}

}  // namespace syncline
