#include "trace/chrome_contents.h"

#include <algorithm>
#include <span>
#include <string_view>

#include <absl/container/flat_hash_map.h>

#include "base/try.h"
#include "match/key_hash.h"
#include "read/chrome/nccl_operation.h"

namespace syncline {
namespace {

constexpr uint64_t kEventsBetweenReports = 8192;

std::optional<FlowPart> FlowPartOf(char phase) {
  switch (phase) {
    case 's': return FlowPart::kBegin;
    case 't': return FlowPart::kStep;
    case 'f': return FlowPart::kEnd;
    default: return std::nullopt;
  }
}

// From a call to what it launched, forward to backward: within a rank.
bool IsFlowOfProfiler(std::string_view category) {
  return category == "ac2g" || category == "async_cpu_to_gpu" || category == "fwdbwd" ||
         category == "async_gpu";
}

ChromeOperation OperationOf(const ChromeEvent& event, std::string_view kind_of, WordPool& words) {
  const NcclArguments args = ParseNcclArguments(event.args);
  const std::string_view name = args.collective.empty() ? kind_of : args.collective;
  return {.track = event.track,
          .index = event.index,
          .begin = event.begin,
          .end = event.end,
          .kind = words.Keep(CollectiveKind(name)),
          .group = words.Keep(args.group),
          .instance = words.Keep(args.instance),
          .size = words.Keep(args.size),
          .sequence = args.sequence,
          .from = args.source_rank,
          .to = args.destination_rank,
          .root = args.root_rank,
          .correlation = args.correlation,
          .may_leave_out = args.may_leave_out,
          .is_explained = !args.collective.empty()};
}

class ContentsReader {
 public:
  ContentsReader(ChromeReader reader, const std::shared_ptr<TimeSpace>& space)
      : reader_(std::move(reader)), space_(space) {}

  Result<ChromeContents> Run(const std::function<Result<void>(uint64_t)>& on_bytes) {
    uint64_t reported = 0;
    for (uint64_t n = 1; const ChromeEvent* event = reader_.Next(); ++n) {
      SYNCLINE_TRY(Take(*event));
      if (n % kEventsBetweenReports != 0) continue;
      SYNCLINE_TRY(on_bytes(reader_.bytes_read() - std::exchange(reported, reader_.bytes_read())));
    }
    if (reader_.error()) return tl::unexpected(*reader_.error());
    SYNCLINE_TRY(on_bytes(reader_.bytes_read() - reported));
    contents_.header = reader_.header();
    contents_.decimals = reader_.decimals();
    contents_.decimal_counts = reader_.decimal_counts();
    contents_.is_finer_than_ns = reader_.is_finer_than_ns();
    contents_.tracks = reader_.tracks();
    contents_.diagnostics = reader_.diagnostics();
    if (contents_.header.is_distributed) contents_.flows.clear();
    return std::move(contents_);
  }

 private:
  Result<void> Take(const ChromeEvent& event) {
    if (event.phase == 'M') TakeMetadata(event);
    if (event.instants == 0) return {};
    while (contents_.times.size() <= event.track) {
      contents_.times.emplace_back(space_);
      contents_.spans.emplace_back();
    }
    contents_.spans[event.track].Include(event.begin);
    SYNCLINE_TRY(contents_.times[event.track].Add(event.begin));
    if (event.instants == 2) {
      contents_.spans[event.track].Include(event.end);
      SYNCLINE_TRY(contents_.times[event.track].Add(event.end));
      if (IsNcclKernel(event)) AddOperation(event, contents_.kernels);
      if (IsNcclCall(event)) AddOperation(event, contents_.calls);
    }
    if (const auto part = FlowPartOf(event.phase)) TakeFlow(event, *part);
    return {};
  }

  void AddOperation(const ChromeEvent& event, std::vector<ChromeOperation>& operations) {
    operations.push_back(OperationOf(event, event.name.text, contents_.words));
  }

  void TakeMetadata(const ChromeEvent& event) {
    const bool is_process = event.name.text == "process_name";
    if (!is_process && event.name.text != "thread_name") return;
    std::string name = NameInArguments(event.args);
    std::string pid(event.pid.text);
    if (is_process) {
      contents_.process_names[std::move(pid)] = std::move(name);
    } else {
      contents_.thread_names[{std::move(pid), std::string(event.tid.text)}] = std::move(name);
    }
  }

  void TakeFlow(const ChromeEvent& event, FlowPart part) {
    if (IsFlowOfProfiler(event.category.text)) return;
    KeyHash hash;
    for (const std::string_view text :
         {event.id.text, event.id2, event.category.text, event.name.text}) {
      hash.AddBytes(std::as_bytes(std::span(text)));
    }
    const bool is_of_process = event.id2.find("\"local\"") != std::string_view::npos;
    if (is_of_process) hash.AddBytes(std::as_bytes(std::span(event.pid.text)));
    contents_.flows.push_back({.key = {hash.First(), hash.Second()},
                               .part = part,
                               .is_of_process = is_of_process,
                               .track = event.track,
                               .index = event.index,
                               .time = event.begin});
  }

  ChromeReader reader_;
  const std::shared_ptr<TimeSpace>& space_;
  ChromeContents contents_;
};

struct Launch {
  uint32_t track = 0;
  LocalTime begin;
};

// What launched the kernels that do not say themselves what they are, by correlation.
Result<absl::flat_hash_map<int64_t, Launch>> FindLaunches(const std::string& path,
                                                          const ChromeContents& contents) {
  absl::flat_hash_map<int64_t, Launch> launches;
  absl::flat_hash_map<int64_t, bool> wanted;
  for (const ChromeOperation& kernel : contents.kernels) {
    if (!kernel.is_explained && kernel.correlation) wanted[*kernel.correlation] = true;
  }
  if (wanted.empty()) return launches;
  SYNCLINE_ASSIGN(auto reader, ChromeReader::Open(path, {.base_ns = contents.base_ns}));
  while (const ChromeEvent* event = reader.Next()) {
    if (event->instants == 0 || !IsLaunch(*event)) continue;
    const auto correlation = ParseNcclArguments(event->args).correlation;
    if (correlation && wanted.contains(*correlation)) {
      launches[*correlation] = {event->track, event->begin};
    }
  }
  if (reader.error()) return tl::unexpected(*reader.error());
  return launches;
}

void Explain(const ChromeOperation& call, ChromeOperation& kernel) {
  if (!call.kind.empty()) kernel.kind = call.kind;
  if (!call.group.empty()) kernel.group = call.group;
  if (!call.instance.empty()) kernel.instance = call.instance;
  if (!call.size.empty()) kernel.size = call.size;
  if (call.sequence) kernel.sequence = call.sequence;
  if (call.from) kernel.from = call.from;
  if (call.to) kernel.to = call.to;
  if (call.root) kernel.root = call.root;
  kernel.may_leave_out = kernel.may_leave_out || call.may_leave_out;
}

}  // namespace

Result<ChromeContents> ReadChromeContents(const std::string& path,
                                          const std::shared_ptr<TimeSpace>& space,
                                          const std::function<Result<void>(uint64_t)>& on_bytes) {
  int64_t base_ns = 0;
  for (int reading = 0; reading < 2; ++reading) {
    SYNCLINE_ASSIGN(auto reader, ChromeReader::Open(path, {.base_ns = base_ns}));
    SYNCLINE_ASSIGN(auto contents, ContentsReader(std::move(reader), space).Run(on_bytes));
    base_ns = contents.header.base_ns.value_or(0);
    if (contents.header.is_base_late) continue;
    contents.base_ns = base_ns;
    return contents;
  }
  return Fail(ErrorCode::kMalformed, "has several values of baseTimeNanoseconds", path);
}

Result<void> ExplainByLaunches(const std::string& path, ChromeContents& contents) {
  SYNCLINE_ASSIGN(const auto launches, FindLaunches(path, contents));
  if (launches.empty()) return {};
  // By thread and begin; of calls within one another the inner one is explained last.
  const auto order = [](const ChromeOperation& a, const ChromeOperation& b) {
    return a.track != b.track ? a.track < b.track : a.begin < b.begin;
  };
  std::ranges::stable_sort(contents.calls, order);
  for (ChromeOperation& kernel : contents.kernels) {
    if (kernel.is_explained || !kernel.correlation) continue;
    const auto found = launches.find(*kernel.correlation);
    if (found == launches.end()) continue;
    const Launch& launch = found->second;
    auto call = std::ranges::partition_point(contents.calls, [&](const ChromeOperation& c) {
      return c.track != launch.track ? c.track < launch.track : c.begin < launch.begin;
    });
    // The event of the call and its annotation; further back none can be around the launch.
    constexpr int kNested = 4;
    const auto first =
        contents.calls.begin() + std::max<ptrdiff_t>(0, call - contents.calls.begin() - kNested);
    for (auto around = first; around != call; ++around) {
      if (around->track == launch.track && around->end >= launch.begin) Explain(*around, kernel);
    }
  }
  return {};
}

}  // namespace syncline
