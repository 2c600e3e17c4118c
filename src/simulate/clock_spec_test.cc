#include "simulate/clock_spec.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(ClockSpec, ReadsEveryPart) {
  const auto clock = ParseClockAssignment(
      "3-7:offset=-1ms+drift=20ppm,-5ppm@10s+steps=20ppm/1s+walk=0.1ppm/1s+sine=1ms/60s"
      "+slew=20ppm/64s+jump=+5ms@2s+tick=10ms@3ms");
  ASSERT_TRUE(clock) << clock.error().message;
  EXPECT_EQ(clock->first, 3U);
  EXPECT_EQ(clock->last, 7U);
  ASSERT_EQ(clock->spec.parts.size(), 7U);
  EXPECT_EQ(std::get<OffsetPart>(clock->spec.parts[0]).ns.value, -1'000'000);
  const auto& drift = std::get<DriftPart>(clock->spec.parts[1]);
  ASSERT_EQ(drift.steps.size(), 2U);
  EXPECT_EQ(drift.steps[1].ppt.value, -5'000'000);
  EXPECT_EQ(drift.steps[1].from_ns, 10'000'000'000);
  EXPECT_EQ(std::get<WalkPart>(clock->spec.parts[3]).ppt, 100'000);
  EXPECT_EQ(std::get<SinePart>(clock->spec.parts[4]).period_ns, 60'000'000'000);
  EXPECT_EQ(std::get<JumpPart>(clock->spec.parts[6]).ns, 5'000'000);
  EXPECT_EQ(clock->spec.tick_ns, 10'000'000);
  EXPECT_EQ(clock->spec.tick_phase_ns, 3'000'000);
}

TEST(ClockSpec, SaysWhichCharacterIsWrong) {
  const struct {
    const char* text;
    size_t character;
    const char* expected;
  } cases[] = {
      {"", 1, "*, a process or FIRST-LAST"},
      {"x:offset=1", 1, "*, a process or FIRST-LAST"},
      {"5-3:offset=1", 3, "a process not before the first one"},
      {"3", 2, "':'"},
      {"3:", 3, "offset, drift, steps"},
      {"3:ofset=1ms", 3, "offset, drift, steps"},
      {"3:offset", 9, "'='"},
      {"3:offset=", 10, "a duration"},
      {"3:offset=1ms-drift=2", 13, "'+' or the end"},
      {"*:offset=1ms+", 14, "offset, drift, steps"},
      {"*:steps=20ppm", 14, "'/'"},
      {"*:steps=20ppm/1ns", 15, "an interval of 1us or more"},
      {"*:walk=6000ppm/1s", 8, "a drift within ±5000 ppm"},
      {"*:slew=250ppm/1s", 8, "a drift within ±249 ppm"},
      {"*:sine=1ms/1us", 12, "a period of 64us or more"},
      {"*:jump=1ms", 11, "'@'"},
      {"*:jump=1ms@0", 12, "2ns or later"},
      {"*:drift=1ppm,2ppm", 18, "'@'"},
      {"*:drift=1ppm,2ppm@5s,3ppm@5s", 27, "5000001000ns or later"},
      {"*:tick=0", 8, "a tick of 1ns or more"},
      {"*:hz=0", 6, "1 or more ticks per second"},
  };
  for (const auto& c : cases) {
    const auto clock = ParseClockAssignment(c.text);
    ASSERT_FALSE(clock) << c.text;
    const std::string start = "'" + std::string(c.text) + "': at character " +
                              std::to_string(c.character) + ": expected " + c.expected;
    EXPECT_EQ(clock.error().message.substr(0, start.size()), start);
  }
}

TEST(ClockSpec, AddsUpWhatIsAssignedToAProcess) {
  const ClockAssignment all = *ParseClockAssignment("*:drift=~20ppm");
  const ClockAssignment third = *ParseClockAssignment("3:offset=1ms+tick=1ms");
  const std::vector<ClockAssignment> both = {all, third};
  EXPECT_EQ(SpecOf(2, {}, both)->parts.size(), 1U);
  EXPECT_EQ(SpecOf(3, {}, both)->parts.size(), 2U);
  EXPECT_EQ(SpecOf(2, {}, both)->tick_ns, 0);
  EXPECT_EQ(SpecOf(3, {}, both)->tick_ns, 1'000'000);
}

TEST(ClockSpec, RefusesWhatNoClockCanBe) {
  const auto message = [](const std::vector<const char*>& texts) {
    std::vector<ClockAssignment> assignments;
    assignments.reserve(texts.size());
    for (const char* text : texts) assignments.push_back(*ParseClockAssignment(text));
    const auto spec = SpecOf(0, {}, assignments);
    return spec ? std::string("accepted") : spec.error().message;
  };
  EXPECT_EQ(message({"*:tick=1ms", "0:tick=2ms"}),
            "the clock of process 0 has more than one tick or hz");
  EXPECT_EQ(message({"*:tick=1ms+hz=1000"}), "the clock of process 0 has both tick and hz");
  // 2π · 80 ms / 1 s is more than one half; so is half of everything and a little more.
  EXPECT_EQ(message({"*:sine=80ms/1s"}),
            "the clock of process 0 may drift by more than 500000 ppm in all");
  EXPECT_EQ(message({"*:drift=500000ppm", "*:drift=-1ppm"}),
            "the clock of process 0 may drift by more than 500000 ppm in all");
  EXPECT_EQ(message({"*:drift=-500000ppm"}), "accepted");
  EXPECT_EQ(message({"*:offset=21000h", "*:offset=-300000h", "*:jump=1s@1h"}),
            "the clock of process 0 may be more than 2^60 ns ahead or behind");
}

}  // namespace
}  // namespace syncline
