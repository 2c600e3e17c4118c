#include "estimate/drift_bounded/envelope.h"

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/drift_bounded/drift_bounded_test_util.h"

namespace syncline::drift_bounded {
namespace {

constexpr RateLimits kQuarter{-RateLimits::kOne / 4, RateLimits::kOne / 4};
constexpr RateLimits kExact{};

using Places = std::vector<std::pair<int64_t, int64_t>>;  // s and r

std::vector<Constraint> Kept(std::span<const Constraint> messages, RateLimits sender,
                             RateLimits receiver) {
  Envelope envelope(sender, receiver);
  for (const Constraint& m : messages) envelope.Add(m);
  const auto kept = envelope.Kept();
  return {kept.begin(), kept.end()};
}
Places PlacesOf(std::span<const Constraint> messages) {
  Places places;
  for (const Constraint& m : messages) places.emplace_back(m.s, m.r);
  return places;
}
Places KeptOf(const Places& messages, RateLimits sender, RateLimits receiver) {
  std::vector<Constraint> constraints;
  for (const auto& [s, r] : messages) constraints.push_back({s, r, constraints.size()});
  return PlacesOf(Kept(constraints, sender, receiver));
}

// The walk s → s', m', r' → r says at least what m says.
bool NaiveImplies(const Constraint& by, const Constraint& m, RateLimits sender,
                  RateLimits receiver) {
  return ExactAdvance(m.s, by.s, sender) + ExactAdvance(by.r, m.r, receiver) >= 0;
}

struct Scene {
  RateLimits sender, receiver;
  std::vector<Constraint> messages;
};

Scene RandomScene(std::mt19937_64& random) {
  const auto limits = [&]() -> RateLimits {
    switch (random() % 4) {
      case 0: return kExact;
      case 1: return RateLimits::Within(static_cast<double>(random() % 1000));
      case 2: return {static_cast<int64_t>(random() % 1000) * 1'000'000, int64_t{1} << 31};
      default: return kQuarter;
    }
  };
  Scene scene{limits(), limits(), {}};
  const int64_t origin = random() % 2 == 0 ? 0 : int64_t{1} << 56;
  const uint64_t length = 100 + random() % 10'000;
  const uint64_t spread = 1 + random() % 1000;
  const size_t count = 1 + random() % 150;
  for (size_t i = 0; i < count; ++i) {
    const int64_t s = origin + static_cast<int64_t>(random() % length);
    scene.messages.push_back({s, s - 77 + static_cast<int64_t>(random() % spread), i});
  }
  if (random() % 2 == 0) {
    std::sort(scene.messages.begin(), scene.messages.end(),
              [](const auto& a, const auto& b) { return a.s < b.s; });
  }
  return scene;
}

// By rates of 3/4 to 5/4: 100 at the sender are worth 75 to 125.
TEST(Envelope, KeepsMessagesThatSayDifferentThings) {
  // From 0 to 100 it takes the sender 75 at least, from 200 back to 100 the receiver 125 at most.
  EXPECT_EQ(KeptOf({{0, 100}, {100, 200}}, kQuarter, kQuarter), (Places{{0, 100}, {100, 200}}));
}

TEST(Envelope, DropsWhatAnEarlierMessageImplies) {
  // Sent 10 later (12.5 at most) and received 200 later (150 at least) than the first.
  EXPECT_EQ(KeptOf({{0, 100}, {10, 300}}, kQuarter, kQuarter), (Places{{0, 100}}));
  // Sent 60 later is worth 75 at most, received 100 later 75 at least: just implied.
  EXPECT_EQ(KeptOf({{0, 100}, {60, 200}}, kQuarter, kQuarter), (Places{{0, 100}}));
  EXPECT_EQ(KeptOf({{0, 100}, {61, 200}}, kQuarter, kQuarter), (Places{{0, 100}, {61, 200}}));
}

TEST(Envelope, TakesOffAllThatALaterMessageImplies) {
  // The last: sent 150 and 50 later (112.5 and 37.5 at least), received 60 later and 40 earlier.
  EXPECT_EQ(KeptOf({{0, 100}, {100, 200}, {150, 160}}, kQuarter, kQuarter), (Places{{150, 160}}));
  // Received 60 later than the first, 75 at most: 100 · 3/4 is just enough, 99 · 3/4 is not.
  EXPECT_EQ(KeptOf({{0, 100}, {100, 160}}, kQuarter, kQuarter), (Places{{100, 160}}));
  EXPECT_EQ(KeptOf({{0, 100}, {99, 160}}, kQuarter, kQuarter), (Places{{0, 100}, {99, 160}}));
}

TEST(Envelope, OfExactClocksKeepsOneFastestMessage) {
  EXPECT_EQ(KeptOf({{0, 30}, {5, 25}, {9, 40}, {7, 28}}, kExact, kExact), (Places{{5, 25}}));
}

TEST(Envelope, OfOneExactClockKeepsWhatTheOtherLeaves) {
  // The receiver is exact: 100 later at the sender are 75 at least, so 75 later is implied.
  EXPECT_EQ(KeptOf({{0, 50}, {100, 50 + 75}}, kQuarter, kExact), (Places{{100, 125}}));
  EXPECT_EQ(KeptOf({{0, 50}, {100, 50 + 76}}, kQuarter, kExact), (Places{{0, 50}, {100, 126}}));
  EXPECT_EQ(KeptOf({{0, 50}, {100, 50 + 125}}, kQuarter, kExact), (Places{{0, 50}}));
}

TEST(Envelope, KeepsOneOfEqualMessages) {
  EXPECT_EQ(KeptOf({{3, 5}, {3, 5}, {3, 6}, {3, 5}}, kQuarter, kQuarter), (Places{{3, 5}}));
  EXPECT_EQ(KeptOf({{3, 5}, {3, 4}}, kExact, kExact), (Places{{3, 4}}));
}

TEST(Envelope, IsEmptyWithoutMessages) {
  Envelope envelope(kQuarter, kQuarter);
  EXPECT_TRUE(envelope.Kept().empty());
  envelope.Add(Envelope(kQuarter, kQuarter).Kept());
  EXPECT_TRUE(envelope.Kept().empty());
}

TEST(Envelope, KeepsExactlyWhatNoOtherMessageImplies) {
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const Scene scene = RandomScene(random);
    const auto implies = [&](const Constraint& by, const Constraint& m) {
      return NaiveImplies(by, m, scene.sender, scene.receiver);
    };
    const std::vector<Constraint> kept = Kept(scene.messages, scene.sender, scene.receiver);
    for (size_t i = 0; i + 1 < kept.size(); ++i) {
      EXPECT_LT(kept[i].s, kept[i + 1].s);
      EXPECT_LT(kept[i].r, kept[i + 1].r);
    }
    for (const Constraint& m : scene.messages) {
      EXPECT_TRUE(std::any_of(kept.begin(), kept.end(),
                              [&](const Constraint& by) { return implies(by, m); }))
          << m.s << " " << m.r;
    }
    // Of messages that only equals imply, one of each kind.
    size_t least = 0;
    for (size_t i = 0; i < scene.messages.size(); ++i) {
      const Constraint& m = scene.messages[i];
      bool is_needed = true;
      for (size_t k = 0; k < scene.messages.size() && is_needed; ++k) {
        const Constraint& other = scene.messages[k];
        if (k != i && implies(other, m) && (k < i || !implies(m, other))) is_needed = false;
      }
      least += is_needed ? 1 : 0;
    }
    EXPECT_EQ(kept.size(), least);
  }
}

TEST(Envelope, IsTheSameInAnyOrderOfMessages) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Scene scene = RandomScene(random);
    // Exact clocks on both sides leave open which of equals is kept.
    if (scene.sender == kExact) scene.sender = kQuarter;
    const Places expected = PlacesOf(Kept(scene.messages, scene.sender, scene.receiver));
    for (int i = 0; i < 3; ++i) {
      std::shuffle(scene.messages.begin(), scene.messages.end(), random);
      EXPECT_EQ(PlacesOf(Kept(scene.messages, scene.sender, scene.receiver)), expected);
    }
    std::sort(scene.messages.begin(), scene.messages.end(),
              [](const auto& a, const auto& b) { return a.s > b.s; });
    EXPECT_EQ(PlacesOf(Kept(scene.messages, scene.sender, scene.receiver)), expected);
  }
}

// Which of equal messages is kept is the same, too, whatever part each was in.
TEST(Envelope, OfPartsIsThatOfAllToTheMessage) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Scene scene = RandomScene(random);
    for (size_t i = 0; i < scene.messages.size(); ++i) {
      if (i > 0 && random() % 4 == 0) scene.messages[i] = scene.messages[random() % i];
      scene.messages[i].message = i;
    }
    const auto numbers = [](std::span<const Constraint> kept) {
      std::vector<uint64_t> of_kept;
      for (const Constraint& m : kept) of_kept.push_back(m.message);
      return of_kept;
    };
    const auto expected = numbers(Kept(scene.messages, scene.sender, scene.receiver));
    std::vector<Envelope> parts(1 + random() % 4, Envelope(scene.sender, scene.receiver));
    for (const Constraint& m : scene.messages) parts[random() % parts.size()].Add(m);
    for (size_t i = 1; i < parts.size(); ++i) parts[0].Add(parts[i].Kept());
    EXPECT_EQ(numbers(parts[0].Kept()), expected);
    // As they come out of one, into another.
    Envelope again(scene.sender, scene.receiver);
    for (const Constraint& m : parts[0].Kept()) again.Add(m);
    EXPECT_EQ(numbers(again.Kept()), expected);
  }
}

TEST(Envelope, OfManyMessagesInDisorderIsThatOfSortedOnes) {
  constexpr uint64_t kSeed = 5;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  const RateLimits rate = RateLimits::Within(200);
  std::vector<Constraint> messages;
  for (uint64_t i = 0; i < 20'000; ++i) {
    const auto s = static_cast<int64_t>(i * 1'000'000);
    messages.push_back({s, s + 50'000 + static_cast<int64_t>(random() % 100'000), i});
  }
  const Places expected = PlacesOf(Kept(messages, rate, rate));
  // A few late ones, then all in disorder.
  for (size_t i = 100; i < messages.size(); i += 97) std::swap(messages[i], messages[i - 60]);
  EXPECT_EQ(PlacesOf(Kept(messages, rate, rate)), expected);
  std::shuffle(messages.begin(), messages.end(), random);
  EXPECT_EQ(PlacesOf(Kept(messages, rate, rate)), expected);
}

TEST(Envelope, MergedIsThatOfTheUnion) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    Scene scene = RandomScene(random);
    if (scene.sender == kExact) scene.sender = kQuarter;
    std::vector<Envelope> parts(3, Envelope(scene.sender, scene.receiver));
    for (const Constraint& m : scene.messages) parts[random() % 3].Add(m);
    const Places expected = PlacesOf(Kept(scene.messages, scene.sender, scene.receiver));
    Envelope left = parts[0];
    left.Add(parts[1].Kept());
    left.Add(parts[2].Kept());
    EXPECT_EQ(PlacesOf(left.Kept()), expected);
    Envelope right = parts[2];
    right.Add(parts[1].Kept());
    Envelope all = parts[0];
    all.Add(right.Kept());
    EXPECT_EQ(PlacesOf(all.Kept()), expected);
  }
}

TEST(Envelope, NarrowerLimitsKeepASubset) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const Scene scene = RandomScene(random);
    const auto within = [&](RateLimits wide) -> RateLimits {
      const auto width = static_cast<uint64_t>(wide.fast - wide.slow) + 1;
      const int64_t a = wide.slow + static_cast<int64_t>(random() % width);
      const int64_t b = wide.slow + static_cast<int64_t>(random() % width);
      return {std::min(a, b), std::max(a, b)};
    };
    const RateLimits sender = within(scene.sender);
    const RateLimits receiver = within(scene.receiver);
    const std::vector<Constraint> wide = Kept(scene.messages, scene.sender, scene.receiver);
    const Places narrow = PlacesOf(Kept(scene.messages, sender, receiver));
    const Places all = PlacesOf(wide);
    EXPECT_TRUE(std::includes(all.begin(), all.end(), narrow.begin(), narrow.end()));
    EXPECT_EQ(PlacesOf(Kept(wide, sender, receiver)), narrow);
  }
}

TEST(Envelope, ChangesNoBound) {
  size_t dropped = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const RateLimits rate = random() % 3 == 0 ? kQuarter : RateLimits::Within(500);
    const std::vector<Track> tracks = {{.rate = {}, .is_reference = true}, {.rate = rate}};
    std::vector<TestMessage> messages;
    std::vector<NaiveGraph::Node> nodes;
    const bool is_dense = random() % 2 == 0;
    for (int i = 0; i < 60; ++i) {
      // The clock is true; so any delay is one that fits.
      const auto at = static_cast<int64_t>(random() % (is_dense ? 10'000 : 1'000'000'000));
      const int64_t delay = 20 + static_cast<int64_t>(random() % 2000);
      const uint32_t from = i % 2 == 0 ? 0 : 1;
      messages.push_back({from, 1 - from, at, at + delay, 20});
      nodes.emplace_back(from, at);
      nodes.emplace_back(1 - from, at + delay);
    }
    std::vector<TestMessage> kept;
    for (const uint32_t from : {0u, 1u}) {
      Envelope envelope(tracks[from].rate, tracks[1 - from].rate);
      for (const TestMessage& m : messages) {
        if (m.from == from) envelope.Add({m.s, m.r});
      }
      for (const Constraint& m : envelope.Kept()) kept.push_back({from, 1 - from, m.s, m.r, 20});
    }
    dropped += messages.size() - kept.size();
    for (const Side side : {Side::kEarliest, Side::kLatest}) {
      const auto all = NaiveGraph(tracks, messages, messages).Longest(side);
      const auto some = NaiveGraph(tracks, kept, kept, nodes).Longest(side);
      ASSERT_TRUE(all && some);
      for (const auto& [node, value] : *all) {
        ASSERT_TRUE(value.has_value());
        EXPECT_EQ(ToNs(value->worth - some->at(node)->worth), 0)
            << node.first << " " << node.second;
      }
    }
  }
  EXPECT_GT(dropped, 1000u);
}

}  // namespace
}  // namespace syncline::drift_bounded
