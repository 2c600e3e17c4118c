#include "logical/replay_stream.h"

#include <vector>

#include "logical/logical_filter.h"

namespace syncline {
namespace {

using Kind = LogicalEvent::Kind;

class Stream : public LogicalSink {
 public:
  Stream(ReplayTrace& trace, const ReplayLinks& links, const LogicalOptions& options,
         const DelayModel& delays, RetimedMessageSink& sink)
      : trace_(trace),
        links_(links),
        sink_(sink),
        filter_(options, delays, *this),
        next_(trace.processes.size()),
        delivered_(trace.processes.size()) {
    for (ReplayTrace::Process& process : trace.processes) {
      filter_.AddProcess(process.clock);
      process.after = process.before;
    }
    for (const std::vector<ProcessId>& members : trace.groups) filter_.AddGroup(members);
  }

  void OnEvent(const RetimedEvent& event) override {
    const size_t process = event.process.index();
    trace_.processes[process].after[delivered_[process]++] = event.after.ns;
  }
  void OnMessage(const RetimedMessage& message) override { sink_.OnMessage(message); }

  LogicalReport Run() {
    while (const std::optional<ProcessId> wanted = filter_.Starving()) {
      uint64_t& next = next_[wanted->index()];
      if (next < trace_.processes[wanted->index()].before.size()) {
        filter_.Push(EventOf(*wanted, next++));
      } else {
        filter_.End(*wanted);
      }
    }
    filter_.Finish();
    return filter_.report();
  }

 private:
  LogicalEvent EventOf(ProcessId process, uint64_t number) const {
    const ReplayTrace::Process& p = trace_.processes[process.index()];
    LogicalEvent event;
    event.time = GlobalTime{p.before[number]};
    event.process = process;
    event.tag = p.TagOf(number);
    const ReplayLink link = links_[process.value][number];
    if (link.kind() == ReplayLink::Kind::kPart) AddPart(link.index(), event);
    if (link.kind() == ReplayLink::Kind::kSend || link.kind() == ReplayLink::Kind::kReceive) {
      AddMessage(link, event);
    }
    return event;
  }
  // Messages are named by the number of their send in its process.
  void AddMessage(ReplayLink link, LogicalEvent& event) const {
    const ReplayTrace::Message& m = trace_.messages[link.index()];
    const bool is_send = link.kind() == ReplayLink::Kind::kSend;
    event.kind = !is_send                            ? Kind::kReceive
                 : links_.is_broadcast(link.index()) ? Kind::kBroadcast
                                                     : Kind::kSend;
    event.peer = is_send ? m.receiver : m.sender;
    event.message = m.send;
    event.bytes = m.bytes;
  }
  void AddPart(uint32_t part, LogicalEvent& event) const {
    const ReplayTrace::Part& p = trace_.parts[part];
    event.kind = p.kind;
    event.group = p.group;
    event.message = p.instance;
    event.bytes = p.bytes;
    event.flow = p.flow;
    event.is_root = p.is_root;
    event.takes_part = p.takes_part;
  }

  ReplayTrace& trace_;
  const ReplayLinks& links_;
  RetimedMessageSink& sink_;
  LogicalFilter filter_;
  std::vector<uint64_t> next_;
  std::vector<uint64_t> delivered_;
};

}  // namespace

LogicalReport ReplayAsStream(ReplayTrace& trace, const ReplayLinks& links,
                             const LogicalOptions& options, const DelayModel& delays,
                             RetimedMessageSink& sink) {
  return Stream(trace, links, options, delays, sink).Run();
}

}  // namespace syncline
