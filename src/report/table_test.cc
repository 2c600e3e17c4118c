#include "report/table.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(Table, AlignsByCodePointsNotBytes) {
  Table table({{"name", Align::kLeft}, {"value"}});
  table.AddRow({"a", "1 µs"});
  table.AddRow({"long name", "12 ns"});
  EXPECT_EQ(table.ToString(),
            "name       value\n"
            "a           1 µs\n"
            "long name  12 ns\n");
}

TEST(FormatDuration, ChoosesTheUnitThatFits) {
  const struct {
    int64_t ns;
    const char* text;
  } cases[] = {{0, "0 ns"},
               {999, "999 ns"},
               {-1500, "−1.5 µs"},
               {12'345'678, "12.346 ms"},
               {1'701'260'499, "1.701260 s"},
               {1'795'263'385'000'000'500, "1795263385.000001 s"}};
  for (const auto& c : cases) EXPECT_EQ(FormatDuration(c.ns), c.text);
  EXPECT_EQ(FormatSignedDuration(5), "+5 ns");
}

TEST(FormatBounds, ShowsBothSidesWhereTheyDifferByMoreThanATenth) {
  EXPECT_EQ(FormatBounds(0, 0), "± 0 ns");
  EXPECT_EQ(FormatBounds(900, 1000), "± 1.0 µs");
  EXPECT_EQ(FormatBounds(1000, 899), "−1.0 µs/+899 ns");
  EXPECT_EQ(FormatBounds(0, 1), "−0 ns/+1 ns");
  EXPECT_EQ(FormatBounds(5, {}), "−5 ns/unbounded");
  EXPECT_EQ(FormatBounds({}, 5), "unbounded/+5 ns");
  EXPECT_EQ(FormatBounds({}, {}), "unbounded");
}

TEST(FormatCount, GroupsThousands) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1'234'567), "1\u202f234\u202f567");
  EXPECT_EQ(FormatCount(1, "packet"), "1 packet");
  EXPECT_EQ(FormatCount(0, "packet"), "0 packets");
}

}  // namespace
}  // namespace syncline
