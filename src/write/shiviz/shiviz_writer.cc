#include "write/shiviz/shiviz_writer.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "base/try.h"
#include "base/unique_name.h"
#include "write/exported_order.h"
#include "write/json_text.h"

namespace syncline {
namespace {

bool IsHostByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("._:@/+-").find(c) != std::string_view::npos;
}

// What the text of an event may hold: one line of UTF-8.
std::string OneLine(std::string_view text) {
  std::string line = ValidUtf8(text);
  std::ranges::replace_if(
      line, [](char c) { return c >= 0 && c < ' '; }, ' ');
  return line;
}

using VectorClock = std::vector<uint64_t>;  // by process: events that are known of

class ShivizWriter {
 public:
  ShivizWriter(const ExportedTrace& trace, ByteSink output)
      : trace_(trace),
        output_(std::move(output)),
        hosts_(ShivizHosts(trace.traces)),
        clocks_(trace.processes.size(), VectorClock(trace.processes.size())) {}

  Result<void> Run() {
    ExportedOrder order(trace_, ExportOrder::kByCause);
    while (const std::optional<VisitedExport> visited = order.Next()) {
      Advance(*visited);
      Describe(*visited);
      SYNCLINE_TRY(output_.Append(text_));
      text_.clear();
    }
    if (const auto left = order.LeftOver()) {
      return Fail(ErrorCode::kMalformed,
                  fmt::format("the messages form a cycle: event {} of process {} waits for itself",
                              left->index, hosts_[left->process.index()]));
    }
    return output_.Flush();
  }

 private:
  void Advance(const VisitedExport& visited) {
    VectorClock& clock = clocks_[visited.process.index()];
    for (const ExportedLink& link : visited.links) {
      if (!trace_.IsReceive(visited.process, link)) continue;
      const auto sent = under_way_.extract(link.message);
      std::transform(clock.begin(), clock.end(), sent.mapped().begin(), clock.begin(),
                     [](uint64_t a, uint64_t b) { return std::max(a, b); });
    }
    ++clock[visited.process.index()];
    for (const ExportedLink& link : visited.links) {
      if (!trace_.IsReceive(visited.process, link)) under_way_.emplace(link.message, clock);
    }
  }

  void Describe(const VisitedExport& visited) {
    const VectorClock& clock = clocks_[visited.process.index()];
    text_ += hosts_[visited.process.index()];
    char separator = '{';
    text_ += ' ';
    for (size_t i = 0; i < clock.size(); ++i) {
      if (clock[i] == 0) continue;
      fmt::format_to(std::back_inserter(text_), "{}\"{}\":{}", separator, hosts_[i], clock[i]);
      separator = ',';
    }
    text_ += "}\n";
    DescribeEvent(visited);
    text_ += '\n';
  }

  void DescribeEvent(const VisitedExport& visited) {
    const ExportedEvent& event = visited.event;
    text_ += ExportedKind(event.kind);
    if (event.name > 0) {
      text_ += ' ';
      text_ += OneLine(trace_.names[event.name]);
    }
    const std::string_view peer = ExportedPeer(trace_, visited);
    if (!peer.empty()) {
      text_ += event.kind == EventKind::kReceive ? " from " : " to ";
      text_ += OneLine(peer);
    }
    auto end = std::back_inserter(text_);
    if (event.has_message) {
      fmt::format_to(end, " message {}", OneLine(ExportedMessageName(trace_, event)));
    }
    fmt::format_to(end, " at {} ns", event.time.ns);
    if (!trace_.is_corrected) return;
    if (const auto bound = trace_.bound_ns(visited.process, event)) {
      fmt::format_to(end, " ± {} ns", *bound);
    }
    fmt::format_to(end, ", recorded {} ns", trace_.RecordedNs(visited.process, event));
  }

  const ExportedTrace& trace_;
  ByteSink output_;
  std::vector<std::string> hosts_;                        // by process
  std::vector<VectorClock> clocks_;                       // by process
  absl::flat_hash_map<uint64_t, VectorClock> under_way_;  // by message: of its send
  std::string text_;
};

}  // namespace

std::vector<std::string> ShivizHosts(const TraceSet& traces) {
  std::vector<std::string> hosts;
  std::set<std::string> taken;
  for (const Process& process : traces.processes) {
    std::string host = process.name.empty() ? "_" : process.name;
    std::ranges::replace_if(
        host, [](char c) { return !IsHostByte(c); }, '_');
    hosts.push_back(UniqueName(host, taken));
  }
  return hosts;
}

Result<void> WriteShiviz(const ExportedTrace& trace, ByteSink output) {
  return ShivizWriter(trace, std::move(output)).Run();
}

}  // namespace syncline
