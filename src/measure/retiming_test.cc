#include "measure/retiming.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

Correction Shift(int64_t ns) {
  return Correction::FromKnots({{{0}, {ns}}, {{1'000'000'000}, {1'000'000'000 + ns}}}).value();
}

Message Between(int64_t send, int64_t receive) {
  return {{ProcessId(0), 5, {send}}, {ProcessId(1), 9, {receive}}};
}

TEST(Retiming, WritesCorrectedTimesAtTheOutputsResolution) {
  const Retiming times({{Shift(100), 1'000'000'000}, {Shift(-700), 1'000'000}});
  EXPECT_EQ(times({ProcessId(0), 0, {5}}).ns, 105);
  EXPECT_EQ(times({ProcessId(1), 0, {10'000}}).ns, 9000);  // 9300 to the microsecond
}

TEST(Retiming, MovesAReceiveThatOnlyRoundingPutBeforeItsSend) {
  // Sent at 9300 (ns file), received at 9400, written as 9000 in the µs file.
  Retiming times({{Shift(0), 1'000'000'000}, {Shift(0), 1'000'000}});
  const Message m = Between(9300, 9400);
  ASSERT_LT(times(m.receive), times(m.send));
  EXPECT_TRUE(times.RepairRounding(m, {0}));
  EXPECT_EQ(times(m.receive).ns, 10'000);
  EXPECT_EQ(times.moved(), 1U);
  EXPECT_FALSE(times.RepairRounding(m, {0}));
}

TEST(Retiming, LeavesAMessageThatIsReallyInverted) {
  Retiming times({{Shift(0), 1'000'000'000}, {Shift(0), 1'000'000'000}});
  EXPECT_FALSE(times.RepairRounding(Between(9300, 9200), {0}));
  EXPECT_EQ(times.moved(), 0U);
}

TEST(Retiming, RestoresTheMinimumDelayThatRoundingCutByANanosecond) {
  Retiming times({{Shift(0), 1'000'000'000}, {Shift(0), 1'000'000'000}});
  const Message m = Between(1000, 1099);
  EXPECT_TRUE(times.RepairRounding(m, {100}));
  EXPECT_EQ(times(m.receive).ns, 1100);
}

TEST(ProgramOrder, TakesFollowingEventsAlongButKeepsRecordedSteps) {
  ProgramOrder order;
  EXPECT_EQ(order.Place({10}, {1000}).ns, 1000);
  EXPECT_EQ(order.Place({11}, {990}).ns, 1000);  // recorded later, written earlier
  EXPECT_EQ(order.Place({5}, {400}).ns, 400);    // the recorded clock stepped back
}

}  // namespace
}  // namespace syncline
