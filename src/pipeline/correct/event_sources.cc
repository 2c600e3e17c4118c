#include "pipeline/correct/event_sources.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "pipeline/correct/logical_adapter.h"
#include "pipeline/correct/message_roles.h"
#include "read/pcap/capture_reader.h"
#include "read/text/text_reader.h"
#include "trace/load_ctf.h"
#include "trace/load_otf2.h"

namespace syncline {
namespace {

// In order of time, one epoch of the clock after the other: a capture's packets may stand in
// another one.
class CaptureSource : public EventSource {
 public:
  static Result<std::unique_ptr<EventSource>> Open(const LoadedInput& input,
                                                   const EpochTable& epochs,
                                                   std::vector<Role> roles) {
    auto reader = CaptureReader::Open(input.input.path);
    if (!reader) return tl::unexpected(reader.error());
    auto source = std::make_unique<CaptureSource>();
    source->processes_ = input.processes;
    source->roles_ = std::move(roles);
    while (const Packet* packet = reader->Next()) {
      source->packets_.emplace_back(packet->time, packet->index);
    }
    if (reader->error()) return tl::unexpected(*reader->error());
    const auto epoch_of = [&](const auto& packet) {
      return epochs.EpochOf(input.processes[0], packet.second);
    };
    std::stable_sort(source->packets_.begin(), source->packets_.end(),
                     [&](const auto& a, const auto& b) {
                       const uint32_t of_a = epoch_of(a);
                       const uint32_t of_b = epoch_of(b);
                       return of_a != of_b ? of_a < of_b : a.first < b.first;
                     });
    return source;
  }

  Result<bool> Next(SourcedEvent& next) override {
    if (next_ == packets_.size()) return false;
    const auto& [local, index] = packets_[next_];
    next = {{.process = processes_[0], .tag = index}, local};
    const auto role =
        std::lower_bound(roles_.begin(), roles_.end(), index,
                         [](const Role& r, uint64_t wanted) { return r.index < wanted; });
    const auto mine = role + static_cast<ptrdiff_t>(part_);
    if (mine != roles_.end() && mine->index == index) {
      next.event.kind = mine->kind;
      next.event.peer = mine->peer;
      next.event.message = mine->message;
      const auto more = mine + 1;
      part_ = more != roles_.end() && more->index == index ? part_ + 1 : 0;
    }
    if (part_ == 0) ++next_;
    return true;
  }
  const std::vector<ProcessId>& processes() const override { return processes_; }

 private:
  std::vector<ProcessId> processes_;
  std::vector<Role> roles_;
  std::vector<std::pair<LocalTime, uint64_t>> packets_;
  size_t next_ = 0;
  size_t part_ = 0;  // of a packet with several roles
};

class TextSource : public EventSource {
 public:
  TextSource(std::vector<const LoadedInput*> inputs, const TraceSet& traces)
      : inputs_(std::move(inputs)), traces_(traces) {
    std::set<ProcessId> processes;
    for (const LoadedInput* input : inputs_) {
      processes.insert(input->processes.begin(), input->processes.end());
    }
    processes_.assign(processes.begin(), processes.end());
  }

  Result<bool> Next(SourcedEvent& next) override {
    while (input_ < inputs_.size()) {
      if (!reader_) {
        auto reader = TextReader::Open(inputs_[input_]->input.path);
        if (!reader) return tl::unexpected(reader.error());
        reader_.emplace(std::move(*reader));
        adapter_.emplace(traces_);  // each input numbers names in its own way
      }
      if (const Event* event = reader_->Next()) {
        next = Convert(*event);
        return true;
      }
      if (reader_->error()) return tl::unexpected(*reader_->error());
      reader_.reset();
      ++input_;
    }
    return false;
  }
  const std::vector<ProcessId>& processes() const override { return processes_; }

 private:
  SourcedEvent Convert(Event event) {
    const LoadedInput& input = *inputs_[input_];
    const uint64_t index = input.first_event[event.process.index()] + reader_->index();
    event.process = input.processes[event.process.index()];
    const bool is_transfer = event.kind == EventKind::kSend || event.kind == EventKind::kReceive;
    if (is_transfer) event.peer = input.processes[event.peer.index()];
    SourcedEvent sourced{adapter_->Adapt(event, {}, index, reader_->names()), event.time,
                         event.kind};
    sourced.event.takes_part = reader_->takes_part();
    return sourced;
  }

  std::vector<const LoadedInput*> inputs_;
  const TraceSet& traces_;
  std::vector<ProcessId> processes_;
  size_t input_ = 0;
  std::optional<TextReader> reader_;
  std::optional<LogicalAdapter> adapter_;
};

// One location. Events of messages that are set aside are internal.
class LocationSource : public EventSource {
 public:
  LocationSource(ProcessId process, std::unique_ptr<Otf2EventSource> source,
                 std::set<uint64_t> set_aside)
      : processes_{process}, source_(std::move(source)), set_aside_(std::move(set_aside)) {}

  Result<bool> Next(SourcedEvent& next) override {
    const Event* event = source_->Next();
    if (event == nullptr) return false;
    next = {AdaptNumbered(*event, source_->names()), event->time};
    return true;
  }
  Result<std::vector<LocalTime>> TakeTimes() override { return source_->TakeTimes(); }
  const std::vector<ProcessId>& processes() const override { return processes_; }

 private:
  LogicalEvent AdaptNumbered(const Event& event, const std::vector<std::string>& names) {
    LogicalEvent out{.process = event.process,
                     .peer = event.peer,
                     .message = event.message,
                     .bytes = event.bytes,
                     .tag = source_->index(),
                     .group = event.group,
                     .kind = KindOf(event.kind),
                     .is_root = event.is_root};
    if (out.kind == LogicalEvent::Kind::kEnterCollective ||
        out.kind == LogicalEvent::Kind::kLeaveCollective) {
      out.flow = FlowOfCollective(names[event.name]);
      out.takes_part = source_->takes_part();
    }
    if (set_aside_.contains(out.tag)) out.kind = LogicalEvent::Kind::kInternal;
    return out;
  }

  std::vector<ProcessId> processes_;
  std::unique_ptr<Otf2EventSource> source_;
  std::set<uint64_t> set_aside_;
};

// One stream of a CTF trace, for a clock that has its messages from elsewhere: what comes besides
// times are the sizes of messages.
class StreamSizeSource : public EventSource {
 public:
  StreamSizeSource(ProcessId process, const TimeStore& times, std::span<const CtfMessageSize> sizes)
      : processes_{process}, times_(&times), sizes_(sizes) {}

  Result<bool> Next(SourcedEvent& next) override {
    if (sizes_.empty()) return false;
    const auto& [event, bytes] = sizes_.front();
    next = {
        {.process = processes_[0], .bytes = bytes, .tag = event, .kind = LogicalEvent::Kind::kSend},
        {}};
    sizes_ = sizes_.subspan(1);
    return true;
  }
  Result<std::vector<LocalTime>> TakeTimes() override { return times_->All(); }
  const std::vector<ProcessId>& processes() const override { return processes_; }

 private:
  std::vector<ProcessId> processes_;
  const TimeStore* times_;
  std::span<const CtfMessageSize> sizes_;
};

// All events of one stream, as what its messages make of them.
class StreamSource : public EventSource {
 public:
  StreamSource(ProcessId process, const TimeStore& times, std::vector<Role> roles)
      : processes_{process}, times_(&times), roles_(std::move(roles)) {}

  Result<bool> Next(SourcedEvent& next) override {
    if (next_ == times_->size()) return false;
    if (next_ >= block_first_ + block_.size()) {
      if (auto done = LoadBlock(); !done) return tl::unexpected(done.error());
    }
    next = {{.process = processes_[0], .tag = next_}, block_[next_ - block_first_]};
    const auto has_role = [&] { return role_ < roles_.size() && roles_[role_].index == next_; };
    if (has_role()) {
      next.event.kind = roles_[role_].kind;
      next.event.peer = roles_[role_].peer;
      next.event.message = roles_[role_].message;
      ++role_;
    }
    if (!has_role()) ++next_;
    return true;
  }
  const std::vector<ProcessId>& processes() const override { return processes_; }

 private:
  Result<void> LoadBlock() {
    block_first_ = next_;
    auto block = times_->BlockAt(next_ / TimeStore::kBlock);
    if (!block) return tl::unexpected(block.error());
    block_ = std::move(*block);
    return {};
  }

  std::vector<ProcessId> processes_;
  const TimeStore* times_;
  std::vector<Role> roles_;
  size_t role_ = 0;
  uint64_t next_ = 0;
  uint64_t block_first_ = 0;
  std::vector<LocalTime> block_;
};

// The numbers of the process's events that belong to messages set aside.
std::set<uint64_t> SetAsideOf(const LoadedTraces& loaded, ProcessId process) {
  std::set<uint64_t> events;
  for (const Message& m : loaded.messages.set_aside()) {
    for (const EventRef& event : {m.send, m.receive}) {
      if (event.process == process) events.insert(event.index);
    }
  }
  return events;
}

// By process: whether its messages say what its events are.
std::vector<bool> RolesWanted(const LoadedTraces& loaded, StreamEvents stream_events) {
  std::vector<bool> wanted(loaded.traces.processes.size());
  for (const LoadedInput& input : loaded.inputs) {
    const bool is_stream = input.input.format == Format::kCtf;
    const bool is_wanted = input.input.format == Format::kCapture ||
                           (is_stream && stream_events == StreamEvents::kAll);
    for (const ProcessId process : input.processes) {
      if (is_wanted) wanted[process.index()] = true;
    }
  }
  return wanted;
}

// Texts that share processes are read one after the other.
std::vector<std::vector<const LoadedInput*>> ChainTexts(const LoadedTraces& loaded) {
  std::vector<std::vector<const LoadedInput*>> chains;
  std::map<ProcessId, size_t> chain_of;
  bool is_shared = false;
  for (const LoadedInput& input : loaded.inputs) {
    if (input.input.format != Format::kText) continue;
    chains.push_back({&input});
    for (const ProcessId process : input.processes) {
      is_shared |= !chain_of.emplace(process, chains.size()).second;
    }
  }
  if (!is_shared) return chains;
  std::vector<const LoadedInput*> all;
  all.reserve(chains.size());
  for (const auto& chain : chains) all.push_back(chain[0]);
  return {all};
}

}  // namespace

Result<std::vector<std::unique_ptr<EventSource>>> OpenSources(const LoadedTraces& loaded,
                                                              StreamEvents stream_events) {
  const bool are_all = stream_events == StreamEvents::kAll;
  auto roles = CollectRoles(loaded, RolesWanted(loaded, stream_events));
  if (!roles) return tl::unexpected(roles.error());
  const auto take_roles = [&](ProcessId process) { return std::move((*roles)[process.index()]); };
  std::vector<std::unique_ptr<EventSource>> sources;
  for (auto& chain : ChainTexts(loaded)) {
    sources.push_back(std::make_unique<TextSource>(std::move(chain), loaded.traces));
  }
  for (const LoadedInput& input : loaded.inputs) {
    if (input.input.format == Format::kCapture) {
      auto source = CaptureSource::Open(input, loaded.epochs, take_roles(input.processes[0]));
      if (!source) return tl::unexpected(source.error());
      sources.push_back(std::move(*source));
    }
    for (size_t i = 0; input.input.format == Format::kCtf && i < input.processes.size(); ++i) {
      const ProcessId process = input.processes[i];
      if (are_all) {
        sources.push_back(
            std::make_unique<StreamSource>(process, CtfTimes(input, i), take_roles(process)));
      } else {
        sources.push_back(std::make_unique<StreamSizeSource>(process, CtfTimes(input, i),
                                                             CtfMessageSizes(input, i)));
      }
    }
    for (size_t i = 0; input.input.format == Format::kOtf2 && i < input.processes.size(); ++i) {
      sources.push_back(std::make_unique<LocationSource>(
          input.processes[i], OpenOtf2Source(input, i), SetAsideOf(loaded, input.processes[i])));
    }
  }
  return sources;
}

}  // namespace syncline
