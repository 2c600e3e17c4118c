#include "write/ctf/exported_ctf.h"

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <babeltrace2/babeltrace.h>
#include <fmt/format.h>

#include "base/child_process.h"
#include "base/try.h"
#include "read/ctf/library.h"
#include "write/ctf/exported_source.h"
#include "write/ctf/sink.h"
#include "write/ctf/written_result.h"

namespace syncline {
namespace {

using namespace ctf_write;  // NOLINT(google-build-using-namespace): the parts of this writer

// source → sink, for the processes of one clock.
class TraceOfClock {
 public:
  TraceOfClock(ExportJob& job, std::string folder) : job_(job), folder_(std::move(folder)) {}
  TraceOfClock(const TraceOfClock&) = delete;
  TraceOfClock& operator=(const TraceOfClock&) = delete;
  ~TraceOfClock() { Close(); }

  Result<void> Run() {
    SYNCLINE_TRY(Build());
    if (bt_graph_run(graph_.get()) != BT_GRAPH_RUN_STATUS_OK) return Failure();
    // The sink writes the metadata last.
    Close();
    return {};
  }

 private:
  Result<void> Build() {
    SYNCLINE_ASSIGN(const auto plugin, CtfPlugin());
    graph_.reset(bt_graph_create(0));
    if (graph_ == nullptr) return Failure();
    const std::unique_ptr<const bt_component_class_source,
                          PutRef<bt_component_class_source_put_ref>>
        sources(MakeExportSourceClass());
    const bt_component_source* source = nullptr;
    if (sources == nullptr ||
        bt_graph_add_source_component_with_initialize_method_data(
            graph_.get(), sources.get(), "source", nullptr, &job_, BT_LOGGING_LEVEL_NONE,
            &source) != BT_GRAPH_ADD_COMPONENT_STATUS_OK) {
      return Failure();
    }
    const bt_component_sink* sink = AddCtfSink(graph_.get(), *plugin, folder_);
    if (sink == nullptr ||
        bt_graph_connect_ports(graph_.get(),
                               bt_component_source_borrow_output_port_by_index_const(source, 0),
                               bt_component_sink_borrow_input_port_by_index_const(sink, 0),
                               nullptr) != BT_GRAPH_CONNECT_PORTS_STATUS_OK) {
      return Failure();
    }
    return {};
  }

  void Close() {
    graph_.reset();
    job_.written.reset();
  }

  tl::unexpected<Error> Failure() const {
    return Fail(ErrorCode::kUnreadable, fmt::format("cannot be written: {}", TakeCtfError()),
                folder_);
  }

  ExportJob& job_;
  std::string folder_;
  GraphPtr graph_;
};

// By message: the number of the event that sends it, among all that send.
std::vector<uint64_t> NumberSends(const ExportedTrace& trace) {
  std::vector<uint64_t> numbers(trace.messages.size());
  uint64_t sends = 0;
  for (uint32_t p = 0; p < trace.processes.size(); ++p) {
    uint64_t latest = UINT64_MAX;  // an event that sends
    for (const ExportedLink& link : trace.processes[p].links) {
      const ExportedMessage& message = trace.messages[link.message];
      if (message.is_of_collective || message.from != p) continue;
      if (std::exchange(latest, link.event) != link.event) ++sends;
      numbers[link.message] = sends;
    }
  }
  return numbers;
}

bool HasProcess(const TraceSet& traces, ClockId clock) {
  for (const Process& process : traces.processes) {
    if (process.clock == clock) return true;
  }
  return false;
}

// In a process of its own.
Result<ExportFindings> WriteAll(const ExportedTrace& trace, const std::string& folder,
                                ChildLink& parent) {
  SYNCLINE_ASSIGN(auto found, FindShift(trace));
  ExportFindings& findings = found;
  const uint64_t first_ns = static_cast<uint64_t>(ExportedOrigin(trace)) + findings.shift_ns;
  const std::vector<uint64_t> numbers = NumberSends(trace);
  std::set<std::string> taken;
  for (uint32_t c = 0; c < trace.traces.clocks.size(); ++c) {
    const ClockId clock(c);
    if (!HasProcess(trace.traces, clock)) continue;
    ExportJob job{.trace = trace,
                  .clock = clock,
                  .numbers = numbers,
                  .findings = findings,
                  .first_ns = first_ns,
                  .parent = parent};
    const std::string name = FileNameOf(trace.traces.clocks[c].name, taken);
    SYNCLINE_TRY(TraceOfClock(job, fmt::format("{}/{}", folder, name)).Run());
  }
  return findings;
}

}  // namespace

Result<ExportFindings> WriteExportedCtf(const ExportedTrace& trace, const std::string& folder) {
  SYNCLINE_TRY(CtfPlugin());
  SYNCLINE_ASSIGN(auto child, ChildProcess::Start({}, [&](ChildLink& parent) {
                    parent.Send(FrameWith(WriteAll(trace, folder, parent)));
                  }));
  return ReceiveWritten<ExportFindings>(child, folder);
}

}  // namespace syncline
