#include "estimate/drift_bounded/stretches.h"

#include <algorithm>

namespace syncline::drift_bounded {
namespace {

constexpr int kStretches = 16;

// The part of [from, to) of what `reading` sorts.
template <typename T, typename Reading>
std::span<const T> PartOf(std::span<const T> sorted, int64_t from, int64_t to, Reading reading) {
  const auto first_at = [&](int64_t at) {
    return std::ranges::partition_point(sorted, [&](const T& v) { return reading(v) < at; });
  };
  return {first_at(from), first_at(to)};
}

}  // namespace

Stretches::Stretches(const Graph& graph, const BothPaths& paths, const TrackTable& tracks,
                     double share)
    : graph_(&graph), paths_(&paths), share_(std::min(share, 1.0)) {
  if (share_ < 1) Choose();
  if (share_ == 1 || PassesOverAClock(tracks)) {
    share_ = 1;
    stretches_ = {Stretch{}};
  }
}

void Stretches::Choose() {
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (size_t t = 0; t < graph_->tracks(); ++t) {
    if (!IsBounded(t)) continue;
    first = std::min(first, paths_->earliest.value[graph_->first(t)]);
    last = std::max(last, paths_->earliest.value[graph_->first(t + 1) - 1]);
  }
  const double period = (static_cast<double>(last) - static_cast<double>(first)) / kStretches;
  for (int k = 0; k < kStretches; ++k) {
    const int64_t from = first + static_cast<int64_t>(k * period);
    stretches_.push_back({from, from + static_cast<int64_t>(share_ * period)});
  }
}

bool Stretches::PassesOverAClock(const TrackTable& tracks) const {
  std::vector<double> missing(tracks.size(), 0);  // by clock, of which there are no more
  for (size_t t = 0; t < graph_->tracks(); ++t) {
    if (!IsBounded(t)) continue;
    double& of_clock = missing[tracks[t].clock.index()];
    of_clock += share_ / 2 * static_cast<double>(graph_->first(t + 1) - graph_->first(t));
    for (const Stretch& s : stretches_) of_clock -= static_cast<double>(Within(s, t).size());
  }
  return std::ranges::any_of(missing, [](double m) { return m > 0; });
}

int64_t Stretches::Ahead(size_t track) const {
  if (!IsBounded(track)) return 0;
  const int32_t first = graph_->first(track);
  return paths_->earliest.value[first] - graph_->readings()[first];
}

std::span<const int64_t> Stretches::Within(const Stretch& stretch, size_t track) const {
  const int64_t ahead = Ahead(track);
  return PartOf(graph_->OfTrack(track, graph_->readings()), stretch.from - ahead,
                stretch.to - ahead, [](int64_t z) { return z; });
}

std::span<const Constraint> Stretches::Within(const Stretch& stretch, size_t track,
                                              std::span<const Constraint> messages) const {
  const int64_t ahead = Ahead(track);
  return PartOf(messages, stretch.from - ahead, stretch.to - ahead,
                [&](const Constraint& m) { return graph_->Units(m.s); });
}

}  // namespace syncline::drift_bounded
