#include "record/counter/counter.h"

#include <gtest/gtest.h>

#include "record/counter/time_sources.h"

namespace syncline {
namespace {

CounterFacts Processor(bool is_invariant, bool is_trusted) {
  CounterFacts facts;
  facts.counters = {CounterKind::kRdtscp, CounterKind::kRdtsc, CounterKind::kSystemClock};
  facts.is_invariant = is_invariant;
  facts.is_trusted_by_kernel = is_trusted;
  return facts;
}

TEST(Counter, IsTheProcessorsOnlyWhereItIsSteady) {
  struct Case {
    bool is_invariant;
    bool is_trusted;
    CounterKind expected;
  };
  for (const Case& c :
       {Case{true, true, CounterKind::kRdtscp}, Case{false, true, CounterKind::kSystemClock},
        Case{true, false, CounterKind::kSystemClock}}) {
    const auto choice = ChooseCounter(Processor(c.is_invariant, c.is_trusted), CounterWish::kAuto);
    ASSERT_TRUE(choice.has_value());
    EXPECT_EQ(choice->kind, c.expected);
    EXPECT_FALSE(choice->reason.empty());
  }
}

TEST(Counter, UnsteadyProcessorCounterIsRefusedEvenWhenAskedFor) {
  const auto choice = ChooseCounter(Processor(false, true), CounterWish::kProcessor);
  ASSERT_FALSE(choice.has_value());
  EXPECT_EQ(choice.error().code, ErrorCode::kUnsupported);
}

TEST(Counter, SystemClockIsTakenWhenAskedFor) {
  const auto choice = ChooseCounter(Processor(true, true), CounterWish::kSystem);
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(choice->kind, CounterKind::kSystemClock);
}

TEST(Counter, OfThisMachineNeverStepsBackInAThread) {
  for (const CounterKind kind : InspectCounter().counters) {
    if (kind == CounterKind::kRdtsc) continue;  // the same counter as the first one
    int64_t last = ReadCounter(kind);
    for (int i = 0; i < 100'000; ++i) {
      const int64_t now = ReadCounter(kind);
      ASSERT_GE(now, last) << CounterName(kind);
      last = now;
    }
  }
}

TEST(Counter, StepOfTheSystemClockIsNotZero) {
  EXPECT_GE(CounterStep(CounterKind::kSystemClock), 1);
  EXPECT_TRUE(MachineTime(CounterKind::kSystemClock).CounterIsReference());
}

}  // namespace
}  // namespace syncline
