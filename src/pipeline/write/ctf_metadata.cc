#include "pipeline/write/ctf_metadata.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/int128.h"
#include "base/try.h"
#include "report/table.h"
#include "trace/kept_ctf.h"
#include "trace/message_pass.h"
#include "write/ctf_metadata/metadata_fit.h"

namespace syncline {
namespace {

using ctf_metadata::BabeltraceClock;
using ctf_metadata::BlockToFit;
using ctf_metadata::ClockSetting;
using ctf_metadata::CorrectedSpan;
using ctf_metadata::FitEvent;
using ctf_metadata::FitMessage;

std::optional<uint64_t> ToCycles(LocalTime t, int64_t origin) {
  const Int128 cycles = static_cast<Int128>(t.ticks) + origin;
  if (cycles < 0 || cycles > std::numeric_limits<uint64_t>::max()) return std::nullopt;
  return static_cast<uint64_t>(cycles);
}

// Ends that are at least a second apart, so that they determine the rate.
struct Ends {
  LocalTime first;
  LocalTime last;
};
Ends EndsOf(const ClockSpan& span, int64_t ticks_per_second) {
  Ends ends = {std::min(span.first, span.last), std::max(span.first, span.last)};
  const Int128 second_later = static_cast<Int128>(ends.first.ticks) + ticks_per_second;
  ends.last.ticks = std::max(ends.last.ticks, Saturate(second_later));
  return ends;
}

// True where the correction leaves its chord by no more than rounding.
bool IsStraight(const Correction& correction, const Ends& ends) {
  const auto chord = Correction::FromKnots(
      {{ends.first, correction(ends.first)}, {ends.last, correction(ends.last)}});
  if (!chord) return false;
  return std::ranges::all_of(correction.knots(), [&](const auto& knot) {
    if (knot.local < ends.first || knot.local > ends.last) return true;
    const int64_t off = ((*chord)(knot.local) - knot.global).ns;
    return off >= -1 && off <= 1;
  });
}

// A clock block that events use.
struct UsedBlock {
  size_t input = 0;
  uint32_t clock_class = 0;
  ClockId clock;
};

class CtfFit {
 public:
  CtfFit(const LoadedTraces& loaded, const Solution& solution, const Retiming& retiming)
      : loaded_(loaded),
        solution_(solution),
        retiming_(retiming),
        block_of_process_(loaded.traces.processes.size()),
        movable_(loaded.traces.clocks.size(), true) {
    for (const PairInput& pair : solution.pairs) {
      least_[{pair.a, pair.b}] = pair.estimate.min_delays.ab_ns;
      least_[{pair.b, pair.a}] = pair.estimate.min_delays.ba_ns;
    }
  }

  Result<CtfMetadata> Run() {
    ListBlocks();
    if (auto why_not = SetBack(); !why_not.empty()) return Without(std::move(why_not));
    if (auto why_not = StepBack(); !why_not.empty()) return Without(std::move(why_not));
    for (const UsedBlock& used : used_) {
      if (auto why_not = AddBlock(used); !why_not.empty()) return Without(std::move(why_not));
    }
    SYNCLINE_ASSIGN(auto outcome,
                    FitMetadata(blocks_, movable_, [&](const auto& visit) { return Pass(visit); }));
    if (!outcome.fit) return Without(std::move(outcome.why_not));
    return Describe(*outcome.fit);
  }

 private:
  static CtfMetadata Without(std::string why_not) {
    CtfMetadata metadata;
    metadata.why_not = std::move(why_not);
    return metadata;
  }

  void ListBlocks() {
    for (const ClockId root : solution_.group.roots) movable_[root.index()] = false;
    for (size_t number = 0; number < loaded_.inputs.size(); ++number) {
      const LoadedInput& input = loaded_.inputs[number];
      std::map<uint32_t, size_t> blocks;  // by class
      for (size_t i = 0; i < input.processes.size(); ++i) {
        const ProcessId process = input.processes[i];
        const ClockId clock = loaded_.traces.processes[process.index()].clock;
        const KeptCtfTrace* trace = CtfTraceIn(input);
        const auto clock_class = trace != nullptr ? trace->streams[i].clock : std::nullopt;
        // Written otherwise, and where the corrections say.
        if (!clock_class) movable_[clock.index()] = movable_[clock.index()] && trace != nullptr;
        if (!clock_class || loaded_.spans[clock.index()].events == 0) continue;
        const auto [it, is_new] = blocks.emplace(*clock_class, used_.size());
        if (is_new) used_.push_back({number, *clock_class, clock});
        block_of_process_[process.index()] = it->second;
      }
    }
  }

  // A clock block gives a reading one time.
  std::string SetBack() const {
    for (const LoadedInput& input : loaded_.inputs) {
      for (const ProcessId process : input.processes) {
        if (CtfTraceIn(input) == nullptr || loaded_.epochs.FirstEvents(process).empty()) continue;
        return fmt::format("the clock {} was set back, so that its readings repeat",
                           loaded_.NameOf(loaded_.traces.processes[process.index()].clock));
      }
    }
    return {};
  }

  // Readers that merge streams stop where one steps back, which events written anew do not.
  std::string StepBack() const {
    for (const LoadedInput& input : loaded_.inputs) {
      const KeptCtfTrace* trace = CtfTraceIn(input);
      if (trace == nullptr) continue;
      for (const KeptCtfStream& stream : trace->streams) {
        if (!stream.is_out_of_order) continue;
        return fmt::format("times of {} step back, where readers would stop", stream.file);
      }
    }
    return {};
  }

  // Why it is not possible, or nothing.
  std::string AddBlock(const UsedBlock& used) {
    const size_t clock = used.clock.index();
    const CtfClock& own = ClassOf(used);
    const Correction& correction = solution_.group.clocks[clock].correction;
    const Ends ends = EndsOf(loaded_.spans[clock], loaded_.traces.clocks[clock].ticks_per_second);
    if (!IsStraight(correction, ends)) {
      return fmt::format("the correction of {} is no straight line", loaded_.NameOf(used.clock));
    }
    const auto first = ToCycles(ends.first, own.origin);
    const auto last = ToCycles(ends.last, own.origin);
    if (!first || !last)
      return fmt::format("the counter of {} has no 64 bits", loaded_.NameOf(used.clock));
    const CorrectedSpan span = {*first, *last, correction(ends.first).ns, correction(ends.last).ns};
    blocks_.push_back({clock, span, SettingOf(own)});
    return {};
  }

  const CtfClock& ClassOf(const UsedBlock& used) const {
    return CtfTraceOf(loaded_.inputs[used.input]).clocks[used.clock_class];
  }
  static ClockSetting SettingOf(const CtfClock& clock) {
    return {clock.frequency, clock.offset_s, clock.offset_cycles};
  }

  FitEvent EventOf(const EventRef& event) const {
    const ClockId clock = loaded_.ClockOf(event);
    FitEvent fit{block_of_process_[event.process.index()], clock.index(), 0, 0};
    if (fit.block) {
      fit.cycles = ToCycles(event.time, ClassOf(used_[*fit.block]).origin).value_or(0);
    } else {
      fit.written_ns = retiming_(event).ns;
    }
    return fit;
  }

  // The messages that hold under the corrections, in which a CTF trace takes part.
  Result<void> Pass(const std::function<void(const FitMessage&)>& visit) const {
    const auto visit_one = [&](const Message& m, uint64_t) {
      const FitMessage message{EventOf(m.send), EventOf(m.receive), LeastNs(m)};
      if (!message.send.block && !message.receive.block) return;
      if (message.send.clock == message.receive.clock) return;
      const Int128 delay = static_cast<Int128>(retiming_(m.receive).ns) - retiming_(m.send).ns;
      if (delay >= message.least_ns) visit(message);
    };
    return VisitNumbered(loaded_, visit_one);
  }

  int64_t LeastNs(const Message& m) const {
    const ClockId from = loaded_.ClockOf(m.send);
    const ClockId to = loaded_.ClockOf(m.receive);
    const auto it = least_.find({from, to});
    return it == least_.end() ? 0 : it->second;
  }

  CtfMetadata Describe(const ctf_metadata::MetadataFit& fit) const {
    CtfMetadata metadata;
    metadata.settings.resize(loaded_.inputs.size());
    metadata.deviations_ns.resize(loaded_.traces.clocks.size());
    for (size_t i = 0; i < loaded_.inputs.size(); ++i) {
      if (CtfTraceIn(loaded_.inputs[i]) != nullptr) metadata.settings[i].emplace();
    }
    for (size_t i = 0; i < used_.size(); ++i) {
      const CtfClock& own = ClassOf(used_[i]);
      int64_t& deviation = metadata.deviations_ns[used_[i].clock.index()];
      deviation = std::max(deviation, fit.deviations_ns[i]);
      if (fit.settings[i] == SettingOf(own)) continue;
      metadata.settings[used_[i].input]->push_back({own.name, fit.settings[i]});
    }
    AddTimes(fit, metadata);
    return CheckTexts(std::move(metadata));
  }

  void AddTimes(const ctf_metadata::MetadataFit& fit, CtfMetadata& metadata) const {
    for (uint32_t i = 0; i < block_of_process_.size(); ++i) {
      const auto block = block_of_process_[i];
      if (!block) continue;
      const auto clock = BabeltraceClock::Make(fit.settings[*block]);
      metadata.times.push_back({ProcessId(i), ClassOf(used_[*block]).origin, *clock});
    }
  }

  // The metadata must have these blocks, and not twice.
  CtfMetadata CheckTexts(CtfMetadata metadata) const {
    for (size_t i = 0; i < loaded_.inputs.size(); ++i) {
      if (!metadata.settings[i]) continue;
      const std::string path = loaded_.inputs[i].input.path + "/metadata";
      const auto text = ctf_metadata::MetadataWith(path, *metadata.settings[i]);
      if (!text) return Without(text.error().ToString());
    }
    return metadata;
  }

  const LoadedTraces& loaded_;
  const Solution& solution_;
  const Retiming& retiming_;
  std::vector<UsedBlock> used_;
  std::vector<BlockToFit> blocks_;  // of used_
  std::vector<std::optional<size_t>> block_of_process_;
  std::vector<bool> movable_;
  std::map<std::pair<ClockId, ClockId>, int64_t> least_;  // minimum delays of estimation
};

}  // namespace

GlobalTime ReadTimes::operator()(LocalTime t) const {
  const auto cycles = ToCycles(t, origin);
  const auto ns = cycles ? clock.Ns(*cycles) : std::nullopt;
  return {ns.value_or(t.ticks < 0 ? INT64_MIN : INT64_MAX)};
}

Result<CtfMetadata> FitCtfMetadata(const LoadedTraces& loaded, const Solution& solution,
                                   QualityFigures& quality, Retiming& retiming) {
  auto metadata = CtfFit(loaded, solution, retiming).Run();
  if (!metadata || metadata->settings.empty()) return metadata;
  Retiming as_read = MakeRetiming(loaded, solution.group);
  for (const ReadTimes& times : metadata->times) as_read.SetAsRead(times.process, times);
  SYNCLINE_ASSIGN(quality, MeasureQuality(loaded, solution, as_read));
  retiming = std::move(as_read);
  return metadata;
}

void AddCtfMetadata(const CtfMetadata& metadata, Summary& summary) {
  if (metadata.settings.empty()) {
    summary.diagnostics.Count("clock-blocks-insufficient", Severity::kInfo, 1, metadata.why_not);
    return;
  }
  for (size_t i = 0; i < summary.clocks.size(); ++i) {
    const int64_t deviation = metadata.deviations_ns[i];
    if (deviation == 0) continue;
    Summary::Clock& clock = summary.clocks[i];
    for (Summary::Bound* bound : {&clock.bound, &clock.below, &clock.above}) {
      for (std::optional<int64_t>* ns : {&bound->best_ns, &bound->mean_ns, &bound->worst_ns}) {
        if (*ns) **ns = Saturate(static_cast<Int128>(**ns) + deviation);
      }
    }
    summary.diagnostics.Count(
        "clock-blocks-rounded", Severity::kInfo, 1,
        fmt::format("{}: {} at most, which its ± contains", clock.name, FormatDuration(deviation)));
  }
}

}  // namespace syncline
