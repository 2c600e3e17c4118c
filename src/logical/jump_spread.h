// How one process's jumps are spread over the events before them: the rule of the amortization,
// wherever the events are kept.
//
// Units: nanoseconds; rises as in rise.h. Events are named by their number within the process. x is
// the process's clock without its jumps, 0 at the first event.
// Requires: jumps in order of their events; limits before the jumps that they bind.
// Cost: that of SendLimits. Method: amortizer.h. Tested by: src/logical/amortizer_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/int128.h"
#include "logical/rise.h"

namespace syncline {

struct AmortizationOptions {
  // Adef, the wanted relative error of intervals: 0.5 %. Both > 0.
  int64_t error_numerator = 1;
  int64_t error_denominator = 200;
  int64_t start_difference_ns = 1'000'000;  // the expected largest clock difference, ≥ 0
  friend bool operator==(const AmortizationOptions&, const AmortizationOptions&) = default;
};

// The steepest edge of all h: what an interval is at most lengthened by. run_ns is 0 where a send
// at the time of the receive did not let the jump be spread at all.
struct AmortizationSlope {
  int64_t rise_ns = 0;  // rounded up
  uint64_t run_ns = 1;
  uint64_t sequence = 0;  // of the receive
  RiseEdge edge{0, 1};    // both exactly
  double ratio() const {
    return static_cast<double>(rise_ns) / static_cast<double>(std::max<uint64_t>(1, run_ns));
  }
};

// The steepest of several processes; of equal ones that of the smallest number.
struct SteepestSlope {
  RiseEdge edge{0, 1};
  uint32_t process = 0;
  // Whether the slope takes the place of what was the steepest so far.
  bool Include(const AmortizationSlope& slope, uint32_t of_process) {
    const auto order = CompareSlopes(slope.edge, edge);
    if (order < 0 || (order == 0 && (slope.rise_ns == 0 || of_process >= process))) return false;
    edge = slope.edge;
    process = of_process;
    return true;
  }
};

struct AmortizationFigures {
  uint64_t jumps = 0;            // amortized
  uint64_t constant_shifts = 0;  // of them, those with no event before the interval
  AmortizationSlope largest_slope;
  int64_t largest_jump_ns = 0;
  bool exceeded_start = false;  // largest_jump_ns is above start_difference_ns
};

struct HullVertex {
  RisePoint at;
  uint64_t number = 0;  // of the event
};

// The sends that limit how far events before a receive are raised, and the hull they make.
//
// How it is used: a receive at x = 100 is moved by 10 ns, and the events of the last 50 ns before
// it are to be raised more and more, from 0 at x = 50 to 10 at x = 100. A send at x = 80 may be
// raised by 3 only, lest its message be late: then the rises follow the lower hull of (50, 0), (80,
// 3) and (100, 10). A send at x = 90 that allows 8 does not matter, since the hull is lower there.
//
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

class JumpSpread {
 public:
  explicit JumpSpread(const AmortizationOptions& options);

  uint64_t interval_ns() const { return interval_ns_; }  // W, saturating
  const AmortizationFigures& figures() const { return figures_; }
  // Whether so long a time between two events makes those before it final, even if W grows with
  // the next jump.
  bool IsIdle(uint64_t ns) const { return ns / kIdleIntervals > interval_ns_; }

  // W grows with the largest jump. Before Spread() of this one.
  void NoteJump(int64_t jump_ns);
  // The send at x, whose clock is `clock_ns`, has been raised so far and may not be moved beyond
  // `latest_ns`.
  void PutLimit(uint64_t send, uint64_t x, int64_t clock_ns, int64_t latest_ns, Int128 raised) {
    const Int128 allowed = static_cast<Int128>(latest_ns) - clock_ns;
    limits_.Put(send, {x, allowed * kNanosecondRise - raised});
  }

  struct Receive {
    uint64_t number = 0;
    uint64_t x = 0;
    int64_t jump_ns = 0;
  };
  // Events from `first` on can still be raised; the one before it, if any, lies at `x_before`.
  struct Open {
    uint64_t first = 0;
    uint64_t x_before = 0;
  };
  // Calls change(number, line) where the rise of the open events changes: from that number on,
  // events are raised by `line` more.
  template <typename Change>
  void Spread(const Receive& receive, const Open& open, Change change) {
    if (receive.number == 0) return;
    ++figures_.jumps;
    if (open.first == 0) ++figures_.constant_shifts;
    if (open.first == receive.number) return;
    const std::span<const HullVertex> hull = HullOf(receive, open);
    RiseLine line;
    for (size_t i = 0; i + 1 < hull.size(); ++i) {
      const RiseLine before = line;
      line = LineThrough(hull[i].at, hull[i + 1].at);
      change(hull[i].number, line - before);
    }
    change(receive.number, RiseLine{} - line);
    const HullVertex& last = hull[hull.size() - 2];
    limits_.Raise(last.number, line);
    NoteSlope({receive.jump_ns * kNanosecondRise - last.at.rise, receive.x - last.at.x},
              receive.number);
  }

 private:
  static constexpr uint64_t kIdleIntervals = 8;

  std::span<const HullVertex> HullOf(const Receive& receive, const Open& open);
  void NoteSlope(RiseEdge edge, uint64_t receive);

  AmortizationOptions options_;
  uint64_t interval_ns_ = 0;
  SendLimits limits_;
  AmortizationFigures figures_;
};

// `clock_ns` + the rise, modulo 2^64: a rise may be longer than an int64, the sum is not.
inline int64_t Later(int64_t clock_ns, UInt128 rise) {
  return static_cast<int64_t>(static_cast<uint64_t>(clock_ns) + WholeNs(rise));
}

}  // namespace syncline
