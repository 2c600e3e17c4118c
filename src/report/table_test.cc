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

TEST(Table, IsAsWideAsWhatIsShown) {
  Table table({{"name", Align::kLeft}, {"events"}});
  table.AddRow({"a\xff", "12"});
  table.AddRow({"b\n", "3"});
  EXPECT_EQ(table.ToString(),
            "name   events\n"
            "a\\xff      12\n"
            "b\\x0a       3\n");
}

TEST(Table, FoldsWhatIsWiderThanItMayBe) {
  Table table(
      {{"pair", Align::kLeft}, {"messages"}, {"smallest delay"}, {"quality", Align::kLeft}});
  table.AddRow({"a → b", "12", "1 µs", "accurate"});
  table.AddRow({"b → a", "7", "2 µs"});
  const char* flat =
      "pair   messages  smallest delay  quality\n"
      "a → b        12            1 µs  accurate\n"
      "b → a         7            2 µs\n";
  EXPECT_EQ(table.ToString(), flat);
  EXPECT_EQ(table.ToString(41), flat);  // as wide as the row that ends in "accurate"
  EXPECT_EQ(table.ToString(40),
            "pair   messages  smallest delay\n"
            "a → b        12            1 µs\n"
            "b → a         7            2 µs\n"
            "\n"
            "pair   quality\n"
            "a → b  accurate\n"
            "b → a\n");
}

TEST(Table, HasNoRowOfItsFirstColumnAloneHoweverNarrowItMustBe) {
  Table table({{"pair", Align::kLeft}, {"messages"}, {"inverted"}});
  table.AddRow({"a → b", "12", "3"});
  EXPECT_EQ(table.ToString(3),
            "pair   messages\n"
            "a → b        12\n"
            "\n"
            "pair   inverted\n"
            "a → b         3\n");
  EXPECT_EQ(Table({{"alone", Align::kLeft}}).ToString(3), "alone\n");
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
               {1'795'263'385'000'000'500, "1795263385.000001 s"},
               {INT64_MAX, "≥ 9223372036.854776 s"},
               {INT64_MIN, "≤ −9223372036.854776 s"}};
  for (const auto& c : cases) EXPECT_EQ(FormatDuration(c.ns), c.text);
  EXPECT_EQ(FormatSignedDuration(5), "+5 ns");
  EXPECT_EQ(FormatSignedDuration(INT64_MAX), "≥ +9223372036.854776 s");
}

TEST(FormatPercent, HasNoPowersOfTenWhereItIsLarge) {
  EXPECT_EQ(FormatPercent(0), "0 %");
  EXPECT_EQ(FormatPercent(0.00512), "0.512 %");
  EXPECT_EQ(FormatPercent(5.12), "512.0 %");
  EXPECT_EQ(FormatPercent(9.996), "1\u202f000 %");
  EXPECT_EQ(FormatPercent(11.8), "1\u202f180 %");
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
