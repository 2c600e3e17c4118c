// What a simulation's clocks would have recorded, as estimation gets it, for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/int128.h"
#include "estimate/drift_bounded/drift_bounded.h"
#include "estimate/drift_bounded/drift_bounded_test_util.h"
#include "estimate/hulls/pair_points.h"
#include "estimate/pair.h"

namespace syncline::drift_bounded {

// Each track of a clock is an epoch of it.
class Recording {
 public:
  Recording(const Simulation& simulation, uint32_t clocks, int64_t ticks_per_second = 1'000'000'000)
      : simulation_(simulation) {
    for (uint32_t c = 0; c < clocks; ++c) {
      inputs_.push_back({.clock = {.name = std::to_string(c),
                                   .ticks_per_second = ticks_per_second,
                                   .reading_ns = Clock::ReadingNs(ticks_per_second)},
                         .first = {INT64_MAX},
                         .last = {INT64_MIN}});
      const uint32_t tracks = simulation.end(c) - simulation.first(c);
      inputs_.back().epochs.assign(tracks, {{INT64_MAX}, {INT64_MIN}});
    }
    for (const TestMessage& m : simulation.messages()) Record(m);
    for (ClockInput& input : inputs_) {
      if (input.epochs.size() == 1) input.epochs.clear();
    }
  }

  // The tick that a clock shows at a reading.
  LocalTime TickAt(uint32_t clock, int64_t reading_ns) const {
    return {static_cast<int64_t>(FloorDiv(
        static_cast<Int128>(reading_ns) * inputs_[clock].clock.ticks_per_second, 1'000'000'000))};
  }

  std::vector<PairInput> Pairs() const {
    std::vector<PairInput> pairs;
    for (const auto& [clocks, points] : points_) {
      const int64_t reading_ns = inputs_.front().clock.reading_ns;
      pairs.push_back({ClockId(clocks.first), ClockId(clocks.second),
                       EstimatePair(points, {.min_delays = {least_delay_ns_, least_delay_ns_},
                                             .reading_a_ns = reading_ns,
                                             .reading_b_ns = reading_ns})});
    }
    return pairs;
  }
  MessagePass Messages() const {
    return [this](const MessageVisitor& visit) -> Result<void> {
      for (const RecordedMessage& m : messages_) visit(m);
      return {};
    };
  }

  // Events whose true time lies outside their bounds.
  size_t Outside(const GroupEstimate& group) const {
    size_t outside = 0;
    for (const TestMessage& m : simulation_.messages()) {
      outside += IsOutside(group, m.from, m.s) ? 1 : 0;
      outside += IsOutside(group, m.to, m.r) ? 1 : 0;
    }
    return outside;
  }
  bool IsOutside(const GroupEstimate& group, uint32_t track, int64_t reading) const {
    const uint32_t clock = simulation_.clock_of(track);
    const TimeBounds& bounds = BoundsOf(group.clocks[clock], track - simulation_.first(clock));
    const auto lower = bounds.Lower(TickAt(clock, reading));
    const auto upper = bounds.Upper(TickAt(clock, reading));
    return (lower && lower->ns > simulation_.course(track).Floor(reading)) ||
           (upper && upper->ns < simulation_.course(track).Ceil(reading));
  }

  // How far outside of its bounds a corrected time lies, at worst.
  int64_t WorstOutside(const GroupEstimate& group) const {
    int64_t worst = 0;
    const auto include = [&](ClockId id, uint32_t epoch, LocalTime t) {
      const ClockEstimate& clock = group.clocks[id.index()];
      const GlobalTime corrected = CorrectionOf(clock, epoch)(t);
      const TimeBounds& bounds = BoundsOf(clock, epoch);
      if (const auto lower = bounds.Lower(t)) worst = std::max(worst, (*lower - corrected).ns);
      if (const auto upper = bounds.Upper(t)) worst = std::max(worst, (corrected - *upper).ns);
    };
    for (const RecordedMessage& m : messages_) {
      include(m.from, m.from_epoch, m.sent);
      include(m.to, m.to_epoch, m.received);
    }
    return worst;
  }

  // By how much less than its least delay the message takes worst does, once corrected.
  int64_t WorstInversion(const GroupEstimate& group) const {
    int64_t worst = INT64_MIN;
    for (const RecordedMessage& m : messages_) {
      const GlobalTime sent = CorrectionOf(group.clocks[m.from.index()], m.from_epoch)(m.sent);
      const GlobalTime received = CorrectionOf(group.clocks[m.to.index()], m.to_epoch)(m.received);
      worst = std::max(worst, least_delay_ns_ - (received - sent).ns);
    }
    return worst;
  }

  const std::vector<ClockInput>& inputs() const { return inputs_; }
  std::vector<RecordedMessage>& messages() { return messages_; }

 private:
  void Record(const TestMessage& m) {
    const uint32_t from = simulation_.clock_of(m.from), to = simulation_.clock_of(m.to);
    const uint32_t from_epoch = m.from - simulation_.first(from);
    const uint32_t to_epoch = m.to - simulation_.first(to);
    const LocalTime sent = TickAt(from, m.s), received = TickAt(to, m.r);
    Include(from, from_epoch, sent);
    Include(to, to_epoch, received);
    const int64_t send_ns = inputs_[from].clock.NominalNs(sent);
    const int64_t receive_ns = inputs_[to].clock.NominalNs(received);
    messages_.push_back({ClockId(from), ClockId(to), sent, received, send_ns, receive_ns,
                         messages_.size(), from_epoch, to_epoch});
    PairPoints& points = points_[{std::min(from, to), std::max(from, to)}];
    from < to ? points.AddAToB(send_ns, receive_ns) : points.AddBToA(send_ns, receive_ns);
    least_delay_ns_ = m.least_delay_ns;
  }
  void Include(uint32_t clock, uint32_t epoch, LocalTime t) {
    ClockInput& input = inputs_[clock];
    input.first = std::min(input.first, t);
    input.last = std::max(input.last, t);
    input.epochs[epoch].first = std::min(input.epochs[epoch].first, t);
    input.epochs[epoch].last = std::max(input.epochs[epoch].last, t);
  }

  const Simulation& simulation_;
  std::vector<ClockInput> inputs_;
  std::vector<RecordedMessage> messages_;
  std::map<std::pair<uint32_t, uint32_t>, PairPoints> points_;
  int64_t least_delay_ns_ = 0;
};

}  // namespace syncline::drift_bounded
