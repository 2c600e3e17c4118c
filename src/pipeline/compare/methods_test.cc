#include "pipeline/compare/methods.h"

#include <fstream>
#include <iterator>
#include <set>

#include <gmock/gmock.h>

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> NamesOf(const std::string& list) {
  std::vector<std::string> names;
  const auto methods = ParseMethods(list);
  if (!methods) return {methods.error().message};
  for (const Method& method : *methods) names.emplace_back(method.name);
  return names;
}

TEST(Methods, HaveNamesOfTheirOwnThatBeginWithTheirGroup) {
  std::set<std::string_view> names;
  for (const Method& method : AllMethods()) {
    EXPECT_TRUE(names.insert(method.name).second) << method.name;
    EXPECT_EQ(method.GroupName(), GroupMethodName(method.group)) << method.name;
    EXPECT_EQ(method.LineName().empty(), !method.line.has_value()) << method.name;
  }
}

TEST(Methods, AreOnThePageThatSaysWhichToTake) {
  std::ifstream file(std::string(SYNCLINE_SOURCE_DIR) + "/docs/methods/which.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  for (const Method& method : AllMethods()) {
    EXPECT_THAT(page, HasSubstr("| `" + std::string(method.name) + "` |"));
  }
}

TEST(ParseMethods, TakesNamesGroupsAndLines) {
  EXPECT_THAT(NamesOf("joint"), ElementsAre("joint"));
  EXPECT_THAT(NamesOf("bisector"), ElementsAre("tree-error/bisector"));
  EXPECT_THAT(NamesOf("tree-hops"), ElementsAre("tree-hops/widest"));
  EXPECT_EQ(NamesOf("all").size(), AllMethods().size());
}

TEST(ParseMethods, KeepsTheOrderOfTheListAndNamesEachOnce) {
  EXPECT_THAT(NamesOf("joint,tree-error/widest,joint"), ElementsAre("tree-error/widest", "joint"));
}

TEST(ParseMethods, RefusesWhatThereIsNot) {
  for (const char* list : {"", "jiont", "joint,", "tree-error/", "joint/widest"}) {
    EXPECT_THAT(NamesOf(list), ElementsAre(HasSubstr("there is no method called"))) << list;
  }
}

}  // namespace
}  // namespace syncline
