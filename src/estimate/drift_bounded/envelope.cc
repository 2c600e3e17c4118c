#include "estimate/drift_bounded/envelope.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <utility>

namespace syncline::drift_bounded {

namespace {

bool IsEarlier(const Constraint& a, const Constraint& b) {
  if (a.s != b.s) return a.s < b.s;
  return std::tuple(b.r, a.message) < std::tuple(a.r, b.message);
}

// Messages of which none implies another, as they come in order of s. Which of them stay cannot be
// foreseen, so it is computed instead of branched on.
class Stack {
 public:
  // On the first `size` messages at `place`, which are such.
  Stack(Constraint* place, size_t size, RateLimits sender, RateLimits receiver)
      : place_(place),
        size_(size),
        sender_slow_(RateLimits::kOne + sender.slow),
        sender_fast_(RateLimits::kOne + sender.fast),
        receiver_slow_(RateLimits::kOne + receiver.slow),
        receiver_fast_(RateLimits::kOne + receiver.fast) {}
  size_t size() const { return size_; }
  bool IsBehind(const Constraint& m) const { return size_ > 0 && m.s < place_[size_ - 1].s; }

  void Push(const Constraint& m) {
    if (size_ == 0) {
      place_[size_++] = m;
      return;
    }
    Constraint& top = place_[size_ - 1];
    if ((m.s == top.s) & (m.r == top.r)) {
      top.message = std::min(top.message, m.message);
      return;
    }
    const bool is_kept = !Implies(top, m);
    const bool takes_off = is_kept & IsImpliedBy(m, top);
    size_ -= takes_off;
    place_[size_] = m;
    while (size_ > 0 && takes_off & IsImpliedBy(m, place_[size_ - 1])) place_[--size_] = m;
    size_ += is_kept;
  }

 private:
  static Int128 Product(int64_t a, int64_t b) { return static_cast<Int128>(a) * b; }
  // As envelope.h has it, of messages of which m was not sent before.
  bool Implies(const Constraint& by, const Constraint& m) const {
    const int64_t later = m.r - by.r;
    return Product(later, later >= 0 ? receiver_slow_ : receiver_fast_) >=
           Product(m.s - by.s, sender_fast_);
  }
  bool IsImpliedBy(const Constraint& m, const Constraint& earlier) const {
    const int64_t later = m.r - earlier.r;
    return Product(m.s - earlier.s, sender_slow_) >=
           Product(later, later >= 0 ? receiver_fast_ : receiver_slow_);
  }

  Constraint* place_;
  size_t size_;
  int64_t sender_slow_, sender_fast_, receiver_slow_, receiver_fast_;  // lo and hi
};

}  // namespace

void Envelope::Add(std::span<const Constraint> messages, size_t first, size_t step) {
  const size_t before = kept_.size();
  const size_t most = before + (messages.size() + step - 1 - first) / step;
  // What others of the same size let go suits.
  if (most > kept_.capacity()) kept_.reserve(std::bit_ceil(most));
  kept_.resize(most);
  Stack stack(kept_.data(), before, sender_, receiver_);
  for (size_t i = first; i < messages.size(); i += step) {
    if (stack.IsBehind(messages[i])) {
      waiting_.push_back(messages[i]);
    } else {
      stack.Push(messages[i]);
    }
  }
  kept_.resize(stack.size());
  if (waiting_.size() > kFewest && waiting_.size() > kept_.size()) Settle();
}

void Envelope::AddBoth(std::span<const Constraint> a, std::span<const Constraint> b) {
  std::array<Constraint, 64> some;
  while (!a.empty() && !b.empty()) {
    size_t count = 0, x = 0, y = 0;
    while (count < some.size() && x < a.size() && y < b.size()) {
      const auto takes_y = static_cast<size_t>(IsEarlier(b[y], a[x]));
      const std::array<const Constraint*, 2> next = {&a[x], &b[y]};
      some[count++] = *next[takes_y];
      y += takes_y;
      x += 1 - takes_y;
    }
    Add(std::span(some).first(count));
    a = a.subspan(x);
    b = b.subspan(y);
  }
  Add(a);
  Add(b);
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
  if (!std::ranges::is_sorted(waiting_, IsEarlier)) {
    std::ranges::sort(waiting_, IsEarlier);
  }
  const std::vector<Constraint> own = std::exchange(kept_, {});
  AddBoth(own, std::exchange(waiting_, {}));
}

}  // namespace syncline::drift_bounded
