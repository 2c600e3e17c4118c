// Groups of linear clocks with known truth that exchange messages, for tests of `joint`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/times.h"
#include "estimate/hulls/pair_points.h"
#include "estimate/joint/joint.h"
#include "estimate/pair.h"

namespace syncline {

// Nominal = start + offset + (1 + drift) · (true − start).
struct TrueClock {
  int64_t offset_ns = 0;
  int64_t drift_ppb = 0;

  Line FromTrue(int64_t start) const {
    return {{start, start + offset_ns}, {kSecond + drift_ppb, kSecond}};
  }
};

struct ClockMessage {
  size_t from = 0;
  size_t to = 0;
  int64_t send_ns = 0;
  int64_t receive_ns = 0;
};

// The clocks' true time counts from `start`; every trace lasts for a minute of it.
class ClockGroup {
 public:
  explicit ClockGroup(std::vector<TrueClock> clocks, int64_t start = 0)
      : truth_(std::move(clocks)), start_(start) {
    for (size_t i = 0; i < truth_.size(); ++i) {
      const Line line = truth_[i].FromTrue(start_);
      inputs_.push_back({{.name = std::string(1, static_cast<char>('a' + i % 26))},
                         {line.Floor(start_)},
                         {line.Ceil(start_ + 61 * kSecond)}});
    }
  }

  // A message that leaves at a true time since the start and takes `delay_ns`. Readings that fall
  // between nanoseconds are early for sends, late for receives, so that truth is within bounds.
  void Send(size_t from, size_t to, int64_t at_ns, int64_t delay_ns) {
    const int64_t send = truth_[from].FromTrue(start_).Floor(start_ + at_ns);
    const int64_t receive = truth_[to].FromTrue(start_).Ceil(start_ + at_ns + delay_ns);
    messages_.push_back({from, to, send, receive});
    PairPoints& points = points_[{std::min(from, to), std::max(from, to)}];
    from < to ? points.AddAToB(send, receive) : points.AddBToA(send, receive);
  }

  // `count` messages at random times, delays at least `least_ns` and exponential beyond.
  void Stream(size_t from, size_t to, int count, int64_t least_ns, std::mt19937_64& random,
              double jitter_ns = 120'000) {
    std::exponential_distribution<double> jitter(1 / jitter_ns);
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<int64_t>(random() % (60 * kSecond));
      Send(from, to, at, least_ns + static_cast<int64_t>(jitter(random)));
    }
  }

  std::vector<PairInput> Pairs(const PairOptions& options = {}) const {
    std::vector<PairInput> pairs;
    for (const auto& [clocks, points] : points_) {
      pairs.push_back({ClockId(static_cast<uint32_t>(clocks.first)),
                       ClockId(static_cast<uint32_t>(clocks.second)),
                       EstimatePair(points, options)});
    }
    return pairs;
  }

  const std::vector<ClockInput>& inputs() const { return inputs_; }
  const std::vector<ClockMessage>& messages() const { return messages_; }
  size_t size() const { return truth_.size(); }
  // What `reference` reads when `clock` reads `t`, as a line and exactly.
  Line Truth(size_t clock) const { return truth_[clock].FromTrue(start_); }

  size_t Inversions(const GroupEstimate& group) const {
    size_t inverted = 0;
    for (const ClockMessage& m : messages_) {
      const GlobalTime sent = group.clocks[m.from].correction(LocalTime{m.send_ns});
      const GlobalTime received = group.clocks[m.to].correction(LocalTime{m.receive_ns});
      inverted += received < sent ? 1 : 0;
    }
    return inverted;
  }

 private:
  std::vector<TrueClock> truth_;
  int64_t start_;
  std::vector<ClockInput> inputs_;
  std::vector<ClockMessage> messages_;
  std::map<std::pair<size_t, size_t>, PairPoints> points_;
};

}  // namespace syncline
