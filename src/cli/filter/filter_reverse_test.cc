// syncline filter on parts of a trace: from a time on, and backwards.
#include <map>

#include "cli/filter/filter_test_util.h"

namespace syncline {
namespace {

class FilterReverse : public FilterTest {};

TEST_F(FilterReverse, MovesASendBackBeforeItsReceiveAndKeepsBothTimes) {
  const std::string trace = Header() + "100 A send B 1\n90 B recv A 1 # early\n";
  EXPECT_EQ(Filter(trace, "--reverse --min-delay 30"),
            Header() + "90 B recv A 1 # early  # recorded 90\n" + std::to_string(90 - 30) +
                " A send B 1  # recorded 100\n");
}

TEST_F(FilterReverse, KeepsEveryLineInTheOppositeOrderOfEachProcess) {
  const std::string trace = RandomRun(5).Trace(400);
  const std::string reversed = Filter(trace, "--reverse");
  std::map<std::string, std::vector<std::string>> before, after;
  for (const std::string& line : EventLinesOf(trace)) {
    before[DetailOf(line).substr(0, 2)].push_back(DetailOf(line) + "  # recorded " +
                                                  std::to_string(TimeOf(line)));
  }
  int64_t last = INT64_MAX;
  for (const std::string& line : EventLinesOf(reversed)) {
    auto& lines = after[DetailOf(line).substr(0, 2)];
    lines.insert(lines.begin(), DetailOf(line));
    EXPECT_LE(TimeOf(line), last);
    last = TimeOf(line);
  }
  EXPECT_EQ(before, after);
}

// Going forward over what came out backwards moves nothing: no receive is before its send, no end
// of a collective before a begin that it waits for.
TEST_F(FilterReverse, LeavesNothingToCorrect) {
  for (const uint64_t seed : {1u, 2u, 3u, 4u}) {
    SCOPED_TRACE(seed);
    const std::string trace = RandomRun(seed).Trace(500);
    const auto forward = FilterJson(trace, "--min-delay 200");
    EXPECT_GT(forward["messages"]["inverted_before"], 0);
    EXPECT_GT(forward["logical"]["collectives"]["violated_before"], 0);
    const auto backward = FilterJson(trace, "--reverse --min-delay 200");
    // Each side sees the same messages.
    for (const char* key : {"total", "inverted_before", "too_fast_before", "unmatched_sends"}) {
      EXPECT_EQ(backward["messages"][key], forward["messages"][key]) << key;
    }
    EXPECT_EQ(backward["logical"]["events"], forward["logical"]["events"]);
    const auto again = FilterJson(Backwards(ReadBytes(At("out.txt"))), "--min-delay 200");
    EXPECT_GT(backward["logical"]["events_moved"], 0);
    EXPECT_EQ(again["logical"]["events_moved"], 0);
    EXPECT_EQ(again["messages"]["inverted_before"], 0);
    EXPECT_EQ(again["messages"]["too_fast_before"], 0);
    EXPECT_EQ(again["logical"]["collectives"]["violated_before"], 0);
  }
}

TEST_F(FilterReverse, UsesTheDelayOfEachDirection) {
  const std::string delays = Write("delays.txt", "a b 70\nb a 500\n");
  const std::string trace = Header() + "100 A send B 1\n90 B recv A 1\n";
  EXPECT_THAT(Filter(trace, "--reverse --min-delay " + delays),
              testing::HasSubstr("\n20 A send B 1"));
}

TEST_F(FilterReverse, ScrollsBackFromTheStart) {
  const std::string trace = Header() + "10 A mark x\n20 B mark y\n30 A mark z\n";
  EXPECT_EQ(EventLinesOf(Filter(trace, "--reverse --start 20")),
            (std::vector<std::string>{"20 B mark y  # recorded 20", "10 A mark x  # recorded 10"}));
}

// Events are numbered as they come out, the last one first.
TEST_F(FilterReverse, SetsAMessageOfACycleAside) {
  const std::string in = Write("in.txt", Header() +
                                             "100 A recv B 1\n110 A send B 2\n"
                                             "105 B recv A 2\n115 B send A 1\n");
  const RunResult run = Syncline("filter --reverse " + in + " " + At("out.txt"));
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.output, testing::HasSubstr("(event 0 of B to event 1 of A: would have taken "
                                             "−15 ns)"));
  EXPECT_TRUE(fs::exists(At("out.txt")));
}

TEST_F(FilterReverse, WantsNoOnlineOutput) {
  EXPECT_EQ(Syncline("filter --reverse --online < /dev/null").exit_code, 1);
}

TEST_F(FilterReverse, StartLeavesOutEarlierEventsAndShowsBothTimes) {
  const std::string trace =
      Header() + "10 A send B 1\n20 B recv A 1\n30 A send B 2\r\n25 B recv A 2\n";
  EXPECT_EQ(Filter(trace, "--start 20 --amortization none"), Header() +
                                                                 "20 B recv A 1  # recorded 20\n"
                                                                 "30 A send B 2  # recorded 30\r\n"
                                                                 "31 B recv A 2  # recorded 25\n");
  const auto summary = FilterJson(trace, "--start 20");
  EXPECT_EQ(DiagnosticCount(summary, "event-beyond-start"), 1);
  EXPECT_EQ(DiagnosticCount(summary, "unmatched-receive"), 1);
}

}  // namespace
}  // namespace syncline
