#include "base/unique_name.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(UniqueName, IsNumberedWhereItIsTaken) {
  std::set<std::string> taken = {"a-2"};
  EXPECT_EQ(UniqueName("a", taken), "a");
  EXPECT_EQ(UniqueName("a", taken), "a-3");
  EXPECT_EQ(UniqueName("a", taken, ".svg"), "a.svg");
  EXPECT_EQ(UniqueName("a", taken, ".svg"), "a-2.svg");
}

}  // namespace
}  // namespace syncline
