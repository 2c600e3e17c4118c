#include "measure/concurrency/past_vector.h"

#include <algorithm>
#include <utility>

#include "syncline/time.h"

namespace syncline {
namespace {

void Add(PastEntry& sum, const PastEntry& e) {
  sum.computed_ns = SaturatedSum(sum.computed_ns, e.computed_ns);
  sum.delayed_ns = SaturatedSum(sum.delayed_ns, e.delayed_ns);
  sum.events = SaturatedSum(sum.events, e.events);
  sum.height = SaturatedSum(sum.height, e.height);
}

// The node for itself alone, to be changed.
template <typename Kind, typename Pointer>
Kind& Own(Pointer& node) {
  if (!node) {
    node = std::make_shared<Kind>();
  } else if (node.use_count() > 1) {
    node = std::make_shared<Kind>(static_cast<const Kind&>(*node));
  }
  return static_cast<Kind&>(*node);
}

}  // namespace

PastVector::PastVector(size_t size) {
  for (size_t reach = kFanout; reach < size; reach <<= kBits) ++levels_;
}

PastEntry PastVector::At(size_t i) const {
  const Node* node = root_.get();
  for (unsigned level = levels_; level > 0 && node != nullptr; --level) {
    const size_t child = (i >> (kBits * level)) % kFanout;
    node = static_cast<const Inner*>(node)->children[child].get();
  }
  return node == nullptr ? PastEntry{} : static_cast<const Leaf*>(node)->entries[i % kFanout];
}

void PastVector::Set(size_t i, const PastEntry& entry) {
  const PlacedEntry placed{i, entry};
  SetEach(root_, levels_, {&placed, 1});
}

void PastVector::SetEach(std::span<const PlacedEntry> entries) {
  if (!entries.empty()) SetEach(root_, levels_, entries);
}

void PastVector::SetEach(NodePointer& node, unsigned level, std::span<const PlacedEntry> entries) {
  if (level == 0) {
    Leaf& leaf = Own<Leaf>(node);
    for (const PlacedEntry& placed : entries) leaf.entries[placed.place % kFanout] = placed.entry;
    leaf.sum = SumOf(leaf);
    return;
  }
  Inner& inner = Own<Inner>(node);
  while (!entries.empty()) {
    const size_t child = entries.front().place >> (kBits * level);
    const auto others = std::ranges::find_if(entries, [&](const PlacedEntry& placed) {
      return placed.place >> (kBits * level) != child;
    });
    const auto count = static_cast<size_t>(others - entries.begin());
    SetEach(inner.children[child % kFanout], level - 1, entries.first(count));
    entries = entries.subspan(count);
  }
  inner.sum = SumOf(inner);
}

void PastVector::Merge(const PastVector& other) { root_ = Merged(root_, other.root_, levels_); }

PastEntry PastVector::Sum() const { return root_ ? root_->sum : PastEntry{}; }

PastVector::NodePointer PastVector::Merged(const NodePointer& a, const NodePointer& b,
                                           unsigned level) {
  if (a == b || !b) return a;
  if (!a) return b;
  return level == 0 ? MergedLeaf(a, b) : MergedInner(a, b, level);
}

PastVector::NodePointer PastVector::MergedLeaf(const NodePointer& a, const NodePointer& b) {
  const auto& left = static_cast<const Leaf&>(*a);
  const auto& right = static_cast<const Leaf&>(*b);
  bool left_knows_more = false;
  bool right_knows_more = false;
  for (size_t i = 0; i < kFanout; ++i) {
    left_knows_more |= left.entries[i].events > right.entries[i].events;
    right_knows_more |= right.entries[i].events > left.entries[i].events;
  }
  if (!right_knows_more) return a;
  if (!left_knows_more) return b;
  auto merged = std::make_shared<Leaf>(left);
  for (size_t i = 0; i < kFanout; ++i) {
    if (right.entries[i].events > left.entries[i].events) merged->entries[i] = right.entries[i];
  }
  merged->sum = SumOf(*merged);
  return merged;
}

PastVector::NodePointer PastVector::MergedInner(const NodePointer& a, const NodePointer& b,
                                                unsigned level) {
  const auto& left = static_cast<const Inner&>(*a);
  const auto& right = static_cast<const Inner&>(*b);
  Inner merged;
  bool is_left = true;
  bool is_right = true;
  for (size_t i = 0; i < kFanout; ++i) {
    merged.children[i] = Merged(left.children[i], right.children[i], level - 1);
    is_left &= merged.children[i] == left.children[i];
    is_right &= merged.children[i] == right.children[i];
  }
  if (is_left) return a;
  if (is_right) return b;
  merged.sum = SumOf(merged);
  return std::make_shared<Inner>(std::move(merged));
}

PastEntry PastVector::SumOf(const Leaf& leaf) {
  PastEntry sum;
  for (const PastEntry& entry : leaf.entries) Add(sum, entry);
  return sum;
}

PastEntry PastVector::SumOf(const Inner& inner) {
  PastEntry sum;
  for (const NodePointer& child : inner.children) {
    if (child) Add(sum, child->sum);
  }
  return sum;
}

}  // namespace syncline
