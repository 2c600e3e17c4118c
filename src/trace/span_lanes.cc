#include "trace/span_lanes.h"

#include <algorithm>
#include <set>

namespace syncline {
namespace {

class LaneMaker {
 public:
  LaneMaker(std::span<const SpanOfLane> spans, int64_t reading_ns)
      : spans_(spans), gap_ns_(std::max<int64_t>(reading_ns, 1)), lane_of_(spans.size()) {}

  SpanLanes Run(std::span<const SpanMark> moments) {
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < spans_.size(); ++i) {
      if (IsRegion(i)) order.push_back(i);
    }
    // What lies around something begins before it.
    std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) {
      if (*spans_[a].start != *spans_[b].start) return *spans_[a].start < *spans_[b].start;
      return *spans_[a].end > *spans_[b].end;
    });
    for (const uint32_t i : order) Place(i);
    for (uint32_t lane = 0; lane < lanes_.size(); ++lane) CloseUntil(lane, std::nullopt);
    for (const SpanMark& moment : moments) Mark(lane_of_[moment.span].value_or(0), moment);
    for (const SpanMark& mark : loose_) Mark(0, mark);
    for (Lane& lane : lanes_) {
      std::ranges::stable_sort(lane.events, {}, &LaneEvent::time);
      found_.lanes.push_back(std::move(lane.events));
    }
    return std::move(found_);
  }

 private:
  struct Lane {
    std::vector<LaneEvent> events;
    std::vector<uint32_t> open;  // spans, the innermost last
  };

  bool IsRegion(uint32_t i) {
    const SpanOfLane& span = spans_[i];
    const bool is_complete = span.start && span.end;
    if (is_complete && *span.start <= *span.end) return true;
    ++(is_complete ? found_.backward : found_.incomplete);
    Loosen(i);
    return false;
  }
  void Loosen(uint32_t i) {
    if (spans_[i].start) loose_.push_back({i, 0, *spans_[i].start});
    if (spans_[i].end) loose_.push_back({i, 1, *spans_[i].end});
  }

  bool IsOver(LocalTime end, LocalTime now) const {
    return end.ticks <= SaturatedDifference(now.ticks, gap_ns_);
  }

  // What may end just now stays open.
  void CloseUntil(uint32_t number, std::optional<LocalTime> now) {
    Lane& lane = lanes_[number];
    while (!lane.open.empty()) {
      const uint32_t inner = lane.open.back();
      if (now && !IsOver(*spans_[inner].end, *now)) return;
      lane.events.push_back({*spans_[inner].end, inner, EventKind::kLeave, 1});
      lane.open.pop_back();
    }
    free_.insert(number);
    busy_.erase({end_of_[number], number});
  }

  // Lanes whose outermost span has ended are free again.
  void FreeLanes(LocalTime now) {
    while (!busy_.empty() && IsOver(busy_.begin()->first, now))
      CloseUntil(busy_.begin()->second, now);
  }

  std::optional<uint32_t> LaneOfParent(uint32_t i) {
    const auto parent = spans_[i].parent;
    if (!parent || !lane_of_[*parent]) return std::nullopt;
    const uint32_t number = *lane_of_[*parent];
    CloseUntilIfOpen(number, *spans_[i].start);
    const std::vector<uint32_t>& open = lanes_[number].open;
    const bool fits =
        !open.empty() && IsAncestor(open.back(), i) && *spans_[open.back()].end >= *spans_[i].end;
    return fits ? std::optional(number) : std::nullopt;
  }
  void CloseUntilIfOpen(uint32_t number, LocalTime now) {
    if (!lanes_[number].open.empty()) CloseUntil(number, now);
  }

  bool IsAncestor(uint32_t ancestor, uint32_t of) const {
    constexpr int kMostSteps = 64;
    std::optional<size_t> at = spans_[of].parent;
    for (int step = 0; at && step < kMostSteps; ++step, at = spans_[*at].parent) {
      if (*at == ancestor) return true;
    }
    return false;
  }

  void Place(uint32_t i) {
    const LocalTime now = *spans_[i].start;
    FreeLanes(now);
    std::optional<uint32_t> number = LaneOfParent(i);
    if (!number && !free_.empty()) number = *free_.begin();
    if (!number && lanes_.size() < kMostLanes) number = AddLane();
    if (!number) {
      ++found_.crowded;
      return Loosen(i);
    }
    Lane& lane = lanes_[*number];
    if (lane.open.empty()) {
      free_.erase(*number);
      end_of_[*number] = *spans_[i].end;
      busy_.insert({end_of_[*number], *number});
    }
    lane_of_[i] = *number;
    lane.open.push_back(i);
    lane.events.push_back({now, i, EventKind::kEnter, 0});
  }

  uint32_t AddLane() {
    lanes_.emplace_back();
    end_of_.emplace_back();
    const auto number = static_cast<uint32_t>(lanes_.size() - 1);
    free_.insert(number);
    return number;
  }

  void Mark(uint32_t number, const SpanMark& mark) {
    if (lanes_.empty()) AddLane();
    lanes_[number].events.push_back({mark.time, mark.span, EventKind::kMark, mark.part});
  }

  std::span<const SpanOfLane> spans_;
  int64_t gap_ns_;  // from an end to a start that came later for certain
  std::vector<std::optional<uint32_t>> lane_of_;  // by span
  std::vector<Lane> lanes_;
  std::vector<LocalTime> end_of_;  // by lane: of its outermost span
  std::set<uint32_t> free_;
  std::set<std::pair<LocalTime, uint32_t>> busy_;
  std::vector<SpanMark> loose_;
  SpanLanes found_;
};

}  // namespace

SpanLanes PutIntoLanes(std::span<const SpanOfLane> spans, std::span<const SpanMark> moments,
                       int64_t reading_ns) {
  return LaneMaker(spans, reading_ns).Run(moments);
}

}  // namespace syncline
