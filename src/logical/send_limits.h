// The sends that limit how far events before a receive are raised, and the hull they make.
//
// How it is used: a receive at x = 100 is moved by 10 ns, and the events of the last 50 ns before
// it are to be raised more and more, from 0 at x = 50 to 10 at x = 100. A send at x = 80 may be
// raised by 3 only, lest its message be late: then the rises follow the lower hull of (50, 0), (80,
// 3) and (100, 10). A send at x = 90 that allows 8 does not matter, since the hull is lower there.
//
// Units: as in rise.h. Events are named by their number.
// Requires: abscissae do not decrease with the number.
// Cost: Put and Raise O(1) amortized, a Put that is not of the newest send O(n); Hull O(k) for the
// k sends kept that allow less than the receive's rise. What a hull touches allows nothing then, so
// nothing before it is kept: k is a handful. Memory: 48 bytes per send kept.
// Method: of the sends only their lower convex hull is kept, from the one that allows least on: to
// the left of it, rises are no larger. All that are kept after a jump lie on the last edge of its
// hull, so they were raised by the same line, which is kept once; what lies on or above their hull
// stays there, and the first may come to allow more than the second, but no other before it does.
// When the first is final, no hull needs what lay between it and the second: rises begin with 0
// there or later, below the edge that covered it.
// Tested by: src/logical/amortizer_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/int128.h"
#include "logical/rise.h"

namespace syncline {

struct HullVertex {
  RisePoint at;
  uint64_t number = 0;  // of the event
};

class SendLimits {
 public:
  // The send may be raised by at most `rise` from now on. The smallest counts.
  void Put(uint64_t number, RisePoint allowed);
  // Sends before `number` do not count any more.
  void ForgetBefore(uint64_t number) {
    while (first_ < sends_.size() && sends_[first_].number < number) ++first_;
    if (first_ > 0 && first_ * 2 >= sends_.size()) Compact();
  }
  // The least rise that a send allows; `most` when all allow more.
  Int128 Least(Int128 most) const {
    if (first_ == sends_.size()) return most;
    const Int128 least = Allowed(sends_[first_]);
    return least < most ? least : most;
  }
  // The lower convex hull of `left`, what the sends allow, and `to`, in this order.
  // Valid until the next call. Requires: no send lies before `left` or is lower.
  std::span<const HullVertex> Hull(const HullVertex& left, const HullVertex& to);
  // The sends from `number` on have been raised by `line`. Requires: those before do not allow less
  // than the first of these.
  void Raise(uint64_t number, const RiseLine& line) {
    ForgetBefore(number);
    raised_ += line;
    while (first_ + 1 < sends_.size() && Allowed(sends_[first_]) >= Allowed(sends_[first_ + 1])) {
      ++first_;
    }
  }

 private:
  struct Send {
    uint64_t number = 0;
    uint64_t x = 0;
    UInt128 allowed = 0;  // plus what raised_ was at x then
  };

  Int128 Allowed(const Send& send) const {
    return static_cast<Int128>(send.allowed - raised_.At(send.x));
  }
  RisePoint Point(const Send& send) const { return {send.x, Allowed(send)}; }
  bool IsCovered(size_t place, RisePoint newer) const;
  void Replace(size_t begin, size_t end, const Send& send);
  void Extend(const HullVertex& vertex);
  void Compact();

  // In order of number; abscissae and what they allow increase, ever more steeply.
  std::vector<Send> sends_;
  size_t first_ = 0;  // before it they do not count
  RiseLine raised_;
  std::vector<HullVertex> hull_;
};

}  // namespace syncline
