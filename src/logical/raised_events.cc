#include "logical/raised_events.h"

#include <algorithm>
#include <bit>

namespace syncline {

RaisedEvents::RaisedEvents() : leaves_(4) {
  events_.reserve(leaves_ * kBlock);
  BuildTree();
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
  const size_t leaf = leaves_ + index / kBlock;
  const Int128 bound =
      Allowed(event) - static_cast<Int128>(PathLine(index / kBlock).At(event.x)) + counted_;
  // What holds for a node holds for those above it.
  for (size_t node = leaf; node > 0 && nodes_[node].bound > bound; node /= 2) {
    nodes_[node].bound = bound;
  }
}

void RaisedEvents::Raise(uint64_t first_number, uint64_t last_number, const RiseLine& line) {
  const size_t last = last_number - base_;
  // Settled events are not read any more: with them the range needs fewer nodes.
  const size_t first = first_number - base_ <= settled_ ? 0 : first_number - base_;
  const size_t first_block = (first + kBlock - 1) / kBlock;
  const size_t last_block = last / kBlock;
  if (first_block > last_block) return AddToEvents({first, last}, line);
  AddToEvents({first, first_block * kBlock}, line);
  AddToEvents({last_block * kBlock, last}, line);
  size_t left = leaves_ + first_block;
  size_t right = leaves_ + last_block;
  for (; left < right; left /= 2, right /= 2) {
    if (left % 2 == 1) nodes_[left++].line += line;
    if (right % 2 == 1) nodes_[--right].line += line;
  }
  if (first_block <= front_block_ && front_block_ < last_block) front_line_ += line;
}

UInt128 RaisedEvents::Raised(uint64_t number) const {
  const size_t index = number - base_;
  const size_t block = index / kBlock;
  const RiseLine line = block == front_block_ ? front_line_ : PathLine(block);
  return events_[index].raised + line.At(events_[index].x);
}

std::optional<RaisedEvents::Send> RaisedEvents::Steepest(uint64_t first, uint64_t last,
                                                         RisePoint to, RisePoint left) {
  RiseEdge best{to.rise - left.rise, to.x - left.x};
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
  settled_ = number - base_;
  if (settled_ / kBlock == front_block_) return;
  for (; front_block_ < settled_ / kBlock; ++front_block_) {
    size_t node = leaves_ + front_block_;
    nodes_[node].bound = kNoSend;
    do {
      node /= 2;
    } while (node > 0 && Pull(node));
  }
  front_line_ = front_block_ < leaves_ ? PathLine(front_block_) : RiseLine{};
}

// Walks the sends of a range from the newest to the oldest, except those below nodes for which
// skip(x of the last event, lower bound of what is allowed) holds.
template <typename Skip, typename Visit>
void RaisedEvents::Search(size_t node, RiseLine above, Range range, const Skip& skip,
                          const Visit& visit) {
  const Range span = Span(node);
  const size_t first = std::max(span.first, range.first);
  const size_t last = std::min(span.last, range.last);
  if (first >= last || skip(events_[last - 1].x, nodes_[node].bound - counted_)) return;
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
  nodes_[node].bound = LeafBound(node - leaves_);
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

Int128 RaisedEvents::LeafBound(size_t block) const {
  const RiseLine line = PathLine(block);
  const size_t last = std::min((block + 1) * kBlock, events_.size());
  Int128 least = kNoSend;
  for (size_t index = std::max(block * kBlock, settled_); index < last; ++index) {
    const Event& event = events_[index];
    if (event.limit == kUnlimited) continue;
    least = std::min(least, Allowed(event) - static_cast<Int128>(line.At(event.x)) + counted_);
  }
  return least;
}

RiseLine RaisedEvents::PathLine(size_t block) const {
  RiseLine line;
  for (size_t node = leaves_ + block; node > 0; node /= 2) line += nodes_[node].line;
  return line;
}

void RaisedEvents::AddToEvents(Range range, const RiseLine& line) {
  for (size_t index = std::max(range.first, settled_); index < range.last; ++index) {
    events_[index].raised += line.At(events_[index].x);
  }
}

// Returns whether the node's bound has changed.
bool RaisedEvents::Pull(size_t node) {
  const Int128 bound = std::min(nodes_[2 * node].bound, nodes_[2 * node + 1].bound);
  if (bound == nodes_[node].bound) return false;
  nodes_[node].bound = bound;
  return true;
}

void RaisedEvents::MakeRoom() {
  for (size_t index = settled_; index < events_.size(); ++index) {
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
  nodes_.assign(2 * leaves_, Node{});
  for (size_t block = 0; block * kBlock < events_.size(); ++block) {
    nodes_[leaves_ + block].bound = LeafBound(block);
  }
  for (size_t node = leaves_ - 1; node > 0; --node) Pull(node);
  front_block_ = settled_ / kBlock;
  front_line_ = RiseLine{};
}

}  // namespace syncline
