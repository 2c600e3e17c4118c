#include "base/child_process.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/parcel.h"

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

constexpr ChildLimits kImpatient = {.patience = std::chrono::milliseconds(300)};

ChildProcess Started(const std::function<void(ChildLink&)>& work, const ChildLimits& limits = {}) {
  auto child = ChildProcess::Start(limits, work);
  EXPECT_TRUE(child) << child.error().ToString();
  return std::move(*child);
}

std::string FailureOf(const std::function<void(ChildLink&)>& work, const ChildLimits& limits = {}) {
  ChildProcess child = Started(work, limits);
  const auto frame = child.Receive();
  return frame ? "no failure" : frame.error().message;
}

[[noreturn]] void Hang() {
  for (;;) ::pause();
}

TEST(ChildProcess, FramesGoBothWays) {
  ChildProcess child = Started([](ChildLink& link) {
    for (;;) link.Send(link.Receive() + "!");
  });
  for (const size_t size : {0, 1, 5000}) {
    child.Send(std::string(size, 'x'));
    EXPECT_EQ(child.Receive().value(), std::string(size, 'x') + '!');
  }
}

TEST(ChildProcess, LargeFramesAreWhole) {
  const std::string large(10'000'000, 'y');
  ChildProcess child = Started([&](ChildLink& link) {
    for (const char* end : {"1", "2", "3"}) link.Send(large + end);
  });
  for (const char* end : {"1", "2", "3"}) EXPECT_EQ(child.Receive().value(), large + end);
  EXPECT_EQ(child.Receive().error().message, "it ended early");
}

TEST(ChildProcess, PartsAreOneFrame) {
  const std::string large(3'000'000, 'y');  // more than a socket holds
  ChildProcess child = Started([&](ChildLink& link) {
    for (const std::vector<std::string_view>& parts :
         {std::vector<std::string_view>{}, {"a"}, {"", "b", "", "c"}, {"d", large, "e"}}) {
      link.SendJoined(parts);
    }
    link.Send("end");
  });
  // An empty one only says that the work goes on.
  EXPECT_EQ(child.Receive().value(), "a");
  EXPECT_EQ(child.Receive().value(), "bc");
  EXPECT_EQ(child.Receive().value(), "d" + large + "e");
  EXPECT_EQ(child.Receive().value(), "end");
}

TEST(ChildProcess, SignalsAreNamed) {
  EXPECT_EQ(FailureOf([](ChildLink&) { std::raise(SIGKILL); }), "signal 9, Killed");
#ifndef SYNCLINE_SANITIZED
  EXPECT_EQ(FailureOf([](ChildLink&) { std::abort(); }), "signal 6, Aborted");
  EXPECT_EQ(FailureOf([](ChildLink&) { std::raise(SIGBUS); }), "signal 7, Bus error");
#endif
}

TEST(ChildProcess, WhatWasSentBeforeTheEndIsReceived) {
  ChildProcess child = Started([](ChildLink& link) {
    link.Send("last words");
    std::raise(SIGKILL);
  });
  EXPECT_EQ(child.Receive().value(), "last words");
  EXPECT_EQ(child.Receive().error().message, "signal 9, Killed");
  EXPECT_EQ(child.Receive().error().message, "it ended early");
}

TEST(ChildProcess, EarlyEndsAreErrors) {
  EXPECT_EQ(FailureOf([](ChildLink&) {}), "it ended early");
  EXPECT_EQ(FailureOf([](ChildLink&) { throw 1; }), "it ended early");
}

TEST(ChildProcess, HangingChildrenAreEnded) {
  EXPECT_EQ(FailureOf([](ChildLink&) { Hang(); }, kImpatient), "no progress for 0.3 s");
}

TEST(ChildProcess, BeatsAreProgress) {
  ChildProcess child = Started(
      [](ChildLink& link) {
        for (int i = 0; i < 150; ++i) {
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
          link.Beat();
        }
        link.Send("done");
      },
      {.patience = std::chrono::seconds(1)});
  EXPECT_EQ(child.Receive().value(), "done");
}

#ifndef SYNCLINE_SANITIZED
TEST(ChildProcess, MemoryBeyondTheLimitEndsIt) {
  const ChildLimits limits = {.memory_bytes = uint64_t{32} << 20};
  const std::string by_new = FailureOf(
      [](ChildLink&) {
        std::vector<std::string> taken;
        for (;;) taken.emplace_back(100'000, 'z');
      },
      limits);
  EXPECT_EQ(by_new, "more than 32.0 MiB of memory");
  const std::string by_malloc = FailureOf(
      [](ChildLink&) {
        for (;;) {
          void* taken = std::malloc(100'000);
          if (taken == nullptr) std::abort();
          std::fill_n(static_cast<volatile char*>(taken), 100'000, 'z');
        }
      },
      limits);
  EXPECT_EQ(by_malloc, "more than 32.0 MiB of memory");
}
#endif

TEST(ChildProcess, EndsWithItsOwner) {
  pid_t pid = 0;
  {
    ChildProcess child = Started([](ChildLink& link) {
      Parcel parcel;
      parcel.Put(::getpid());
      link.Send(parcel.text());
      Hang();
    });
    pid = ParcelReader(child.Receive().value()).Take<pid_t>();
    EXPECT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

// While other threads allocate and start children of their own.
TEST(ChildProcess, CanBeStartedInSeveralThreads) {
#ifdef SYNCLINE_SANITIZED
  GTEST_SKIP() << "a child would wait for ever if another thread held a lock of the sanitizer's";
#endif
  std::vector<int> sums(4);
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < sums.size(); ++t) {
      threads.emplace_back([&sum = sums[t]] {
        for (int i = 0; i < 20; ++i) {
          const std::string text(1000 + i, 'x');
          ChildProcess child = Started([&](ChildLink& link) { link.Send(std::string(text)); });
          sum += static_cast<int>(child.Receive().value().size());
        }
      });
    }
  }
  EXPECT_THAT(sums, testing::Each(20 * 1000 + 190));
}

TEST(Shares, AreOfAboutEqualSizeAndInOrder) {
  const auto shares = SharesOf({1, 8, 2, 3});
  std::vector<size_t> all;
  for (const auto& share : shares) {
    EXPECT_TRUE(std::is_sorted(share.begin(), share.end()));
    EXPECT_FALSE(share.empty());
    all.insert(all.end(), share.begin(), share.end());
  }
  EXPECT_THAT(all, UnorderedElementsAre(0, 1, 2, 3));
  if (shares.size() == 2) {
    EXPECT_THAT(shares, UnorderedElementsAre(ElementsAre(1), ElementsAre(0, 2, 3)));
  }
  EXPECT_TRUE(SharesOf({}).empty());
}

}  // namespace
}  // namespace syncline
