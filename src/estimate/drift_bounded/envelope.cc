#include "estimate/drift_bounded/envelope.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace syncline::drift_bounded {

namespace {

bool IsEarlier(const Constraint& a, const Constraint& b) {
  return std::tuple(a.s, b.r, a.message) < std::tuple(b.s, a.r, b.message);
}

}  // namespace

void Envelope::AddBoth(std::span<const Constraint> a, std::span<const Constraint> b) {
  auto x = a.begin(), y = b.begin();
  while (x != a.end() || y != b.end()) {
    const bool is_of_a = y == b.end() || (x != a.end() && !IsEarlier(*y, *x));
    Add(is_of_a ? *x++ : *y++);
  }
}

void Envelope::Merge(Envelope other) {
  Settle();
  const std::vector<Constraint> own = std::exchange(kept_, {});
  AddBoth(own, other.Kept());
}

std::span<const Constraint> Envelope::Kept() {
  Settle();
  return kept_;
}

std::vector<Constraint> Envelope::Take() {
  Settle();
  return std::exchange(kept_, {});
}

void Envelope::Settle() {
  if (waiting_.empty()) return;
  if (!std::is_sorted(waiting_.begin(), waiting_.end(), IsEarlier)) {
    std::sort(waiting_.begin(), waiting_.end(), IsEarlier);
  }
  const std::vector<Constraint> own = std::exchange(kept_, {});
  AddBoth(own, std::exchange(waiting_, {}));
}

}  // namespace syncline::drift_bounded
