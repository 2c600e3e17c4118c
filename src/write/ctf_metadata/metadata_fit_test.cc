#include "write/ctf_metadata/metadata_fit.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "base/ticks.h"

namespace syncline::ctf_metadata {
namespace {

FitPass PassOf(const std::vector<FitMessage>& messages) {
  return [&messages](const std::function<void(const FitMessage&)>& visit) -> Result<void> {
    for (const FitMessage& message : messages) visit(message);
    return {};
  };
}

FitEvent At(size_t block, uint64_t cycles) { return {block, block, cycles, 0}; }

// The reference, and a clock 2.5 ppb fast for 1000 s: 2500 ns, of which whole hertz can say 2000 or
// 3000. Half of the rest, 250 ns, is missing at each end.
std::vector<BlockToFit> TwoBlocks() {
  return {{.clock = 0, .span = {0, 1000 * kNsPerSecond, 0, 1000 * kNsPerSecond}},
          {.clock = 1, .span = {0, 1000 * kNsPerSecond + 2500, 0, 1000 * kNsPerSecond}}};
}

TEST(MetadataFit, NearestLinesAreTakenWhereMessagesCanSpareIt) {
  const std::vector<BlockToFit> blocks = TwoBlocks();
  const std::vector<FitMessage> messages = {
      {At(0, 0), At(1, 1000), 0}, {At(1, 1000 * kNsPerSecond), At(0, 1000 * kNsPerSecond), 0}};
  const auto outcome = FitMetadata(blocks, {false, true}, PassOf(messages));
  ASSERT_TRUE(outcome);
  ASSERT_TRUE(outcome->fit) << outcome->why_not;
  EXPECT_EQ(outcome->fit->settings[0], blocks[0].before);
  EXPECT_EQ(outcome->fit->deviations_ns[0], 0);
  const uint64_t freq = outcome->fit->settings[1].freq;
  EXPECT_TRUE(freq == kNsPerSecond + 2U || freq == kNsPerSecond + 3U);
  EXPECT_GE(outcome->fit->deviations_ns[1], 250);
  EXPECT_LE(outcome->fit->deviations_ns[1], 253);  // and what a double of 10²¹ drops
}

TEST(MetadataFit, MessagesWithoutTimeToSpareShiftTheClock) {
  const std::vector<BlockToFit> blocks = TwoBlocks();
  // At the very instant, at both ends; there is time to spare the other way.
  const std::vector<FitMessage> messages = {
      {At(0, 0), At(1, 10), 0},
      {At(0, 1000 * kNsPerSecond - 10), At(1, 1000 * kNsPerSecond + 2500), 0},
      {At(1, 500 * kNsPerSecond), At(0, 500 * kNsPerSecond + 5000), 0},
  };
  const auto outcome = FitMetadata(blocks, {false, true}, PassOf(messages));
  ASSERT_TRUE(outcome);
  ASSERT_TRUE(outcome->fit) << outcome->why_not;
  for (const FitMessage& message : messages) {
    const auto ns = [&](const FitEvent& event) {
      return *BabeltraceClock::Make(outcome->fit->settings[*event.block])->Ns(event.cycles);
    };
    EXPECT_GE(ns(message.receive), ns(message.send));
  }
  EXPECT_GT(outcome->fit->deviations_ns[1], 253);
}

TEST(MetadataFit, WhereNoLineFitsTheReasonIsGiven) {
  const std::vector<BlockToFit> blocks = TwoBlocks();
  // Both directions have nothing to spare at both ends.
  std::vector<FitMessage> messages;
  for (const auto& [a, b] :
       {std::pair<uint64_t, uint64_t>{0, 0},
        std::pair<uint64_t, uint64_t>{1000 * kNsPerSecond, 1000 * kNsPerSecond + 2500}}) {
    messages.push_back({At(0, a), At(1, b), 0});
    messages.push_back({At(1, b), At(0, a), 0});
  }
  const auto outcome = FitMetadata(blocks, {false, true}, PassOf(messages));
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->fit);
  EXPECT_NE(outcome->why_not.find("2 messages too fast, by up to 25"), std::string::npos)
      << outcome->why_not;
}

TEST(MetadataFit, CorrectionBeyondAClockBlockIsNotFitted) {
  const std::vector<BlockToFit> blocks = {{.clock = 0, .span = {5, 5, 0, 0}}};
  const auto outcome = FitMetadata(blocks, {true}, PassOf({}));
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->fit);
  EXPECT_FALSE(outcome->why_not.empty());
}

TEST(MetadataFit, ErrorsOfThePassAreHandedOn) {
  const std::vector<BlockToFit> blocks = TwoBlocks();
  const auto outcome = FitMetadata(blocks, {false, true}, [](const auto&) {
    return Result<void>(Fail(ErrorCode::kUnreadable, "no space"));
  });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "no space");
}

// Counters that hold epoch nanoseconds, whose times babeltrace2 rounds to 256 ns.
TEST(MetadataFit, HoldsForEveryMessageAndBoundOfRandomClocks) {
  uint64_t fitted = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const size_t clocks = 2 + random() % 3;
    constexpr int64_t kStart = 1'795'264'065'000'000'000;
    const auto length = static_cast<int64_t>(20 * kNsPerSecond + random() % (100 * kNsPerSecond));
    std::vector<BlockToFit> blocks;
    std::vector<double> rates;
    for (size_t i = 0; i < clocks; ++i) {
      const double rate = i == 0 ? 1 : 1 + (static_cast<double>(random() % 2000) - 1000) * 1.01e-7;
      rates.push_back(rate);
      const auto cycles = static_cast<uint64_t>(static_cast<double>(length) * rate);
      blocks.push_back({i, {kStart, kStart + cycles, kStart, kStart + length}, {}});
    }
    std::vector<FitMessage> messages;
    for (int i = 0; i < 200; ++i) {
      const size_t from = random() % clocks;
      const size_t to = (from + 1 + random() % (clocks - 1)) % clocks;
      const auto at = static_cast<double>(random() % (static_cast<uint64_t>(length) - 100'000));
      const double delay = 600 + static_cast<double>(random() % 10'000);
      messages.push_back({At(from, kStart + static_cast<uint64_t>(at * rates[from])),
                          At(to, kStart + static_cast<uint64_t>((at + delay) * rates[to])), 0});
    }
    std::vector<bool> movable(clocks, true);
    movable[0] = false;
    const auto outcome = FitMetadata(blocks, movable, PassOf(messages));
    ASSERT_TRUE(outcome);
    if (!outcome->fit) continue;
    ++fitted;
    const MetadataFit& fit = *outcome->fit;
    for (const FitMessage& message : messages) {
      int64_t ns[2];
      for (int end = 0; end < 2; ++end) {
        const FitEvent& event = end == 0 ? message.send : message.receive;
        ns[end] = *BabeltraceClock::Make(fit.settings[*event.block])->Ns(event.cycles);
        const auto correct =
            static_cast<int64_t>(static_cast<double>(event.cycles - kStart) / rates[*event.block]);
        EXPECT_LE(std::abs(ns[end] - kStart - correct), fit.deviations_ns[*event.block] + 1);
      }
      EXPECT_GE(ns[1], ns[0]);
    }
    for (const int64_t deviation : fit.deviations_ns) EXPECT_LE(deviation, 2000);
  }
  EXPECT_GT(fitted, 150U);
}

}  // namespace
}  // namespace syncline::ctf_metadata
