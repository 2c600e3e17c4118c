#include "logical/ordered_output.h"

#include <algorithm>

namespace syncline {

ProcessId OrderedOutput::AddProcess() {
  const auto process = static_cast<uint32_t>(sources_.size());
  sources_.emplace_back().bound_ns = latest_ns_;
  if (sources_.size() > leaves_) Grow();
  Replay(process, KeyOf(process));
  return ProcessId(process);
}

void OrderedOutput::Push(ProcessId process, int64_t after_ns, uint64_t tag) {
  Source& source = sources_[process.index()];
  if (source.count == source.ring.size()) {
    std::rotate(source.ring.begin(),
                source.ring.begin() + static_cast<std::ptrdiff_t>(source.first), source.ring.end());
    source.first = 0;
    source.ring.resize(std::max<size_t>(4, 2 * source.count));
  }
  source.ring[(source.first + source.count) & (source.ring.size() - 1)] = {after_ns, tag};
  ++source.count;
  ++buffered_;
  // The key in the tree may be too small, but not too large.
  const Key key{after_ns, process.value};
  if (key < tree_[leaves_ + process.index()]) Replay(process.value, key);
}

void OrderedOutput::SetLowerBound(ProcessId process, int64_t bound_ns) {
  int64_t& bound = sources_[process.index()].bound_ns;
  bound = std::max(bound, bound_ns);
}

std::optional<OrderedOutput::Event> OrderedOutput::Pop() {
  if (sources_.empty()) return std::nullopt;
  while (true) {
    const Key winner = tree_[1];
    if (winner.process == kNobody) return std::nullopt;
    const Key key = KeyOf(winner.process);
    if (key != winner) {
      Replay(winner.process, key);
      continue;
    }
    Source& source = sources_[winner.process];
    if (source.count == 0) return std::nullopt;
    const Item item = source.ring[source.first];
    source.first = (source.first + 1) & (source.ring.size() - 1);
    --source.count;
    --buffered_;
    source.bound_ns = std::max(source.bound_ns, item.after_ns);
    if (item.after_ns < latest_ns_) ++late_;
    latest_ns_ = std::max(latest_ns_, item.after_ns);
    return Event{ProcessId(winner.process), item.after_ns, item.tag};
  }
}

std::optional<ProcessId> OrderedOutput::WaitingFor() const {
  if (sources_.empty() || tree_[1].process == kNobody) return std::nullopt;
  return ProcessId(tree_[1].process);
}

OrderedOutput::Key OrderedOutput::KeyOf(uint32_t process) const {
  const Source& source = sources_[process];
  if (source.count > 0) return {source.ring[source.first].after_ns, process};
  return source.ended ? Key{} : Key{source.bound_ns, process};
}

void OrderedOutput::Replay(uint32_t process, Key key) {
  size_t node = leaves_ + process;
  tree_[node] = key;
  while (node > 1) {
    node /= 2;
    tree_[node] = std::min(tree_[2 * node], tree_[2 * node + 1]);
  }
}

void OrderedOutput::Grow() {
  leaves_ = std::max<size_t>(1, 2 * leaves_);
  tree_.assign(2 * leaves_, Key{});
  for (uint32_t process = 0; process < sources_.size(); ++process) {
    tree_[leaves_ + process] = KeyOf(process);
  }
  for (size_t node = leaves_ - 1; node > 0; --node) {
    tree_[node] = std::min(tree_[2 * node], tree_[2 * node + 1]);
  }
}

}  // namespace syncline
