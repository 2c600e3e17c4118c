#include "write/otf2/clock_offset_fitter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"

// The window holds events that one real line serves. Fit() turns it into records: it takes the
// middle of all such lines and goes along it from one integer point close to it to another, as far
// as the line through the two, as a reader computes it, serves what lies between. The way to the
// first such point leads over records at events (BridgeTo). The last events stay in the window for
// the next line.

namespace syncline {
namespace {

constexpr size_t kFew = 4;           // events not worth a search
constexpr int kCandidates = 8;       // integer points compared among events
constexpr int kFreeCandidates = 64;  // and where there are no events
constexpr size_t kLookAhead = 64;    // events that BridgeTo looks behind its best
constexpr size_t kBridge = 16;       // events to leave a place where no line is found

constexpr auto kByTime = [](const ClockOffset& a, const ClockOffset& b) { return a.time < b.time; };

bool InRange(long double time, long double offset) {
  return time >= 0 && time <= static_cast<long double>(kMaxOtf2Ticks) &&
         std::abs(offset) <= static_cast<long double>(kMaxClockOffset);
}

// The integer point nearest to where `line`, about `origin`, crosses a whole height for the n-th
// time after `time`, or before it for a negative n.
std::optional<ClockOffset> Crossing(const Line& line, ClockOffset origin, int64_t time, int n) {
  const auto x = static_cast<long double>(time - origin.time);
  const bool upwards = (line.slope > 0) == (n > 0);
  const long double more = std::abs(n) - 1;
  const long double height = upwards ? std::ceil(line.At(x)) + more : std::floor(line.At(x)) - more;
  const long double at = std::round((height - line.height) / line.slope);
  const long double absolute = at + static_cast<long double>(origin.time);
  const long double offset = height + static_cast<long double>(origin.offset);
  if (!(std::abs(at) <= 0x1p59L) || !InRange(absolute, offset)) return std::nullopt;
  return ClockOffset{static_cast<int64_t>(absolute), static_cast<int64_t>(offset)};
}

long double Distance(const Line& line, ClockOffset origin, ClockOffset point) {
  return std::abs(line.At(static_cast<long double>(point.time - origin.time)) -
                  static_cast<long double>(point.offset - origin.offset));
}

// False where `record` contradicts the events around it: those of its own time, or two of one
// offset before and after it, which may stand for more between them.
bool Agrees(std::span<const ClockOffset> window, ClockOffset record) {
  const auto after = std::ranges::lower_bound(window, record, kByTime);
  if (after == window.end()) return true;
  if (after->time == record.time) return after->offset == record.offset;
  if (after == window.begin()) return true;
  return after->offset != (after - 1)->offset || after->offset == record.offset;
}

// Of `count` crossings from `time` on (back, if negative), the one closest to the line.
std::optional<ClockOffset> BestCrossing(const Line& line, ClockOffset origin, int64_t time,
                                        int count, std::span<const ClockOffset> window) {
  std::optional<ClockOffset> best;
  for (int i = 1; i <= std::abs(count); ++i) {
    const auto point = Crossing(line, origin, time, count > 0 ? i : -i);
    if (!point) break;
    if (!Agrees(window, *point)) continue;
    if (!best || Distance(line, origin, *point) < Distance(line, origin, *best)) best = point;
  }
  return best;
}

bool Serves(ClockOffset a, ClockOffset b, std::span<const ClockOffset> events) {
  return std::ranges::all_of(events, [&](const ClockOffset& event) {
    return OffsetOnLine(a, b, event.time) == event.offset;
  });
}

// The events of `window` after `from`, up to and including `to`.
std::span<const ClockOffset> Between(std::span<const ClockOffset> window, int64_t from,
                                     int64_t to) {
  const auto begin = std::ranges::upper_bound(window, ClockOffset{from, 0}, kByTime);
  const auto end = std::upper_bound(begin, window.end(), ClockOffset{to, 0}, kByTime);
  return {begin, end};
}

// How many of `events`, the first at least, one line from `start` that ends at an event may serve.
size_t Reach(ClockOffset start, std::span<const ClockOffset> events) {
  long double low = -std::numeric_limits<long double>::infinity();
  long double high = std::numeric_limits<long double>::infinity();
  size_t best = 1;
  for (size_t i = 0; i < events.size() && i < best + kLookAhead; ++i) {
    const auto run = static_cast<long double>(events[i].time - start.time);
    const auto rise = static_cast<long double>(events[i].offset - start.offset);
    if (rise / run >= low && rise / run <= high) best = i + 1;
    low = std::max(low, (rise - LinePolygon::kHalf) / run);
    high = std::min(high, (rise + LinePolygon::kHalf) / run);
    if (low > high) break;
  }
  return Serves(start, events[best - 1], events.first(best)) ? best : 1;
}

// The part of a convex polygon where sign · (line(x) − limit) ≤ 0.
std::vector<Line> Clip(const std::vector<Line>& corners, long double x, long double limit,
                       long double sign) {
  std::vector<Line> kept;
  kept.reserve(corners.size() + 1);
  for (size_t i = 0; i < corners.size(); ++i) {
    const Line& from = corners[i];
    const Line& to = corners[i + 1 == corners.size() ? 0 : i + 1];
    const long double above_from = sign * (from.At(x) - limit);
    const long double above_to = sign * (to.At(x) - limit);
    if (above_from <= 0) kept.push_back(from);
    if ((above_from < 0 && above_to > 0) || (above_from > 0 && above_to < 0)) {
      const long double share = above_from / (above_from - above_to);
      kept.push_back({from.slope + share * (to.slope - from.slope),
                      from.height + share * (to.height - from.height)});
    }
  }
  return kept;
}

}  // namespace

LinePolygon::LinePolygon(int64_t x, int64_t y) {
  const auto run = static_cast<long double>(x);
  const auto rise = static_cast<long double>(y);
  corners_ = {{rise / run, -kHalf},
              {(rise + 2 * kHalf) / run, -kHalf},
              {rise / run, kHalf},
              {(rise - 2 * kHalf) / run, kHalf}};
}

bool LinePolygon::Cut(long double x, long double y) {
  std::vector<Line> kept = Clip(Clip(corners_, x, y + kHalf, 1), x, y - kHalf, -1);
  if (kept.empty()) return false;
  corners_ = std::move(kept);
  rough_.clear();
  for (const Line& corner : corners_) {
    rough_.push_back({static_cast<double>(corner.slope), static_cast<double>(corner.height)});
  }
  return true;
}

Line LinePolygon::Middle() const {
  Line sum;
  for (const Line& corner : corners_) {
    sum.slope += corner.slope;
    sum.height += corner.height;
  }
  const auto count = static_cast<long double>(corners_.size());
  return {sum.slope / count, sum.height / count};
}

void ClockOffsetFitter::Add(int64_t recorded, int64_t wanted) {
  const uint64_t event = events_++;
  const uint64_t problems = problems_.count();
  const bool in_range = recorded >= 0 && recorded <= kMaxOtf2Ticks && wanted >= -kMaxOtf2Ticks &&
                        wanted <= kMaxOtf2Ticks && wanted - recorded <= kMaxClockOffset &&
                        wanted - recorded >= -kMaxClockOffset;
  const ClockOffset point{recorded, in_range ? wanted - recorded : 0};
  if (!in_range) {
    ++problems_.out_of_range;
  } else if (last_ && recorded < last_->time) {
    ++problems_.recorded_back;
  } else if (last_ && recorded == last_->time) {
    if (point.offset != last_->offset) ++problems_.ties;
  } else if (last_ && wanted < last_->time + last_->offset) {
    ++problems_.corrected_back;
  } else {
    Extend(point);
    last_ = point;
  }
  if (problems == 0 && problems_.count() > 0) problems_.first_event = event;
}

std::vector<ClockOffset> ClockOffsetFitter::Finish() {
  while (!window_.empty()) Fit(true);
  if (records_.size() == 1) {
    // A reader takes no notice of a single record.
    records_.push_back({records_[0].time + 1, records_[0].offset});
  }
  return std::move(records_);
}

void ClockOffsetFitter::Extend(ClockOffset event) {
  while (!TryExtend(event)) Fit(false);
}

bool ClockOffsetFitter::TryExtend(ClockOffset event) {
  if (window_.empty()) {
    window_.push_back(event);
    return true;
  }
  if (window_.size() == kWindow) return false;
  const int64_t x = event.time - window_[0].time;
  const int64_t y = event.offset - window_[0].offset;
  if (window_.size() == 1) {
    lines_ = LinePolygon(x, y);
  } else if (!lines_.Narrow(x, y)) {
    return false;
  }
  const size_t n = window_.size();
  if (n >= 2 && window_[n - 1].offset == event.offset && window_[n - 2].offset == event.offset) {
    window_[n - 1] = event;
  } else {
    window_.push_back(event);
  }
  return true;
}

// Makes records for at least one event of the window.
void ClockOffsetFitter::Fit(bool at_end) {
  const Line line = window_.size() < kFew ? Line() : lines_.Middle();
  if (records_.empty()) {
    const auto before =
        BestCrossing(line, window_.front(), window_.front().time, -kFreeCandidates, window_);
    Emit(before.value_or(window_.front()));
  }
  if (window_.size() < kFew) {
    BridgeTo(window_.back());
  } else {
    FollowLine(line, at_end);
  }
  DropServed();
}

void ClockOffsetFitter::FollowLine(const Line& line, bool at_end) {
  const ClockOffset origin = window_.front();
  while (window_.back().time > records_.back().time) {
    if (Distance(line, origin, records_.back()) > std::abs(line.slope)) {
      const int64_t from = std::max(records_.back().time, origin.time);
      const auto start = BestCrossing(line, origin, from, kCandidates, window_);
      if (start && start->time < window_.back().time) BridgeTo(*start);
    }
    const auto left = Between(window_, records_.back().time, window_.back().time);
    if (left.size() < kFew && left.size() < window_.size() && !at_end) return;
    if (!EmitFarthest(line, at_end)) BridgeTo(left[std::min(kBridge, left.size()) - 1]);
  }
}

// Adds one record close to the line, which serves at least one event.
bool ClockOffsetFitter::EmitFarthest(const Line& line, bool at_end) {
  const ClockOffset start = records_.back();
  const auto left = Between(window_, start.time, window_.back().time);
  for (size_t wanted = left.size(); wanted >= kFew; wanted /= 2) {
    const bool beyond = at_end && wanted == left.size();
    const auto end = BestCrossing(line, window_.front(), left[wanted - 1].time,
                                  beyond ? kFreeCandidates : -kCandidates, window_);
    if (!end || end->time <= start.time) continue;
    const auto served = Between(left, start.time, end->time);
    if (served.empty() || !Serves(start, *end, served)) continue;
    if (OffsetOnLine(start, *end, end->time) != end->offset) continue;
    Emit(*end);
    return true;
  }
  return false;
}

// Adds records from the last one to `target`, so that the events between get their offsets.
void ClockOffsetFitter::BridgeTo(ClockOffset target) {
  std::vector<ClockOffset> stops;
  const auto between = Between(window_, records_.back().time, target.time);
  stops.assign(between.begin(), between.end());
  if (target.time > records_.back().time && (stops.empty() || stops.back().time < target.time)) {
    stops.push_back(target);
  }
  std::span<const ClockOffset> rest(stops);
  while (!rest.empty()) {
    const size_t reach = Reach(records_.back(), rest);
    Emit(rest[reach - 1]);
    rest = rest.subspan(reach);
  }
}

void ClockOffsetFitter::Emit(ClockOffset record) {
  if (!records_.empty()) {
    const ClockOffset before = records_.back();
    SYNCLINE_CHECK(before.time < record.time);
    if (OffsetOnLine(before, record, record.time) != record.offset) {
      // Too far for a double: the steep part goes where there is no event.
      if (record.time - before.time > 1) records_.push_back({record.time - 1, record.offset});
      if (OffsetOnLine(records_.back(), record, record.time) != record.offset) {
        ++problems_.out_of_range;
      }
    }
  }
  records_.push_back(record);
}

void ClockOffsetFitter::DropServed() {
  const auto rest = Between(window_, records_.back().time, std::numeric_limits<int64_t>::max());
  const std::vector<ClockOffset> left(rest.begin(), rest.end());
  window_.clear();
  for (const ClockOffset& event : left) {
    if (TryExtend(event)) continue;
    BridgeTo(window_.back());
    window_.assign(1, event);
  }
}

}  // namespace syncline
