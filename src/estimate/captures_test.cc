// Recorded messages of three hosts with real network delays and known true times, stamped with
// clocks distorted as in the data set's `linear` part.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/groups/tree_error.h"
#include "estimate/joint/joint.h"

namespace syncline {
namespace {

struct TrueMessage {
  size_t from = 0;
  size_t to = 0;
  int64_t sent_ns = 0;
  int64_t received_ns = 0;
};

// Columns: tx_host, tx_index, rx_host, rx_index, true_tx_ns, true_rx_ns, proto. Hosts A … D.
std::vector<TrueMessage> ReadMessages(const std::string& file) {
  const std::string command = "gzip -dc '" + file + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::vector<TrueMessage> messages;
  std::array<char, 256> line{};
  while (pipe && std::fgets(line.data(), line.size(), pipe.get())) {
    char from = 0, to = 0;
    long long sent = 0, received = 0;
    if (std::sscanf(line.data(), "%c,%*d,%c,%*d,%lld,%lld", &from, &to, &sent, &received) != 4) {
      continue;  // the heading
    }
    messages.push_back(
        {static_cast<size_t>(from - 'A'), static_cast<size_t>(to - 'A'), sent, received});
  }
  return messages;
}

// a keeps true time; b +1.7 s +35 ppm, c −420 ms −12 ppm, d +95 ms +5 ppm.
std::array<Line, 4> Clocks(int64_t start) {
  return {Line{{start, start}, {1, 1}},
          Line{{start, start + 1'700'000'000}, {1'000'035, 1'000'000}},
          Line{{start, start - 420'000'000}, {999'988, 1'000'000}},
          Line{{start, start + 95'000'000}, {1'000'005, 1'000'000}}};
}

// What the four clocks recorded: the messages of every pair, each clock's first and last stamp.
struct Recorded {
  std::map<std::pair<size_t, size_t>, PairPoints> points;
  std::vector<ClockInput> clocks;
};

Recorded Record(const std::vector<TrueMessage>& messages, const std::array<Line, 4>& truth) {
  Recorded recorded;
  recorded.clocks.assign(4, {{}, {INT64_MAX}, {INT64_MIN}});
  const auto stamp = [&](size_t host, int64_t true_ns) {
    const LocalTime t{truth[host].Nearest(true_ns)};
    ClockInput& clock = recorded.clocks[host];
    clock.first = std::min(clock.first, t);
    clock.last = std::max(clock.last, t);
    return t.ticks;
  };
  for (const TrueMessage& m : messages) {
    const int64_t send = stamp(m.from, m.sent_ns);
    const int64_t receive = stamp(m.to, m.received_ns);
    PairPoints& points = recorded.points[{std::min(m.from, m.to), std::max(m.from, m.to)}];
    m.from < m.to ? points.AddAToB(send, receive) : points.AddBToA(send, receive);
  }
  return recorded;
}

// The largest error of the correction over the trace; the truth must lie within the bounds.
int64_t CheckAgainstTruth(const ClockEstimate& clock, const ClockInput& input, const Line& truth) {
  int64_t worst = 0;
  for (int64_t k = 0; k <= 100; ++k) {
    const LocalTime t{input.first.ticks + (input.last.ticks - input.first.ticks) / 100 * k};
    const int64_t true_ns = truth.Inverted().Nearest(t.ticks);
    // Stamps were rounded to nearest, which takes up to 1 ns off either bound.
    EXPECT_LE(clock.bounds.Lower(t).value_or(GlobalTime{true_ns}).ns, true_ns + 2);
    EXPECT_GE(clock.bounds.Upper(t).value_or(GlobalTime{true_ns}).ns, true_ns - 2);
    worst = std::max(worst, std::abs(clock.correction(t).ns - true_ns));
  }
  return worst;
}

// Messages that arrive before they were sent once corrected.
size_t Inversions(const std::vector<TrueMessage>& messages, const std::array<Line, 4>& truth,
                  const GroupEstimate& group) {
  size_t inverted = 0;
  for (const TrueMessage& m : messages) {
    const LocalTime sent{truth[m.from].Nearest(m.sent_ns)};
    const LocalTime received{truth[m.to].Nearest(m.received_ns)};
    const auto& clocks = group.clocks;
    inverted += clocks[m.to].correction(received) < clocks[m.from].correction(sent) ? 1 : 0;
  }
  return inverted;
}

class RecordedCaptures : public testing::Test {
 protected:
  void SetUp() override {
    const std::string file = std::string(SYNCLINE_DATA_DIR) + "/captures/messages.csv.gz";
    if (std::string(SYNCLINE_DATA_DIR).empty() || !std::filesystem::exists(file)) {
      GTEST_SKIP() << "no recorded data";
    }
    messages_ = ReadMessages(file);
    ASSERT_GT(messages_.size(), 16'000u);
    truth_ = Clocks(messages_.front().sent_ns);
    recorded_ = Record(messages_, truth_);
    for (const auto& [hosts, points] : recorded_.points) {
      pairs_.push_back({ClockId(static_cast<uint32_t>(hosts.first)),
                        ClockId(static_cast<uint32_t>(hosts.second)), EstimatePair(points, {})});
    }
  }

  // Of the times of `clock` against those of `reference`, over the minute recorded.
  int64_t LargestError(const GroupEstimate& group, size_t clock, size_t reference) const {
    int64_t worst = 0;
    for (int k = 0; k <= 100; ++k) {
      const int64_t t = messages_.front().sent_ns + k * 600'000'000LL;
      const GlobalTime corrected = group.clocks[clock].correction({truth_[clock].Nearest(t)});
      worst = std::max(worst, std::abs(corrected.ns - truth_[reference].Nearest(t)));
    }
    return worst;
  }

  std::vector<TrueMessage> messages_;
  std::array<Line, 4> truth_;
  Recorded recorded_;
  std::vector<PairInput> pairs_;
};

TEST_F(RecordedCaptures, TrueTimesLieWithinTheBounds) {
  const GroupEstimate tree = EstimateTree(recorded_.clocks, pairs_, {.reference = ClockId(0)});
  const JointEstimate joint = EstimateJoint(recorded_.clocks, pairs_, {.reference = ClockId(0)});
  for (const GroupEstimate& group : {tree, joint.group}) {
    for (size_t i = 0; i < 4; ++i) {
      SCOPED_TRACE(i);
      const ClockEstimate& clock = group.clocks[i];
      EXPECT_EQ(clock.quality, Quality::kAccurate);
      ASSERT_TRUE(clock.bound.has_value());
      const int64_t error = CheckAgainstTruth(clock, recorded_.clocks[i], truth_[i]);
      EXPECT_LE(error, clock.bound->worst_ns + 2);
      // Half of the difference between the fastest ways there and back cannot be seen: at most
      // (1221.6 − 815.3) / 2 = 203 µs, plus what jitter leaves.
      EXPECT_LE(error, 250'000);
    }
  }
}

// The tree leaves 1 message inverted with reference a, 393 with c, and errs by up to 301 µs.
TEST_F(RecordedCaptures, JointInvertsNoMessageWhateverTheReference) {
  constexpr std::array<double, 4> kDriftPpm = {0, 35, -12, 5};
  for (uint32_t reference = 0; reference < 4; ++reference) {
    SCOPED_TRACE(reference);
    const JointEstimate joint =
        EstimateJoint(recorded_.clocks, pairs_, {.reference = ClockId(reference)});
    EXPECT_EQ(Inversions(messages_, truth_, joint.group), 0u);
    for (size_t i = 0; i < 4; ++i) {
      // The reference's own drift shifts all others.
      const double rate = (1 + kDriftPpm[i] * 1e-6) / (1 + kDriftPpm[reference] * 1e-6);
      EXPECT_NEAR(joint.group.clocks[i].drift_ppm, (rate - 1) * 1e6, 0.3);
      EXPECT_LE(LargestError(joint.group, i, reference), 140'000);
    }
  }
}

}  // namespace
}  // namespace syncline
