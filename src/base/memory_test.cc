#include "base/memory.h"

#include <vector>

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr size_t kLarge = size_t{64} << 20;
// The system counts pages in batches of its processors.
constexpr size_t kCounted = kLarge / 10 * 9;

size_t TouchPages(size_t bytes) {
  std::vector<char> block(bytes, 1);
  return block.size() - static_cast<size_t>(block[bytes / 2]);
}

TEST(MemoryMeter, CountsWhatWasFreedAgainMeanwhile) {
  const MemoryMeter meter;
  ASSERT_EQ(TouchPages(kLarge), kLarge - 1);
  const auto peak = meter.PeakBytes();
  if (!peak) GTEST_SKIP() << "the system does not tell";
  EXPECT_GE(*peak, kCounted);
}

TEST(MemoryMeter, BeginsAnewWithEachMeter) {
  ASSERT_EQ(TouchPages(kLarge), kLarge - 1);
  const MemoryMeter meter;
  const auto peak = meter.PeakBytes();
  if (!peak) GTEST_SKIP() << "the system does not tell";
  EXPECT_LT(*peak, kLarge / 2);
}

}  // namespace
}  // namespace syncline
