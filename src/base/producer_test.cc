#include "base/producer.h"

#include <memory>
#include <new>

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(Producer, HandsOverEverythingInOrder) {
  Producer<std::unique_ptr<int>> producer(3);
  producer.Start([&] {
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(producer.Push(std::make_unique<int>(i)));
  });
  int expected = 0;
  while (auto element = producer.Take()) EXPECT_EQ(**element, expected++);
  EXPECT_EQ(expected, 1000);
}

TEST(Producer, EndsWhenNothingMoreIsWanted) {
  bool is_refused = false;
  Producer<int> producer(1);
  producer.Start([&] {
    EXPECT_TRUE(producer.IsWanted());
    while (producer.Push(1)) {
    }
    is_refused = !producer.IsWanted();
  });
  EXPECT_EQ(producer.Take(), 1);
  producer.Stop();
  EXPECT_TRUE(is_refused);
}

TEST(Producer, AnExceptionOfTheWorkIsTheTakers) {
  Producer<int> producer(3);
  producer.Start([&] {
    producer.Push(1);
    throw std::bad_alloc();
  });
  EXPECT_EQ(producer.Take(), 1);
  EXPECT_THROW(producer.Take(), std::bad_alloc);
  EXPECT_EQ(producer.Take(), std::nullopt);
}

}  // namespace
}  // namespace syncline
