#include "measure/truth.h"

#include <algorithm>
#include <cmath>

#include <simdjson.h>

#include "base/file.h"
#include "base/int128.h"
#include "base/try.h"

namespace syncline {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

tl::unexpected<Error> Bad(const std::string& path, const std::string& what) {
  return Fail(ErrorCode::kMalformed, "not a truth file: " + what, path);
}

Result<std::vector<Correction::Knot>> ReadPoints(const std::string& path, const std::string& name,
                                                 const element& points) {
  array list;
  if (points.get(list) != simdjson::SUCCESS) {
    return Bad(path, "clock " + name + " is not a list of [local_ns, true_ns]");
  }
  std::vector<Correction::Knot> knots;
  for (const element point : list) {
    array pair;
    int64_t local = 0;
    int64_t truth = 0;
    if (point.get(pair) != simdjson::SUCCESS || pair.size() != 2 ||
        pair.at(0).get(local) != simdjson::SUCCESS || pair.at(1).get(truth) != simdjson::SUCCESS) {
      return Bad(path, "a point of clock " + name + " is not a pair of integers");
    }
    knots.push_back({{local}, {truth}});
  }
  return knots;
}

// Between two steps back, one point is enough.
Result<Correction> StretchOf(std::vector<Correction::Knot> knots, bool is_between) {
  if (knots.size() == 1 && is_between) {
    const auto [local, global] = knots[0];
    knots.push_back({{SaturatedSum(local.ticks, 1)}, global + Duration{1}});
  }
  return Correction::FromKnots(std::move(knots));
}

Result<TrueClock> ReadClock(const std::string& path, const std::string& name,
                            const element& points) {
  SYNCLINE_ASSIGN(auto knots, ReadPoints(path, name, points));
  TrueClock clock;
  for (size_t first = 0, end = 1; first < std::max<size_t>(knots.size(), 1); first = end++) {
    const auto goes_back = [&](size_t k) { return knots[k].local < knots[k - 1].local; };
    while (end < knots.size() && !goes_back(end)) ++end;
    const auto begin = knots.begin() + static_cast<ptrdiff_t>(first);
    const auto last = knots.begin() + static_cast<ptrdiff_t>(std::min(end, knots.size()));
    auto stretch = StretchOf({begin, last}, first > 0 || end < knots.size());
    const bool is_earlier = first > 0 && knots[first].global < knots[first - 1].global;
    if (!stretch || is_earlier) {
      return Bad(path, "clock " + name +
                           " needs two points or more that increase strictly, from one step back "
                           "to the next as a whole");
    }
    clock.push_back(*std::move(stretch));
  }
  return clock;
}

}  // namespace

Result<Truth> ReadTruth(const std::string& path) {
  SYNCLINE_ASSIGN(auto text, ReadWholeFile(path));
  simdjson::dom::parser parser;
  element document;
  object clocks;
  if (const auto error = parser.parse(text).get(document)) {
    return Bad(path, simdjson::error_message(error));
  }
  if (document["clocks"].get(clocks) != simdjson::SUCCESS) return Bad(path, "no object \"clocks\"");
  Truth truth;
  for (const auto& [key, points] : clocks) {
    const std::string name(key);
    SYNCLINE_ASSIGN(auto clock, ReadClock(path, name, points));
    truth.clocks.emplace(name, std::move(clock));
  }
  return truth;
}

std::vector<TrueEpoch> AlignEpochs(const TrueClock& clock, std::span<const SeenStep> seen,
                                   int64_t tolerance_ns) {
  const auto fits = [&](const SeenStep& step, size_t stretch) {
    const Int128 before = clock[stretch].knots().back().local.ticks;
    const Int128 after = clock[stretch + 1].knots().front().local.ticks;
    return step.before_ns <= before + tolerance_ns && step.after_ns >= after - tolerance_ns;
  };
  std::vector<TrueEpoch> epochs(1);
  for (const SeenStep& step : seen) {
    const size_t current = epochs.back().first;
    size_t stretch = current;
    while (stretch + 1 < clock.size() && !fits(step, stretch)) ++stretch;
    if (stretch + 1 >= clock.size()) stretch = current;
    epochs.back().last = stretch;
    const size_t next = std::min(stretch + 1, clock.size() - 1);
    epochs.push_back({next, next});
  }
  epochs.back().last = clock.size() - 1;
  return epochs;
}

const Correction& TruthAt(const TrueClock& clock, const TrueEpoch& epoch, int64_t local_ns) {
  size_t stretch = epoch.first;
  while (stretch < epoch.last && clock[stretch].knots().back().local.ticks < local_ns) ++stretch;
  return clock[stretch];
}

std::vector<TrueJump> JumpsOf(const TrueClock& clock) {
  std::vector<TrueJump> jumps;
  std::optional<Correction::Knot> last;
  for (const Correction& stretch : clock) {
    for (const Correction::Knot& knot : stretch.knots()) {
      if (last) {
        const Int128 local = static_cast<Int128>(knot.local.ticks) - last->local.ticks;
        const Int128 passed = static_cast<Int128>(knot.global.ns) - last->global.ns;
        const Int128 ahead = local - passed;
        // Points are whole nanoseconds: short ones tell nothing of rates.
        constexpr int kRounding = 16;
        if (2 * (ahead < 0 ? -ahead : ahead) > passed + kRounding) {
          jumps.push_back({knot.global, Saturate(ahead)});
        }
      }
      last = knot;
    }
  }
  return jumps;
}

int64_t ShownAt(const TrueClock& clock, GlobalTime instant) {
  const auto begins_later = [](GlobalTime t, const Correction& stretch) {
    return t < stretch.knots().front().global;
  };
  const auto next = std::upper_bound(clock.begin() + 1, clock.end(), instant, begins_later);
  return (next - 1)->Inverse(instant).ticks;
}

void TrueError::Add(Duration error) {
  ++events_;
  max_ns_ = std::max(max_ns_, std::abs(error.ns));
  sum_of_squares_ += static_cast<double>(error.ns) * static_cast<double>(error.ns);
}

void TrueError::Merge(const TrueError& other) {
  events_ += other.events_;
  max_ns_ = std::max(max_ns_, other.max_ns_);
  sum_of_squares_ += other.sum_of_squares_;
  outside_bound_ += other.outside_bound_;
}

double TrueError::rms_ns() const {
  return events_ == 0 ? 0 : std::sqrt(sum_of_squares_ / static_cast<double>(events_));
}

}  // namespace syncline
