#include "logical/ordered_output.h"

#include <algorithm>

namespace syncline {

ProcessId OrderedOutput::AddProcess() {
  const auto process = static_cast<uint32_t>(sources_.size());
  sources_.emplace_back().bound_ns = latest_ns_;
  order_.Resize(sources_.size());
  SetKey(process, latest_ns_);
  return ProcessId(process);
}

void OrderedOutput::SetKey(uint32_t process, int64_t key_ns) {
  sources_[process].key_ns = key_ns;
  sources_[process].has_key = true;
  order_.Set(process, key_ns);
}

void OrderedOutput::Push(ProcessId process, int64_t after_ns, uint64_t tag) {
  Source& source = sources_[process.index()];
  source.waiting.push_back({after_ns, tag});
  ++buffered_;
  // The key may be too small, but not too large.
  if (!source.has_key || after_ns < source.key_ns) SetKey(process.value, after_ns);
}

void OrderedOutput::SetLowerBound(ProcessId process, int64_t bound_ns) {
  int64_t& bound = sources_[process.index()].bound_ns;
  bound = std::max(bound, bound_ns);
}

std::optional<OrderedOutput::Event> OrderedOutput::Pop() {
  while (true) {
    const uint32_t first = order_.first();
    if (first == ProcessOrder::kNobody) return std::nullopt;
    Source& source = sources_[first];
    if (source.waiting.empty() && source.ended) {
      source.has_key = false;
      order_.Clear(first);
      continue;
    }
    const int64_t key_ns =
        source.waiting.empty() ? source.bound_ns : source.waiting.front().after_ns;
    if (key_ns != source.key_ns) {
      SetKey(first, key_ns);
      continue;
    }
    if (source.waiting.empty()) return std::nullopt;
    const Item item = source.waiting.front();
    source.waiting.pop_front();
    --buffered_;
    source.bound_ns = std::max(source.bound_ns, item.after_ns);
    if (item.after_ns < latest_ns_) ++late_;
    latest_ns_ = std::max(latest_ns_, item.after_ns);
    return Event{ProcessId(first), item.after_ns, item.tag};
  }
}

std::optional<ProcessId> OrderedOutput::WaitingFor() const {
  if (order_.first() == ProcessOrder::kNobody) return std::nullopt;
  return ProcessId(order_.first());
}

}  // namespace syncline
