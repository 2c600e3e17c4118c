#include "trace/chrome_contents.h"

#include <charconv>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "base/utf8.h"
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

// "17", "0x11".
std::optional<uint64_t> NumberIn(std::string_view id) {
  const bool is_hexadecimal = id.starts_with("0x");
  if (is_hexadecimal) id.remove_prefix(2);
  uint64_t number = 0;
  const char* const end = id.data() + id.size();
  const auto parsed = std::from_chars(id.data(), end, number, is_hexadecimal ? 16 : 10);
  return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(number) : std::nullopt;
}

// From a call to what it launched, forward to backward: within a rank.
bool IsFlowOfProfiler(std::string_view category) {
  return category == "ac2g" || category == "async_cpu_to_gpu" || category == "fwdbwd" ||
         category == "async_gpu";
}

// Of the profiler: a kernel of NCCL, or a call that may have launched one. Its kind is empty where
// it is not known; its group is one of ChromeContents::words.
struct ChromeOperation : GroupOperation {
  KnownNumber root, correlation;
  bool may_leave_out = false;
  bool is_explained = false;  // by the kernel itself
};

ChromeOperation OperationOf(const ChromeEvent& event, WordPool& words) {
  const NcclArguments args = ParseNcclArguments(event.args);
  const std::string_view name = args.collective.empty() ? event.name.text : args.collective;
  return {{.track = event.track,
           .index = event.index,
           .begin = event.begin,
           .end = event.end,
           .kind = CollectiveKind(name),
           .group = words.Keep(args.group),
           .instance = TextKey(args.instance),
           .sequence = args.sequence,
           .size = TextKey(args.size).Digest(),
           .from = args.source_rank,
           .to = args.destination_rank},
          args.root_rank,
          args.correlation,
          args.may_leave_out,
          !args.collective.empty()};
}

// What of a file is not known before all of it was read.
struct Unfinished {
  explicit Unfinished(const std::shared_ptr<SpillSpace>& found) : kernels(found), calls(found) {}

  BlockStore<ChromeOperation> kernels, calls;
  bool needs_launches = false;  // kernels that do not say what they are, but which call it was
};

// Of a kernel whose kind and group are known, and of a rank if it has one. The texts of the file
// must be `contents`'.
Result<void> AddOperation(const ChromeOperation& kernel, uint32_t file,
                          const std::optional<int64_t>& rank, ChromeContents& contents) {
  GroupOperation operation = kernel;
  operation.member = file;
  if (kernel.kind == "send" && rank) operation.from = rank;
  if (kernel.kind == "recv" && rank) operation.to = rank;
  operation.is_root = kernel.root && kernel.root == KnownNumber(rank);
  if (kernel.may_leave_out && kernel.kind == "alltoall") {
    ++contents.may_leave_out;
    operation.only_orders = true;
  } else if (HasRoot(kernel.kind) && !(kernel.root && rank)) {
    ++contents.without_root;
    operation.only_orders = true;
  }
  return contents.operations.Add(operation);
}

class ContentsReader {
 public:
  ContentsReader(ChromeReader reader, uint32_t number, const std::shared_ptr<SpillSpace>& times,
                 const std::shared_ptr<SpillSpace>& found)
      : reader_(std::move(reader)), number_(number), times_(times), unfinished_(found) {
    contents_.operations = GroupOperations(kSortMemory, found);
    contents_.flows = SortedFlows(kSortMemory, found);
  }

  Unfinished& unfinished() { return unfinished_; }
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
    contents_.time_decimals = reader_.time_decimals();
    contents_.duration_decimals = reader_.duration_decimals();
    contents_.is_finer_than_ns = reader_.is_finer_than_ns();
    contents_.tracks = reader_.tracks();
    contents_.diagnostics = reader_.diagnostics();
    if (contents_.header.is_distributed) contents_.flows = SortedFlows();
    SYNCLINE_TRY(contents_.flows.PutAllAway());
    return std::move(contents_);
  }

 private:
  Result<void> Take(const ChromeEvent& event) {
    if (event.phase == 'M') TakeMetadata(event);
    if (event.instants == 0) return {};
    while (contents_.spans.size() <= event.track) {
      contents_.times.emplace_back(times_);
      contents_.spans.emplace_back();
    }
    contents_.begins.Add(SaturatedDifference(event.begin.ticks, reader_.base_ns()));
    contents_.spans[event.track].Include(event.begin);
    if (times_) SYNCLINE_TRY(contents_.times[event.track].Add(event.begin));
    if (event.instants == 2) {
      contents_.durations.Add(SaturatedDifference(event.end.ticks, event.begin.ticks));
      contents_.spans[event.track].Include(event.end);
      if (times_) SYNCLINE_TRY(contents_.times[event.track].Add(event.end));
      if (IsNcclKernel(event)) SYNCLINE_TRY(TakeKernel(event));
      if (IsNcclCall(event)) {
        SYNCLINE_TRY(unfinished_.calls.Add(OperationOf(event, contents_.words)));
      }
    }
    const auto part = FlowPartOf(event.phase);
    return part ? TakeFlow(event, *part) : Result<void>();
  }

  Result<void> TakeKernel(const ChromeEvent& event) {
    const ChromeOperation kernel = OperationOf(event, contents_.words);
    const auto& rank = reader_.header().rank;
    if (kernel.is_explained && !kernel.kind.empty() && !kernel.group.empty() && rank) {
      return AddOperation(kernel, number_, rank, contents_);
    }
    if (!kernel.is_explained && kernel.correlation) unfinished_.needs_launches = true;
    return unfinished_.kernels.Add(kernel);
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

  Result<void> TakeFlow(const ChromeEvent& event, FlowPart part) {
    if (IsFlowOfProfiler(event.category.text)) return {};
    KeyHash hash;
    for (const std::string_view text :
         {event.id.text, event.id2, event.category.text, event.name.text}) {
      hash.AddBytes(std::as_bytes(std::span(text)));
    }
    const bool is_of_process = event.id2.find("\"local\"") != std::string_view::npos;
    if (is_of_process) hash.AddBytes(std::as_bytes(std::span(event.pid.text)));
    // Most files count them: in the order of their numbers little has to be sorted.
    return contents_.flows.Add(
        {.key = {NumberIn(event.id.text).value_or(hash.First()), hash.Second()},
         .index = event.index,
         .time = event.begin,
         .track = event.track,
         .file = number_,
         .part = part,
         .is_of_process = is_of_process});
  }

  ChromeReader reader_;
  uint32_t number_;
  const std::shared_ptr<SpillSpace>& times_;
  ChromeContents contents_;
  Unfinished unfinished_;
};

// A call that launched something, or a kernel that was launched by one.
struct LaunchOrKernel {
  int64_t correlation = 0;
  uint64_t kernel = 0;  // its number
  LocalTime begin;
  uint32_t track = 0;
  bool is_kernel = false;
};

struct ByCorrelation {
  bool operator()(const LaunchOrKernel& a, const LaunchOrKernel& b) const {
    return std::tie(a.correlation, a.is_kernel) < std::tie(b.correlation, b.is_kernel);
  }
};

// What a call says, or the thread and begin of the launch of a kernel.
struct CallOrLaunch {
  ChromeOperation call;
  uint64_t kernel = 0;
  bool is_call = true;
};

// By thread and begin, so that the last calls before a launch may be around it.
struct ByBegin {
  bool operator()(const CallOrLaunch& a, const CallOrLaunch& b) const {
    return std::tie(a.call.track, a.call.begin, a.is_call) <
           std::tie(b.call.track, b.call.begin, b.is_call);
  }
};

struct Explanation {
  uint64_t kernel = 0;
  ChromeOperation call;
};

struct ByKernel {
  bool operator()(const Explanation& a, const Explanation& b) const { return a.kernel < b.kernel; }
};

using CallsAndLaunches = ExternalSort<CallOrLaunch, ByBegin>;
using Explanations = ExternalSort<Explanation, ByKernel>;

// With the launches of the kernels that do not say themselves what they are, by correlation.
Result<CallsAndLaunches> FindLaunches(const std::string& path, int64_t base_ns,
                                      const Unfinished& unfinished) {
  ExternalSort<LaunchOrKernel, ByCorrelation> launches;
  BlockReader<ChromeOperation> kernels(unfinished.kernels);
  for (uint64_t i = 0; i < kernels.size(); ++i) {
    SYNCLINE_ASSIGN(const ChromeOperation* kernel, kernels.At(i));
    if (kernel->is_explained || !kernel->correlation) continue;
    SYNCLINE_TRY(
        launches.Add({.correlation = *kernel->correlation, .kernel = i, .is_kernel = true}));
  }
  SYNCLINE_ASSIGN(auto reader, ChromeReader::Open(path, {.base_ns = base_ns}));
  while (const ChromeEvent* event = reader.Next()) {
    if (event->instants == 0 || !IsLaunch(*event)) continue;
    const auto correlation = ParseNcclArguments(event->args).correlation;
    if (!correlation) continue;
    SYNCLINE_TRY(
        launches.Add({.correlation = *correlation, .begin = event->begin, .track = event->track}));
  }
  if (reader.error()) return tl::unexpected(*reader.error());

  CallsAndLaunches found;
  BlockReader<ChromeOperation> calls(unfinished.calls);
  for (uint64_t i = 0; i < calls.size(); ++i) {
    SYNCLINE_ASSIGN(const ChromeOperation* call, calls.At(i));
    SYNCLINE_TRY(found.Add({.call = *call}));
  }
  std::optional<LaunchOrKernel> launch;
  SYNCLINE_TRY(launches.ForEach([&](const LaunchOrKernel& next) -> Result<void> {
    if (!next.is_kernel) launch = next;
    if (!next.is_kernel || !launch || launch->correlation != next.correlation) return {};
    return found.Add({.call = {{.track = launch->track, .begin = launch->begin}},
                      .kernel = next.kernel,
                      .is_call = false});
  }));
  return found;
}

void Explain(const ChromeOperation& call, ChromeOperation& kernel) {
  if (!call.kind.empty()) kernel.kind = call.kind;
  if (!call.group.empty()) kernel.group = call.group;
  if (!call.instance.empty()) kernel.instance = call.instance;
  if (call.size != 0) kernel.size = call.size;
  if (call.sequence) kernel.sequence = call.sequence;
  if (call.from) kernel.from = call.from;
  if (call.to) kernel.to = call.to;
  if (call.root) kernel.root = call.root;
  kernel.may_leave_out = kernel.may_leave_out || call.may_leave_out;
}

// Of calls within one another the inner one explains last.
Result<Explanations> ExplanationsOf(CallsAndLaunches calls) {
  Explanations explanations;
  // The event of the call and its annotation; further back none can be around the launch.
  constexpr size_t kNested = 4;
  std::deque<ChromeOperation> before;
  SYNCLINE_TRY(calls.ForEach([&](const CallOrLaunch& next) -> Result<void> {
    if (next.is_call) {
      before.push_back(next.call);
      if (before.size() > kNested) before.pop_front();
      return {};
    }
    Explanation explanation{.kernel = next.kernel};
    for (const ChromeOperation& call : before) {
      if (call.track == next.call.track && call.end >= next.call.begin) {
        Explain(call, explanation.call);
      }
    }
    return explanations.Add(explanation);
  }));
  return explanations;
}

// Of kernels that do not say it: kind, group and more of the call that launched them. Reads the
// file again where there are such.
Result<void> ExplainByLaunches(const std::string& path, int64_t base_ns,
                               const std::shared_ptr<SpillSpace>& found, Unfinished& unfinished) {
  if (!unfinished.needs_launches) return {};
  SYNCLINE_ASSIGN(auto calls, FindLaunches(path, base_ns, unfinished));
  SYNCLINE_ASSIGN(auto explanations, ExplanationsOf(std::move(calls)));
  BlockStore<ChromeOperation> explained(found);
  BlockReader<ChromeOperation> kernels(unfinished.kernels);
  const auto copy_until = [&](uint64_t end) -> Result<void> {
    while (explained.size() < end) {
      SYNCLINE_ASSIGN(const ChromeOperation* kernel, kernels.At(explained.size()));
      SYNCLINE_TRY(explained.Add(*kernel));
    }
    return {};
  };
  SYNCLINE_TRY(explanations.ForEach([&](const Explanation& explanation) -> Result<void> {
    SYNCLINE_TRY(copy_until(explanation.kernel));
    SYNCLINE_ASSIGN(const ChromeOperation* unexplained, kernels.At(explanation.kernel));
    ChromeOperation kernel = *unexplained;
    Explain(explanation.call, kernel);
    return explained.Add(kernel);
  }));
  SYNCLINE_TRY(copy_until(unfinished.kernels.size()));
  unfinished.kernels = std::move(explained);
  return {};
}

// Without names of groups a stream stands for one; where each rank has a single stream, the
// streams' numbers count for nothing.
Result<void> GatherOperations(const Unfinished& unfinished, uint32_t file,
                              ChromeContents& contents) {
  std::set<uint32_t> streams;
  BlockReader<ChromeOperation> kernels(unfinished.kernels);
  for (uint64_t i = 0; i < kernels.size(); ++i) {
    SYNCLINE_ASSIGN(const ChromeOperation* kernel, kernels.At(i));
    if (kernel->group.empty()) streams.insert(kernel->track);
  }
  for (uint64_t i = 0; i < kernels.size(); ++i) {
    SYNCLINE_ASSIGN(const ChromeOperation* read, kernels.At(i));
    ChromeOperation kernel = *read;
    if (kernel.group.empty()) {
      const std::string tid = PrintableName(contents.tracks[kernel.track].tid);
      kernel.group =
          streams.size() == 1 ? "all" : contents.words.Keep(fmt::format("stream {}", tid));
    }
    if (kernel.kind.empty()) {
      ++contents.unexplained;
    } else {
      SYNCLINE_TRY(AddOperation(kernel, file, contents.header.rank, contents));
    }
  }
  return contents.operations.PutAllAway();
}

}  // namespace

Result<ChromeContents> ReadChromeContents(const std::string& path, uint32_t number,
                                          const std::shared_ptr<SpillSpace>& times,
                                          const std::shared_ptr<SpillSpace>& found,
                                          const std::function<Result<void>(uint64_t)>& on_bytes) {
  int64_t base_ns = 0;
  for (int reading = 0; reading < 2; ++reading) {
    SYNCLINE_ASSIGN(auto reader, ChromeReader::Open(path, {.base_ns = base_ns}));
    ContentsReader contents_reader(std::move(reader), number, times, found);
    SYNCLINE_ASSIGN(auto contents, contents_reader.Run(on_bytes));
    base_ns = contents.header.base_ns.value_or(0);
    if (contents.header.is_base_late) continue;
    contents.base_ns = base_ns;
    Unfinished& unfinished = contents_reader.unfinished();
    SYNCLINE_TRY(ExplainByLaunches(path, base_ns, found, unfinished));
    SYNCLINE_TRY(GatherOperations(unfinished, number, contents));
    return contents;
  }
  return Fail(ErrorCode::kMalformed, "has several values of baseTimeNanoseconds", path);
}

}  // namespace syncline
