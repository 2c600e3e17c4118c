// Offsets with bounds from messages of your own: four exchanges of two hosts, B a second ahead.
#include <iostream>
#include <vector>

#include "syncline/syncline.h"

namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kAhead = kSecond;
constexpr int64_t kDelay = 150'000;  // of every message

}  // namespace

int main() {
  syncline::TraceSet set;
  set.clocks = {{.name = "A"}, {.name = "B"}};
  set.processes = {{.name = "A", .label = {}, .clock = syncline::ClockId(0)},
                   {.name = "B", .label = {}, .clock = syncline::ClockId(1)}};
  const syncline::ProcessId a(0);
  const syncline::ProcessId b(1);
  std::vector<syncline::Message> messages;
  for (int64_t i = 0; i < 4; ++i) {
    const auto event = static_cast<uint64_t>(2 * i);
    const int64_t sent = i * kSecond;
    messages.push_back(
        {.send = {a, event, {sent}}, .receive = {b, event, {sent + kDelay + kAhead}}});
    messages.push_back({.send = {b, event + 1, {sent + 2 * kDelay + kAhead}},
                        .receive = {a, event + 1, {sent + 3 * kDelay}}});
  }
  const auto estimate = syncline::EstimateClocks(set, messages, {.reference = "A"});
  if (!estimate) {
    std::cerr << estimate.error().ToString() << "\n";
    return 2;
  }
  const syncline::ClockFigures& figures = estimate->clocks()[1];
  std::cout << figures.name << " is " << figures.offset_ns << " ns ahead, "
            << figures.worst_bound_ns.value_or(-1) << " ns more or less\n";
  const syncline::LocalTime reading{2 * kSecond + kAhead};
  const syncline::Interval between = estimate->Bounds(syncline::ClockId(1), reading);
  std::cout << "when B showed " << reading.ticks << ", A showed "
            << estimate->Correct(syncline::ClockId(1), reading).ns << ", surely from "
            << between.earliest->ns << " to " << between.latest->ns << "\n";
  return 0;
}
