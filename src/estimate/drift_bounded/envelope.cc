#include "estimate/drift_bounded/envelope.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace syncline::drift_bounded {

void Envelope::Merge(const Envelope& other) {
  waiting_.insert(waiting_.end(), other.kept_.begin(), other.kept_.end());
  waiting_.insert(waiting_.end(), other.waiting_.begin(), other.waiting_.end());
  Settle();
}

std::span<const Constraint> Envelope::Kept() {
  Settle();
  return kept_;
}

void Envelope::Settle() {
  if (waiting_.empty()) return;
  const auto is_earlier = [](const Constraint& a, const Constraint& b) {
    return std::tuple(a.s, b.r, a.message) < std::tuple(b.s, a.r, b.message);
  };
  if (!std::is_sorted(waiting_.begin(), waiting_.end(), is_earlier)) {
    std::sort(waiting_.begin(), waiting_.end(), is_earlier);
  }
  std::vector<Constraint> all;
  all.reserve(kept_.size() + waiting_.size());
  std::merge(kept_.begin(), kept_.end(), waiting_.begin(), waiting_.end(), std::back_inserter(all),
             is_earlier);
  kept_.clear();
  waiting_.clear();
  for (const Constraint& m : all) Push(m);
}

}  // namespace syncline::drift_bounded
