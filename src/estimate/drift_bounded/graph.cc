#include "estimate/drift_bounded/graph.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace syncline::drift_bounded {
namespace {

// One end of a message, on the way to becoming a node.
struct End {
  int64_t reading = 0;
  int32_t* place = nullptr;  // where the node's number goes
};

// Which comes next cannot be foreseen, so it is computed instead of branched on.
void MergeTwo(std::span<const End> a, std::span<const End> b, End* out) {
  const End* x = a.data();
  const End* y = b.data();
  const End* const x_end = x + a.size();
  const End* const y_end = y + b.size();
  while (x != x_end && y != y_end) {
    const bool takes_y = y->reading < x->reading;
    *out++ = *(takes_y ? y : x);
    y += takes_y;
    x += !takes_y;
  }
  std::copy(y, y_end, std::copy(x, x_end, out));
}

// Sorts runs that are sorted by themselves, which starts[0] = 0, starts[1], … begin.
void MergeRuns(std::vector<End>& ends, std::vector<size_t> starts) {
  std::vector<End> merged(ends.size());
  starts.push_back(ends.size());
  while (starts.size() > 2) {
    std::vector<size_t> next;
    for (size_t i = 0; i + 1 < starts.size(); i += 2) {
      next.push_back(starts[i]);
      const size_t middle = starts[i + 1];
      const size_t end = i + 2 < starts.size() ? starts[i + 2] : middle;
      MergeTwo(std::span(ends).subspan(starts[i], middle - starts[i]),
               std::span(ends).subspan(middle, end - middle), merged.data() + starts[i]);
    }
    next.push_back(ends.size());
    starts = std::move(next);
    ends.swap(merged);
  }
}

}  // namespace

Graph::Graph(std::vector<Track> tracks, std::span<const Direction> directions, int shift)
    : tracks_(std::move(tracks)), shift_(shift) {
  AddNodes(directions);
  AddOrder();
  IndexLinks();
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

void Graph::AddNodes(std::span<const Direction> directions) {
  links_.reserve(directions.size() + tracks_.size());
  for (const Direction& d : directions) {
    links_.push_back({.from = d.from,
                      .to = d.to,
                      .least_delay = Units(d.least_delay_ns),
                      .links = std::vector<Link>(d.messages.size()),
                      .messages = d.messages});
  }
  std::vector<std::vector<std::pair<uint32_t, bool>>> touching(tracks_.size());
  for (uint32_t i = 0; i < links_.size(); ++i) {
    touching[links_[i].from].emplace_back(i, true);
    touching[links_[i].to].emplace_back(i, false);
  }
  std::vector<End> ends;
  for (size_t t = 0; t < touching.size(); ++t) {
    const auto& of_track = touching[t];
    first_.push_back(static_cast<int32_t>(reading_.size()));
    ends.clear();
    std::vector<size_t> starts;
    for (const auto& [i, is_sender] : of_track) {
      Links& direction = links_[i];
      starts.push_back(ends.size());
      for (size_t k = 0; k < direction.links.size(); ++k) {
        const Constraint& m = direction.messages[k];
        ends.push_back(is_sender ? End{Units(m.s), &direction.links[k].send}
                                 : End{Units(m.r), &direction.links[k].receive});
      }
    }
    MergeRuns(ends, std::move(starts));
    const size_t first = reading_.size();
    for (const End& end : ends) {
      if (reading_.size() == first || reading_.back() != end.reading) {
        reading_.push_back(end.reading);
      }
      *end.place = static_cast<int32_t>(reading_.size()) - 1;
    }
  }
  first_.push_back(static_cast<int32_t>(reading_.size()));
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
                      .is_order = true,
                      .links = {{first_[p + 1] - 1, first_[t]}},
                      .messages = {}});
  }
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
  for (const Links& links : links_) {
    narrowed.links_.push_back({links.from,
                               links.to,
                               links.least_delay,
                               links.is_order,
                               links.is_order ? links.links : NotImplied(links, by_track),
                               {}});
  }
  narrowed.TakeNodes(*this);
  narrowed.outgoing_ = outgoing_;
  narrowed.incoming_ = incoming_;
  return narrowed;
}

std::vector<Graph::Link> Graph::NotImplied(const Links& links,
                                           std::span<const RateLimits> rates) const {
  Envelope envelope(rates[links.from], rates[links.to]);
  for (size_t i = 0; i < links.links.size(); ++i) {
    const auto& [send, receive] = links.links[i];
    envelope.Add({reading_[send], reading_[receive], i});
  }
  std::vector<Link> kept;
  for (const Constraint& m : envelope.Kept()) kept.push_back(links.links[m.message]);
  return kept;
}

// Those of `from` at the ends of links, which lead to these numbers so far.
void Graph::TakeNodes(const Graph& from) {
  std::vector<int32_t> place(from.nodes(), -1);
  for (const Links& links : links_) {
    for (const Link& link : links.links) place[link.send] = place[link.receive] = 0;
  }
  for (size_t t = 0; t < tracks_.size(); ++t) {
    first_.push_back(static_cast<int32_t>(reading_.size()));
    for (int32_t n = from.first(t); n < from.first(t + 1); ++n) {
      if (place[n] < 0) continue;
      place[n] = static_cast<int32_t>(reading_.size());
      reading_.push_back(from.reading_[n]);
    }
  }
  first_.push_back(static_cast<int32_t>(reading_.size()));
  for (Links& links : links_) {
    for (Link& link : links.links) link = {place[link.send], place[link.receive]};
  }
}

}  // namespace syncline::drift_bounded
