#include "cli/load/message_pass.h"

#include <algorithm>

namespace syncline {

Result<void> VisitNumbered(const LoadedTraces& loaded,
                           const std::function<void(const Message&, uint64_t id)>& visit) {
  uint64_t id = 0;
  for (const MessageStore* store : {&loaded.messages, &loaded.collective_messages}) {
    auto done = store->ForEach([&](const Message& message) { visit(message, id++); });
    if (!done) return done;
  }
  return {};
}

MessagePass PassOver(const LoadedTraces& loaded, std::span<const uint64_t> left_out) {
  return [&loaded, left_out](const MessageVisitor& visit) {
    const TraceSet& traces = loaded.traces;
    const auto clock_of = [&](const EventRef& e) {
      return traces.processes[e.process.index()].clock;
    };
    return VisitNumbered(loaded, [&](const Message& m, uint64_t id) {
      const ClockId from = clock_of(m.send);
      const ClockId to = clock_of(m.receive);
      if (from == to) return;
      if (std::binary_search(left_out.begin(), left_out.end(), id)) return;
      visit({from, to, m.send.time, m.receive.time,
             traces.clocks[from.index()].NominalNs(m.send.time),
             traces.clocks[to.index()].NominalNs(m.receive.time), id});
    });
  };
}

}  // namespace syncline
