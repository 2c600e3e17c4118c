#include "write/ctf_metadata/clock_setting.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#ifdef SYNCLINE_HAVE_CTF
#include <babeltrace2/babeltrace.h>

#include "base/ticks.h"
#endif

namespace syncline::ctf_metadata {
namespace {

TEST(ClockSetting, ExactTimeAddsOffsetsAndCycles) {
  // 2 s, and (1 + 5) cycles of half a second each.
  EXPECT_EQ(ExactNs({.freq = 2, .offset_s = 2, .offset = 1}, 5), 5'000'000'000);
  EXPECT_EQ(ExactNs({.freq = 3, .offset_s = -1, .offset = 0}, 1), -1'000'000'000 + 333'333'333);
  // No overflow at the ends.
  const uint64_t most = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(ExactNs({.freq = 1, .offset_s = INT64_MAX, .offset = most}, most),
            (static_cast<Int128>(INT64_MAX) + 2 * static_cast<Int128>(most)) * kNsPerSecond);
}

TEST(ClockSetting, BabeltraceTimeOfOneGigahertzIsExact) {
  const auto clock = BabeltraceClock::Make({kNsPerSecond, 3, 90});
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->base_ns(), 3'000'000'090);
  EXPECT_EQ(clock->Ns(1'795'264'065'898'925'281), 1'795'264'068'898'925'371);
  EXPECT_EQ(BabeltraceClock::LargestError(kNsPerSecond, 1'795'264'065'898'925'281), 0);
}

TEST(ClockSetting, BabeltraceTimeOfOtherRatesIsRoundedWhereCountersAreLarge) {
  const auto clock = BabeltraceClock::Make({kNsPerSecond + 1, 0, 0});
  ASSERT_TRUE(clock);
  // Doubles of this size are 256 apart.
  EXPECT_EQ(*clock->Ns(1'795'264'065'898'925'281) % 256, 0);
}

TEST(ClockSetting, TimesBeyondTheRangeAreNone) {
  EXPECT_FALSE(BabeltraceClock::Make({kNsPerSecond, INT64_MAX / 1'000'000'000, 0}));
  EXPECT_FALSE(BabeltraceClock::Make({kNsPerSecond, INT64_MIN, 0}));
  const auto late = BabeltraceClock::Make({kNsPerSecond, 9'000'000'000, 0});
  ASSERT_TRUE(late);
  EXPECT_FALSE(late->Ns(UINT64_C(1) << 62));
  EXPECT_FALSE(BabeltraceClock::Make({1, 0, 0})->Ns(UINT64_C(1) << 40));
}

struct Sample {
  ClockSetting setting;
  uint64_t cycles = 0;
};

Sample RandomSample(std::mt19937_64& random) {
  constexpr uint64_t kRates[] = {
      kNsPerSecond,  kNsPerSecond + 35'000, kNsPerSecond - 1, 2'400'000'000, 1'000'000, 32'768, 1,
      12'345'678'901};
  Sample sample;
  sample.setting.freq = kRates[random() % std::size(kRates)];
  sample.setting.offset_s = static_cast<int64_t>(random() % 4'000'000'000) - 2'000'000'000;
  sample.setting.offset = random() % sample.setting.freq;
  sample.cycles = random() >> (random() % 64);
  return sample;
}

TEST(ClockSetting, LargestErrorHoldsForEveryCount) {
  int64_t largest = 0;
  for (uint64_t seed = 1; seed <= 20'000; ++seed) {
    std::mt19937_64 random(seed);
    const Sample sample = RandomSample(random);
    const auto clock = BabeltraceClock::Make(sample.setting);
    ASSERT_TRUE(clock);
    const auto ns = clock->Ns(sample.cycles);
    if (!ns) continue;
    const Int128 exact = ExactNs({sample.setting.freq, 0, 0}, sample.cycles) + clock->base_ns();
    const Int128 error = *ns > exact ? *ns - exact : exact - *ns;
    EXPECT_LE(error, BabeltraceClock::LargestError(sample.setting.freq, sample.cycles)) << seed;
    largest = std::max(largest, static_cast<int64_t>(error));
  }
  EXPECT_GT(largest, 256);  // so the limit is not far from what happens
}

#ifdef SYNCLINE_HAVE_CTF

// Runs `body` where the library lets clock classes be made: while a component begins.
class ComponentScope {
 public:
  template <typename Body>
  static void Run(Body body) {
    const auto consume = [](bt_self_component_sink*) {
      return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END;
    };
    bt_component_class_sink* sink = bt_component_class_sink_create("scope", consume);
    ASSERT_NE(sink, nullptr);
    const auto begin = [](bt_self_component_sink* self, bt_self_component_sink_configuration*,
                          const bt_value*, void* data) {
      (*static_cast<Body*>(data))(bt_self_component_sink_as_self_component(self));
      return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
    };
    bt_component_class_sink_set_initialize_method(sink, begin);
    bt_graph* graph = bt_graph_create(0);
    EXPECT_EQ(bt_graph_add_sink_component_with_initialize_method_data(
                  graph, sink, "scope", nullptr, &body, BT_LOGGING_LEVEL_NONE, nullptr),
              BT_GRAPH_ADD_COMPONENT_STATUS_OK);
    bt_graph_put_ref(graph);
    bt_component_class_sink_put_ref(sink);
  }
};

TEST(ClockSetting, BabeltraceTimesAreThoseOfTheLibrary) {
  uint64_t compared = 0;
  ComponentScope::Run([&](bt_self_component* self) {
    for (uint64_t seed = 1; seed <= 20'000; ++seed) {
      std::mt19937_64 random(seed);
      const Sample sample = RandomSample(random);
      bt_clock_class* theirs = bt_clock_class_create(self);
      bt_clock_class_set_frequency(theirs, sample.setting.freq);
      bt_clock_class_set_offset(theirs, sample.setting.offset_s, sample.setting.offset);
      int64_t expected = 0;
      const auto status = bt_clock_class_cycles_to_ns_from_origin(theirs, sample.cycles, &expected);
      bt_clock_class_put_ref(theirs);
      const auto ns = BabeltraceClock::Make(sample.setting)->Ns(sample.cycles);
      ASSERT_EQ(ns.has_value(), status == BT_CLOCK_CLASS_CYCLES_TO_NS_FROM_ORIGIN_STATUS_OK)
          << seed;
      if (!ns) {
        bt_current_thread_clear_error();
        continue;
      }
      ASSERT_EQ(*ns, expected) << seed;
      ++compared;
    }
  });
  EXPECT_GT(compared, 10'000U);
}

#endif

}  // namespace
}  // namespace syncline::ctf_metadata
