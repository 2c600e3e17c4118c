#include "pipeline/concurrency/message_links.h"

#include <algorithm>

#include "base/try.h"
#include "match/mpi_record.h"

namespace syncline {

Result<MessageLinks> MessageLinks::Of(const LoadedTraces& loaded) {
  MessageLinks links;
  links.processes_.resize(loaded.traces.processes.size());
  for (const MessageStore* store : {&loaded.messages, &loaded.likely_messages}) {
    SYNCLINE_TRY(store->ForEach([&](const Message& m) {
      links.processes_[m.send.process.index()].sends.push_back(m.send.index);
      links.processes_[m.receive.process.index()].receives.emplace_back(
          m.receive.index, NumberOfSend(m.send.process, m.send.index));
    }));
  }
  for (Process& process : links.processes_) {
    std::sort(process.sends.begin(), process.sends.end());
    std::sort(process.receives.begin(), process.receives.end());
  }
  return links;
}

uint32_t MessageLinks::CopiesOf(ProcessId process, uint64_t index) const {
  const std::vector<uint64_t>& sends = processes_[process.index()].sends;
  const auto [first, last] = std::equal_range(sends.begin(), sends.end(), index);
  return static_cast<uint32_t>(last - first);
}

uint64_t MessageLinks::NumberOfSend(ProcessId process, uint64_t index) {
  return uint64_t{process.value} << kEventIndexBits | index;
}

std::optional<uint64_t> MessageLinks::NumberOfReceive(ProcessId process, uint64_t index,
                                                      uint32_t copy) const {
  const auto& receives = processes_[process.index()].receives;
  const auto first =
      std::lower_bound(receives.begin(), receives.end(), std::pair(index, uint64_t{0}));
  if (receives.end() - first <= copy || first[copy].first != index) return std::nullopt;
  return first[copy].second;
}

}  // namespace syncline
