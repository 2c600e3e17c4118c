#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "write/export_test_util.h"
#include "write/exported_trace.h"

namespace syncline {
namespace {

TEST(ExportedTimes, BeforeZeroTheWholeTraceIsShifted) {
  ExportBuilder builder({"a", "b"});
  builder.Add(0, -30, EventKind::kMark);
  builder.Add(1, 20, EventKind::kMark);
  auto found = FindShift(builder.trace());
  ASSERT_TRUE(found.has_value());
  ExportFindings& findings = *found;
  EXPECT_EQ(findings.shift_ns, 30U);
  EXPECT_EQ(RisingTimes(findings)({-30}), 0U);
  EXPECT_EQ(RisingTimes(findings)({20}), 50U);
  EXPECT_EQ(findings.raised, 0U);
}

TEST(ExportedTimes, TimesFurtherApartThanReadersTakeAreRefused) {
  constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
  constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
  const struct {
    int64_t first, last;
    bool is_taken;
  } cases[] = {
      {kFirst + 100, -1, true}, {-1, kLast - 1, true},        {0, kLast, true},
      {-1, kLast, false},       {kFirst + 100, kLast, false},
  };
  for (const auto& [first, last, is_taken] : cases) {
    ExportBuilder builder({"a", "b"});
    builder.Add(0, first, EventKind::kMark);
    builder.Add(1, last, EventKind::kMark);
    EXPECT_EQ(FindShift(builder.trace()).has_value(), is_taken) << first << ' ' << last;
  }
}

TEST(ExportedTimes, AStepBackGetsTheTimeOfTheEventBefore) {
  ExportFindings findings;
  RisingTimes times(findings);
  EXPECT_EQ(times({10}), 10U);
  EXPECT_EQ(times({7}), 10U);
  EXPECT_EQ(times({9}), 10U);
  EXPECT_EQ(times({11}), 11U);
  EXPECT_EQ(findings.raised, 2U);
  EXPECT_EQ(findings.largest_raise_ns, 10U - 7U);
}

}  // namespace
}  // namespace syncline
