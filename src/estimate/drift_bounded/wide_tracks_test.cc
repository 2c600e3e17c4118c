#include "estimate/drift_bounded/wide_tracks.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace syncline::drift_bounded {
namespace {

// The reference, and a clock that was set by 50 ms after 10 s: one message to it before, none from
// it, so that only the order of its readings says when that was at the latest.
struct HardlyBoundTrack {
  static constexpr int64_t kMs = 1'000'000, kDelay = 100'000;
  static constexpr int64_t kSetBy = 50 * kMs;

  explicit HardlyBoundTrack(int64_t early_message_ns) : tracks(std::vector<uint32_t>{1, 1}) {
    tracks.Cut(ClockId(1), 0, 10'000 * kMs);
    before = {{early_message_ns - kDelay, early_message_ns - kSetBy, 0}};
    for (int64_t t = 60'000 * kMs; t < 61'000 * kMs; t += 10 * kMs) {
      there.push_back({t, t + kDelay, 1});
      back.push_back({t + 2 * kDelay, t + 3 * kDelay, 2});
    }
    const RateLimits rate = RateLimits::Within(200);
    const std::vector<Direction> directions = {
        {0, 1, 0, before}, {0, 2, 0, there}, {2, 0, 0, back}};
    graph = Graph({{.is_reference = true}, {rate}, {rate, false, 1}}, directions, 0);
    paths = FindBothPaths({&graph, 1}).front();
    for (const TrackTube& tube : TubesOf(graph, paths)) guess.tracks.push_back({tube});
  }
  std::vector<int64_t> Values() const {
    std::vector<int64_t> values;
    for (int32_t n = 0; n < static_cast<int32_t>(graph.nodes()); ++n) {
      values.push_back(guess.At(graph, graph.TrackOf(n), n).value);
    }
    return values;
  }
  int64_t Early() const { return Values()[graph.first(1)] - graph.readings()[graph.first(1)]; }

  TrackTable tracks;
  std::vector<Constraint> before, there, back;
  Graph graph;
  BothPaths paths;
  Guess guess;
};

TEST(WideTracks, GoOnAsTheClockDidAsFarAsMessagesAllow) {
  HardlyBoundTrack track(5'000 * HardlyBoundTrack::kMs);
  EXPECT_GT(track.Early(), 20'000 * HardlyBoundTrack::kMs);  // half of the silence
  GoOnInWideTracks(track.tracks, {false, true, false}, track.graph, track.paths, track.guess);
  // The message would arrive before it was sent had the clock not been set at least as far.
  EXPECT_EQ(track.Early(), HardlyBoundTrack::kSetBy - HardlyBoundTrack::kDelay);
}

TEST(WideTracks, SettledOnesKeepTheirGuesses) {
  HardlyBoundTrack track(5'000 * HardlyBoundTrack::kMs);
  const std::vector<int64_t> expected = track.Values();
  GoOnInWideTracks(track.tracks, {false, false, false}, track.graph, track.paths, track.guess);
  EXPECT_EQ(track.Values(), expected);
}

TEST(WideTracks, OthersKeepTheirGuesses) {
  HardlyBoundTrack track(5'000 * HardlyBoundTrack::kMs);
  std::vector<int64_t> expected = track.Values();
  GoOnInWideTracks(track.tracks, {false, true, false}, track.graph, track.paths, track.guess);
  expected[track.graph.first(1)] = track.Values()[track.graph.first(1)];
  EXPECT_EQ(track.Values(), expected);
}

}  // namespace
}  // namespace syncline::drift_bounded
