#include "measure/quality_batch.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

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

}  // namespace syncline
