#include "write/chrome/chrome_rewriter.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "write/chrome/chrome_merger.h"

namespace syncline {
namespace {

using Json = nlohmann::json;

ByteSink Into(std::string& text) {
  return ByteSink([&text](std::string_view bytes) {
    text += bytes;
    return Result<void>();
  });
}

// Every time becomes one and a half of it, and 1 ns more.
GlobalTime Changed(uint32_t /*track*/, uint64_t /*index*/, LocalTime local) {
  return {local.ticks + local.ticks / 2 + 1};
}

ChromeTimes Times(int decimals) {
  return {.decimals = decimals, .retime = Changed, .plain = [](LocalTime t) {
            return std::optional(Changed(0, 0, t));
          }};
}

std::string Rewritten(std::string_view text, const ChromeTimes& times, size_t window) {
  std::string copy;
  const auto done =
      RewriteChrome(ChromeReader::FromMemory(text, {.window = window}), times, Into(copy));
  EXPECT_TRUE(done) << done.error().ToString();
  return copy;
}

constexpr std::string_view kText = R"({ "otherData" : {"ts": 1},
 "traceEvents": [ {"dur":2.000,"ph":"X" , "ts": 10.500 ,"args":{"ts":7}},
  {"ph":"M","ts":0,"name":"a"}, {"ph":"M","ts":"2.000","name":"b"},{"ph":"i"},
  {"ph":"i","ts":"4.000"} ],"z":[{"ts":1}]} )";

TEST(ChromeRewriter, OnlyTimesChangeAndKeepTheirDecimals) {
  for (const size_t window : {1, 10, 50, 10'000}) {
    // Begin 10.500 · 1.5 + 0.001, end 12.500 · 1.5 + 0.001.
    EXPECT_EQ(Rewritten(kText, Times(3), window), R"({ "otherData" : {"ts": 1},
 "traceEvents": [ {"dur":3.000,"ph":"X" , "ts": 15.751 ,"args":{"ts":7}},
  {"ph":"M","ts":0,"name":"a"}, {"ph":"M","ts":"3.001","name":"b"},{"ph":"i"},
  {"ph":"i","ts":"6.001"} ],"z":[{"ts":1}]} )");
  }
}

TEST(ChromeRewriter, WhatCannotBeReadStays) {
  constexpr std::string_view kBad =
      R"([{"ph":"X","ts":"x","dur":1},{"ph":"X","ts":null},{"ph":"X","ts":[1]},5,)"
      R"({"ph":"X","ts":2,"dur":"y"}])";
  EXPECT_EQ(Rewritten(kBad, Times(0), 1'000),
            R"([{"ph":"X","ts":"x","dur":1},{"ph":"X","ts":null},{"ph":"X","ts":[1]},5,)"
            R"({"ph":"X","ts":3,"dur":"y"}])");
}

TEST(ChromeRewriter, TimesCountFromTheBase) {
  ChromeTimes times = Times(3);
  times.base_ns = 1'000;
  EXPECT_EQ(Rewritten(R"([{"ph":"i","ts":0.2}])", times, 1'000),
            R"([{"ph":"i","ts":-0.699}])");  // 0.301 − 1.000
  times.retime = [](uint32_t, uint64_t, LocalTime) { return GlobalTime{INT64_MIN}; };
  EXPECT_EQ(Rewritten(R"([{"ph":"i","ts":0.2}])", times, 1'000),
            R"([{"ph":"i","ts":-9223372036854775.808}])");  // INT64_MIN − 1000
}

TEST(ChromeMerger, ProcessesAndIdsOfDifferentFilesStayApart) {
  constexpr std::string_view kFirst =
      R"({"traceEvents":[{"ph":"M","name":"process_name","pid":7,"args":{"name":"python"}},)"
      R"({"ph":"s","id":5,"pid":7,"tid":1,"ts":1,"name":"\"a\""}]})";
  constexpr std::string_view kSecond =
      R"([{"ph":"f","id":"5","pid":"7","tid":1,"ts":2,"name":"b"},{"ph":"i","ts":3}])";
  std::vector<ChromeMergeInput> inputs(2);
  inputs[0] = {.open = [&] { return Result<ChromeReader>(ChromeReader::FromMemory(kFirst)); },
               .name = "rank0",
               .process_names = {{"7", "python"}},
               .has_own_ids = true,
               .times = Times(3)};
  inputs[1] = {.open = [&] { return Result<ChromeReader>(ChromeReader::FromMemory(kSecond)); },
               .name = "rank1",
               .has_own_ids = true,
               .times = Times(3)};
  std::string merged;
  ASSERT_TRUE(MergeChrome(inputs, 1'000, 3, Into(merged)));
  const Json json = Json::parse(merged);
  EXPECT_EQ(json["baseTimeNanoseconds"], 1'000);
  const Json& events = json["traceEvents"];
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(events[0]["args"]["name"], "rank0: python 7");
  EXPECT_EQ(events[1]["pid"], 1);
  EXPECT_EQ(events[1]["id"], "0:5");
  EXPECT_EQ(events[1]["name"], "\"a\"");
  EXPECT_EQ(events[1]["ts"], 0.501);  // 1.501 − 1
  EXPECT_EQ(events[2]["args"]["name"], "rank1: process 7");
  EXPECT_EQ(events[3]["pid"], 2);
  EXPECT_EQ(events[3]["id"], "1:5");
  EXPECT_EQ(events[4]["ts"], 3.501);  // 4.501 − 1
}

}  // namespace
}  // namespace syncline
