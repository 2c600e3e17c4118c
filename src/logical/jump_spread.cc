#include "logical/jump_spread.h"

#include <algorithm>

#include "base/check.h"

namespace syncline {
namespace {

uint64_t IntervalNs(int64_t largest_jump_ns, const AmortizationOptions& options) {
  const Int128 interval =
      static_cast<Int128>(largest_jump_ns) * options.error_denominator / options.error_numerator;
  return interval > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(interval);
}

// Whether b lies on or above the line from a to c. Requires: rises that increase.
bool IsAbove(RisePoint a, RisePoint b, RisePoint c) {
  if (b.x == c.x) return false;
  return CompareSlopes({b.rise - a.rise, b.x - a.x}, {c.rise - b.rise, c.x - b.x}) >= 0;
}

}  // namespace

// Whether sends_[place] does not matter next to those before it and a newer one.
bool SendLimits::IsCovered(size_t place, RisePoint newer) const {
  const RisePoint at = Point(sends_[place]);
  if (at.rise >= newer.rise) return at.rise > newer.rise || at.x < newer.x;
  return place > first_ && IsAbove(Point(sends_[place - 1]), at, newer);
}

void SendLimits::Put(uint64_t number, RisePoint allowed) {
  allowed.rise = std::max<Int128>(allowed.rise, 0);
  const Send send{number, allowed.x, static_cast<UInt128>(allowed.rise) + raised_.At(allowed.x)};
  // It takes the place of those in [begin, end).
  size_t begin = sends_.size();
  while (begin > first_ && sends_[begin - 1].number >= number) --begin;
  size_t end = begin;
  if (end < sends_.size()) {
    const RisePoint newer = Point(sends_[end]);
    if (newer.x > allowed.x || newer.rise < allowed.rise) {
      if (newer.rise <= allowed.rise) return;
      const bool follows_lower = begin > first_ && Point(sends_[begin - 1]).rise <= allowed.rise;
      if (follows_lower && IsAbove(Point(sends_[begin - 1]), allowed, newer)) return;
    } else {
      ++end;
    }
  }
  while (begin > first_ && IsCovered(begin - 1, allowed)) --begin;
  // Of two at the same abscissa that allow the same, the older one counts.
  if (begin > first_ && sends_[begin - 1].x == allowed.x) return;
  while (end + 1 < sends_.size() && IsAbove(allowed, Point(sends_[end]), Point(sends_[end + 1]))) {
    ++end;
  }
  Replace(begin, end, send);
}

void SendLimits::Replace(size_t begin, size_t end, const Send& send) {
  const auto at = [&](size_t place) { return sends_.begin() + static_cast<std::ptrdiff_t>(place); };
  if (begin == end) {
    sends_.insert(at(begin), send);
  } else {
    sends_[begin] = send;
    sends_.erase(at(begin + 1), at(end));
  }
}

std::span<const HullVertex> SendLimits::Hull(const HullVertex& left, const HullVertex& to) {
  hull_.assign(1, left);
  for (size_t i = first_; i < sends_.size(); ++i) {
    const HullVertex vertex{{sends_[i].x, Allowed(sends_[i])}, sends_[i].number};
    if (vertex.at.rise >= to.at.rise) break;
    if (vertex.at.x > hull_.back().at.x) Extend(vertex);
  }
  Extend(to);
  return hull_;
}

void SendLimits::Extend(const HullVertex& vertex) {
  while (hull_.size() > 1 && IsAbove(hull_[hull_.size() - 2].at, hull_.back().at, vertex.at)) {
    hull_.pop_back();
  }
  hull_.push_back(vertex);
}

void SendLimits::Compact() {
  sends_.erase(sends_.begin(), sends_.begin() + static_cast<std::ptrdiff_t>(first_));
  first_ = 0;
}

JumpSpread::JumpSpread(const AmortizationOptions& options) : options_(options) {
  SYNCLINE_CHECK(options.error_numerator > 0 && options.error_denominator > 0 &&
                 options.start_difference_ns >= 0);
  interval_ns_ = IntervalNs(options.start_difference_ns, options);
}

void JumpSpread::NoteJump(int64_t jump_ns) {
  if (jump_ns <= figures_.largest_jump_ns) return;
  figures_.largest_jump_ns = jump_ns;
  if (jump_ns <= options_.start_difference_ns) return;
  figures_.exceeded_start = true;
  interval_ns_ = IntervalNs(jump_ns, options_);
}

std::span<const HullVertex> JumpSpread::HullOf(const Receive& receive, const Open& open) {
  limits_.ForgetBefore(open.first);
  const Int128 jump = receive.jump_ns * kNanosecondRise;
  const RisePoint left =
      open.first == 0 ? RisePoint{0, limits_.Least(jump)}
                      : RisePoint{receive.x - std::min(interval_ns_, receive.x - open.x_before), 0};
  return limits_.Hull({left, open.first}, {{receive.x, jump}, receive.number});
}

// Edges get steeper to the right: the last one is the steepest.
void JumpSpread::NoteSlope(RiseEdge edge, uint64_t receive) {
  if (CompareSlopes(edge, figures_.largest_slope.edge) <= 0) return;
  figures_.largest_slope = {static_cast<int64_t>(CeilDiv(edge.rise, kNanosecondRise)), edge.run,
                            receive, edge};
}

}  // namespace syncline
