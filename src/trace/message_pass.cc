#include "trace/message_pass.h"

#include <algorithm>

#include "base/try.h"

namespace syncline {
namespace {

// Hands on messages between different clocks, by their numbers.
class Recorder {
 public:
  Recorder(const LoadedTraces& loaded, std::span<const uint64_t> left_out)
      : traces_(loaded.traces), epochs_(loaded.epochs), left_out_(left_out) {}

  void Offer(const Message& m, uint64_t id, const MessageVisitor& visit) const {
    const ClockId from = ClockOf(m.send);
    const ClockId to = ClockOf(m.receive);
    if (from == to) return;
    if (std::binary_search(left_out_.begin(), left_out_.end(), id)) return;
    visit({from, to, m.send.time, m.receive.time,
           traces_.clocks[from.index()].NominalNs(m.send.time),
           traces_.clocks[to.index()].NominalNs(m.receive.time), id, epochs_.EpochOf(m.send),
           epochs_.EpochOf(m.receive)});
  }

 private:
  ClockId ClockOf(const EventRef& e) const { return traces_.processes[e.process.index()].clock; }

  const TraceSet& traces_;
  const EpochTable& epochs_;
  std::span<const uint64_t> left_out_;
};

}  // namespace

Result<void> VisitNumbered(const LoadedTraces& loaded,
                           const std::function<void(const Message&, uint64_t id)>& visit) {
  uint64_t id = 0;
  for (const MessageStore* store :
       {&loaded.messages, &loaded.collective_messages, &loaded.implied_messages}) {
    SYNCLINE_TRY(store->ForEach([&](const Message& message) { visit(message, id++); }));
  }
  return {};
}

MessagePass PassOver(const LoadedTraces& loaded, std::span<const uint64_t> left_out) {
  return [&loaded, recorder = Recorder(loaded, left_out)](const MessageVisitor& visit) {
    return VisitNumbered(loaded,
                         [&](const Message& m, uint64_t id) { recorder.Offer(m, id, visit); });
  };
}

MessagePass PassOverLikely(const LoadedTraces& loaded, uint64_t first_id,
                           const std::vector<bool>& is_left_out) {
  return [&loaded, first_id, &is_left_out,
          recorder = Recorder(loaded, {})](const MessageVisitor& visit) {
    uint64_t number = 0;
    return loaded.likely_messages.ForEach([&](const Message& m) {
      if (!is_left_out[number]) recorder.Offer(m, first_id + number, visit);
      ++number;
    });
  };
}

}  // namespace syncline
