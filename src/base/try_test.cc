#include "base/try.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace syncline {
namespace {

Result<void> Check(int v) {
  if (v < 0) return Fail(ErrorCode::kMalformed, "negative", "some.txt", ByteOffset{7});
  return {};
}

Result<std::unique_ptr<int>> Make(int v) {
  SYNCLINE_TRY(Check(v));
  return std::make_unique<int>(v);
}

Result<std::pair<int, std::string>> Both(int a, int b) {
  SYNCLINE_ASSIGN(const std::unique_ptr<int> first, Make(a));
  SYNCLINE_ASSIGN(std::unique_ptr<int> second, Make(b));
  SYNCLINE_ASSIGN(second, Make(*second + 1));
  return std::pair(*first, std::to_string(*second));
}

TEST(Try, GoesOnWithTheValue) {
  const auto both = Both(3, 4);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->first, 3);
  EXPECT_EQ(both->second, "5");
}

TEST(Try, HandsTheWholeErrorOnWhateverTheValueWouldBe) {
  for (const auto& both : {Both(-1, 4), Both(3, -1), Both(3, -2)}) {
    ASSERT_FALSE(both);
    EXPECT_EQ(both.error().code, ErrorCode::kMalformed);
    EXPECT_EQ(both.error().ToString(), "some.txt: byte 7: negative");
  }
}

TEST(Try, TriesOnce) {
  int tries = 0;
  const auto count = [&]() -> Result<int> { return ++tries; };
  const auto twice = [&]() -> Result<int> {
    SYNCLINE_TRY(count());
    SYNCLINE_ASSIGN(const int second, count());
    return second;
  };
  EXPECT_EQ(*twice(), 2);
}

TEST(Try, StandsWithinAnother) {
  const auto sum = [](int a, int b) -> Result<int> {
    SYNCLINE_ASSIGN(const int first, [&]() -> Result<int> {
      SYNCLINE_TRY(Check(a));
      SYNCLINE_ASSIGN(const auto made, Make(a));
      return *made;
    }());
    SYNCLINE_TRY(Check(b));
    return first + b;
  };
  EXPECT_EQ(sum(1, 2), 3);
  EXPECT_FALSE(sum(-1, 2));
  EXPECT_FALSE(sum(1, -2));
}

TEST(Try, IsOneStatement) {
  const auto check = [](bool is_checked) -> Result<void> {
    if (is_checked)
      SYNCLINE_TRY(Check(-1));
    else
      SYNCLINE_TRY(Check(1));
    return {};
  };
  EXPECT_FALSE(check(true));
  EXPECT_TRUE(check(false));
}

}  // namespace
}  // namespace syncline
