// The events and curves that a report shows besides the summary: plain values.
//
// Units: nanoseconds since the epoch; `recorded` times are what a clock claims by itself
// (Clock::NominalNs), `corrected` ones what was written. Numbers of clocks and processes are their
// places in `clocks` and `processes`. Memory: 48 bytes per event, 20 per message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "syncline/event.h"

#include "report/summary_parts.h"

namespace syncline {

struct ReportTrace {
  struct Event {
    int64_t recorded_ns = 0;
    int64_t corrected_ns = 0;
    int64_t advance_ns = 0;  // of corrected_ns, the part that the logical clock added
    uint64_t index = 0;      // within the process, from 0
    uint32_t name = 0;       // in `names`
    EventKind kind = EventKind::kMark;
  };
  struct Process {
    std::string name, label;
    uint32_t clock = 0;
    uint64_t total = 0;           // events, also those left out
    std::vector<Event> events;    // by corrected time, equal ones in program order
    std::vector<uint32_t> count;  // events per part of the trace, where some are left out
  };
  struct Message {
    uint32_t from = 0, to = 0;       // processes
    uint32_t send = 0, receive = 0;  // places in their `events`
    bool is_of_collective = false;
  };
  // A clock at one reading: its correction and what bounds it.
  struct Reading {
    int64_t recorded_ns = 0;
    int64_t corrected_ns = 0;
    std::optional<int64_t> lower_ns, upper_ns;
  };
  // Received by a clock and by its reference: had it reached both at once, `at_reference_ns` were
  // the true time here.
  struct Broadcast {
    int64_t recorded_ns = 0;
    int64_t corrected_ns = 0;
    int64_t at_reference_ns = 0;  // corrected
  };
  struct Clock {
    int64_t first_recorded_ns = 0;
    std::vector<Reading> readings;
    std::vector<RateStretch> rates;  // in order of time, without steps
    uint64_t broadcasts_total = 0;
    std::vector<Broadcast> broadcasts;  // of many an even choice
  };
  // The conversion from clock a to clock b, less the line y = y_ns + (x − x_ns)·(1 + drift).
  struct Corridor {
    struct At {
      int64_t x_ns = 0;
      std::optional<double> lower_ns, upper_ns;
      double chosen_ns = 0;  // by the corrections of both clocks
    };
    uint32_t a = 0, b = 0;
    int64_t x_ns = 0, y_ns = 0;
    double drift = 0;
    std::vector<At> at;
  };
  struct Window {
    int64_t from_ns = 0, to_ns = 0;  // corrected
  };

  Window extent;                  // of all events
  std::optional<Window> window;   // none: every event is here
  bool is_window_chosen = false;  // by the program, because there are too many events
  uint64_t events_total = 0, messages_total = 0;
  uint64_t messages_left_out = 0;
  std::vector<std::string> names = {""};
  std::vector<Process> processes;
  std::vector<Clock> clocks;
  std::vector<Message> messages;  // by corrected time of the send
  std::vector<Corridor> corridors;
  uint64_t corridors_left_out = 0;
};

}  // namespace syncline
