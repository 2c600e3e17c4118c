// Reads texts, in their order, and matches messages by their names; several may share processes.
// Of an MPI run, each process reads some (text_elsewhere.h); one that goes on with a process of
// another text is then read again here, for where its readings go back.
//
// Tested by: text_stream_test.cc, text_elsewhere_test.cc, event_cursor_test.cc, the tests of the
// commands.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "syncline/event.h"
#include "syncline/message.h"
#include "syncline/result.h"

#include "base/stopwatch.h"
#include "base/try.h"
#include "match/collective_messages.h"
#include "match/named_matcher.h"
#include "read/text/text_reader.h"
#include "trace/formats.h"
#include "trace/kept_cursor.h"
#include "trace/load.h"
#include "trace/text_elsewhere.h"
#include "trace/text_stream.h"

namespace syncline {
namespace {

// The collectives of text inputs: what they imply goes to estimation, their groups to the traces. A
// group is known by its name in all inputs. Counted: "collective-without-group" (warning), begins
// and ends in a group that nothing declared; "ambiguous-collective" (warning) and
// "unmatched-collective" (info), instances. Cost and memory: as match/collective_messages.h.
class TextCollectives {
 public:
  // Both must outlive this object.
  TextCollectives(LoadedTraces& loaded, MessageSink& sink)
      : loaded_(loaded), messages_(loaded.traces.groups, kinds_, sink) {}

  void BeginInput() {
    adopted_ = 0;
    named_groups_.clear();
    named_kinds_.clear();
  }

  // Takes over the groups that the input has declared since the last call. Requires: all its
  // processes are known. Errors: kMalformed where another input gives a group other members.
  Result<void> AdoptGroups(const LoadedInput& input, const TraceSet& declared) {
    for (; adopted_ < declared.groups.size(); ++adopted_) {
      Group group = declared.groups[adopted_];
      for (ProcessId& member : group.members) member = input.processes[member.index()];
      std::vector<Group>& groups = loaded_.traces.groups;
      const auto [known, is_new] =
          group_of_.emplace(group.name, static_cast<uint32_t>(groups.size()));
      if (is_new) {
        groups.push_back(std::move(group));
      } else if (groups[known->second].members != group.members) {
        return Fail(ErrorCode::kMalformed,
                    fmt::format("group {} has other members in another input", group.name),
                    input.input.path);
      }
    }
    return {};
  }

  // A begin or end; its process is that of the traces; `names`: those of the input so far.
  void Add(Event event, uint64_t index, std::span<const std::string> names) {
    named_groups_.resize(names.size(), kUnknown);
    named_kinds_.resize(names.size(), kUnknown);
    uint32_t& group = named_groups_[event.group];
    if (group == kUnknown) {
      // The reader lets no group be declared after its first event.
      const auto known = group_of_.find(names[event.group]);
      if (known == group_of_.end()) {
        if (without_group_++ == 0) first_without_group_ = names[event.group];
        return;
      }
      group = known->second;
    }
    uint32_t& kind = named_kinds_[event.name];
    if (kind == kUnknown) {
      const auto next = static_cast<uint32_t>(kinds_.size());
      const auto [known, is_new] = kind_of_.emplace(names[event.name], next);
      if (is_new) kinds_.push_back(names[event.name]);
      kind = known->second;
    }
    event.group = group;
    event.name = kind;
    const bool is_end = event.kind == EventKind::kCollectiveEnd;
    const uint64_t received = is_end ? std::exchange(event.bytes, 0) : 0;
    messages_.Add(event, index, received);
  }

  void Finish() {
    const CollectiveCounts counts = messages_.Finish(loaded_.diagnostics);
    loaded_.diagnostics.Count("unmatched-collective", Severity::kInfo, counts.incomplete);
    loaded_.diagnostics.Count("collective-without-group", Severity::kWarning, without_group_,
                              first_without_group_);
  }

 private:
  static constexpr uint32_t kUnknown = UINT32_MAX;

  LoadedTraces& loaded_;
  std::vector<std::string> kinds_;  // in all inputs
  CollectiveMessages messages_;
  std::map<std::string, uint32_t> group_of_;
  std::map<std::string, uint32_t> kind_of_;
  // Of the present input: groups taken over, and by number of a name what it stands for.
  size_t adopted_ = 0;
  std::vector<uint32_t> named_groups_;
  std::vector<uint32_t> named_kinds_;
  uint64_t without_group_ = 0;
  std::string first_without_group_;
};

template <typename T>
void MoveToEnd(std::vector<T>& from, std::vector<T>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

class TextLoader {
 public:
  explicit TextLoader(const LoadRequest& request)
      : has_sources_(!request.asked.sources.empty()),
        loaded_(request.loaded),
        progress_(request.progress),
        matcher_(request.messages),
        collectives_(request.loaded, request.collective_messages) {}

  Result<void> Run(std::span<LoadedInput* const> inputs) {
    progress_.Begin("reading text", BytesOf(inputs));
    Stopwatch watch;
    if (FileTeam* team = FileTeamOfThisRun()) Deal(*team, inputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      SYNCLINE_TRY(IsElsewhere(i) ? LoadFromElsewhere(i, *inputs[i]) : Load(*inputs[i]));
      loaded_.CountIfEmpty(*inputs[i]);
    }
    collectives_.Finish();
    const auto counts = matcher_.Finish(loaded_.diagnostics, [&](ProcessId process) {
      return loaded_.traces.processes[process.index()].name;
    });
    loaded_.unmatched_sends += counts.unmatched_sends;
    loaded_.unmatched_receives += counts.unmatched_receives;
    loaded_.read_s += watch.Restart();
    return {};
  }

 private:
  void Deal(FileTeam& team, std::span<LoadedInput* const> inputs) {
    std::vector<const Input*> texts;
    for (const LoadedInput* input : inputs) texts.push_back(&input->input);
    elsewhere_.emplace(team, texts);
  }
  bool IsElsewhere(size_t text) const { return elsewhere_ && elsewhere_->Has(text); }

  Result<void> Load(LoadedInput& input) {
    SYNCLINE_ASSIGN(auto reader, TextReader::Open(input.input.path));
    TextStream stream(std::move(reader), progress_, set_backs_);
    SYNCLINE_TRY(TakeAll(stream, input));
    return Finish(stream.end(), stream.end().set_backs, input);
  }

  Result<void> LoadFromElsewhere(size_t text, LoadedInput& input) {
    const std::unique_ptr<TextSource> source = elsewhere_->Open(text);
    SYNCLINE_TRY(TakeAll(*source, input));
    progress_.Advance(input.input.bytes);
    const TextEnd& end = source->end();
    if (end.error) return Finish(end, {}, input);
    SYNCLINE_ASSIGN(const auto set_backs, WithThoseBefore(end, input.input.path));
    return Finish(end, set_backs, input);
  }
  // Where readings go back, as if the other process had known what inputs before hold: where a
  // process goes on here, its events are read again.
  Result<std::vector<SetBackFinder>> WithThoseBefore(const TextEnd& end, const std::string& path) {
    std::vector<SetBackFinder> set_backs = end.set_backs;
    bool goes_on = false;
    for (size_t i = 0; i < set_backs.size(); ++i) {
      const auto before = set_backs_.find(end.declared.processes[i].name);
      if (before == set_backs_.end()) continue;
      goes_on |= set_backs[i].has_events() && before->second.has_events();
      if (!set_backs[i].has_events()) set_backs[i] = before->second;
    }
    if (!goes_on) return set_backs;
    SYNCLINE_ASSIGN(auto reader, TextReader::Open(path));
    Progress no_progress(ProgressMode::kOff);
    TextStream again(std::move(reader), no_progress, set_backs_);
    while (again.Next()) continue;
    if (again.end().error) return tl::unexpected(*again.end().error);
    const auto events = [](const ClockSpan& span) { return span.events; };
    if (!std::ranges::equal(again.end().spans, end.spans, {}, events, events)) {
      return Fail(ErrorCode::kUnreadable, "has changed while it was read", path);
    }
    return again.end().set_backs;
  }

  Result<void> TakeAll(TextSource& stream, LoadedInput& input) {
    collectives_.BeginInput();
    TraceSet declared;
    std::vector<std::string> names;
    while (std::optional<TextBatch> batch = stream.Next()) {
      SYNCLINE_TRY(progress_.CheckGoesOn());
      MoveToEnd(batch->declared.clocks, declared.clocks);
      MoveToEnd(batch->declared.processes, declared.processes);
      MoveToEnd(batch->declared.groups, declared.groups);
      MoveToEnd(batch->names, names);
      SYNCLINE_TRY(AdoptDeclarations(input, declared));
      SYNCLINE_TRY(collectives_.AdoptGroups(input, declared));
      for (auto& [event, index] : batch->events) {
        index += input.first_event[event.process.index()];
        event.process = input.processes[event.process.index()];
        if (event.kind == EventKind::kSend || event.kind == EventKind::kReceive) {
          event.peer = input.processes[event.peer.index()];
        }
        matcher_.Add(event, index);
        if (event.kind == EventKind::kCollectiveBegin || event.kind == EventKind::kCollectiveEnd) {
          collectives_.Add(event, index, names);
        }
      }
    }
    return {};
  }

  Result<void> Finish(const TextEnd& end, std::span<const SetBackFinder> set_backs,
                      LoadedInput& input) {
    if (end.error) {
      Error error = *end.error;
      if (has_sources_ && input.input.path == "-") {
        error.message += "; logs are read from files, not from standard input";
      }
      return tl::unexpected(std::move(error));
    }
    loaded_.diagnostics.Merge(end.diagnostics);
    SYNCLINE_TRY(AdoptDeclarations(input, end.declared));
    for (size_t i = 0; i < end.spans.size(); ++i) {
      const ClockSpan& span = end.spans[i];
      const ProcessId process = input.processes[i];
      loaded_.spans[loaded_.traces.processes[process.index()].clock.index()].Merge(span);
      events_[process.index()] += span.events;
      input.events += span.events;
      loaded_.SetSeen(process, set_backs[i].Finish());
      set_backs_.insert_or_assign(loaded_.traces.processes[process.index()].name, set_backs[i]);
    }
    return collectives_.AdoptGroups(input, end.declared);
  }

  Result<void> AdoptDeclarations(LoadedInput& input, const TraceSet& declared) {
    while (input.processes.size() < declared.processes.size()) {
      const Process& process = declared.processes[input.processes.size()];
      Clock clock = declared.clocks[process.clock.index()];
      if (input.input.is_named) {
        if (declared.clocks.size() > 1) {
          return Fail(ErrorCode::kUsage,
                      "declares several clocks, so one name cannot be given to it",
                      input.input.path);
        }
        clock.name = input.input.name;
      }
      clock.reading_ns = std::max(clock.reading_ns, Clock::ReadingNs(clock.ticks_per_second));
      const ClockId id = loaded_.ClockNamed(clock);
      if (!(loaded_.traces.clocks[id.index()] == clock)) {
        return Fail(ErrorCode::kMalformed,
                    fmt::format("clock {} has another rate, offset or resolution in another input",
                                clock.name),
                    input.input.path);
      }
      auto known = processes_.find(process.name);
      if (known == processes_.end()) {
        const ProcessId added = loaded_.AddProcess({process.name, process.label, id});
        events_.resize(added.index() + 1);
        known = processes_.emplace(process.name, added).first;
      } else if (loaded_.traces.processes[known->second.index()].clock != id) {
        return Fail(ErrorCode::kMalformed,
                    fmt::format("process {} has another clock in another input", process.name),
                    input.input.path);
      }
      input.processes.push_back(known->second);
      input.first_event.push_back(events_[known->second.index()]);
    }
    return {};
  }

  bool has_sources_;  // of logs
  LoadedTraces& loaded_;
  Progress& progress_;
  NamedMatcher matcher_;
  TextCollectives collectives_;
  std::optional<TextsElsewhere> elsewhere_;  // none: all are read here
  // Which processes exist, by name, and how many events each has had.
  std::map<std::string, ProcessId> processes_;
  std::vector<uint64_t> events_;
  std::map<std::string, SetBackFinder> set_backs_;  // so far, by name
};

// Groups and kinds are looked up by their names, once each.
class TextCursor : public EventCursor {
 public:
  TextCursor(const LoadedTraces& loaded, const LoadedInput& input, TextReader reader)
      : EventCursor(input.processes),
        input_(input),
        groups_(loaded.traces.groups),
        reader_(std::move(reader)) {}

  const TraceEvent* Next() override {
    const Event* event = reader_.Next();
    if (event == nullptr) return reader_.error() ? Stop(*reader_.error()) : nullptr;
    const size_t number = event->process.index();
    next_ = {.event = *event,
             .index = input_.first_event[number] + reader_.index(),
             .number = static_cast<uint32_t>(number)};
    next_.event.process = input_.processes[number];
    next_.name = reader_.names()[event->name];
    next_.message = reader_.message_name();
    const bool is_transfer = event->kind == EventKind::kSend || event->kind == EventKind::kReceive;
    if (is_transfer) next_.event.peer = input_.processes[event->peer.index()];
    const bool is_part =
        event->kind == EventKind::kCollectiveBegin || event->kind == EventKind::kCollectiveEnd;
    next_.has_message = is_transfer || is_part || event->kind == EventKind::kBroadcast;
    if (is_part) {
      next_.moves_nothing = !reader_.takes_part();
      next_.group = reader_.names()[event->group];
      next_.event.group = GroupOf(event->group);
    }
    return &next_;
  }

 private:
  static constexpr uint32_t kNotLookedUp = TraceEvent::kNoGroup - 1;

  uint32_t GroupOf(uint32_t name) {
    if (name >= group_of_.size()) group_of_.resize(reader_.names().size(), kNotLookedUp);
    uint32_t& group = group_of_[name];
    if (group != kNotLookedUp) return group;
    const auto found = std::ranges::find(groups_, reader_.names()[name], &Group::name);
    group = found == groups_.end() ? TraceEvent::kNoGroup
                                   : static_cast<uint32_t>(found - groups_.begin());
    return group;
  }

  const LoadedInput& input_;
  const std::vector<Group>& groups_;
  TextReader reader_;
  std::vector<uint32_t> group_of_;  // by number of a name in the reader
  TraceEvent next_;
};

// Any text is read as a trace when it is named; what is wrong in it is then said with line and
// column.
bool LooksLikeText(std::span<const std::byte> head) {
  return !head.empty() && std::ranges::all_of(head, [](std::byte b) {
    const auto c = static_cast<unsigned char>(b);
    return c >= 0x20 || c == '\t' || c == '\n' || c == '\r';
  });
}

// One cursor. It reads the file again.
Result<EventCursors> OpenTextEvents(const LoadedTraces& loaded, const LoadedInput& input,
                                    EventDetail /*detail*/) {
  SYNCLINE_ASSIGN(auto reader, TextReader::Open(input.input.path));
  return OneCursor(TextCursor(loaded, input, std::move(reader)));
}

}  // namespace

const TraceFormat kTextFormat{
    .format = Format::kText,
    .name = "text",
    .recognises = LooksLikeText,
    .in_program_order = true,
    .tells_kinds = true,
    .load = [](auto inputs, const LoadRequest& request) { return TextLoader(request).Run(inputs); },
    .open = OpenTextEvents,
    .serve = ServeTexts};

}  // namespace syncline
