#include "trace/clock_epochs.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "base/try.h"
#include "trace/formats.h"

namespace syncline {
namespace {

uint64_t LengthOf(LocalTime from, LocalTime to) {
  return static_cast<uint64_t>(to.ticks) - static_cast<uint64_t>(from.ticks);
}

// One set-back of the clock while its processes join.
class Joined {
 public:
  explicit Joined(const SetBack& first) : whole_{first.before, first.after} { Note(first); }

  bool Takes(const SetBack& other) const {
    uint64_t gap = 0;
    if (other.after > whole_.before) gap = LengthOf(whole_.before, other.after);
    if (whole_.after > other.before) gap = LengthOf(other.before, whole_.after);
    return gap == 0 || gap < std::max(longest_, LengthOf(other.after, other.before));
  }
  void Take(const SetBack& other) {
    whole_.before = std::max(whole_.before, other.before);
    whole_.after = std::min(whole_.after, other.after);
    Note(other);
  }
  const ClockSetBack& whole() const { return whole_; }

 private:
  void Note(const SetBack& s) { longest_ = std::max(longest_, LengthOf(s.after, s.before)); }

  ClockSetBack whole_;
  uint64_t longest_ = 0;  // of those that have joined
};

class Planner {
 public:
  explicit Planner(std::span<const SeenSetBacks> processes)
      : processes_(processes), next_(processes.size()) {
    plan_.own.resize(processes.size());
    for (size_t p = 0; p < processes.size(); ++p) {
      if (!processes[p].found.empty()) left_.push_back(p);
    }
  }

  std::optional<EpochPlan> Run() {
    for (; !left_.empty(); DropFinished()) {
      if (joined_.size() == kMostSetBacks) return std::nullopt;
      AddSetBack();
    }
    for (std::vector<uint64_t>& own : plan_.own) own.resize(joined_.size(), EpochPlan::kNotSeen);
    for (const Joined& joined : joined_) plan_.set_backs.push_back(joined.whole());
    CountAmbiguous();
    return std::move(plan_);
  }

 private:
  const SetBack& NextOf(size_t process) const { return processes_[process].found[next_[process]]; }

  void AddSetBack() {
    const size_t first = *std::ranges::min_element(
        left_, [&](size_t p, size_t q) { return NextOf(p).before < NextOf(q).before; });
    Joined joined(NextOf(first));
    std::vector<bool> has_joined(left_.size());
    for (bool is_more = true; is_more;) {
      is_more = false;
      for (size_t i = 0; i < left_.size(); ++i) {
        if (has_joined[i] || !joined.Takes(NextOf(left_[i]))) continue;
        joined.Take(NextOf(left_[i]));
        has_joined[i] = is_more = true;
      }
    }
    for (size_t i = 0; i < left_.size(); ++i) {
      if (!has_joined[i]) continue;
      std::vector<uint64_t>& own = plan_.own[left_[i]];
      own.resize(joined_.size(), EpochPlan::kNotSeen);
      own.push_back(NextOf(left_[i]).event);
      ++next_[left_[i]];
    }
    joined_.push_back(joined);
  }

  void DropFinished() {
    std::erase_if(left_, [&](size_t p) { return next_[p] == processes_[p].found.size(); });
  }

  void CountAmbiguous() {
    for (size_t p = 0; p < processes_.size(); ++p) {
      const std::vector<uint64_t>& own = plan_.own[p];
      size_t number = 0;
      for (size_t j = 0; j < own.size(); ++j) {
        if (own[j] == EpochPlan::kNotSeen) continue;
        const SetBack& seen = processes_[p].found[number++];
        const auto could_be = [&](size_t other) {
          return own[other] == EpochPlan::kNotSeen && joined_[other].Takes(seen);
        };
        if ((j > 0 && could_be(j - 1)) || (j + 1 < own.size() && could_be(j + 1))) {
          ++plan_.ambiguous;
        }
      }
    }
  }

  std::span<const SeenSetBacks> processes_;
  std::vector<size_t> next_;  // by process, in its list
  std::vector<size_t> left_;  // processes that have a next one
  std::vector<Joined> joined_;
  EpochPlan plan_;
};

bool SawAll(std::span<const uint64_t> own) {
  return std::ranges::find(own, EpochPlan::kNotSeen) == own.end();
}

void Include(const ReadingSpan& span, std::optional<ReadingSpan>& all) {
  if (!all) all = span;
  all->first = std::min(all->first, span.first);
  all->last = std::max(all->last, span.last);
}

// Assigns the epochs of all clocks.
class Assigner {
 public:
  explicit Assigner(LoadedTraces& loaded) : loaded_(loaded) {
    loaded.set_backs.resize(loaded.traces.processes.size());
  }

  Result<EpochsAre> Run() {
    const auto& seen = loaded_.set_backs;
    if (std::ranges::all_of(seen, [](const auto& s) { return s.found.empty(); })) {
      return EpochsAre::kAssigned;
    }
    loaded_.epochs.first_event.resize(seen.size());
    loaded_.epoch_spans.resize(loaded_.traces.clocks.size());
    loaded_.clock_set_backs.resize(loaded_.traces.clocks.size());
    std::vector<std::vector<ProcessId>> of_clock(loaded_.traces.clocks.size());
    for (uint32_t p = 0; p < seen.size(); ++p) {
      of_clock[loaded_.traces.processes[p].clock.index()].push_back(ProcessId(p));
    }
    for (uint32_t c = 0; c < of_clock.size(); ++c) Plan(ClockId(c), of_clock[c]);
    PreparePlacers();
    if (NeedsEvents()) return EpochsAre::kNeedEvents;
    for (const LoadedInput& input : loaded_.inputs) SYNCLINE_TRY(ReadAgain(input));
    for (ClockPlan& of : plans_) Finish(of);
    return EpochsAre::kAssigned;
  }

 private:
  struct ClockPlan {
    ClockId clock;
    std::vector<ProcessId> processes;
    EpochPlan plan;
  };

  void Plan(ClockId clock, std::span<const ProcessId> processes) {
    std::vector<SeenSetBacks> seen;
    bool are_too_many = false;
    bool any = false;
    for (const ProcessId process : processes) {
      seen.push_back(loaded_.set_backs[process.index()]);
      are_too_many = are_too_many || seen.back().are_too_many;
      any = any || !seen.back().found.empty();
    }
    if (!any) return;
    auto plan = are_too_many ? std::nullopt : PlanEpochs(seen);
    if (!plan) {
      loaded_.diagnostics.Count("clock-without-order", Severity::kWarning, 1,
                                loaded_.traces.clocks[clock.index()].name);
      return;
    }
    plans_.push_back({clock, {processes.begin(), processes.end()}, *std::move(plan)});
  }

  // Of processes that did not see all, which are read again.
  void PreparePlacers() {
    for (const ClockPlan& of : plans_) {
      for (size_t i = 0; i < of.processes.size(); ++i) {
        const std::span<const uint64_t> own = of.plan.own[i];
        if (!SawAll(own)) placers_.emplace(of.processes[i], EpochPlacer(of.plan.set_backs, own));
      }
    }
  }

  bool HasPlacers(const LoadedInput& input) const {
    return std::ranges::any_of(input.processes, [&](auto p) { return placers_.contains(p); });
  }

  bool IsWithoutEvents(const LoadedInput& input) const {
    return !loaded_.has_events && FormatOf(input).opens_if_needed;
  }

  static bool IsPipe(const LoadedInput& input) {
    std::error_code error;
    return !std::filesystem::is_regular_file(input.input.path, error) &&
           !std::filesystem::is_directory(input.input.path, error);
  }

  bool NeedsEvents() const {
    const bool any = std::ranges::any_of(loaded_.inputs, [&](const LoadedInput& input) {
      return IsWithoutEvents(input) && HasPlacers(input);
    });
    return any && std::ranges::none_of(loaded_.inputs, IsPipe);
  }

  Result<void> ReadAgain(const LoadedInput& input) {
    if (!HasPlacers(input)) return {};
    if (IsWithoutEvents(input) || (!FormatOf(input).keeps_times && IsPipe(input))) {
      return ReadMessages(input);
    }
    std::vector<EpochPlacer*> placers;
    for (const ProcessId process : input.processes) {
      const auto found = placers_.find(process);
      placers.push_back(found == placers_.end() ? nullptr : &found->second);
    }
    return ForEachEvent(loaded_, input, EventDetail::kTimes, [&](const TraceEvent& event) {
      EpochPlacer* placer = placers[event.number];
      if (placer != nullptr) placer->Add(event.index, event.event.time);
    });
  }

  Result<void> ReadMessages(const LoadedInput& input) {
    std::map<ProcessId, std::vector<std::pair<uint64_t, LocalTime>>> events;
    for (const ProcessId process : input.processes) {
      if (placers_.contains(process)) events[process];
    }
    const auto add = [&](const EventRef& event) {
      const auto found = events.find(event.process);
      if (found != events.end()) found->second.emplace_back(event.index, event.time);
    };
    for (const MessageStore* store : {&loaded_.messages, &loaded_.collective_messages}) {
      SYNCLINE_TRY(store->ForEach([&](const Message& message) {
        add(message.send);
        add(message.receive);
      }));
      for (const Broadcast& broadcast : store->broadcasts()) {
        for (const EventRef& event : broadcast.receives) add(event);
      }
    }
    for (auto& [process, of_process] : events) {
      std::ranges::sort(of_process);
      EpochPlacer& placer = placers_.at(process);
      for (const auto& [index, time] : of_process) placer.Add(index, time);
    }
    return {};
  }

  void Finish(ClockPlan& of) {
    const size_t epochs = of.plan.set_backs.size() + 1;
    std::vector<std::optional<ReadingSpan>> spans(epochs);
    uint64_t ambiguous = of.plan.ambiguous;
    for (size_t i = 0; i < of.processes.size(); ++i) {
      const ProcessId process = of.processes[i];
      std::vector<uint64_t>& first_event = loaded_.epochs.first_event[process.index()];
      const auto placer = placers_.find(process);
      if (placer == placers_.end()) {
        first_event = of.plan.own[i];
        IncludeSeen(loaded_.set_backs[process.index()], spans);
        continue;
      }
      first_event = placer->second.first_event();
      ambiguous += placer->second.ambiguous();
      for (size_t j = 0; j + 1 < epochs; ++j) {
        if (of.plan.own[i][j] != EpochPlan::kNotSeen) continue;
        loaded_.unseen_set_backs.push_back(placer->second.unseen()[j]);
        loaded_.unseen_set_backs.back().process = process;
        loaded_.unseen_set_backs.back().set_back = of.plan.set_backs[j];
      }
      for (size_t e = 0; e < epochs; ++e) {
        if (const auto& span = placer->second.spans()[e]) Include(*span, spans[e]);
      }
    }
    std::vector<ReadingSpan>& of_clock = loaded_.epoch_spans[of.clock.index()];
    for (size_t e = 0; e < epochs; ++e) {
      const LocalTime begin = e == 0 ? of.plan.set_backs[0].before : of.plan.set_backs[e - 1].after;
      of_clock.push_back(spans[e].value_or(ReadingSpan{begin, begin}));
    }
    loaded_.diagnostics.Count("clock-epoch-ambiguous", Severity::kWarning, ambiguous,
                              loaded_.traces.clocks[of.clock.index()].name);
    loaded_.clock_set_backs[of.clock.index()] = std::move(of.plan.set_backs);
  }

  // Of a process that saw all set-backs.
  static void IncludeSeen(const SeenSetBacks& seen, std::span<std::optional<ReadingSpan>> spans) {
    LocalTime first = seen.first;
    for (size_t e = 0; e < spans.size(); ++e) {
      const bool is_last = e == seen.found.size();
      const LocalTime last = is_last ? seen.highest : seen.found[e].before;
      Include({std::min(first, last), last}, spans[e]);
      if (!is_last) first = seen.found[e].after;
    }
  }

  LoadedTraces& loaded_;
  std::vector<ClockPlan> plans_;
  std::map<ProcessId, EpochPlacer> placers_;  // of processes that did not see all
};

}  // namespace

std::optional<EpochPlan> PlanEpochs(std::span<const SeenSetBacks> processes) {
  return Planner(processes).Run();
}

SeenSetBacks JoinSeen(std::span<const SeenSetBacks> sources) {
  if (sources.size() == 1) return sources.front();
  SeenSetBacks seen;
  for (const SeenSetBacks& source : sources) {
    if (!source.has_events) continue;
    seen.first = seen.has_events ? std::min(seen.first, source.first) : source.first;
    seen.highest = std::max(seen.highest, source.highest);
    seen.has_events = true;
    seen.are_too_many = seen.are_too_many || source.are_too_many;
  }
  const auto plan = PlanEpochs(sources);
  if (!plan || plan->set_backs.empty()) {
    seen.are_too_many = seen.are_too_many || !plan;
    return seen;
  }
  for (size_t j = 0; j < plan->set_backs.size(); ++j) {
    uint64_t first = EpochPlan::kNotSeen;
    for (const std::vector<uint64_t>& own : plan->own) first = std::min(first, own[j]);
    if (!seen.found.empty()) first = std::max(first, seen.found.back().event + 1);
    seen.found.push_back({first, plan->set_backs[j].before, plan->set_backs[j].after});
  }
  seen.highest = plan->set_backs.back().after;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (plan->own[i].back() == EpochPlan::kNotSeen) continue;
    seen.highest = std::max(seen.highest, sources[i].highest);
  }
  return seen;
}

void EpochPlacer::Add(uint64_t event, LocalTime t) {
  const auto is_unseen = [this](size_t j) {
    return j < own_.size() && own_[j] == EpochPlan::kNotSeen;
  };
  // A drop of its own ends all epochs before it.
  for (next_own_ = std::max(next_own_, first_event_.size()); is_unseen(next_own_);) ++next_own_;
  if (next_own_ < own_.size() && own_[next_own_] <= event) {
    first_event_.resize(next_own_ + 1, own_[next_own_]);
  }
  while (is_unseen(first_event_.size()) && t > set_backs_[first_event_.size()].before) {
    unseen_[first_event_.size()].first_after = t;
    first_event_.push_back(event);
  }
  const size_t epoch = first_event_.size();
  if (is_unseen(epoch)) {
    // Those from set_backs_[epoch].after on are counted here.
    if (t >= set_backs_[epoch].after) {
      ++ambiguous_;
    } else {
      std::optional<LocalTime>& last = unseen_[epoch].last_before;
      last = std::max(last.value_or(t), t);
    }
  }
  Include({t, t}, spans_[epoch]);
}

Result<EpochsAre> AssignEpochs(LoadedTraces& loaded) { return Assigner(loaded).Run(); }

}  // namespace syncline
