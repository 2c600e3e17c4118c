#include "read/chrome/json_window.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr std::string_view kText = R"( {"a{\"":[1,{"b":"]}"}] , "c" : -12.5e3 , "d":true})";

// Whatever the size of the window.
TEST(JsonWindow, ValuesEndWhereTheyDo) {
  for (size_t bytes = 1; bytes < kText.size() + 2; ++bytes) {
    JsonWindow window(kText, bytes);
    EXPECT_EQ(window.Peek().value(), '{');
    window.Consume(1);
    std::string taken;
    for (const std::string_view value :
         {R"("a{\"")", R"([1,{"b":"]}"}])", R"("c")", "-12.5e3", R"("d")", "true"}) {
      ASSERT_TRUE(window.Peek().value());
      taken.clear();
      EXPECT_TRUE(window.SkipValue(&taken).value());
      EXPECT_EQ(taken, value) << "window of " << bytes;
      ASSERT_TRUE(window.Peek().value());
      if (value != "true") window.Consume(1);
    }
    EXPECT_EQ(window.Peek().value(), '}');
    EXPECT_EQ(window.offset(), kText.size() - 1);
    window.Consume(1);
    EXPECT_FALSE(window.Peek().value());
  }
}

TEST(JsonWindow, AHeldValueIsThereAsAWhole) {
  for (size_t bytes = 1; bytes < kText.size() + 2; ++bytes) {
    JsonWindow window(kText, bytes);
    ASSERT_EQ(window.Peek().value(), '{');
    EXPECT_EQ(window.HoldValue().value(), kText.size() - 1);
    EXPECT_EQ(std::string_view(window.data(), window.size()).substr(0, kText.size() - 1),
              kText.substr(1));
  }
}

TEST(JsonWindow, AValueThatDoesNotEndIsNone) {
  JsonWindow window(R"({"a":[1,2)", 3);
  EXPECT_FALSE(window.HoldValue().value());
  JsonWindow other(R"("abc)", 2);
  EXPECT_FALSE(other.SkipValue(nullptr).value());
}

TEST(JsonWindow, RefusesToHoldWhatIsTooLarge) {
  const std::string path = testing::TempDir() + "/json_window_too_large";
  std::ofstream(path) << "{";
  std::filesystem::resize_file(path, uint64_t{8} << 30);  // of nothing, which takes no room
  JsonWindow window(InputFile::Open(path).value());
  ASSERT_EQ(window.Peek().value(), '{');
  const auto held = window.HoldValue();
  std::filesystem::remove(path);
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error().message, "a value of more than 268435456 bytes");
}

TEST(JsonWindow, AllBytesAreHandedOnInOrder) {
  for (size_t bytes = 1; bytes < kText.size() + 2; ++bytes) {
    JsonWindow window(kText, bytes);
    std::string copy;
    window.SetOnBytes([&](uint64_t offset, std::string_view part) -> Result<void> {
      EXPECT_EQ(offset, copy.size());
      copy += part;
      return {};
    });
    while (window.Peek().value()) window.Consume(1);
    ASSERT_TRUE(window.Finish());
    EXPECT_EQ(copy, kText);
  }
}

}  // namespace
}  // namespace syncline
