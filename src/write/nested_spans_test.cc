#include "write/nested_spans.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "write/export_test_util.h"

namespace syncline {
namespace {

// "+a" enters region a, "-a" leaves it, "." is a mark. Answers '|' for the ends of bars.
std::string Bars(const std::vector<std::string>& steps) {
  ExportBuilder builder({"p"});
  for (const std::string& step : steps) {
    const EventKind kind = step[0] == '+'   ? EventKind::kEnter
                           : step[0] == '-' ? EventKind::kLeave
                                            : EventKind::kMark;
    builder.Add(0, 0, kind, step.substr(1));
  }
  std::string bars;
  for (const bool is_bar : FindNestedSpans(builder.trace().processes[0])) {
    bars += is_bar ? '|' : '.';
  }
  return bars;
}

TEST(NestedSpans, RegionsWithinOneAnotherAreBars) {
  EXPECT_EQ(Bars({"+a", "+b", ".", "-b", "+b", "-b", "-a"}), "||.||||");
}

TEST(NestedSpans, WhatHasNoOtherEndIsNoBar) { EXPECT_EQ(Bars({"-a", "+b", "+c", "-c"}), "..||"); }

TEST(NestedSpans, OfRegionsThatCrossTheOuterOneIsABar) {
  EXPECT_EQ(Bars({"+a", "+b", "-a", "-b"}), "|.|.");
}

TEST(NestedSpans, AnEndClosesItsLatestBegin) {
  EXPECT_EQ(Bars({"+a", "+a", "+b", "-a", "-b", "-a", "-a"}), "||.|.|.");
}

TEST(NestedSpans, PartsOfACollectiveBelongTogetherByInstance) {
  ExportBuilder builder({"p"});
  for (const uint64_t instance : {1, 2}) {
    builder.Add(0, 0, EventKind::kCollectiveBegin, "barrier");
    builder.trace().processes[0].events.back().message = instance;
  }
  builder.Add(0, 0, EventKind::kCollectiveEnd, "barrier");
  builder.trace().processes[0].events.back().message = 1;
  EXPECT_EQ(FindNestedSpans(builder.trace().processes[0]), (std::vector<bool>{true, false, true}));
}

}  // namespace
}  // namespace syncline
