#include "estimate/drift_bounded/best_guess.h"

#include <cstdint>
#include <utility>

#include "estimate/drift_bounded/levelling.h"
#include "estimate/drift_bounded/strings.h"
#include "estimate/drift_bounded/wide_tracks.h"

namespace syncline::drift_bounded {
namespace {

// Up to which share of a track's widths are usual.
constexpr double kUsual = 1.0 / 8;
// Of what a string may stray, what a correction may stray from it.
constexpr double kToleranceShare = 0.5;

}  // namespace

BestGuess FindBestGuess(const LadderInput& input, const std::vector<bool>& is_unsettled) {
  const TrackTable& tracks = input.tracks;
  const Graph& graph = input.graph;
  const BothPaths& paths = input.paths;
  Guess guess = ClimbDown(input);
  if (!is_unsettled.empty()) GoOnInWideTracks(tracks, is_unsettled, graph, paths, guess);
  auto [at, tolerance] = DrawStrings({tracks, graph, paths, guess, kUsual});
  std::vector<int64_t> room;
  MakeFeasible(graph, at, room);
  const LevelInput levels = {tracks, graph, paths, is_unsettled, guess.limit_ppm};
  Level(levels, at);
  Centre(levels, at);
  MakeFeasible(graph, at, room);
  for (int64_t& tau : tolerance) {
    tau = static_cast<int64_t>(kToleranceShare * static_cast<double>(tau));
  }
  return {std::move(at), std::move(tolerance), std::move(guess.limit_ppm),
          std::move(guess.is_line)};
}

}  // namespace syncline::drift_bounded
