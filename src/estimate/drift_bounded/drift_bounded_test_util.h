// Bounds by definition, without envelopes, and clocks of any course within their limits, for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/int128.h"
#include "estimate/drift_bounded/envelope.h"
#include "estimate/drift_bounded/graph.h"
#include "estimate/drift_bounded/paths.h"
#include "estimate/drift_bounded/rate_limits.h"
#include "estimate/point.h"

namespace syncline::drift_bounded {

// From track to track: c(r) − c(s) ≥ µ.
struct TestMessage {
  uint32_t from = 0;
  uint32_t to = 0;
  int64_t s = 0;
  int64_t r = 0;
  int64_t least_delay_ns = 0;
};

// Nanoseconds in multiples of 2^-40, in which limits of rates are exact.
inline Int128 Exactly(int64_t ns) { return static_cast<Int128>(ns) << RateLimits::kBits; }
inline double ToNs(Int128 exact) {
  return static_cast<double>(exact) / static_cast<double>(RateLimits::kOne);
}
// The weight of the edge from → to along a track.
inline Int128 ExactAdvance(int64_t from, int64_t to, RateLimits rate) {
  const Int128 span = static_cast<Int128>(to) - from;
  return span * (RateLimits::kOne + (span >= 0 ? rate.slow : rate.fast));
}

// Bellman and Ford over all messages, exactly.
class NaiveGraph {
 public:
  using Node = std::pair<uint32_t, int64_t>;  // track, reading in ns
  struct Value {
    Int128 worth = 0;  // L, or −U
    int hops = 0;      // messages on the path
  };
  using Values = std::map<Node, std::optional<Value>>;

  // Between tracks of a clock order holds from the last reading of `ordered` to the first one.
  NaiveGraph(std::vector<Track> tracks, std::span<const TestMessage> messages,
             std::span<const TestMessage> ordered, std::span<const Node> further = {})
      : tracks_(std::move(tracks)), messages_(messages.begin(), messages.end()) {
    for (const Node& node : further) number_[node] = 0;
    for (const TestMessage& m : messages_) number_[{m.from, m.s}] = number_[{m.to, m.r}] = 0;
    for (const TestMessage& m : ordered) {
      ordered_.insert({m.from, m.s});
      ordered_.insert({m.to, m.r});
    }
    for (auto& [node, number] : number_) {
      number = nodes_.size();
      nodes_.push_back(node);
    }
    AddEdges();
  }

  // None: there is a positive cycle, even if each message says less by `less`, in 2^-40 ns.
  std::optional<Values> Longest(Side side, Int128 less = 0) const {
    const bool is_forward = side == Side::kEarliest;
    std::vector<std::optional<Value>> value(nodes_.size());
    for (size_t n = 0; n < nodes_.size(); ++n) {
      const auto [track, reading] = nodes_[n];
      if (tracks_[track].is_reference) value[n] = {Exactly(is_forward ? reading : -reading)};
    }
    bool changes = true;
    for (size_t round = 0; changes; ++round) {
      if (round > nodes_.size()) return std::nullopt;
      changes = false;
      for (const Edge& e : edges_) {
        const size_t from = is_forward ? e.from : e.to;
        const size_t to = is_forward ? e.to : e.from;
        if (!value[from]) continue;
        const Int128 worth = value[from]->worth + e.weight - (e.is_message ? less : 0);
        if (value[to] && value[to]->worth >= worth) continue;
        // Readings of the reference are what they are.
        if (tracks_[nodes_[to].first].is_reference) return std::nullopt;
        value[to] = {worth, value[from]->hops + (e.is_message ? 1 : 0)};
        changes = true;
      }
    }
    Values values;
    for (size_t n = 0; n < nodes_.size(); ++n) values[nodes_[n]] = value[n];
    return values;
  }

 private:
  struct Edge {
    size_t from = 0;
    size_t to = 0;
    Int128 weight = 0;
    bool is_message = false;
  };

  void AddEdges() {
    for (const TestMessage& m : messages_) {
      edges_.push_back(
          {number_[{m.from, m.s}], number_[{m.to, m.r}], Exactly(m.least_delay_ns), true});
    }
    for (size_t n = 0; n + 1 < nodes_.size(); ++n) {
      const auto [track, reading] = nodes_[n];
      const auto [next, later] = nodes_[n + 1];
      if (track != next) continue;
      const RateLimits rate = tracks_[track].rate;
      edges_.push_back({n, n + 1, ExactAdvance(reading, later, rate), false});
      edges_.push_back({n + 1, n, ExactAdvance(later, reading, rate), false});
    }
    for (uint32_t t = 0; t < tracks_.size(); ++t) AddOrder(t);
  }
  // From the nearest track before that has nodes.
  void AddOrder(uint32_t t) {
    const auto first = ordered_.lower_bound({t, INT64_MIN});
    if (first == ordered_.end() || first->first != t) return;
    for (int32_t p = tracks_[t].previous; p >= 0; p = tracks_[p].previous) {
      const auto before = static_cast<uint32_t>(p);
      const auto end = ordered_.upper_bound({before, INT64_MAX});
      if (end == ordered_.begin() || std::prev(end)->first != before) continue;
      edges_.push_back({number_[*std::prev(end)], number_[*first], 0, true});
      return;
    }
  }

  std::vector<Track> tracks_;
  std::vector<TestMessage> messages_;
  std::set<Node> ordered_;
  std::map<Node, size_t> number_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
};

// The directions of these messages, after their envelopes; the graph refers to them.
class Directions {
 public:
  Directions(std::span<const Track> tracks, std::span<const TestMessage> messages) {
    std::map<std::pair<uint32_t, uint32_t>, size_t> place;
    std::vector<Envelope> envelopes;
    for (const TestMessage& m : messages) {
      const auto [at, is_new] = place.try_emplace({m.from, m.to}, place.size());
      if (is_new) {
        envelopes.emplace_back(tracks[m.from].rate, tracks[m.to].rate);
        directions_.push_back({m.from, m.to, m.least_delay_ns, {}});
      }
      envelopes[at->second].Add({m.s, m.r, static_cast<uint64_t>(&m - messages.data())});
    }
    for (Envelope& envelope : envelopes) {
      const auto kept = envelope.Kept();
      kept_.emplace_back(kept.begin(), kept.end());
    }
    for (size_t i = 0; i < directions_.size(); ++i) directions_[i].messages = kept_[i];
  }
  Directions(const Directions&) = delete;
  Directions& operator=(const Directions&) = delete;
  std::span<const Direction> all() const { return directions_; }
  std::vector<TestMessage> Kept() const {
    std::vector<TestMessage> kept;
    for (const Direction& d : directions_) {
      for (const Constraint& m : d.messages)
        kept.push_back({d.from, d.to, m.s, m.r, d.least_delay_ns});
    }
    return kept;
  }

 private:
  std::vector<std::vector<Constraint>> kept_;
  std::vector<Direction> directions_;
};

// The courses that clocks take within limits of their rates.
enum class Course { kStraight, kWalk, kAlternating, kSlew, kPlateaus };
inline constexpr Course kCourses[] = {Course::kStraight, Course::kWalk, Course::kAlternating,
                                      Course::kSlew, Course::kPlateaus};

// A clock whose true time is a line of exact pieces over its readings.
class TrueCourse {
 public:
  // Requires knots whose pieces keep to the limits, by x.
  explicit TrueCourse(std::vector<Point> knots) : knots_(std::move(knots)) {}

  // `pieces` pieces from this reading and true time on, for at least `length_ns`. Requires limits
  // about 0, so that whole nanoseconds can keep to them.
  static TrueCourse Random(Course course, Point start, int64_t length_ns, int pieces,
                           RateLimits rate, std::mt19937_64& random) {
    std::vector<Point> knots = {start};
    const int64_t own = OneOf(rate, random);
    // Twice, so that what begins before the end does not leave it.
    for (int i = 0; i < 2 * pieces; ++i) {
      const int64_t span = length_ns / pieces + 1 + static_cast<int64_t>(random() % 1000);
      const int64_t least = -DriftOver(span, -rate.slow);
      const int64_t most = DriftOver(span, rate.fast);
      const int64_t wished = DriftOver(span, RateOf(course, i, pieces, rate, own, random));
      const int64_t advance = span + std::clamp(wished, least, most);
      knots.push_back({knots.back().x + span, knots.back().y + advance});
    }
    return TrueCourse(std::move(knots));
  }

  // The true time of a reading, rounded.
  int64_t Floor(int64_t reading) const { return Piece(reading).Floor(reading); }
  int64_t Ceil(int64_t reading) const { return Piece(reading).Ceil(reading); }
  // The first reading at this true time or behind.
  int64_t ReadingAt(int64_t time) const {
    const auto behind = std::lower_bound(knots_.begin() + 1, knots_.end() - 1, time,
                                         [](const Point& knot, int64_t t) { return knot.y < t; });
    return Line{*(behind - 1), SlopeOf(*(behind - 1), *behind)}.Inverted().Ceil(time);
  }
  std::span<const Point> knots() const { return knots_; }

 private:
  static int64_t OneOf(RateLimits rate, std::mt19937_64& random) {
    const auto width = static_cast<uint64_t>(rate.fast - rate.slow) + 1;
    return rate.slow + static_cast<int64_t>(random() % width);
  }
  static int64_t RateOf(Course course, int i, int pieces, RateLimits rate, int64_t own,
                        std::mt19937_64& random) {
    switch (course) {
      case Course::kStraight: return own;
      case Course::kWalk:
        return random() % 3 == 0 ? OneOf(rate, random) : random() % 2 == 0 ? rate.slow : rate.fast;
      case Course::kAlternating: return i % 2 == 0 ? rate.slow : rate.fast;
      case Course::kSlew: return i > pieces / 3 && i < pieces / 2 ? rate.fast : own;
      case Course::kPlateaus: return i / 4 % 3 == 0 ? rate.fast : i / 4 % 3 == 1 ? rate.slow : own;
    }
    return own;
  }
  Line Piece(int64_t reading) const {
    const auto behind = std::upper_bound(knots_.begin() + 1, knots_.end() - 1, reading,
                                         [](int64_t z, const Point& knot) { return z < knot.x; });
    return {*(behind - 1), SlopeOf(*(behind - 1), *behind)};
  }

  std::vector<Point> knots_;
};

enum class Shape { kPair, kStar, kRing, kChain, kMesh };
inline constexpr Shape kShapes[] = {Shape::kPair, Shape::kStar, Shape::kRing, Shape::kChain,
                                    Shape::kMesh};

// Which clocks talk to each other.
inline std::vector<std::pair<uint32_t, uint32_t>> PairsOf(Shape shape, uint32_t clocks) {
  std::set<std::pair<uint32_t, uint32_t>> pairs;
  for (uint32_t b = 1; b < clocks; ++b) {
    if (shape == Shape::kMesh) {
      for (uint32_t a = 0; a < b; ++a) pairs.emplace(a, b);
    } else {
      pairs.emplace(shape == Shape::kStar ? 0 : b - 1, b);
    }
  }
  if (shape == Shape::kRing) pairs.emplace(0, clocks - 1);
  return {pairs.begin(), pairs.end()};
}

struct SimulationSetup {
  Shape shape = Shape::kPair;
  uint32_t clocks = 2;
  RateLimits rate;  // of all but the first clock, which keeps true time
  Course course = Course::kWalk;
  int64_t start_ns = 0;
  int64_t length_ns = 10'000'000'000;
  int messages = 20;  // per direction of a pair
  int64_t least_delay_ns = 0;
  int64_t more_ns = 100'000;  // of delays, on average
  // How often clocks but the first are set; each time a track begins.
  uint32_t steps = 0;
  bool has_one_way_pairs = false;  // half of them
};

// Clocks that keep to their limits, and messages between them. Truth is exact: a receive is read
// not before the message has arrived.
class Simulation {
 public:
  Simulation(const SimulationSetup& setup, uint64_t seed) : setup_(setup), random_(seed) {
    for (uint32_t c = 0; c < setup.clocks; ++c) AddClock(c);
    std::exponential_distribution<double> more(1 / static_cast<double>(setup.more_ns));
    for (const auto& [a, b] : PairsOf(setup.shape, setup.clocks)) {
      const uint64_t ways = setup.has_one_way_pairs ? random_() % 4 : 2;  // 0, 1: one of them
      for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
        if (ways == (from == a ? 1 : 0)) continue;
        for (int i = 0; i < setup.messages; ++i) {
          // Now and then one that takes no longer than it must, and one that takes long.
          double taken = more(random_);
          if (random_() % 4 == 0) taken = 0;
          if (random_() % 16 == 0) taken *= 50;
          const auto at = static_cast<int64_t>(random_() % static_cast<uint64_t>(setup.length_ns));
          Send(from, to, setup.start_ns + at, static_cast<int64_t>(taken));
        }
      }
    }
    std::shuffle(messages_.begin(), messages_.end(), random_);
  }

  const std::vector<Track>& tracks() const { return tracks_; }
  const std::vector<TestMessage>& messages() const { return messages_; }
  const TrueCourse& course(uint32_t track) const { return courses_[track]; }
  uint32_t clock_of(uint32_t track) const { return clock_of_[track]; }
  uint32_t first(uint32_t clock) const { return first_[clock]; }
  uint32_t end(uint32_t clock) const {
    return clock + 1 < first_.size() ? first_[clock + 1] : static_cast<uint32_t>(tracks_.size());
  }

 private:
  void AddClock(uint32_t c) {
    first_.push_back(static_cast<uint32_t>(tracks_.size()));
    const uint32_t count = c == 0 ? 1 : setup_.steps + 1;
    for (uint32_t k = 0; k < count; ++k) {
      const int64_t begin = setup_.start_ns + setup_.length_ns / count * k;
      const auto offset = static_cast<int64_t>(random_() % 1'000'000'000) - 500'000'000;
      const RateLimits rate = c == 0 ? RateLimits{} : setup_.rate;
      const int32_t previous = k == 0 ? -1 : static_cast<int32_t>(tracks_.size()) - 1;
      tracks_.push_back({rate, c == 0, previous});
      courses_.push_back(TrueCourse::Random(c == 0 ? Course::kStraight : setup_.course,
                                            {c == 0 ? begin : begin + offset, begin},
                                            setup_.length_ns, 30, rate, random_));
      clock_of_.push_back(c);
      begin_.push_back(begin);
    }
  }
  uint32_t TrackAt(uint32_t clock, int64_t time) const {
    uint32_t track = first_[clock];
    while (track + 1 < end(clock) && begin_[track + 1] <= time) ++track;
    return track;
  }
  void Send(uint32_t from, uint32_t to, int64_t time, int64_t more_ns) {
    const uint32_t sender = TrackAt(from, time);
    const int64_t s = courses_[sender].ReadingAt(time);
    const int64_t sent = courses_[sender].Ceil(s);
    const int64_t arrives = sent + setup_.least_delay_ns + more_ns;
    const uint32_t receiver = TrackAt(to, arrives);
    const int64_t r = courses_[receiver].ReadingAt(arrives);
    // What is read when its clock has just been set belongs to nothing.
    const bool is_clear =
        TrackAt(from, sent) == sender && TrackAt(to, courses_[receiver].Ceil(r)) == receiver;
    if (is_clear) messages_.push_back({sender, receiver, s, r, setup_.least_delay_ns});
  }

  SimulationSetup setup_;
  std::mt19937_64 random_;
  std::vector<Track> tracks_;
  std::vector<TrueCourse> courses_;  // by track
  std::vector<uint32_t> clock_of_;   // by track
  std::vector<int64_t> begin_;       // by track: true time
  std::vector<uint32_t> first_;      // by clock: track
  std::vector<TestMessage> messages_;
};

}  // namespace syncline::drift_bounded
