#include "logical/logical_output.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "syncline/time.h"

namespace syncline {

LogicalOutput::LogicalOutput(const LogicalOptions& options, LogicalSink& sink,
                             FinalListener& listener, LogicalReport& report)
    : options_(&options), sink_(&sink), listener_(&listener), report_(&report) {
  report.start_difference_ns = options.amortizer.start_difference_ns;
}

void LogicalOutput::Resize(size_t processes) {
  lanes_.reserve(processes);
  while (lanes_.size() < processes) {
    lanes_.emplace_back(options_->amortizer);
    order_.AddProcess();
  }
}

uint64_t LogicalOutput::Add(uint32_t process, const ComputedEvent& event, const ClockStep& step,
                            Amortizer::Hold hold) {
  if (step.jump > 0) {
    report_->AddJump(ProcessId{process}, event.tag, GlobalTime{event.before}, step.jump);
  }
  Lane& lane = lanes_[process];
  lane.latest = step.controlled;
  if (options_->amortization == AmortizationKind::kNone) {
    MakeFinal(process, event, step.controlled);
    DeliverInOrder();
    return 0;
  }
  const uint64_t sequence = lane.amortizer.Add(step.controlled, step.jump, hold, event);
  if (step.jump > 0) NoteSlope(process);
  Drain(process);
  return sequence;
}

void LogicalOutput::Limit(uint32_t process, uint64_t sequence, int64_t latest) {
  lanes_[process].amortizer.Limit(sequence, latest);
}

void LogicalOutput::Release(uint32_t process, uint64_t sequence) {
  if (options_->amortization == AmortizationKind::kNone) return;
  if (!lanes_[process].amortizer.Release(sequence)) return;
  NoteSlope(process);
  Drain(process);
  FinishIfFree(process);
}

void LogicalOutput::Foresee(uint32_t process, int64_t before) {
  Lane& lane = lanes_[process];
  lane.foreseen = before;
  lane.is_silent = false;
  if (options_->amortization == AmortizationKind::kBackward) {
    if (lane.amortizer.Foresee(before)) Drain(process);
  }
  RaiseBound(process);
}

int64_t LogicalOutput::Current(uint32_t process, uint64_t sequence) const {
  return lanes_[process].amortizer.Present(sequence).value_or(INT64_MIN);
}

void LogicalOutput::End(uint32_t process) {
  lanes_[process].has_ended = true;
  FinishIfFree(process);
}

void LogicalOutput::FinishIfFree(uint32_t process) {
  Lane& lane = lanes_[process];
  if (!lane.has_ended || lane.is_finished || lane.amortizer.held() > 0) return;
  lane.is_finished = true;
  lane.amortizer.Finish();
  NoteSlope(process);
  Drain(process);
  report_->jumps_amortized += lane.amortizer.figures().jumps;
  order_.End(ProcessId{process});
  DeliverInOrder();
}

uint64_t LogicalOutput::Flush(int64_t arrival) {
  uint64_t holds = 0;
  for (uint32_t process = 0; process < lanes_.size(); ++process) {
    Lane& lane = lanes_[process];
    const Amortizer& events = lane.amortizer;
    uint64_t end = events.first();
    while (end != events.end() && events[end].arrival <= arrival) ++end;
    if (end == events.first()) continue;
    holds += lane.amortizer.Flush(end);
    Drain(process);
    FinishIfFree(process);
  }
  if (options_->order == OutputOrder::kGlobal) DeliverUpTo(arrival);
  return holds;
}

// In global order, without waiting for processes that are silent. What they deliver later may come
// too late for its place.
void LogicalOutput::DeliverUpTo(int64_t arrival) {
  int64_t latest = INT64_MIN;
  for (const Lane& lane : lanes_) {
    for (uint64_t i = lane.final.first(); i != lane.final.end(); ++i) {
      if (lane.final[i].event.arrival > arrival) break;
      latest = std::max(latest, lane.final[i].after);
    }
  }
  if (latest == INT64_MIN) return;
  for (uint32_t process = 0; process < lanes_.size(); ++process) {
    order_.SetLowerBound(ProcessId{process}, SaturatedSum(latest, 1));
  }
  DeliverInOrder();
}

// By the time an event becomes final, other processes' events have driven what it is linked with
// out of the cache.
void LogicalOutput::PrefetchNext(const Lane& lane) {
  const uint64_t next = lane.amortizer.first() + RaisedEvents::kBatch;
  if (next >= lane.amortizer.end()) return;
  const FinalLink& link = lane.amortizer[next].link;
  if (link.kind() != FinalLink::Kind::kNone) listener_->Prefetch(link);
}

void LogicalOutput::Drain(uint32_t process) {
  Lane& lane = lanes_[process];
  while (const std::optional<Amortizer::Final> final = lane.amortizer.Pop()) {
    PrefetchNext(lane);
    MakeFinal(process, *final->event, final->after_ns);
  }
  if (options_->order == OutputOrder::kPerProcess) return;
  RaiseBound(process);
  DeliverInOrder();
}

// What the process delivers next is not earlier than its oldest event that is not final, or its
// next event.
void LogicalOutput::RaiseBound(uint32_t process) {
  if (options_->order == OutputOrder::kPerProcess) return;
  const Lane& lane = lanes_[process];
  const int64_t bound = lane.amortizer.buffered() == 0 ? std::max(lane.latest, lane.foreseen)
                                                       : lane.amortizer.LowerBound();
  order_.SetLowerBound(ProcessId{process}, bound);
}

void LogicalOutput::DeliverInOrder() {
  if (options_->order == OutputOrder::kPerProcess) return;
  do {
    while (const std::optional<OrderedOutput::Event> next = order_.Pop()) {
      Ring<Final>& final = lanes_[next->process.index()].final;
      const ComputedEvent event = final.front().event;
      final.pop_front();
      Deliver(next->process.value, event, next->after_ns);
    }
  } while (order_.buffered() > options_->lookahead && PassSilentProcesses());
  report_->out_of_order = order_.late();
}

// Half of the time that the final events span goes on without the processes that nothing is known
// of; false when it is another process that keeps it.
bool LogicalOutput::PassSilentProcesses() {
  const auto is_silent = [](const Lane& lane) {
    return lane.is_silent && lane.amortizer.buffered() == 0;
  };
  const std::optional<ProcessId> first = order_.WaitingFor();
  if (!first || !is_silent(lanes_[first->index()])) return false;
  int64_t oldest = INT64_MAX;
  int64_t newest = INT64_MIN;
  for (const Lane& lane : lanes_) {
    if (lane.final.empty()) continue;
    oldest = std::min(oldest, lane.final.front().after);
    newest = std::max(newest, lane.final[lane.final.end() - 1].after);
  }
  const int64_t reach = SaturatedSum(std::midpoint(oldest, newest), 1);
  for (uint32_t process = 0; process < lanes_.size(); ++process) {
    if (is_silent(lanes_[process])) order_.SetLowerBound(ProcessId{process}, reach);
  }
  return true;
}

void LogicalOutput::MakeFinal(uint32_t process, const ComputedEvent& event, int64_t after) {
  if (event.link.kind() != FinalLink::Kind::kNone) listener_->OnFinal(event.link, after);
  if (options_->order == OutputOrder::kPerProcess) return Deliver(process, event, after);
  lanes_[process].final.push_back({event, after});
  order_.Push(ProcessId{process}, after, event.tag);
}

void LogicalOutput::Deliver(uint32_t process, const ComputedEvent& event, int64_t after) {
  ++delivered_;
  ProcessReport& process_report = report_->processes[process];
  const int64_t advance = SaturatedDifference(after, event.before);
  process_report.moved += advance != 0 ? 1 : 0;
  process_report.last_advance_ns = advance;
  process_report.largest_advance_ns = std::max(process_report.largest_advance_ns, advance);
  if (options_->max_wait_ns >= 0) {
    report_->added_delay.Add(SaturatedDifference(now_, event.arrival));
  }
  sink_->OnEvent({ProcessId{process}, event.tag, GlobalTime{event.before}, GlobalTime{after}});
}

// An amortization may have become the steepest of all.
void LogicalOutput::NoteSlope(uint32_t process) {
  Lane& lane = lanes_[process];
  const AmortizationSlope& slope = lane.amortizer.figures().largest_slope;
  if (slope.rise_ns == 0 || slope.sequence == lane.slope_sequence) return;
  lane.slope_sequence = slope.sequence;
  if (!steepest_.Include(slope, process)) return;
  report_->largest_slope = slope.ratio();
  report_->largest_slope_process = ProcessId{process};
  report_->largest_slope_tag.reset();
  if (slope.sequence >= lane.amortizer.first() && slope.sequence < lane.amortizer.end()) {
    report_->largest_slope_tag = lane.amortizer[slope.sequence].tag;
  }
}

}  // namespace syncline
