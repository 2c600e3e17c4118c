// Runs a scenario and hands out what its processes record, in order of true time.
//
// Units: true time in nanoseconds, from the plan's start on; event times in ticks of each process's
// clock. A send takes its delay, drawn from the plan's range; a receive happens when its message
// has arrived and the process is ready for it, and messages of one sender are received in the order
// of sending. Every send has its receive, and every collective is complete, when Next() ends.
// Requires: plans of PlanScenario(), or a Program whose sends and receives match.
// Errors: Next() ends and error() is set where the time passes 2^62 ns, or processes wait for ever.
// Cost: about 100 ns per event; memory of the processes and the messages in flight, whatever the
// length. Deterministic: the same plan gives the same events on every machine. Tested by:
// simulation_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "syncline/clock.h"
#include "syncline/event.h"
#include "syncline/result.h"

#include "simulate/agenda.h"
#include "simulate/clock_model.h"
#include "simulate/collective.h"
#include "simulate/program.h"
#include "simulate/random.h"
#include "simulate/scenario.h"

namespace syncline {

struct SimulatedEvent {
  Event event;
  int64_t true_ns = 0;
  uint32_t root = UINT32_MAX;  // of a collective that has one
};

class Simulation {
 public:
  static Result<Simulation> Create(const ScenarioOptions& options);
  explicit Simulation(ScenarioPlan plan);

  // The next event, valid until the next call; nullptr at the end or at an error.
  const SimulatedEvent* Next();
  const std::optional<Error>& error() const { return error_; }

  // One clock and process each, c0, c1, … and 0, 1, …; with collectives the group "world" and those
  // of a plan's group_size.
  const TraceSet& traces() const { return traces_; }
  // What Event::name and Event::group are indices of.
  const std::vector<std::string>& names() const { return names_; }
  const ClockModel& clock(ClockId id) const { return processes_[id.index()].clock; }
  uint64_t events() const { return events_; }
  uint64_t messages() const { return messages_; }
  // True time of the start, and of the latest event.
  int64_t start_ns() const { return plan_.start_ns; }
  int64_t now_ns() const { return event_.true_ns; }

 private:
  struct Letter {
    uint32_t sender = 0;
    uint64_t order = 0;    // of all letters
    uint64_t message = 0;  // as its receiver records it
    uint64_t bytes = 0;
    int64_t arrival_ns = 0;
  };
  struct ProcessState {
    ProcessState(Random own, ClockModel shown) : random(own), clock(std::move(shown)) {}
    Random random;
    ClockModel clock;
    std::vector<Action> actions;
    size_t at = 0;       // in actions
    uint64_t steps = 0;  // taken or begun
    std::vector<Letter> inbox;
    uint32_t last_sender = 0;
    uint64_t sent = 0;
    uint64_t collectives = 0;  // ended
    bool is_waiting = false;   // in a receive or collective
    bool is_done = false;
  };

  // Does what the process does at this time, up to one event. False: no event.
  bool GoOn(uint32_t process, int64_t now_ns);
  bool BeginStep(uint32_t process);
  bool Send(uint32_t process, int64_t now_ns, uint32_t receiver, uint64_t bytes);
  bool Receive(uint32_t process, int64_t now_ns);
  bool Collect(uint32_t process, int64_t now_ns);
  bool Wait(uint32_t process, int64_t now_ns);
  const Letter* NextLetter(const ProcessState& state) const;
  Action CollectiveOfTurn(uint32_t process, uint64_t turn) const;
  // Who takes part: so many from the first one on.
  struct Members {
    uint32_t first = 0;
    uint32_t count = 0;
  };
  Members MembersOf(uint32_t process, const Action& action) const;
  // The numbers by which its two events call the next message of one process to another.
  struct Numbers {
    uint64_t sent = 0;
    uint64_t received = 0;
  };
  Numbers NumberMessage(uint32_t sender, uint32_t receiver);
  int64_t Delay(Random& random, uint64_t bytes) const;
  // Of every message of one process to another.
  int64_t RouteDelay(uint32_t sender, uint32_t receiver) const;
  void Schedule(uint32_t process, int64_t ns);
  Event& Record(uint32_t process, int64_t now_ns, EventKind kind);
  void CheckEnd();

  ScenarioPlan plan_;
  TraceSet traces_;
  std::vector<ProcessState> processes_;
  Agenda agenda_;
  Random wrong_matches_;
  // By sender and receiver, where the last message got a number for the next one to take.
  std::map<std::pair<uint32_t, uint32_t>, Numbers> swapped_;
  std::vector<std::string> names_ = SimulationNames();
  // Those that are not over, by how many their members had taken part in and their first member.
  std::map<std::pair<uint64_t, uint32_t>, Collective> collectives_;
  uint64_t steps_begun_ = 0;  // by the process that is furthest
  uint64_t events_ = 0;
  uint64_t messages_ = 0;
  SimulatedEvent event_;
  std::optional<Error> error_;
};

}  // namespace syncline
