#include "estimate/drift_bounded/graph.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "base/parallel.h"

namespace syncline::drift_bounded {
namespace {

// Work for the messages of a graph, in threads where there are many.
template <typename State, typename Work>
void ForEach(size_t count, size_t messages, const Work& work) {
  constexpr size_t kMany = 10'000;
  if (messages >= kMany) return ForEachParallelWith<State>(count, work);
  State own;
  for (size_t i = 0; i < count; ++i) work(i, own);
}

}  // namespace

// The ends of a track's messages, of which each direction's come sorted. What it holds serves one
// track after the other.
class Graph::Ends {
 public:
  // One end of a message, on the way to becoming a node.
  struct End {
    int64_t reading = 0;
    int32_t* place = nullptr;  // where the node's number goes
  };

  void BeginTrack(size_t ends) {
    ends_.clear();
    ends_.reserve(ends);
    starts_.clear();
  }
  void BeginRun() { starts_.push_back(ends_.size()); }
  void Add(End end) { ends_.push_back(end); }

  // By reading.
  template <typename Visit>
  void VisitSorted(const Visit& visit) {
    starts_.push_back(ends_.size());
    while (starts_.size() > 3) MergeRuns();
    const size_t second = starts_.size() > 2 ? starts_[1] : ends_.size();
    MergeTwo(ends_, second, visit);
  }

 private:
  // Each with the next.
  void MergeRuns() {
    merged_.resize(ends_.size());
    std::vector<size_t> next;
    for (size_t i = 0; i + 1 < starts_.size(); i += 2) {
      next.push_back(starts_[i]);
      const size_t second = starts_[i + 1];
      const size_t end = i + 2 < starts_.size() ? starts_[i + 2] : second;
      End* out = merged_.data() + starts_[i];
      MergeTwo(std::span(ends_).subspan(starts_[i], end - starts_[i]), second - starts_[i],
               [&](const End& e) { *out++ = e; });
    }
    next.push_back(ends_.size());
    starts_ = std::move(next);
    ends_.swap(merged_);
  }
  // Two runs of `ends`, the second one of which follows the first. Which comes next cannot be
  // foreseen, so it is computed instead of branched on.
  template <typename Visit>
  static void MergeTwo(std::span<const End> ends, size_t second, const Visit& visit) {
    size_t x = 0, y = second;
    while (x != second && y != ends.size()) {
      const auto takes_y = static_cast<size_t>(ends[y].reading < ends[x].reading);
      visit(ends[x + (y - x) * takes_y]);
      y += takes_y;
      x += 1 - takes_y;
    }
    for (; x != second; ++x) visit(ends[x]);
    for (; y != ends.size(); ++y) visit(ends[y]);
  }

  std::vector<End> ends_, merged_;
  std::vector<size_t> starts_;  // of runs
};

Graph::Graph(std::vector<Track> tracks, std::span<const Direction> directions, int shift)
    : tracks_(std::move(tracks)), shift_(shift) {
  for (const Direction& d : directions) {
    links_.push_back({.from = d.from,
                      .to = d.to,
                      .least_delay = Units(d.least_delay_ns),
                      .links = std::vector<Link>(d.messages.size()),
                      .messages = d.messages});
  }
  IndexLinks();
  AddNodes();
  AddOrder();
}

int Graph::ShiftFor(std::span<const Direction> directions) {
  uint64_t largest = 1;
  const auto include = [&](int64_t v) {
    largest = std::max(largest, v < 0 ? 0 - static_cast<uint64_t>(v) : static_cast<uint64_t>(v));
  };
  for (const Direction& d : directions) {
    include(d.least_delay_ns);
    if (d.messages.empty()) continue;
    for (const Constraint& m : {d.messages.front(), d.messages.back()}) {
      include(m.s);
      include(m.r);
    }
  }
  constexpr int kMostBits = 58;
  return std::clamp(kMostBits - static_cast<int>(std::bit_width(largest)), 0, 10);
}

void Graph::AddNodes() {
  std::vector<size_t> start = {0};  // by track, if all readings differed
  for (size_t t = 0; t < tracks_.size(); ++t) start.push_back(start.back() + EndsOf(t));
  reading_.resize(start.back());
  std::vector<size_t> nodes(tracks_.size());
  ForEach<Ends>(tracks_.size(), start.back(),
                [&](size_t t, Ends& ends) { nodes[t] = AddNodesOf(t, start[t], ends); });
  CloseGaps(start, nodes);
}

// How many messages begin or end there.
size_t Graph::EndsOf(size_t track) const {
  size_t ends = 0;
  for (const std::vector<uint32_t>* touching : {&outgoing_[track], &incoming_[track]}) {
    for (const uint32_t i : *touching) ends += links_[i].links.size();
  }
  return ends;
}

// From this place on; how many there are.
size_t Graph::AddNodesOf(size_t track, size_t place, Ends& ends) {
  ends.BeginTrack(EndsOf(track));
  for (const auto& [touching, reading, node] :
       {std::tuple(&outgoing_, &Constraint::s, &Link::send),
        std::tuple(&incoming_, &Constraint::r, &Link::receive)}) {
    for (const uint32_t i : (*touching)[track]) {
      Links& direction = links_[i];
      ends.BeginRun();
      for (size_t k = 0; k < direction.links.size(); ++k) {
        ends.Add({Units(direction.messages[k].*reading), &(direction.links[k].*node)});
      }
    }
  }
  int64_t* const first = reading_.data() + place;
  int64_t* next = first;
  ends.VisitSorted([&](const Ends::End& end) {
    if (next == first || next[-1] != end.reading) *next++ = end.reading;
    *end.place = static_cast<int32_t>(next - reading_.data()) - 1;
  });
  return static_cast<size_t>(next - first);
}

// Of track t, which has so many nodes, they stand from start[t] on.
void Graph::CloseGaps(std::span<const size_t> start, std::span<const size_t> nodes) {
  std::vector<int32_t> gap;  // in front of each track
  size_t end = 0;
  for (size_t t = 0; t < tracks_.size(); ++t) {
    first_.push_back(static_cast<int32_t>(end));
    gap.push_back(static_cast<int32_t>(start[t] - end));
    const auto from = reading_.begin() + static_cast<ptrdiff_t>(start[t]);
    if (gap[t] > 0) std::copy_n(from, nodes[t], reading_.begin() + static_cast<ptrdiff_t>(end));
    end += nodes[t];
  }
  first_.push_back(static_cast<int32_t>(end));
  if (end == reading_.size()) return;
  reading_.resize(end);
  if (reading_.capacity() / 2 > end) reading_.shrink_to_fit();
  for (Links& links : links_) {
    for (Link& link : links.links) {
      link.send -= gap[links.from];
      link.receive -= gap[links.to];
    }
  }
}

void Graph::AddOrder() {
  for (uint32_t t = 0; t < tracks_.size(); ++t) {
    if (first_[t] == first_[t + 1]) continue;
    // A track without messages passes the order on.
    int32_t p = tracks_[t].previous;
    while (p >= 0 && first_[p] == first_[p + 1]) p = tracks_[p].previous;
    if (p < 0) continue;
    links_.push_back({.from = static_cast<uint32_t>(p),
                      .to = t,
                      .least_delay = LeastBetween(static_cast<size_t>(p), t),
                      .is_order = true,
                      .links = {{first_[p + 1] - 1, first_[t]}},
                      .messages = {}});
    outgoing_[p].push_back(static_cast<uint32_t>(links_.size() - 1));
    incoming_[t].push_back(static_cast<uint32_t>(links_.size() - 1));
  }
}

// Of global time, from the last node of a track to the first one of the next.
int64_t Graph::LeastBetween(size_t track, size_t next) const {
  const auto is_in_range = [&](const std::optional<int64_t>& ns) {
    return ns && std::abs(*ns) <= (INT64_MAX >> 2 >> shift_);
  };
  int64_t least = 0;
  const Track &before = tracks_[track], &behind = tracks_[next];
  if (is_in_range(before.last_ns)) {
    least += LeastAdvance(reading_[first_[track + 1] - 1], Units(*before.last_ns), before.rate);
  }
  if (is_in_range(behind.first_ns)) {
    least += LeastAdvance(Units(*behind.first_ns), reading_[first_[next]], behind.rate);
  }
  return least;
}

void Graph::IndexLinks() {
  outgoing_.resize(tracks_.size());
  incoming_.resize(tracks_.size());
  for (uint32_t i = 0; i < links_.size(); ++i) {
    outgoing_[links_[i].from].push_back(i);
    incoming_[links_[i].to].push_back(i);
  }
}

uint32_t Graph::TrackOf(int32_t node) const {
  const auto after = std::upper_bound(first_.begin(), first_.end() - 1, node);
  // Of tracks without nodes, which begin at the same place, the last one holds it.
  return static_cast<uint32_t>(after - first_.begin()) - 1;
}

Graph Graph::Narrowed(std::span<const RateLimits> by_track) const {
  Graph narrowed;
  narrowed.shift_ = shift_;
  narrowed.tracks_ = tracks_;
  for (size_t t = 0; t < tracks_.size(); ++t) narrowed.tracks_[t].rate = by_track[t];
  narrowed.links_.resize(links_.size());
  struct Nothing {};
  ForEach<Nothing>(links_.size(), nodes(), [&](size_t i, Nothing&) {
    const Links& links = links_[i];
    Links& left = narrowed.links_[i];
    left = {links.from, links.to, links.least_delay, links.is_order, {}, {}};
    left.links = links.is_order ? links.links : NotImplied(links, by_track);
  });
  narrowed.TakeNodes(*this);
  narrowed.outgoing_ = outgoing_;
  narrowed.incoming_ = incoming_;
  return narrowed;
}

void Graph::ForgetLinks() {
  links_ = std::vector<Links>();
  outgoing_ = incoming_ = std::vector<std::vector<uint32_t>>(tracks());
}

std::vector<Graph::Link> Graph::NotImplied(const Links& links,
                                           std::span<const RateLimits> rates) const {
  Envelope envelope(rates[links.from], rates[links.to]);
  std::array<Constraint, 64> some;
  for (size_t i = 0; i < links.links.size();) {
    size_t count = 0;
    for (; count < some.size() && i < links.links.size(); ++i) {
      const auto& [send, receive] = links.links[i];
      some[count++] = {reading_[send], reading_[receive], i};
    }
    envelope.Add(std::span(some).first(count));
  }
  std::vector<Link> kept;
  kept.reserve(envelope.Kept().size());
  for (const Constraint& m : envelope.Kept()) kept.push_back(links.links[m.message]);
  return kept;
}

// Those of `from` at the ends of links, which lead to these numbers so far.
void Graph::TakeNodes(const Graph& from) {
  // A bit per node, and by word how many have one before.
  std::vector<uint64_t> is_taken(from.nodes() / 64 + 1);
  const auto take = [&](int32_t n) { is_taken[n / 64] |= uint64_t{1} << (n % 64); };
  for (const Links& links : links_) {
    for (const Link& link : links.links) {
      take(link.send);
      take(link.receive);
    }
  }
  std::vector<int32_t> before;
  before.reserve(is_taken.size());
  int32_t count = 0;
  for (const uint64_t word : is_taken) {
    before.push_back(count);
    count += std::popcount(word);
  }
  const auto place = [&](int32_t n) {
    const uint64_t earlier = is_taken[n / 64] & ((uint64_t{1} << (n % 64)) - 1);
    return before[n / 64] + std::popcount(earlier);
  };
  reading_.reserve(static_cast<size_t>(count));
  for (size_t w = 0; w < is_taken.size(); ++w) {
    for (uint64_t word = is_taken[w]; word != 0; word &= word - 1) {
      reading_.push_back(from.reading_[64 * w + static_cast<size_t>(std::countr_zero(word))]);
    }
  }
  for (const int32_t first : from.first_) first_.push_back(place(first));
  for (Links& links : links_) {
    for (Link& link : links.links) link = {place(link.send), place(link.receive)};
  }
}

}  // namespace syncline::drift_bounded
