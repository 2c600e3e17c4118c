// What a region knows of every process, W and U and their counterparts in events, as a vector that
// shares with others whatever is equal.
//
// A tree of 16-ary nodes with the sums of their entries; nodes are shared between vectors and
// copied when one of them changes. Copying a vector is O(1), so messages carry one at no cost;
// merging two visits only where they differ, and takes the other's node over where that one knows
// at least as much. Processes that heard of the same others thus hold the same nodes: memory grows
// with what differs. Requires: vectors of one length are merged; what they say of one process is
// ordered by its events: of two entries, the one with more of them is nowhere less than the other,
// and entries with equally many are equal. A thread has the vectors for itself.
// Cost: Set O(log n), Merge O(differing nodes), Sum O(1); of many entries or changes, O(nodes that
// hold them). Sums saturate at the ends of int64.
// Tested by: past_vector_test.cc (against plain vectors).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace syncline {

struct PastEntry {
  int64_t computed_ns = 0;
  int64_t delayed_ns = 0;
  int64_t events = 0;
  int64_t height = 0;  // in events
  friend bool operator==(const PastEntry&, const PastEntry&) = default;
};

struct PlacedEntry {
  size_t place = 0;
  PastEntry entry;
};

class PastVector {
 public:
  explicit PastVector(size_t size = 1);

  PastEntry At(size_t i) const;
  void Set(size_t i, const PastEntry& entry);
  // Requires: places ascend.
  void SetEach(std::span<const PlacedEntry> entries);
  // Calls visit(place, before, now) for each entry that was another one in `before`, in order.
  template <typename Visit>
  void ForEachChange(const PastVector& before, const Visit& visit) const {
    VisitChanges(before.root_.get(), root_.get(), levels_, 0, visit);
  }
  // Each entry becomes the later one of both: the maximum of W and U, number by number.
  void Merge(const PastVector& other);
  PastEntry Sum() const;
  // Whether both are one and the same in memory; then they are equal.
  bool IsSharedWith(const PastVector& other) const { return root_ == other.root_; }

 private:
  static constexpr unsigned kBits = 4;
  static constexpr size_t kFanout = size_t{1} << kBits;
  struct Node {
    PastEntry sum;
  };
  using NodePointer = std::shared_ptr<Node>;  // empty: all zero
  struct Leaf : Node {
    std::array<PastEntry, kFanout> entries{};
  };
  struct Inner : Node {
    std::array<NodePointer, kFanout> children{};
  };

  static void SetEach(NodePointer& node, unsigned level, std::span<const PlacedEntry> entries);
  template <typename Visit>
  static void VisitChanges(const Node* before, const Node* now, unsigned level, size_t first,
                           const Visit& visit);
  static NodePointer Merged(const NodePointer& a, const NodePointer& b, unsigned level);
  static NodePointer MergedLeaf(const NodePointer& a, const NodePointer& b);
  static NodePointer MergedInner(const NodePointer& a, const NodePointer& b, unsigned level);
  static PastEntry SumOf(const Leaf& leaf);
  static PastEntry SumOf(const Inner& inner);

  NodePointer root_;
  unsigned levels_ = 0;  // of inner nodes
};

template <typename Visit>
void PastVector::VisitChanges(const Node* before, const Node* now, unsigned level, size_t first,
                              const Visit& visit) {
  if (before == now) return;
  for (size_t i = 0; i < kFanout; ++i) {
    if (level > 0) {
      const auto child = [i](const Node* node) {
        return node == nullptr ? nullptr : static_cast<const Inner*>(node)->children[i].get();
      };
      VisitChanges(child(before), child(now), level - 1, first + (i << (kBits * level)), visit);
      continue;
    }
    const auto entry = [i](const Node* node) {
      return node == nullptr ? PastEntry{} : static_cast<const Leaf*>(node)->entries[i];
    };
    if (entry(before) != entry(now)) visit(first + i, entry(before), entry(now));
  }
}

}  // namespace syncline
