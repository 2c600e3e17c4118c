#include "logical/raised_events.h"

#include <algorithm>

namespace syncline {

RaisedEvents::RaisedEvents() : leaves_(4) {
  events_.resize(leaves_ * kBlock);
  BuildTree();
}

void RaisedEvents::Limit(uint64_t number, int64_t latest) {
  const size_t index = number - base_;
  Event& event = events_[index];
  if (latest >= event.limit) return;
  event.limit = latest;
  const size_t block = index / kBlock;
  const Int128 bound = Allowed(event, PathLine(block)) + counted_;
  // What holds for a node holds for those above it.
  for (size_t node = leaves_ + block; node > 0 && nodes_[node].bound > bound; node /= 2) {
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
      {first - base_, last - base_},
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
      {first - base_, last - base_},
      [&](uint64_t, Int128 allowed) { return std::max<Int128>(allowed, 0) >= least; },
      [&](size_t, Int128 allowed) { least = std::min(least, std::max<Int128>(allowed, 0)); });
  return least;
}

void RaisedEvents::LeaveBlock() {
  size_t node = leaves_ + front_block_;
  nodes_[node].bound = kNoSend;
  do {
    node /= 2;
  } while (node > 0 && Pull(node));
  ++front_block_;
  front_line_ = front_block_ < leaves_ ? PathLine(front_block_) : RiseLine{};
}

// Walks the sends of a range from the newest to the oldest, except those for which
// skip(x of a later event, lower bound of what is allowed) holds. Begins at the newest block: often
// nothing before it matters then.
template <typename Skip, typename Visit>
void RaisedEvents::Search(Range range, const Skip& skip, const Visit& visit) {
  if (range.first >= range.last) return;
  if (skip(events_[range.last - 1].x, nodes_[1].bound - counted_)) return;
  size_t block = (range.last - 1) / kBlock;
  RiseLine line = PathLine(block);
  SearchLeaf(block, line, range, visit);
  const size_t next = block * kBlock;
  if (next <= range.first || skip(events_[next - 1].x, 0)) return;
  // `block` becomes the first block of the node.
  size_t width = 1;
  for (size_t node = leaves_ + block; node > 1; node /= 2, width *= 2) {
    line -= nodes_[node].line;
    if (node % 2 == 1) {
      block -= width;
      SearchBelow({node - 1, block, width, line}, range, skip, visit);
    }
    Pull(node / 2);
  }
}

template <typename Skip, typename Visit>
void RaisedEvents::SearchBelow(const Subtree& tree, Range range, const Skip& skip,
                               const Visit& visit) {
  const size_t last = std::min((tree.first_block + tree.blocks) * kBlock, range.last);
  if (last <= range.first || tree.first_block * kBlock >= last) return;
  if (skip(events_[last - 1].x, nodes_[tree.node].bound - counted_)) return;
  RiseLine line = tree.above;
  line += nodes_[tree.node].line;
  if (tree.blocks == 1) return SearchLeaf(tree.first_block, line, range, visit);
  const size_t half = tree.blocks / 2;
  SearchBelow({2 * tree.node + 1, tree.first_block + half, half, line}, range, skip, visit);
  SearchBelow({2 * tree.node, tree.first_block, half, line}, range, skip, visit);
  Pull(tree.node);
}

// `line` is that of the block.
template <typename Visit>
void RaisedEvents::SearchLeaf(size_t block, const RiseLine& line, Range range, const Visit& visit) {
  const size_t first = std::max(block * kBlock, range.first);
  for (size_t index = std::min((block + 1) * kBlock, range.last); index-- > first;) {
    const Event& event = events_[index];
    if (event.limit != kUnlimited) visit(index, Allowed(event, line));
  }
  nodes_[leaves_ + block].bound = LeafBound(block, line);
}

// The rise that a send allows; `line` is that of its block.
Int128 RaisedEvents::Allowed(const Event& event, const RiseLine& line) const {
  return (static_cast<Int128>(event.limit) - event.clock) * kNanosecondRise -
         static_cast<Int128>(event.raised + line.At(event.x));
}

Int128 RaisedEvents::LeafBound(size_t block, const RiseLine& line) const {
  const size_t last = std::min((block + 1) * kBlock, size_);
  Int128 least = kNoSend;
  for (size_t index = std::max(block * kBlock, settled_); index < last; ++index) {
    const Event& event = events_[index];
    if (event.limit == kUnlimited) continue;
    least = std::min(least, Allowed(event, line) + counted_);
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

// Moves the events to the front, into more room where they need it.
void RaisedEvents::MakeRoom() {
  for (size_t index = settled_; index < size_; ++index) {
    events_[index].raised = Raised(base_ + index);
  }
  const auto begin = events_.begin();
  std::copy(begin + static_cast<std::ptrdiff_t>(dropped_), events_.end(), begin);
  base_ += dropped_;
  size_ -= dropped_;
  settled_ -= dropped_;
  dropped_ = 0;
  while (size_ * 2 > leaves_ * kBlock) leaves_ *= 2;
  events_.resize(leaves_ * kBlock);
  BuildTree();
}

void RaisedEvents::BuildTree() {
  nodes_.assign(2 * leaves_, Node{});
  for (size_t block = 0; block * kBlock < size_; ++block) {
    nodes_[leaves_ + block].bound = LeafBound(block, {});
  }
  for (size_t node = leaves_ - 1; node > 0; --node) Pull(node);
  front_block_ = settled_ / kBlock;
  front_line_ = RiseLine{};
}

}  // namespace syncline
