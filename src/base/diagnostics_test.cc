#include "syncline/diagnostics.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(Diagnostics, AddsCountsAndKeepsTheFirstExampleAndTheHighestSeverity) {
  Diagnostics d;
  d.Count("fragment", Severity::kInfo, 2);
  d.Count("fragment", Severity::kWarning, 3, "first");
  d.Count("fragment", Severity::kInfo, 1, "second");
  EXPECT_EQ(d.count("fragment"), 6U);
  EXPECT_EQ(d.all().at("fragment").example, "first");
  EXPECT_TRUE(d.HasAtLeast(Severity::kWarning));
  EXPECT_FALSE(d.HasAtLeast(Severity::kError));
  EXPECT_EQ(d.count("other"), 0U);
}

TEST(Diagnostics, DoesNotEnterWhatNeverHappened) {
  Diagnostics d;
  d.Count("fragment", Severity::kError, 0);
  EXPECT_TRUE(d.all().empty());
}

TEST(Diagnostics, KnowsHowFindingsSpread) {
  using Spread = std::vector<std::pair<std::string, uint64_t>>;
  Diagnostics a;
  Diagnostics b;
  a.Count("x", Severity::kInfo, 2, "a.pcap");
  b.Count("x", Severity::kInfo, 1, "b.pcap");
  b.Count("x", Severity::kInfo, 3, "a.pcap");
  b.Count("x", Severity::kInfo, 7);
  a.Merge(b);
  EXPECT_EQ(a.count("x"), 13U);
  EXPECT_EQ(a.all().at("x").spread, (Spread{{"a.pcap", 5}, {"b.pcap", 1}}));
}

TEST(Diagnostics, MergesAnother) {
  Diagnostics a;
  Diagnostics b;
  a.Count("x", Severity::kInfo, 1);
  b.Count("x", Severity::kError, 2, "there");
  b.Count("y", Severity::kInfo, 4);
  a.Merge(b);
  EXPECT_EQ(a.count("x"), 3U);
  EXPECT_EQ(a.count("y"), 4U);
  EXPECT_TRUE(a.HasAtLeast(Severity::kError));
}

}  // namespace
}  // namespace syncline
