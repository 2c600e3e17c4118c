// Estimation of messages that several processes hold is that of one process, to the bit.
#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "base/try.h"
#include "estimate/drift_bounded/drift_bounded.h"
#include "estimate/drift_bounded/drift_bounded_test_util.h"
#include "estimate/drift_bounded/message_works.h"
#include "estimate/drift_bounded/recording_test_util.h"

namespace syncline::drift_bounded {
namespace {

// Messages of which all but the last few are held by `processes`, each all of some pairs.
class Team {
 public:
  Team(std::vector<RecordedMessage> messages, size_t processes)
      : messages_(std::move(messages)), shares_(processes) {
    const size_t held = messages_.size() - messages_.size() / 8;
    for (size_t i = 0; i < messages_.size(); ++i) {
      const RecordedMessage& m = messages_[i];
      const auto [low, high] = std::minmax(m.from.value, m.to.value);
      (i < held ? shares_[(low * 7 + high) % processes] : others_).push_back(m);
    }
    first_readings_ns_.resize(64);
    for (size_t i = 0; i < held; ++i) {
      const RecordedMessage& m = messages_[i];
      for (const auto& [clock, ns] : {std::pair(m.from, m.send_ns), {m.to, m.receive_ns}}) {
        auto& first = first_readings_ns_[clock.index()];
        if (!first) first = ns;
      }
    }
  }

  MessagePass Pass() const {
    return {[this](const MessageVisitor& visit) -> Result<void> {
              for (const RecordedMessage& m : messages_) visit(m);
              return {};
            },
            {[this](MessageWork& work) { return Run(work); }, first_readings_ns_}};
  }
  const std::set<TeamTask>& asked() const { return asked_; }

 private:
  static Result<void> Show(const std::vector<RecordedMessage>& messages, MessageWork& work) {
    for (const RecordedMessage& m : messages) work.Add(m);
    return {};
  }

  Result<void> Run(MessageWork& work) const {
    Parcel task;
    work.PutTask(task);
    for (const auto& share : shares_) {
      ParcelReader here(task.bytes());
      const auto kind = here.Take<TeamTask>();
      asked_.insert(kind);
      Parcel outcome;
      SYNCLINE_TRY(DoTask(
          kind, here, [&](MessageWork& part) { return Show(share, part); }, outcome));
      EXPECT_TRUE(here.is_at_end());
      ParcelReader back(outcome.bytes());
      work.TakeOutcome(back);
      EXPECT_TRUE(back.is_at_end());
    }
    return Show(others_, work);
  }

  std::vector<RecordedMessage> messages_;
  std::vector<std::vector<RecordedMessage>> shares_;
  std::vector<RecordedMessage> others_;
  std::vector<std::optional<int64_t>> first_readings_ns_;
  mutable std::set<TeamTask> asked_;
};

void ExpectSameClock(const ClockEstimate& a, const ClockEstimate& b, const ClockInput& input) {
  EXPECT_EQ(a.correction, b.correction);
  EXPECT_EQ(a.quality, b.quality);
  EXPECT_EQ(a.reason, b.reason);
  ASSERT_EQ(a.later_epochs.size(), b.later_epochs.size());
  for (size_t e = 0; e < a.later_epochs.size(); ++e) {
    EXPECT_EQ(a.later_epochs[e].correction, b.later_epochs[e].correction);
  }
  for (int64_t k = 0; k <= 16; ++k) {
    const int64_t first = input.first.ticks, last = input.last.ticks;
    const LocalTime t{first + (last - first) / 16 * k};
    EXPECT_EQ(a.bounds.Lower(t), b.bounds.Lower(t));
    EXPECT_EQ(a.bounds.Upper(t), b.bounds.Upper(t));
  }
}

void ExpectSame(const DriftBoundedEstimate& a, const DriftBoundedEstimate& b,
                const std::vector<ClockInput>& inputs) {
  EXPECT_EQ(a.suspects, b.suspects);
  EXPECT_EQ(a.limits_ppm, b.limits_ppm);
  EXPECT_EQ(a.guess_ppm, b.guess_ppm);
  ASSERT_EQ(a.components.size(), b.components.size());
  for (size_t i = 0; i < a.components.size(); ++i) {
    EXPECT_EQ(a.components[i].state, b.components[i].state);
    EXPECT_EQ(a.components[i].reason, b.components[i].reason);
  }
  ASSERT_EQ(a.group.steps.size(), b.group.steps.size());
  for (size_t i = 0; i < a.group.steps.size(); ++i) {
    EXPECT_EQ(a.group.steps[i].after_local, b.group.steps[i].after_local);
    EXPECT_EQ(a.group.steps[i].before_local, b.group.steps[i].before_local);
    EXPECT_EQ(a.group.steps[i].ahead_ns, b.group.steps[i].ahead_ns);
  }
  for (size_t c = 0; c < inputs.size(); ++c) {
    SCOPED_TRACE(c);
    ExpectSameClock(a.group.clocks[c], b.group.clocks[c], inputs[c]);
  }
}

// Straight and wandering clocks, some of them beyond the limits that are assumed, some set back;
// now and then a message, or two in a row, that are wrong, or a clock that is set ahead.
std::vector<RecordedMessage> Spoilt(std::vector<RecordedMessage> messages, uint32_t clocks,
                                    std::mt19937_64& random) {
  if (random() % 3 == 0) {
    const uint64_t first = random() % (messages.size() - 1);
    const uint64_t last = first + random() % 2;
    for (uint64_t i = first; i <= last; ++i) {
      RecordedMessage& m = messages[i];
      m.receive_ns -= 20'000'000;
      m.received.ticks -= 20'000'000;
    }
  }
  if (random() % 3 == 0) {
    const ClockId set(static_cast<uint32_t>(random() % clocks));
    const RecordedMessage& about = messages[random() % messages.size()];
    const int64_t from_ns = about.from == set ? about.send_ns : about.receive_ns;
    for (RecordedMessage& m : messages) {
      if (m.from == set && m.send_ns > from_ns) {
        m.send_ns += 50'000'000;
        m.sent.ticks += 50'000'000;
      }
      if (m.to == set && m.receive_ns > from_ns) {
        m.receive_ns += 50'000'000;
        m.received.ticks += 50'000'000;
      }
    }
  }
  return messages;
}

TEST(SharedMessages, AreEstimatedLikeThoseOfOneProcess) {
  std::set<TeamTask> asked;
  size_t with_steps = 0, with_suspects = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    SimulationSetup setup;
    setup.shape = kShapes[seed % 5];
    setup.clocks = setup.shape == Shape::kPair ? 2 : 3 + static_cast<uint32_t>(random() % 4);
    setup.rate = RateLimits::Within(100);
    setup.course = kCourses[random() % 5];
    setup.start_ns = 1'700'000'000'123'456'789;
    setup.length_ns = 10'000'000'000;
    setup.messages = 20 + static_cast<int>(random() % 60);
    setup.least_delay_ns = 5000;
    setup.more_ns = 100'000;
    setup.steps = static_cast<uint32_t>(random() % 2);
    const Simulation simulation(setup, seed);
    const Recording recording(simulation, setup.clocks);
    const auto messages = Spoilt(Recording(recording).messages(), setup.clocks, random);
    const DriftBoundedOptions options{.max_drift_ppm = random() % 4 == 0 ? 60.0 : 200.0};
    const auto estimate = [&](const MessagePass& pass) {
      return EstimateDriftBounded(recording.inputs(), recording.Pairs(), pass, options).value();
    };
    const DriftBoundedEstimate alone = estimate([&](const MessageVisitor& visit) -> Result<void> {
      for (const RecordedMessage& m : messages) visit(m);
      return {};
    });
    with_steps += alone.group.steps.empty() ? 0 : 1;
    with_suspects += alone.suspects.empty() ? 0 : 1;
    const Team team(messages, 1 + random() % 5);
    ExpectSame(estimate(team.Pass()), alone, recording.inputs());
    asked.insert(team.asked().begin(), team.asked().end());
  }
  EXPECT_EQ(asked, (std::set{TeamTask::kCollect, TeamTask::kChoose, TeamTask::kCount,
                             TeamTask::kAcrossEpochs}));
  EXPECT_GT(with_steps, 10u);
  EXPECT_GT(with_suspects, 10u);
}

}  // namespace
}  // namespace syncline::drift_bounded
