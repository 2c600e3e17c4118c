#include "syncline/region_clock.h"

#include <algorithm>

#include <fmt/format.h>

#include "syncline/time.h"

#include "base/int128.h"
#include "base/try.h"

namespace syncline {
namespace {}  // namespace

void LocalClocks::Advance(int64_t now_ns) {
  if (now_ns <= last_ns_) return;
  const int64_t passed = Saturate(Int128{now_ns} - last_ns_);
  int64_t& clock = is_blocked_ ? delayed_ : computed_;
  clock = SaturatedSum(clock, passed);
  last_ns_ = now_ns;
}

void LocalClocks::Block(int64_t now_ns) {
  Advance(now_ns);
  is_blocked_ = true;
}

void LocalClocks::Resume(int64_t now_ns) {
  Advance(now_ns);
  is_blocked_ = false;
}

int64_t LocalClocks::Scaled(int64_t ns) const {
  constexpr int64_t kOne = RelativeSpeed().billionths;
  if (speed_.billionths == kOne) return ns;
  return static_cast<int64_t>(Int128{ns} * speed_.billionths / kOne);
}

RegionClock::RegionClock(uint32_t own, size_t processes, int64_t start_ns, RelativeSpeed speed)
    : own_(own),
      clocks_(start_ns, speed),
      computed_(processes),
      delayed_(processes),
      last_update_(processes) {}

void RegionClock::EndRegion(int64_t now_ns) {
  clocks_.Advance(now_ns);
  ++steps_;
  const int64_t computed = clocks_.computed_ns();
  Raise({own_, computed, clocks_.delayed_ns()});
  height_ = SaturatedSum(height_, computed - old_);
  old_ = computed;
}

void RegionClock::Raise(const RegionStamp::Entry& entry) {
  int64_t& computed = computed_[entry.process];
  int64_t& delayed = delayed_[entry.process];
  if (entry.computed_ns <= computed && entry.delayed_ns <= delayed) return;
  computed = std::max(computed, entry.computed_ns);
  delayed = std::max(delayed, entry.delayed_ns);
  last_update_[entry.process] = steps_;
}

RegionStamp RegionClock::Send(int64_t now_ns) {
  clocks_.Resume(now_ns);
  EndRegion(now_ns);
  RegionStamp stamp{height_, {}};
  stamp.entries.reserve(computed_.size());
  for (uint32_t k = 0; k < computed_.size(); ++k) {
    stamp.entries.push_back({k, computed_[k], delayed_[k]});
  }
  return stamp;
}

RegionStamp RegionClock::SendChanges(uint32_t peer, int64_t now_ns) {
  clocks_.Resume(now_ns);
  EndRegion(now_ns);
  RegionStamp stamp{height_, {}};
  uint64_t& last_sent = last_sent_[peer];
  for (uint32_t k = 0; k < computed_.size(); ++k) {
    if (last_update_[k] > last_sent) stamp.entries.push_back({k, computed_[k], delayed_[k]});
  }
  last_sent = steps_;
  return stamp;
}

void RegionClock::Block(int64_t now_ns) { clocks_.Block(now_ns); }

void RegionClock::Resume(int64_t now_ns) { clocks_.Resume(now_ns); }

Result<void> RegionClock::Check(const RegionStamp& stamp) const {
  const auto fail = [](std::string message) {
    return Fail(ErrorCode::kMalformed, std::move(message));
  };
  if (stamp.height_ns < 0) return fail("a stamp's height is negative");
  for (const RegionStamp::Entry& entry : stamp.entries) {
    if (entry.process >= computed_.size()) {
      return fail(fmt::format("a stamp knows of process {}, but there are {}", entry.process,
                              computed_.size()));
    }
    if (entry.computed_ns < 0 || entry.delayed_ns < 0) return fail("a stamp's time is negative");
    const bool is_ahead = entry.process == own_ && (entry.computed_ns > computed_[own_] ||
                                                    entry.delayed_ns > delayed_[own_]);
    if (is_ahead) return fail("a stamp is ahead of the process it tells of");
  }
  return {};
}

Result<void> RegionClock::Deliver(int64_t now_ns, const RegionStamp& stamp) {
  SYNCLINE_TRY(Check(stamp));
  clocks_.Resume(now_ns);
  EndRegion(now_ns);
  for (const RegionStamp::Entry& entry : stamp.entries) Raise(entry);
  height_ = std::max(height_, stamp.height_ns);
  return {};
}

void RegionClock::End(int64_t now_ns) { EndRegion(now_ns); }

}  // namespace syncline
