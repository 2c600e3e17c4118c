#include "measure/quality.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/check.h"

namespace syncline {

// By counting; messages of one clock stay in their order.
void QualityBatch::SortBy(ClockId Measured::*key) {
  std::ranges::fill(starts_, 0);
  for (const Measured& m : waiting_) ++starts_[(m.*key).index() + 1];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  sorted_.resize(waiting_.size());
  for (const Measured& m : waiting_) sorted_[starts_[(m.*key).index()]++] = m;
  std::swap(waiting_, sorted_);
}

void QualityBatch::Finish() {
  const auto ends = [](const Measured& m) { return std::tie(m.from, m.to); };
  // As messages of archives come, they mostly are.
  if (!std::ranges::is_sorted(waiting_, {}, ends)) {
    SortBy(&Measured::to);
    SortBy(&Measured::from);
  }
  for (const Measured& m : waiting_) quality_.AddMessage(m.from, m.to, m.delay, m.minimum_delay);
  waiting_.clear();
}

void MessageQuality::AddMessage(ClockId from, ClockId to, Duration delay, Duration minimum_delay) {
  if (last_ == nullptr || last_key_ != std::pair(from, to)) {
    last_key_ = {from, to};
    last_ = &directions_[last_key_];
  }
  DirectionQuality& direction = *last_;
  direction.delays.Add(delay.ns);
  ++messages_;
  if (delay.ns < 0) {
    ++direction.inverted;
    ++inverted_;
  } else if (delay < minimum_delay) {
    ++direction.too_fast;
    ++too_fast_;
  }
}

void MessageQuality::AddBroadcastDifference(ClockId from, ClockId to, Duration difference) {
  if (to < from) {
    std::swap(from, to);
    difference = -difference;
  }
  broadcasts_[{from, to}].Add(difference.ns);
}

void MessageQuality::Adopt(ParcelReader& parcel) {
  for (auto& [clocks, direction] : parcel.Take<decltype(directions_)>()) {
    messages_ += direction.delays.count();
    inverted_ += direction.inverted;
    too_fast_ += direction.too_fast;
    SYNCLINE_CHECK(directions_.try_emplace(clocks, std::move(direction)).second);
  }
}

const DirectionQuality& MessageQuality::direction(ClockId from, ClockId to) const {
  static const DirectionQuality kNone;
  const auto it = directions_.find({from, to});
  return it == directions_.end() ? kNone : it->second;
}

}  // namespace syncline
