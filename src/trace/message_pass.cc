#include "trace/message_pass.h"

#include <algorithm>

#include "base/try.h"
#include "trace/match_sink.h"

namespace syncline {
namespace {

// Hands on messages between different clocks, by their numbers.
class Recorder {
 public:
  Recorder(const LoadedTraces& loaded, std::span<const uint64_t> left_out)
      : Recorder(loaded.traces, loaded.epochs, left_out) {}
  Recorder(const TraceSet& traces, const EpochTable& epochs, std::span<const uint64_t> left_out)
      : traces_(traces), epochs_(epochs), left_out_(left_out) {}

  void Offer(const Message& m, uint64_t id, const MessageVisitor& visit) const {
    const ClockId from = ClockOf(m.send);
    const ClockId to = ClockOf(m.receive);
    if (from == to) return;
    if (std::ranges::binary_search(left_out_, id)) return;
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

// The team does it with its messages, this process with the others.
Result<void> RunByTeam(const LoadedTraces& loaded, MessageWork& work) {
  Parcel task;
  work.PutTask(task);
  task.Put(loaded.epochs);
  SYNCLINE_ASSIGN(std::vector<ParcelReader> outcomes, loaded.messages.team()->Ask(task));
  for (ParcelReader& outcome : outcomes) work.TakeOutcome(outcome);
  const Recorder recorder(loaded, {});
  const MessageVisitor add = [&](const RecordedMessage& m) { work.Add(m); };
  uint64_t id = loaded.messages.messages();
  for (const MessageStore* store : {&loaded.collective_messages, &loaded.implied_messages}) {
    SYNCLINE_TRY(store->ForEach([&](const Message& m) { recorder.Offer(m, id++, add); }));
  }
  return {};
}

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
  const MessagePass::Every every =
      [&loaded, recorder = Recorder(loaded, left_out)](const MessageVisitor& visit) {
        return VisitNumbered(loaded,
                             [&](const Message& m, uint64_t id) { recorder.Offer(m, id, visit); });
      };
  const TeamMessages* team = loaded.messages.team();
  const bool is_all = left_out.empty() && loaded.messages.set_aside().empty();
  if (team == nullptr || !is_all) return every;
  return {every,
          {[&loaded](MessageWork& work) { return RunByTeam(loaded, work); },
           team->FirstReadingsNs(), team}};
}

void MessageShare::Add(std::span<const std::vector<Message>> series) {
  MatchSink(held_, held_.messages).OnSeries(series);
  const auto nominal = [&](const EventRef& e) { return ClockOf(e).NominalNs(e.time); };
  for (const std::vector<Message>& messages : series) {
    Series& added = series_.emplace_back();
    added.messages = messages.size();
    if (messages.empty()) continue;
    added.send_ns = nominal(messages.front().send);
    added.receive_ns = nominal(messages.front().receive);
  }
}

Result<void> MessageShare::Run(ParcelReader& task, MessageWork& work) const {
  const auto epochs = task.Take<EpochTable>();
  const Recorder recorder(held_.traces, epochs, {});
  const MessageVisitor add = [&](const RecordedMessage& m) { work.Add(m); };
  auto of = series_.begin();
  uint64_t place = 0;  // in it
  return held_.messages.ForEach([&](const Message& m) {
    while (place == of->messages) {
      ++of;
      place = 0;
    }
    recorder.Offer(m, of->first_number + place++, add);
  });
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
