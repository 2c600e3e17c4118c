// The rule files that are shipped as examples.

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "match/rules/rule.h"
#include "match/rules/rule_binding.h"

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

const std::string kFolder = SYNCLINE_SOURCE_DIR "/examples/rules/";

TEST(ReadyMadeRules, AreAllReadable) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".rules") continue;
    const auto rules = ReadRules(entry.path().string());
    ASSERT_TRUE(rules.has_value()) << rules.error().ToString();
    EXPECT_FALSE(rules->rules.empty()) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 4);
}

TEST(ReadyMadeRules, OfRos2CompareTheSourceTimeOfMessagesThatWereTaken) {
  const auto rules = ReadRules(kFolder + "ros2.rules");
  ASSERT_TRUE(rules.has_value());
  ASSERT_THAT(rules->rules, SizeIs(1));
  EXPECT_EQ(rules->rules.front().kind, RuleKind::kBroadcast);
  Diagnostics diagnostics;
  const RuleBinding take = BindRules(
      rules->rules, "ros2:rmw_take", [](std::string_view) { return true; }, diagnostics);
  ASSERT_THAT(take.fields(), ElementsAre("source_timestamp", "taken"));
  const auto counts_as_receive = [&](int64_t source_timestamp, int64_t taken) {
    const std::vector<RuleValue> values = {source_timestamp, taken};
    return RuleBinding::Fulfils(take.sides().front(), values);
  };
  EXPECT_TRUE(counts_as_receive(1'700'000'000'000'000'000, 1));
  EXPECT_FALSE(counts_as_receive(1'700'000'000'000'000'000, 0));
  EXPECT_FALSE(counts_as_receive(0, 1));
}

}  // namespace
}  // namespace syncline
