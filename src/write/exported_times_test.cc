#include "write/exported_times.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "write/export_test_util.h"

namespace syncline {
namespace {

TEST(ExportedTimes, BeforeZeroTheWholeTraceIsShifted) {
  ExportBuilder builder({"a", "b"});
  builder.Add(0, -30, EventKind::kMark);
  builder.Add(1, 20, EventKind::kMark);
  ExportFindings findings{.shift_ns = ExportedShift(builder.trace())};
  EXPECT_EQ(findings.shift_ns, 30U);
  EXPECT_EQ(RisingTimes(findings)({-30}), 0U);
  EXPECT_EQ(RisingTimes(findings)({20}), 50U);
  EXPECT_EQ(findings.raised, 0U);
}

TEST(ExportedTimes, AtTheEndsOfInt64NothingOverflows) {
  constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
  constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
  ExportBuilder builder({"a"});
  builder.Add(0, kFirst + 100, EventKind::kMark);  // the builder records 100 ns less
  ExportFindings findings{.shift_ns = ExportedShift(builder.trace())};
  EXPECT_EQ(findings.shift_ns, (uint64_t{1} << 63) - 100);
  EXPECT_EQ(RisingTimes(findings)({kLast}), UINT64_MAX - 100);
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
