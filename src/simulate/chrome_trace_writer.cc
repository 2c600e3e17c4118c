#include "simulate/chrome_trace_writer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/byte_sink.h"
#include "base/try.h"
#include "read/chrome/decimal_time.h"

namespace syncline {
namespace {

// Kineto counts from the begin of such a stretch.
constexpr int64_t kBaseStepNs = int64_t{90} * 86'400 * 1'000'000'000;
// Lists of ranks that are longer are shortened.
constexpr size_t kMostRanks = 30;

struct NcclNames {
  std::string_view collective, kernel;
};

NcclNames NamesOf(const Event& event) {
  // From kBarrier on; there is no scan.
  constexpr std::array<NcclNames, kCollectiveKinds> kNames = {{{"barrier", "AllReduce_Sum_i8"},
                                                               {"broadcast", "Broadcast"},
                                                               {"reduce", "Reduce_Sum_f32"},
                                                               {"allreduce", "AllReduce_Sum_f32"},
                                                               {},
                                                               {"scatter", "SendRecv"},
                                                               {"gather", "SendRecv"},
                                                               {"_allgather_base", "AllGather"},
                                                               {"all_to_all", "SendRecv"}}};
  if (event.kind == EventKind::kSend) return {"send", "SendRecv"};
  if (event.kind == EventKind::kReceive) return {"recv", "SendRecv"};
  return kNames[event.name - static_cast<uint32_t>(Name::kBarrier)];
}

std::string RankList(const std::vector<ProcessId>& members) {
  std::string text = "[";
  for (size_t i = 0; i < std::min(members.size(), kMostRanks); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", members[i].value);
  }
  if (members.size() > kMostRanks) text += fmt::format(", ..., {}", members.back().value);
  return text + "]";
}

class RankProfile {
 public:
  RankProfile(const Simulation& simulation, ProcessId rank, int64_t base_ns, OutputFile& file)
      : simulation_(simulation), rank_(rank), base_ns_(base_ns), output_(file) {}

  Result<void> Begin() {
    const size_t ranks = simulation_.traces().processes.size();
    return output_.Append(fmt::format(
        "{{\n  \"schemaVersion\": 1,\n"
        "  \"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {0}, \"world_size\": {1}}},\n"
        "  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": {2},\n  \"traceEvents\": [\n"
        "  {{\"name\": \"process_name\", \"ph\": \"M\", \"ts\": 0.000, \"pid\": {0}, \"tid\": 0, "
        "\"args\": {{\"name\": \"rank {0}\"}}}}",
        rank_.value, ranks, base_ns_));
  }

  Result<void> Take(const SimulatedEvent& simulated) {
    const Event& event = simulated.event;
    switch (event.kind) {
      case EventKind::kEnter: begins_.push_back(event.time); return {};
      case EventKind::kLeave: return EndSlice(event);
      case EventKind::kCollectiveBegin: return {};
      default: call_ = simulated; return {};
    }
  }

  Result<void> End() {
    SYNCLINE_TRY(output_.Append("\n  ],\n  \"traceName\": \"simulation\"\n}\n"));
    return output_.Flush();
  }

 private:
  Result<void> EndSlice(const Event& event) {
    const LocalTime begin = begins_.back();
    begins_.pop_back();
    if (event.time < begin) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("clock c{} steps back within a slice, which has no negative duration",
                              rank_.value));
    }
    const std::optional<SimulatedEvent> call = std::exchange(call_, std::nullopt);
    const bool is_kernel = call && !NamesOf(call->event).kernel.empty();
    const std::string name =
        is_kernel ? fmt::format("ncclDevKernel_{}_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                                NamesOf(call->event).kernel)
                  : simulation_.names()[event.name];
    const Clock& clock = simulation_.traces().clocks[rank_.index()];
    const int64_t begin_ns = clock.NominalNs(begin);
    text_ = fmt::format(
        ",\n  {{\"ph\": \"X\", \"cat\": \"{}\", \"name\": \"{}\", \"pid\": {}, \"tid\": {}, "
        "\"ts\": ",
        is_kernel ? "kernel" : "user_annotation", name, rank_.value, is_kernel ? 20 : 1);
    AppendMicroseconds(begin_ns - base_ns_, 3, text_);
    text_ += ", \"dur\": ";
    AppendMicroseconds(clock.NominalNs(event.time) - begin_ns, 3, text_);
    if (is_kernel) AppendArguments(*call);
    text_ += "}";
    return output_.Append(text_);
  }

  void AppendArguments(const SimulatedEvent& call) {
    const Event& event = call.event;
    const bool is_send = event.kind == EventKind::kSend;
    const bool is_transfer = is_send || event.kind == EventKind::kReceive;
    const auto world = static_cast<uint32_t>(Name::kWorld);
    const std::string& group = simulation_.names()[is_transfer ? world : event.group];
    const std::vector<ProcessId> members = MembersOf(group);
    text_ += fmt::format(
        ", \"args\": {{\"Collective name\": \"{}\", \"Process Group Name\": \"{}\", "
        "\"Process Group Ranks\": \"{}\", \"Group size\": {}, \"In msg nelems\": {}, "
        "\"dtype\": \"Float\", \"Seq\": {}",
        NamesOf(event).collective, group, RankList(members), members.size(), event.bytes / 4,
        is_transfer ? ++transfers_ : event.message);
    if (is_transfer) {
      text_ += fmt::format(", \"Src Rank\": {}, \"Dst Rank\": {}",
                           is_send ? rank_.value : event.peer.value,
                           is_send ? event.peer.value : rank_.value);
    } else {
      text_ += fmt::format(", \"Comms Id\": \"{}/{}\"", group, event.message);
      const auto root = std::ranges::find(members, ProcessId(call.root));
      if (root != members.end()) text_ += fmt::format(", \"Rank\": {}", root - members.begin());
    }
    text_ += "}";
  }

  std::vector<ProcessId> MembersOf(const std::string& group) const {
    const auto& groups = simulation_.traces().groups;
    const auto found = std::ranges::find(groups, group, &Group::name);
    if (found != groups.end()) return found->members;
    std::vector<ProcessId> all;
    for (uint32_t p = 0; p < simulation_.traces().processes.size(); ++p) all.emplace_back(p);
    return all;
  }

  const Simulation& simulation_;
  ProcessId rank_;
  int64_t base_ns_;
  ByteSink output_;
  std::vector<LocalTime> begins_;       // of the slices that are open
  std::optional<SimulatedEvent> call_;  // in the innermost of them
  uint64_t transfers_ = 0;              // each rank counts its own
  std::string text_;
};

}  // namespace

Result<void> WriteChromeTraces(Simulation& simulation, std::span<OutputFile> files) {
  const int64_t base_ns = simulation.start_ns() / kBaseStepNs * kBaseStepNs;
  std::vector<RankProfile> profiles;
  for (uint32_t p = 0; p < files.size(); ++p) {
    SYNCLINE_TRY(profiles.emplace_back(simulation, ProcessId(p), base_ns, files[p]).Begin());
  }
  while (const SimulatedEvent* next = simulation.Next()) {
    SYNCLINE_TRY(profiles[next->event.process.index()].Take(*next));
  }
  for (RankProfile& profile : profiles) SYNCLINE_TRY(profile.End());
  return {};
}

}  // namespace syncline
