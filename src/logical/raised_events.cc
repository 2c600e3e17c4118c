#include "logical/raised_events.h"

#include <algorithm>
#include <bit>

namespace syncline {
namespace {

// Bounds below 0 say no more than 0, and must not overflow.
constexpr Int128 Bounded(Int128 allowed) { return allowed < 0 ? -1 : allowed; }

}  // namespace

RaisedEvents::RaisedEvents() : leaves_(4) {
  nodes_.resize(2 * leaves_);
  events_.reserve(leaves_ * kBlock);
}

uint64_t RaisedEvents::Append(const Event& event) {
  if (events_.size() == leaves_ * kBlock) MakeRoom();
  events_.push_back(event);
  return end() - 1;
}

void RaisedEvents::Limit(uint64_t number, int64_t latest) {
  const size_t index = number - base_;
  Event& event = events_[index];
  if (latest >= event.limit) return;
  event.limit = latest;
  Int128 allowed = Allowed(event);
  for (size_t node = leaves_ + index / kBlock; node > 0; node /= 2) {
    const RiseLine& line = nodes_[node].line;
    if (!line.IsZero()) allowed -= static_cast<Int128>(line.At(event.x));
    allowed = Bounded(allowed);
    // What holds for a node holds for those above it.
    if (nodes_[node].allowed <= allowed) return;
    nodes_[node].allowed = allowed;
  }
}

void RaisedEvents::Raise(uint64_t first_number, uint64_t last_number, const RiseLine& line) {
  const size_t last = last_number - base_;
  // Settled events do not change any more: with them the range needs fewer nodes.
  const size_t first = first_number - base_ <= settled_ ? 0 : first_number - base_;
  cached_block_ = kNoBlock;
  const size_t first_block = (first + kBlock - 1) / kBlock;
  const size_t last_block = last / kBlock;
  if (first_block > last_block) {
    AddToEvents(first, last, line);
  } else {
    if (first % kBlock != 0) AddToEvents(first, first_block * kBlock, line);
    if (last % kBlock != 0) AddToEvents(last_block * kBlock, last, line);
    size_t left = leaves_ + first_block;
    size_t right = leaves_ + last_block;
    for (; left < right; left /= 2, right /= 2) {
      if (left % 2 == 1) AddToNode(left++, line);
      if (right % 2 == 1) AddToNode(--right, line);
    }
  }
  if (first > 0 && first / kBlock != last_block) PullAbove(first / kBlock);
  PullAbove(last_block);
}

UInt128 RaisedEvents::Raised(uint64_t number) const {
  const size_t index = number - base_;
  const size_t block = index / kBlock;
  if (block != cached_block_) {
    cached_line_ = PathLine(block);
    cached_block_ = block;
  }
  return events_[index].raised + cached_line_.At(events_[index].x);
}

std::optional<RaisedEvents::Send> RaisedEvents::Steepest(uint64_t first, uint64_t last,
                                                         RisePoint to, RisePoint left) {
  const RiseEdge left_edge{to.rise - left.rise, to.x - left.x};
  RiseEdge best = left_edge;
  std::optional<Send> found;
  const auto edge_from = [&](uint64_t x, Int128 allowed) {
    return RiseEdge{to.rise - std::max<Int128>(allowed, 0), to.x - x};
  };
  const auto is_less_steep = [&](RiseEdge edge) {
    if (edge.rise <= 0) return true;
    const auto order = CompareSlopes(edge, best);
    return found ? order < 0 : order <= 0;
  };
  Search(
      1, {}, {first - base_, last - base_},
      [&](uint64_t x, Int128 allowed) { return is_less_steep(edge_from(x, allowed)); },
      [&](size_t index, Int128 allowed) {
        const uint64_t x = events_[index].x;
        const RiseEdge edge = edge_from(x, allowed);
        if (is_less_steep(edge)) return;
        best = edge;
        found = Send{base_ + index, {x, std::max<Int128>(allowed, 0)}};
      });
  return found;
}

Int128 RaisedEvents::LeastAllowed(uint64_t first, uint64_t last, Int128 most) {
  Int128 least = most;
  Search(
      1, {}, {first - base_, last - base_},
      [&](uint64_t, Int128 allowed) { return std::max<Int128>(allowed, 0) >= least; },
      [&](size_t, Int128 allowed) { least = std::min(least, std::max<Int128>(allowed, 0)); });
  return least;
}

void RaisedEvents::Settle(uint64_t number) {
  const size_t before = settled_ / kBlock;
  settled_ = number - base_;
  for (size_t block = before; block < settled_ / kBlock; ++block) {
    nodes_[leaves_ + block].allowed = kNoSend;
    PullAbove(block);
  }
}

// Walks the sends of a range from the newest to the oldest, except those below nodes for which
// skip(x of the last event, lower bound of what is allowed) holds.
template <typename Skip, typename Visit>
void RaisedEvents::Search(size_t node, RiseLine above, Range range, const Skip& skip,
                          const Visit& visit) {
  const Range span = Span(node);
  const size_t first = std::max(span.first, range.first);
  const size_t last = std::min(span.last, range.last);
  if (first >= last) return;
  const uint64_t x = events_[last - 1].x;
  if (skip(x, nodes_[node].allowed - static_cast<Int128>(above.At(x)))) return;
  above += nodes_[node].line;
  if (node < leaves_) {
    Search(2 * node + 1, above, range, skip, visit);
    Search(2 * node, above, range, skip, visit);
    Pull(node);
    return;
  }
  for (size_t index = last; index-- > first;) {
    const Event& event = events_[index];
    if (event.limit == kUnlimited) continue;
    visit(index, Allowed(event) - static_cast<Int128>(above.At(event.x)));
  }
  nodes_[node].allowed = LeafAllowed(node - leaves_);
}

// The indices of a node's events; they may lie beyond the newest.
RaisedEvents::Range RaisedEvents::Span(size_t node) const {
  const auto depth = std::bit_width(node) - 1;
  const size_t width = (leaves_ >> depth) * kBlock;
  const size_t first = (node - (size_t{1} << depth)) * width;
  return {first, first + width};
}

// The rise that a send allows, without the lines kept in the tree.
Int128 RaisedEvents::Allowed(const Event& event) const {
  return (static_cast<Int128>(event.limit) - event.clock) * kNanosecondRise -
         static_cast<Int128>(event.raised);
}

Int128 RaisedEvents::LeafAllowed(size_t block) const {
  const RiseLine& line = nodes_[leaves_ + block].line;
  const size_t last = std::min((block + 1) * kBlock, events_.size());
  Int128 least = kNoSend;
  for (size_t index = std::max(block * kBlock, settled_); index < last; ++index) {
    const Event& event = events_[index];
    if (event.limit == kUnlimited) continue;
    least = std::min(least, Allowed(event) - static_cast<Int128>(line.At(event.x)));
  }
  return Bounded(least);
}

RiseLine RaisedEvents::PathLine(size_t block) const {
  RiseLine line;
  for (size_t node = leaves_ + block; node > 0; node /= 2) line += nodes_[node].line;
  return line;
}

void RaisedEvents::AddToNode(size_t node, const RiseLine& line) {
  const size_t last = Span(node).last - 1;
  // The line need not be a rise before the events that are not settled.
  if (last < settled_) return;
  nodes_[node].line += line;
  nodes_[node].allowed =
      Bounded(nodes_[node].allowed - static_cast<Int128>(line.At(events_[last].x)));
}

// Requires: all of one block.
void RaisedEvents::AddToEvents(size_t first, size_t last, const RiseLine& line) {
  for (size_t index = std::max(first, settled_); index < last; ++index) {
    events_[index].raised += line.At(events_[index].x);
  }
  Int128& allowed = nodes_[leaves_ + first / kBlock].allowed;
  if (last > settled_) {
    allowed = Bounded(allowed - static_cast<Int128>(line.At(events_[last - 1].x)));
  }
}

void RaisedEvents::Pull(size_t node) {
  const RiseLine& line = nodes_[node].line;
  Int128 least = std::min(nodes_[2 * node].allowed, nodes_[2 * node + 1].allowed);
  const size_t last = Span(node).last - 1;
  if (!line.IsZero() && last >= settled_) least -= static_cast<Int128>(line.At(events_[last].x));
  nodes_[node].allowed = Bounded(least);
}

void RaisedEvents::PullAbove(size_t block) {
  for (size_t node = (leaves_ + block) / 2; node > 0; node /= 2) Pull(node);
}

void RaisedEvents::MakeRoom() {
  for (size_t index = std::max(dropped_, settled_); index < events_.size(); ++index) {
    events_[index].raised = Raised(base_ + index);
  }
  events_.erase(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(dropped_));
  base_ += dropped_;
  settled_ -= dropped_;
  dropped_ = 0;
  while (events_.size() * 2 > leaves_ * kBlock) leaves_ *= 2;
  events_.reserve(leaves_ * kBlock);
  BuildTree();
}

void RaisedEvents::BuildTree() {
  cached_block_ = kNoBlock;
  nodes_.assign(2 * leaves_, Node{});
  for (size_t block = 0; block * kBlock < events_.size(); ++block) {
    nodes_[leaves_ + block].allowed = LeafAllowed(block);
  }
  for (size_t node = leaves_ - 1; node > 0; --node) Pull(node);
}

}  // namespace syncline
