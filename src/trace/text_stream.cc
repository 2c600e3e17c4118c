#include "trace/text_stream.h"

#include <utility>

namespace syncline {
namespace {

template <typename T>
void AppendFrom(const std::vector<T>& all, size_t first, std::vector<T>& to) {
  to.insert(to.end(), all.begin() + static_cast<ptrdiff_t>(first), all.end());
}

}  // namespace

TextStream::TextStream(TextReader reader, Progress& progress,
                       std::map<std::string, SetBackFinder> before)
    : reader_(std::move(reader)), progress_(progress), before_(std::move(before)) {
  batches_.Start([this] { ReadAll(); });
}

std::optional<TextBatch> TextStream::Next() { return batches_.Take(); }

void TextStream::ReadAll() {
  constexpr uint64_t kReportEvery = 0x1000;
  constexpr uint64_t kMostBetween = 0x100000;  // batches, even of no events
  uint64_t reported = 0;
  uint64_t events = 0;
  for (bool is_wanted = true; is_wanted;) {
    const Event* event = reader_.Next();
    if (event == nullptr) break;
    Take(*event);
    ++events;
    if (batch_.events.size() == kBatchEvents || events % kMostBetween == 0) is_wanted = Push();
    if (events % kReportEvery != 0) continue;
    progress_.Advance(reader_.bytes_read() - std::exchange(reported, reader_.bytes_read()));
  }
  end_.error = reader_.error();
  end_.declared = reader_.traces();
  end_.diagnostics = reader_.diagnostics();
  Push();
}

bool TextStream::Push() { return batches_.Push(std::exchange(batch_, {})); }

void TextStream::Take(const Event& event) {
  if (end_.spans.size() < reader_.traces().processes.size()) TakeProcesses();
  end_.spans[event.process.index()].Include(event.time);
  end_.set_backs[event.process.index()].Add(event.time);
  switch (event.kind) {
    case EventKind::kBlock:
    case EventKind::kEnter:
    case EventKind::kLeave:
    case EventKind::kMark: return;
    case EventKind::kCollectiveBegin:
    case EventKind::kCollectiveEnd: TakeGroupsAndNames(); break;
    case EventKind::kSend:
    case EventKind::kReceive:
    case EventKind::kBroadcast: break;
  }
  if (batch_.events.empty()) batch_.events.reserve(kBatchEvents);
  batch_.events.push_back({event, reader_.index()});
}

void TextStream::TakeProcesses() {
  const TraceSet& traces = reader_.traces();
  AppendFrom(traces.clocks, clocks_, batch_.declared.clocks);
  AppendFrom(traces.processes, end_.spans.size(), batch_.declared.processes);
  clocks_ = traces.clocks.size();
  end_.spans.resize(traces.processes.size());
  while (end_.set_backs.size() < end_.spans.size()) {
    const Process& process = traces.processes[end_.set_backs.size()];
    const auto known = before_.find(process.name);
    end_.set_backs.push_back(
        known == before_.end() ? SetBackFinder(SetBackRuleOf(traces.clocks[process.clock.index()]))
                               : known->second);
  }
}

void TextStream::TakeGroupsAndNames() {
  AppendFrom(reader_.traces().groups, groups_, batch_.declared.groups);
  AppendFrom(reader_.names(), names_, batch_.names);
  groups_ = reader_.traces().groups.size();
  names_ = reader_.names().size();
}

}  // namespace syncline
