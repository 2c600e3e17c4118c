#include "report/summary_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

namespace syncline {
namespace {

using testing::HasSubstr;

class SummaryFileTest : public testing::Test {
 protected:
  SummaryFileTest() : path_(testing::TempDir() + "/summary-XXXXXX") {
    close(mkstemp(path_.data()));
  }
  ~SummaryFileTest() override { std::filesystem::remove(path_); }
  Result<SummaryFile> Read(const std::string& text) const {
    std::ofstream(path_) << text;
    return ReadSummaryFile(path_);
  }
  std::string path_;
};

TEST_F(SummaryFileTest, HoldsACorrectionPerClock) {
  const auto summary = Read(R"({"syncline": "1", "reference": "b", "clocks": [
      {"name": "a", "first_local": 3, "last_local": 9, "reading_ns": 4,
       "correction": [{"local": 1795263390000000001, "global_ns": -5},
                                   {"local": 1795263390000000003, "global_ns": 7}],
       "bound_ns": {"best": 5, "mean": 6.5, "worst": 8},
       "logical": {"max_advance_ns": 3, "events_moved": 2}},
      {"name": "b", "quality": "absent", "bound_ns": {"worst": null}, "correction": [{"local": 0, "global_ns": 0},
                                                        {"local": 1, "global_ns": 1}]}]})");
  ASSERT_TRUE(summary.has_value()) << summary.error().ToString();
  ASSERT_EQ(summary->corrections.size(), 2U);
  EXPECT_EQ(summary->corrections.at("a")({1795263390000000002}).ns, (-5 + 7) / 2);
  EXPECT_EQ(summary->reference, "b");
  EXPECT_EQ(summary->events_moved, 2U);
  ASSERT_EQ(summary->bounds.size(), 1U);
  const SummaryBound& bound = summary->bounds.at("a");
  EXPECT_EQ(bound.worst_ns, 8);
  EXPECT_EQ(bound.reading_ns, 4);
  EXPECT_THAT(bound.traced, testing::ElementsAre(ReadingSpan{{3}, {9}}));
}

TEST_F(SummaryFileTest, HoldsTheEpochsOfAClockThatWasSetBack) {
  const auto summary = Read(R"({"clocks": [
      {"name": "a", "correction": [{"local": 0, "global_ns": 0}, {"local": 9, "global_ns": 9}],
       "epochs": [{"first_local": 5, "events": {"p": 3, "q": 0},
                   "correction": [{"local": 5, "global_ns": 10}, {"local": 9, "global_ns": 14}]},
                  {"first_local": 7, "events": {},
                   "correction": [{"local": 7, "global_ns": 20}, {"local": 9, "global_ns": 22}]}]},
      {"name": "b", "correction": [{"local": 0, "global_ns": 0}, {"local": 9, "global_ns": 9}]}]})");
  ASSERT_TRUE(summary.has_value()) << summary.error().ToString();
  EXPECT_EQ(summary->corrections.at("a")({6}).ns, 6);
  ASSERT_EQ(summary->later_epochs.size(), 1U);
  const std::vector<SummaryEpoch>& epochs = summary->later_epochs.at("a");
  ASSERT_EQ(epochs.size(), 2U);
  EXPECT_EQ(epochs[0].first.ticks, 5);
  EXPECT_EQ(epochs[0].correction({6}).ns, 11);
  EXPECT_EQ(epochs[0].events.at("p"), 3U);
  EXPECT_EQ(epochs[1].correction({8}).ns, 21);
  EXPECT_TRUE(epochs[1].events.empty());
}

TEST_F(SummaryFileTest, SaysWhatIsMissing) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "not a summary"},
      {"{", "not a summary"},
      {"[]", "no list \"clocks\""},
      {R"({"clocks": 5})", "no list \"clocks\""},
      {R"({"clocks": [5]})", "no \"name\""},
      {R"({"clocks": [{"name": "a"}]})", "clock a has no \"correction\""},
      {R"({"clocks": [{"name": "a", "correction": [{"local": 1}]}]})", "knot of clock a"},
      {R"({"clocks": [{"name": "a", "correction": [{"local": 1.5, "global_ns": 1}]}]})",
       "knot of clock a"},
      {R"({"clocks": [{"name": "a", "correction": [{"local": 1, "global_ns": 1}]}]})",
       "at least two knots"},
      {R"({"clocks": [{"name": "a", "epochs": [{"events": {}}], "correction":
           [{"local": 1, "global_ns": 1}, {"local": 2, "global_ns": 2}]}]})",
       "lacks \"first_local\""},
      {R"({"clocks": [{"name": "a", "epochs": [{"first_local": 1, "events": {}}], "correction":
           [{"local": 1, "global_ns": 1}, {"local": 2, "global_ns": 2}]}]})",
       "no \"correction\""},
      {R"({"clocks": [{"name": "a", "correction": [{"local": 1, "global_ns": 1},
                                                   {"local": 1, "global_ns": 2}]}]})",
       "increase strictly"},
      {R"({"clocks": [{"name": "a", "correction": [{"local": 1, "global_ns": 1},
                                                   {"local": 2, "global_ns": 2}]},
                      {"name": "a", "correction": [{"local": 1, "global_ns": 1},
                                                   {"local": 2, "global_ns": 2}]}]})",
       "two clocks are called a"},
  };
  for (const auto& [text, message] : cases) {
    const auto summary = Read(text);
    ASSERT_FALSE(summary.has_value()) << text;
    EXPECT_EQ(summary.error().code, ErrorCode::kMalformed);
    EXPECT_EQ(summary.error().file, path_);
    EXPECT_THAT(summary.error().message, HasSubstr(message));
  }
}

TEST_F(SummaryFileTest, SaysWhichFileIsMissing) {
  const auto summary = ReadSummaryFile(path_ + ".missing");
  ASSERT_FALSE(summary.has_value());
  EXPECT_EQ(summary.error().code, ErrorCode::kUnreadable);
}

}  // namespace
}  // namespace syncline
