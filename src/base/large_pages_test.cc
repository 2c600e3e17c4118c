#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

// The flags of the mapping that an address is in, as the system tells them.
std::string FlagsOf(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  bool is_inside = false;
  for (std::string line; std::getline(maps, line);) {
    uintptr_t first = 0, end = 0;
    char dash = 0;
    if (std::istringstream(line) >> std::hex >> first >> dash >> end && dash == '-') {
      const auto at = reinterpret_cast<uintptr_t>(address);
      is_inside = first <= at && at < end;
    } else if (is_inside && line.starts_with("VmFlags:")) {
      return line;
    }
  }
  return {};
}

TEST(LargePages, AreAskedForOfLargeBlocks) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) {
    GTEST_SKIP() << "the system has no large pages";
  }
  const std::vector<char> large(5'000'000);
  EXPECT_NE(FlagsOf(large.data()).find(" hg"), std::string::npos);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(large.data()) % (1 << 21), 0);
}

TEST(LargePages, AreAskedForOfTheHeapAsItGrows) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) {
    GTEST_SKIP() << "the system has no large pages";
  }
  const std::vector<std::vector<char>> blocks(200, std::vector<char>(100'000));
  for (const size_t i : {100, 150, 199}) {
    EXPECT_NE(FlagsOf(blocks[i].data()).find(" hg"), std::string::npos) << i;
  }
}

TEST(LargePages, BlocksThatTheHeapHasNoRoomForGoBackWhenTheyAreFreed) {
  for (int i = 0; i < 3; ++i) {
    auto block = std::make_unique<std::vector<char>>(50'000'000);
    const void* const address = block->data();
    EXPECT_NE(FlagsOf(address), "");
    block.reset();
    EXPECT_EQ(FlagsOf(address), "") << i;
  }
}

TEST(LargePages, MemoryThatIsNotThereIsABadAlloc) {
  volatile size_t size = std::numeric_limits<size_t>::max() / 2;
  EXPECT_THROW(::operator delete(::operator new(size)), std::bad_alloc);
  EXPECT_EQ(::operator new(size, std::nothrow), nullptr);
}

}  // namespace
}  // namespace syncline
