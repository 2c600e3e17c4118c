#include "base/bounded_queue.h"

#include <memory>
#include <thread>

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(BoundedQueue, HandsOverEverythingInOrder) {
  BoundedQueue<std::unique_ptr<int>> queue(3);
  std::thread producer([&] {
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(queue.Push(std::make_unique<int>(i)));
    queue.Close();
  });
  int expected = 0;
  while (auto element = queue.Pop()) EXPECT_EQ(**element, expected++);
  producer.join();
  EXPECT_EQ(expected, 1000);
}

TEST(BoundedQueue, LetsTheProducerGoWhenTheConsumerGivesUp) {
  BoundedQueue<int> queue(1);
  bool refused = false;
  std::thread producer([&] {
    while (queue.Push(1)) {
    }
    refused = true;
  });
  EXPECT_EQ(queue.Pop(), 1);
  queue.Abandon();
  producer.join();
  EXPECT_TRUE(refused);
}

}  // namespace
}  // namespace syncline
