#include "pipeline/convert/convert_events.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/strings/string_view.h>

#include "base/try.h"
#include "base/unique_name.h"
#include "measure/retiming.h"
#include "trace/formats.h"

namespace syncline {
namespace {

class TraceMaker {
  using Place = std::pair<LocalTime, ReadingRank>;

 public:
  TraceMaker(const LoadedTraces& loaded, const ConvertTimes& times, ExportedMessages messages)
      : loaded_(loaded),
        times_(times),
        messages_(messages),
        not_recorded_(messages == ExportedMessages::kReadBack ? loaded.implied_messages
                                                              : loaded.likely_messages),
        limits_(loaded.traces.processes.size()),
        odd_(loaded.traces.processes.size()),
        places_(loaded.traces.processes.size()) {
    trace_.is_corrected = times.is_corrected;
    trace_.reference = times.reference;
    trace_.bound_ns = times.bound_ns;
    trace_.bounds = times.bounds;
    trace_.traces = loaded.traces;
    trace_.processes.resize(loaded.traces.processes.size());
    order_.resize(loaded.traces.processes.size());
    std::set<std::string> processes;
    for (Process& process : trace_.traces.processes) {
      process.name = UniqueName(process.name.empty() ? "process" : process.name, processes);
    }
    std::set<std::string> groups;
    for (Group& group : trace_.traces.groups) {
      group.name = UniqueName(group.name.empty() ? "group" : group.name, groups);
    }
  }

  Result<ExportedTrace> Run() {
    for (const LoadedInput& input : loaded_.inputs) SYNCLINE_TRY(ReadInput(input));
    SYNCLINE_TRY(AddMessages());
    DropEmptyGroups();
    return std::move(trace_);
  }

 private:
  Result<void> ReadInput(const LoadedInput& input) {
    auto done = ForEachEvent(loaded_, input, EventDetail::kNames,
                             [this](const TraceEvent& named) { Add(named); });
    if (!done || FormatOf(input).in_program_order) return done;
    for (const ProcessId process : input.processes) PutInOrder(process);
    return {};
  }

  void Add(const TraceEvent& named) {
    const Event& event = named.event;
    if (!named.message.empty()) trace_.message_names.try_emplace(event.message, named.message);
    const size_t process = event.process.index();
    // Its messages are then the next event's.
    if (named.is_limit && messages_ == ExportedMessages::kListed) {
      limits_[process].push_back(named.index);
      return;
    }
    const EventRef place{event.process, named.index, event.time};
    const uint32_t epoch = times_.epochs.EpochOf(place);
    const Place in_order = loaded_.PlaceOf(place);
    if (in_order != Place{event.time, ReadingRank::kAsItComes}) {
      odd_[process].emplace_back(trace_.processes[process].events.size(), in_order);
    }
    const GlobalTime time =
        order_[process].Place(event.time, times_.time(place), epoch, in_order.second);
    const bool is_transfer = event.kind == EventKind::kSend || event.kind == EventKind::kReceive;
    trace_.processes[process].events.push_back({.local = event.time,
                                                .time = time,
                                                .message = event.message,
                                                .bytes = event.bytes,
                                                .name = NumberOf(named.name),
                                                .peer = is_transfer ? event.peer.value : kNoPeer,
                                                .group = NumberOf(GroupOf(named)),
                                                .epoch = static_cast<uint16_t>(epoch),
                                                .kind = event.kind,
                                                .is_root = event.is_root,
                                                .has_message = named.has_message,
                                                .moves_nothing = named.moves_nothing});
  }

  std::string_view GroupOf(const TraceEvent& named) const {
    const bool is_part = named.event.kind == EventKind::kCollectiveBegin ||
                         named.event.kind == EventKind::kCollectiveEnd;
    if (!is_part) return "";
    if (!named.group.empty()) return named.group;
    return trace_.traces.groups[named.event.group].name;
  }

  // Of events that do not come in program order, as packets. Links and places are found by their
  // numbers, events stand in order of time, of one epoch of the clock after the other. Of regions
  // that lie within one another the inner one, which comes later in the file, ends first.
  void PutInOrder(ProcessId process) {
    std::vector<ExportedEvent>& events = trace_.processes[process.index()].events;
    const auto& odd = odd_[process.index()];
    const auto place_of = [&](uint64_t number) {
      const auto at = std::ranges::lower_bound(odd, number, {}, &std::pair<uint64_t, Place>::first);
      return at != odd.end() && at->first == number
                 ? at->second
                 : Place{events[number].local, ReadingRank::kAsItComes};
    };
    std::vector<uint64_t> order(events.size());
    std::iota(order.begin(), order.end(), 0);
    // An end, unless it is that of the region that begins at the same time.
    const auto ends_earlier_region = [&](uint64_t number) {
      const bool is_end = events[number].kind == EventKind::kLeave ||
                          events[number].kind == EventKind::kCollectiveEnd;
      return is_end && (number == 0 || events[number - 1].local != events[number].local);
    };
    const auto is_earlier = [&](uint64_t a, uint64_t b) {
      if (events[a].epoch != events[b].epoch) return events[a].epoch < events[b].epoch;
      const Place place_a = place_of(a);
      const Place place_b = place_of(b);
      if (place_a != place_b) return place_a < place_b;
      const bool ends_a = ends_earlier_region(a);
      const bool ends_b = ends_earlier_region(b);
      if (ends_a != ends_b) return ends_a;
      return ends_a ? a > b : a < b;
    };
    if (std::ranges::is_sorted(order, is_earlier)) return;
    std::ranges::sort(order, is_earlier);
    std::vector<uint64_t>& places = places_[process.index()];
    places.resize(order.size());
    std::vector<ExportedEvent> sorted;
    sorted.reserve(order.size());
    for (const uint64_t number : order) {
      places[number] = sorted.size();
      sorted.push_back(events[number]);
    }
    events = std::move(sorted);
  }

  uint32_t NumberOf(std::string_view name) {
    if (name.empty()) return 0;
    const auto known = numbers_.find(absl::string_view(name.data(), name.size()));
    if (known != numbers_.end()) return known->second;
    const auto number = static_cast<uint32_t>(trace_.names.size());
    numbers_.emplace(std::string(name), number);
    trace_.names.emplace_back(name);
    return number;
  }

  // Among those that are not left out.
  uint64_t RankOf(const EventRef& event) const {
    const std::vector<uint64_t>& limits = limits_[event.process.index()];
    const auto before = std::lower_bound(limits.begin(), limits.end(), event.index);
    return event.index - static_cast<uint64_t>(before - limits.begin());
  }

  uint64_t PlaceOf(const EventRef& event) const {
    const std::vector<uint64_t>& places = places_[event.process.index()];
    return places.empty() ? RankOf(event) : places[RankOf(event)];
  }

  bool Exists(const EventRef& event) const {
    return RankOf(event) < trace_.processes[event.process.index()].events.size();
  }

  Result<void> AddMessages() {
    trace_.messages.reserve(loaded_.messages.messages() + not_recorded_.messages() +
                            loaded_.collective_messages.messages());
    bool has_changed = false;
    for (const MessageStore* store :
         {&loaded_.messages, &not_recorded_, &loaded_.collective_messages}) {
      const bool is_of_collective = store == &loaded_.collective_messages;
      SYNCLINE_TRY(store->ForEach([&](const Message& m) {
        has_changed = has_changed || !Exists(m.send) || !Exists(m.receive);
        if (!has_changed) AddMessage(m, is_of_collective);
      }));
    }
    if (has_changed) return Fail(ErrorCode::kUnreadable, "an input has changed while it was read");
    for (uint32_t i = 0; i < trace_.processes.size(); ++i) {
      std::vector<ExportedLink>& links = trace_.processes[i].links;
      std::ranges::sort(links, {}, [&](const ExportedLink& link) { return OrderOf(i, link); });
    }
    for (uint32_t i = 0; i < trace_.processes.size(); ++i) NameMessages(i, Part::kSend);
    for (uint32_t i = 0; i < trace_.processes.size(); ++i) NameMessages(i, Part::kReceive);
    return {};
  }

  std::tuple<uint64_t, bool, uint64_t> OrderOf(uint32_t process, const ExportedLink& link) const {
    return {link.event, !trace_.IsReceive(ProcessId(process), link), link.message};
  }

  void AddMessage(const Message& m, bool is_of_collective) {
    const ExportedMessage added{.from = m.send.process.value,
                                .to = m.receive.process.value,
                                .is_of_collective = is_of_collective,
                                .send = PlaceOf(m.send),
                                .receive = PlaceOf(m.receive)};
    const uint64_t number = trace_.messages.size();
    trace_.messages.push_back(added);
    trace_.processes[added.from].links.push_back({added.send, number});
    trace_.processes[added.to].links.push_back({added.receive, number});
  }

  // What the readers did not tell, messages do: kinds and peers, and a number where a message has
  // no name of its own. Sends first, whose numbers receives take.
  enum class Part { kSend, kReceive };
  void NameMessages(uint32_t process, Part part) {
    for (const ExportedLink& link : trace_.processes[process].links) {
      const ExportedMessage& message = trace_.messages[link.message];
      const bool is_receive = message.to == process;
      if (message.is_of_collective || is_receive != (part == Part::kReceive)) continue;
      ExportedEvent& event = trace_.processes[process].events[link.event];
      if (event.kind == EventKind::kMark) {
        event.kind = is_receive ? EventKind::kReceive : EventKind::kSend;
        event.peer = is_receive ? message.from : message.to;
      }
      if (!event.has_message) {
        event.message = is_receive ? trace_.SendOf(message).message : link.message;
        event.has_message = true;
      }
    }
  }

  // The text format has no groups without members.
  void DropEmptyGroups() {
    std::erase_if(trace_.traces.groups, [](const Group& group) { return group.members.empty(); });
  }

  const LoadedTraces& loaded_;
  const ConvertTimes& times_;
  ExportedMessages messages_;
  const MessageStore& not_recorded_;
  ExportedTrace trace_;
  std::vector<ProgramOrder> order_;            // by process
  std::vector<std::vector<uint64_t>> limits_;  // by process: events left out, ascending
  std::vector<std::vector<std::pair<uint64_t, Place>>> odd_;  // by process: not at their reading
  std::vector<std::vector<uint64_t>> places_;           // by process and packet; empty: its number
  absl::flat_hash_map<std::string, uint32_t> numbers_;  // of names
};

}  // namespace

Result<ExportedTrace> MakeExportedTrace(const LoadedTraces& loaded, const ConvertTimes& times,
                                        ExportedMessages messages) {
  return TraceMaker(loaded, times, messages).Run();
}

}  // namespace syncline
