#include "logical/logical_filter.h"

#include <algorithm>

#include "syncline/time.h"

#include "base/check.h"

namespace syncline {
namespace {

bool IsFraction(double v) { return v >= 0 && v <= 1; }

}  // namespace

Result<void> CheckOptions(const LogicalOptions& options) {
  const RevisedControllerOptions& r = options.revised;
  const OriginalControllerOptions& o = options.original;
  const auto fail = [](std::string_view what) {
    return Fail(ErrorCode::kUsage, std::string(what));
  };
  if (!IsFraction(r.gamma_max) || !IsFraction(o.gamma_max)) {
    return fail("γmax must lie between 0 and 1");
  }
  if (!IsFraction(r.gamma_floor)) return fail("γD must lie between 0 and 1");
  if (!(r.q_low >= 0 && r.q_low < r.q_high)) return fail("the limits of q must be 0 ≤ low < high");
  if (!IsFraction(o.q_factor)) return fail("qf must lie between 0 and 1");
  if (!(o.gamma_step > 0 && o.gamma_step < 1)) return fail("γdeg must lie between 0 and 1");
  if (!(o.l_low >= 0 && o.l_low <= o.l_up && o.l_up <= 1e6)) {
    return fail("the limits of D' must be 0 ≤ lower ≤ upper ≤ 1000000");
  }
  if (o.q_init_ns < 0 || o.q_min_ns < 0) return fail("qinit and qmin must not be negative");
  if (options.min_event_gap_ns < 0)
    return fail("the least distance of events must not be negative");
  const AmortizationOptions& a = options.amortizer;
  if (a.error_numerator <= 0 || a.error_denominator <= 0) {
    return fail("the amortization error must be positive");
  }
  if (a.start_difference_ns < 0) return fail("the clock difference must not be negative");
  return {};
}

LogicalFilter::LogicalFilter(const LogicalOptions& options, const DelayModel& delays,
                             LogicalSink& sink)
    : options_(options),
      clocks_(LogicalClocks::By(options_)),
      output_(options_, sink, *this, report_),
      messages_(options_, delays, progress_, output_, sink, report_),
      collectives_(options_, delays, progress_, output_, sink, report_),
      is_eager_(options.max_wait_ns >= 0) {}

ProcessId LogicalFilter::AddProcess(ClockId clock) {
  const auto process = static_cast<uint32_t>(lanes_.size());
  const size_t count = lanes_.size() + 1;
  lanes_.emplace_back();
  progress_.push_back({clock});
  report_.processes.emplace_back();
  clocks_.Resize(count);
  output_.Resize(count);
  messages_.Resize(count);
  collectives_.Resize(count);
  order_.Resize(count);
  MakeStarving(process);
  return ProcessId{process};
}

void LogicalFilter::Push(const LogicalEvent& event) {
  const uint32_t process = event.process.value;
  SYNCLINE_CHECK(process < lanes_.size());
  Lane& lane = lanes_[process];
  SYNCLINE_CHECK(!lane.has_ended);
  Pending& pending = lane.input.push_slot();
  pending.event = event;
  pending.arrival = now_;
  ++in_input_;
  ++pushed_;
  report_.peak_buffered = std::max(report_.peak_buffered, pushed_ - output_.events_delivered());
  if (lane.state == State::kStarving) NewHead(process);
  Run();
}

void LogicalFilter::End(ProcessId process) {
  SYNCLINE_CHECK(process.value < lanes_.size());
  Lane& lane = lanes_[process.value];
  if (lane.has_ended) return;
  lane.has_ended = true;
  if (lane.input.empty()) MakeDone(process.value);
  Run();
}

void LogicalFilter::Finish() {
  for (uint32_t process = 0; process < lanes_.size(); ++process) End(ProcessId{process});
}

void LogicalFilter::Run() {
  wanted_ = kNobody;
  while (true) {
    if (!starving_.empty()) {
      if (in_input_ <= options_.lookahead) return;
      ForgetStarving();
      if (pushed_ - carried_ > options_.lookahead) CarrySilentAlong();
    }
    const uint32_t first = order_.first();
    if (first != ProcessOrder::kNobody) {
      Take(first);
    } else if (!starving_.empty() || done_ == lanes_.size() || !ResolveDeadlock()) {
      return;
    }
  }
}

// Processes that starve are no longer in order_.
void LogicalFilter::ForgetStarving() {
  if (is_eager_) return;
  is_eager_ = true;
  for (const uint32_t process : starving_) order_.Clear(process);
}

void LogicalFilter::NextHead(uint32_t process) {
  Lane& lane = lanes_[process];
  if (!lane.input.empty()) {
    NewHead(process);
  } else if (lane.has_ended) {
    MakeDone(process);
  } else {
    MakeStarving(process);
  }
}

void LogicalFilter::MakeStarving(uint32_t process) {
  Lane& lane = lanes_[process];
  lane.state = State::kStarving;
  lane.starving_since = pushed_;
  output_.Starve(process);
  lane.starving_index = static_cast<uint32_t>(starving_.size());
  starving_.push_back(process);
  if (is_eager_) order_.Clear(process);
}

void LogicalFilter::StopStarving(const Lane& lane) {
  const uint32_t last = starving_.back();
  starving_[lane.starving_index] = last;
  lanes_[last].starving_index = lane.starving_index;
  starving_.pop_back();
}

// The process has a next event: can it be computed?
void LogicalFilter::NewHead(uint32_t process) {
  Lane& lane = lanes_[process];
  if (lane.state == State::kStarving) StopStarving(lane);
  const LogicalEvent& event = lane.input.front().event;
  output_.Foresee(process, event.time.ns);
  if (event.kind == LogicalEvent::Kind::kReceive) {
    NewReceive(process, event);
  } else if (event.kind == LogicalEvent::Kind::kLeaveCollective) {
    NewLeave(process, event);
  } else {
    MakeReady(process);
  }
}

void LogicalFilter::NewReceive(uint32_t process, const LogicalEvent& receive) {
  lanes_[process].record = kNoRecord;
  const uint32_t partner = receive.peer.value;
  if (partner >= lanes_.size() || partner == process) return MakeReady(process);
  if (const auto record = messages_.FindSend(receive)) {
    lanes_[process].record = *record;
    return MakeReady(process);
  }
  if (lanes_[partner].state == State::kDone) return MakeReady(process);
  AddWaiter(process, partner, receive.time.ns);
}

void LogicalFilter::NewLeave(uint32_t process, const LogicalEvent& leave) {
  const auto place = collectives_.Find(leave);
  if (!place || !collectives_.IsFirst(*place, leave.kind)) return MakeReady(process);
  Lane& lane = lanes_[process];
  lane.place = *place;
  if (collectives_.IsReadyElseBlock(*place, leave)) {
    MakeReady(process);
  } else {
    lane.state = State::kAwaitsEnters;
    lane.searched = kNobody;
    order_.Clear(process);
  }
  WakeMembers();
}

void LogicalFilter::MakeReady(uint32_t process) {
  lanes_[process].state = State::kReady;
  order_.Set(process, lanes_[process].input.front().event.time.ns);
}

// Leaves for which the last missing member has come, or will not come.
void LogicalFilter::WakeReadyMembers() {
  for (const uint32_t process : collectives_.TakeReady()) {
    if (lanes_[process].state == State::kAwaitsEnters) MakeReady(process);
  }
}

void LogicalFilter::MakeDone(uint32_t process) {
  Lane& lane = lanes_[process];
  if (lane.state == State::kStarving) StopStarving(lane);
  lane.state = State::kDone;
  order_.Clear(process);
  ++done_;
  if (lane.has_passed) --passed_;
  progress_[process].is_done = true;
  if (report_.processes[process].events == 0) clocks_.Leave();
  while (lane.first_waiter != kNobody) GiveUpHead(lane.first_waiter);
  messages_.OnDone(process);
  collectives_.OnDone(process);
  WakeMembers();
  output_.End(process);
}

void LogicalFilter::AddWaiter(uint32_t process, uint32_t partner, int64_t due) {
  Lane& lane = lanes_[process];
  Lane& other = lanes_[partner];
  lane.state = State::kAwaitsSend;
  lane.searched = kNobody;
  order_.Clear(process);
  lane.deadline = Deadline(progress_[partner], due, options_.max_horizon_ns);
  lane.previous_waiter = kNobody;
  lane.next_waiter = other.first_waiter;
  if (other.first_waiter != kNobody) lanes_[other.first_waiter].previous_waiter = process;
  other.first_waiter = process;
  other.nearest_waiter = std::min(other.nearest_waiter, lane.deadline);
  progress_[partner].SetAlarm(lane.deadline);
}

void LogicalFilter::RemoveWaiter(uint32_t process) {
  const Lane& lane = lanes_[process];
  Lane& partner = lanes_[lane.input.front().event.peer.value];
  if (lane.previous_waiter == kNobody) {
    partner.first_waiter = lane.next_waiter;
  } else {
    lanes_[lane.previous_waiter].next_waiter = lane.next_waiter;
  }
  if (lane.next_waiter != kNobody) {
    lanes_[lane.next_waiter].previous_waiter = lane.previous_waiter;
  }
}

// A blocked event goes on without what it waits for.
void LogicalFilter::GiveUpHead(uint32_t process) {
  Lane& lane = lanes_[process];
  if (lane.state == State::kAwaitsSend) {
    RemoveWaiter(process);
    MakeReady(process);
  } else if (lane.state == State::kAwaitsEnters) {
    collectives_.GiveUp(lane.place);
    WakeMembers();
  }
}

// Receives that have waited for this process's sends for long enough.
void LogicalFilter::GiveUpWaiters(uint32_t process) {
  Lane& lane = lanes_[process];
  const int64_t reach = progress_[process].reach;
  lane.nearest_waiter = INT64_MAX;
  for (uint32_t waiter = lane.first_waiter; waiter != kNobody;) {
    const uint32_t next = lanes_[waiter].next_waiter;
    if (lanes_[waiter].deadline < reach) {
      GiveUpHead(waiter);
    } else {
      lane.nearest_waiter = std::min(lane.nearest_waiter, lanes_[waiter].deadline);
    }
    waiter = next;
  }
}

void LogicalFilter::NoteComputed(uint32_t process, int64_t before) {
  ProcessReport& report = report_.processes[process];
  Lane& lane = lanes_[process];
  if (report.events++ > 0) {
    const int64_t interval = SaturatedDifference(before, lane.last_before);
    report.least_interval_ns = std::min(report.least_interval_ns.value_or(INT64_MAX), interval);
  }
  lane.last_before = before;
  if (before > progress_[process].reach) NoteReach(process, before);
}

void LogicalFilter::NoteReach(uint32_t process, int64_t reach) {
  progress_[process].reach = reach;
  if (reach > progress_[process].alarm) OnAlarm(process);
}

// Something may have waited for the process for long enough.
void LogicalFilter::OnAlarm(uint32_t process) {
  ProcessProgress& progress = progress_[process];
  const Lane& lane = lanes_[process];
  progress.alarm = INT64_MAX;
  if (progress.reach > lane.nearest_waiter) GiveUpWaiters(process);
  messages_.OnProgress(process);
  collectives_.OnProgress(process);
  WakeMembers();
  NoteEpoch(process);
  progress.SetAlarm(lane.nearest_waiter);
  progress.SetAlarm(messages_.DeadlineFor(process));
  progress.SetAlarm(collectives_.DeadlineFor(process));
  progress.SetAlarm(EpochEnd(lane));
}

// What is sent to a process that has long been silent must not be kept for ever: it counts as no
// further back than the slowest of the others.
void LogicalFilter::CarrySilentAlong() {
  carried_ = pushed_;
  const auto is_silent = [&](const Lane& lane) {
    return lane.state == State::kStarving && pushed_ - lane.starving_since > options_.lookahead;
  };
  int64_t reach = INT64_MAX;
  for (uint32_t process = 0; process < lanes_.size(); ++process) {
    const Lane& lane = lanes_[process];
    if (lane.state == State::kDone || is_silent(lane)) continue;
    reach = std::min(reach, progress_[process].reach);
  }
  if (reach == INT64_MAX) return;
  for (uint32_t process = 0; process < lanes_.size(); ++process) {
    if (is_silent(lanes_[process]) && reach > progress_[process].reach) NoteReach(process, reach);
  }
}

// The reach at which the process has passed max_horizon in this epoch.
int64_t LogicalFilter::EpochEnd(const Lane& lane) const {
  if (options_.max_horizon_ns < 0 || lane.has_passed) return INT64_MAX;
  return SaturatedSum(lane.epoch_start, options_.max_horizon_ns);
}

// An epoch ends when every process has progressed by max_horizon in it.
void LogicalFilter::NoteEpoch(uint32_t process) {
  Lane& lane = lanes_[process];
  if (lane.epoch_start == INT64_MIN) lane.epoch_start = progress_[process].reach;
  if (progress_[process].reach <= EpochEnd(lane)) return;
  lane.has_passed = true;
  if (++passed_ + done_ < lanes_.size()) return;
  messages_.OnEpoch();
  passed_ = 0;
  for (uint32_t p = 0; p < lanes_.size(); ++p) {
    lanes_[p].has_passed = false;
    lanes_[p].epoch_start = progress_[p].reach;
    progress_[p].SetAlarm(EpochEnd(lanes_[p]));
  }
}

// Online: what has waited for max_wait goes on.
void LogicalFilter::Tick(int64_t now_ns) {
  now_ = now_ns;
  output_.SetNow(now_ns);
  if (options_.max_wait_ns < 0) return;
  const int64_t latest = SaturatedDifference(now_ns, options_.max_wait_ns);
  for (uint32_t process = 0; process < lanes_.size(); ++process) {
    const Lane& lane = lanes_[process];
    while (!lane.input.empty() && lane.input.front().arrival <= latest) {
      if (lane.state != State::kReady) GiveUpHead(process);
      Take(order_.first());
    }
  }
  report_.given_up += output_.Flush(latest);
  Run();
}

void LogicalFilter::Prefetch(const FinalLink& link) const {
  if (link.kind() == FinalLink::Kind::kSend || link.kind() == FinalLink::Kind::kReceive) {
    messages_.Prefetch(link.index());
  }
}

void LogicalFilter::OnFinal(const FinalLink& link, int64_t after) {
  if (link.kind() == FinalLink::Kind::kSend || link.kind() == FinalLink::Kind::kReceive) {
    messages_.OnFinal(link, after);
  } else {
    collectives_.OnFinal(link, after);
  }
}

}  // namespace syncline
