// How it works: the agenda says at which true time each process goes on; the earliest does what its
// program says until it has recorded an event, lets time pass, or has to wait. A wait is over when
// another process sends or enters a collective, which puts the waiting one on the agenda again.

#include "simulate/simulation.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/int128.h"
#include "base/text_scanner.h"
#include "base/try.h"

namespace syncline {
namespace {

using Kind = Action::Kind;

constexpr int64_t kLastNs = int64_t{1} << 62;
// Streams of chance beside those of the processes.
constexpr uint64_t kClockStreams = uint64_t{1} << 32;
constexpr uint64_t kRouteStreams = uint64_t{1} << 40;
constexpr uint64_t kWrongMatchStream = uint64_t{1} << 48;

Name MpiNameOf(const Action& action) {
  switch (action.kind) {
    case Kind::kSend:
    case Kind::kReply: return Name::kMpiSend;
    case Kind::kReceive:
    case Kind::kReceiveAny: return Name::kMpiRecv;
    case Kind::kCollective:
      return static_cast<Name>(static_cast<uint32_t>(action.name) +
                               static_cast<uint32_t>(Name::kMpiBarrier) -
                               static_cast<uint32_t>(Name::kBarrier));
    default: return Name::kNone;
  }
}

// Every call with the region around it.
std::vector<Action> WithCalls(const std::vector<Action>& actions) {
  std::vector<Action> result;
  result.reserve(3 * actions.size());
  for (const Action& action : actions) {
    const Name call = MpiNameOf(action);
    if (call != Name::kNone) result.push_back({.kind = Kind::kEnter, .name = call});
    result.push_back(action);
    if (call != Name::kNone) result.push_back({.kind = Kind::kLeave, .name = call});
  }
  return result;
}

constexpr auto kFirstGroup = static_cast<uint32_t>(Name::kMpiAlltoall) + 1;

bool HasRoot(Name kind) {
  const GroupFlow flow = FlowOf(kind);
  return flow == GroupFlow::kOneToAll || flow == GroupFlow::kAllToOne;
}

}  // namespace

Result<Simulation> Simulation::Create(const ScenarioOptions& options) {
  SYNCLINE_ASSIGN(auto plan, PlanScenario(options));
  return Simulation(std::move(plan));
}

Simulation::Simulation(ScenarioPlan plan)
    : plan_(std::move(plan)),
      agenda_(plan_.processes),
      wrong_matches_(plan_.seed, kWrongMatchStream) {
  SYNCLINE_CHECK(plan_.clocks.size() == plan_.processes);
  Group world{.name = names_[static_cast<size_t>(Name::kWorld)], .members = {}};
  std::vector<Group> groups;
  for (uint32_t p = 0; p < plan_.processes; ++p) {
    const uint64_t clock_seed = Random(plan_.seed, kClockStreams + p).Next();
    processes_.emplace_back(Random(plan_.seed, p),
                            ClockModel(plan_.clocks[p], plan_.start_ns, clock_seed));
    traces_.clocks.push_back(processes_[p].clock.Declaration(fmt::format("c{}", p)));
    traces_.processes.push_back({fmt::format("{}", p), "", ClockId(p)});
    world.members.emplace_back(p);
    if (plan_.group_size != 0) {
      if (p % plan_.group_size == 0) {
        groups.push_back({fmt::format("group{}", groups.size()), {}});
        names_.push_back(groups.back().name);
      }
      groups.back().members.emplace_back(p);
    }
    Schedule(p, plan_.start_ns);
  }
  if (plan_.collectives_every != 0) {
    traces_.groups = std::move(groups);
    traces_.groups.insert(traces_.groups.begin(), std::move(world));
  }
  event_.true_ns = plan_.start_ns;
}

const SimulatedEvent* Simulation::Next() {
  while (!agenda_.empty() && !error_) {
    const auto [now_ns, process] = agenda_.top();
    agenda_.RemoveTop();
    if (GoOn(process, now_ns)) return &event_;
  }
  if (!error_) CheckEnd();
  return nullptr;
}

bool Simulation::GoOn(uint32_t process, int64_t now_ns) {
  ProcessState& state = processes_[process];
  for (;;) {
    if (state.at == state.actions.size() && !BeginStep(process)) return false;
    const Action& action = state.actions[state.at];
    switch (action.kind) {
      case Kind::kSpend:
      case Kind::kUntil: {
        const int64_t from_ns = action.kind == Kind::kSpend ? now_ns : plan_.start_ns;
        const int64_t until_ns = Saturate(static_cast<Int128>(from_ns) + action.value);
        ++state.at;
        if (until_ns <= now_ns) continue;
        Schedule(process, until_ns);
        return false;
      }
      case Kind::kEnter:
      case Kind::kLeave: {
        ++state.at;
        if (plan_.detail == Detail::kMessages) continue;
        const bool enters = action.kind == Kind::kEnter;
        Record(process, now_ns, enters ? EventKind::kEnter : EventKind::kLeave).name =
            static_cast<uint32_t>(action.name);
        Schedule(process, now_ns);
        return true;
      }
      case Kind::kSend:
        return Send(process, now_ns, action.peer, static_cast<uint64_t>(action.value));
      case Kind::kReply:
        return Send(process, now_ns, state.last_sender, static_cast<uint64_t>(action.value));
      case Kind::kReceive:
      case Kind::kReceiveAny: return Receive(process, now_ns);
      case Kind::kCollective: return Collect(process, now_ns);
    }
  }
}

bool Simulation::BeginStep(uint32_t process) {
  ProcessState& state = processes_[process];
  const bool is_server = plan_.server == process;
  do {
    if (!is_server && state.steps > plan_.last_step) {
      state.is_done = true;
      return false;
    }
    state.actions = plan_.program(process, state.steps, state.random);
    state.at = 0;
    const uint64_t step = state.steps++;
    if (!is_server) steps_begun_ = std::max(steps_begun_, state.steps);
    if (plan_.collectives_every != 0 && (step + 1) % plan_.collectives_every == 0) {
      state.actions.push_back(CollectiveOfTurn(process, step / plan_.collectives_every));
    }
  } while (state.actions.empty());
  if (plan_.detail == Detail::kCalls) state.actions = WithCalls(state.actions);
  return true;
}

// The kinds take turns, and so do the roots, and all processes and their groups.
Action Simulation::CollectiveOfTurn(uint32_t process, uint64_t turn) const {
  Action action{
      .kind = Kind::kCollective,
      .name = static_cast<Name>(static_cast<uint32_t>(Name::kBarrier) + turn % kCollectiveKinds),
      .value = plan_.group_size != 0 && turn % 2 == 1 ? int64_t{plan_.group_size} : 0};
  const Members members = MembersOf(process, action);
  action.peer = members.first + static_cast<uint32_t>(turn % members.count);
  return action;
}

Simulation::Members Simulation::MembersOf(uint32_t process, const Action& action) const {
  if (action.value == 0) return {0, plan_.processes};
  const uint32_t first = process - process % plan_.group_size;
  return {first, std::min(plan_.group_size, plan_.processes - first)};
}

int64_t Simulation::Delay(Random& random, uint64_t bytes) const {
  const Int128 ns =
      random.In(plan_.delay_ns) + static_cast<Int128>(bytes) * plan_.ps_per_byte / 1'000;
  return ns > kMaxDurationNs ? kMaxDurationNs : static_cast<int64_t>(ns);
}

int64_t Simulation::RouteDelay(uint32_t sender, uint32_t receiver) const {
  if (plan_.route_ns == Range{}) return 0;
  const uint64_t way = static_cast<uint64_t>(sender) * plan_.processes + receiver;
  return Random(plan_.seed, kRouteStreams + way).In(plan_.route_ns);
}

// Two messages of one way that follow each other change places: the first is received by a number
// that the second will be sent by, and the other way round. For a share s of all messages, s/2 of
// them begin such a pair, of the 1 − s/2 that could.
Simulation::Numbers Simulation::NumberMessage(uint32_t sender, uint32_t receiver) {
  uint64_t& next = processes_[sender].sent;
  if (plan_.wrong_matches_ppb == 0) {
    const uint64_t only = next++;
    return {only, only};
  }
  const auto swapped = swapped_.find({sender, receiver});
  if (swapped != swapped_.end()) {
    const auto [first, second] = swapped->second;
    swapped_.erase(swapped);
    return {second, first};
  }
  const uint64_t first = next++;
  if (wrong_matches_.In({1, 2 * kPpb - plan_.wrong_matches_ppb}) > plan_.wrong_matches_ppb) {
    return {first, first};
  }
  const Numbers numbers{first, next++};
  swapped_.emplace(std::pair(sender, receiver), numbers);
  return numbers;
}

bool Simulation::Send(uint32_t process, int64_t now_ns, uint32_t receiver, uint64_t bytes) {
  ProcessState& state = processes_[process];
  SYNCLINE_CHECK(receiver < plan_.processes);
  const auto [sent, received] = NumberMessage(process, receiver);
  const Int128 delay_ns =
      static_cast<Int128>(Delay(state.random, bytes)) + RouteDelay(process, receiver);
  const Letter letter{process, messages_, received, bytes, Saturate(now_ns + delay_ns)};
  ProcessState& target = processes_[receiver];
  target.inbox.push_back(letter);
  ++messages_;
  ++state.at;
  Event& event = Record(process, now_ns, EventKind::kSend);
  event.peer = ProcessId(receiver);
  event.message = sent;
  event.bytes = bytes;
  Schedule(process, now_ns + plan_.overhead_ns);
  if (target.is_waiting && target.actions[target.at].kind != Kind::kCollective) {
    const Letter* next = NextLetter(target);
    if (next != nullptr) Schedule(receiver, std::max(now_ns, next->arrival_ns));
  }
  return true;
}

// The message that the receive at hand takes; nullptr while it has not been sent.
const Simulation::Letter* Simulation::NextLetter(const ProcessState& state) const {
  const Action& action = state.actions[state.at];
  const Letter* best = nullptr;
  for (const Letter& letter : state.inbox) {
    if (action.kind == Kind::kReceive) {
      if (letter.sender != action.peer) continue;
      if (best == nullptr || letter.order < best->order) best = &letter;
    } else if (best == nullptr || letter.arrival_ns < best->arrival_ns ||
               (letter.arrival_ns == best->arrival_ns && letter.sender < best->sender)) {
      best = &letter;
    }
  }
  return best;
}

bool Simulation::Receive(uint32_t process, int64_t now_ns) {
  ProcessState& state = processes_[process];
  const Letter* found = NextLetter(state);
  if (found == nullptr || found->arrival_ns > now_ns) {
    if (found != nullptr) Schedule(process, found->arrival_ns);
    return Wait(process, now_ns);
  }
  Event& event = Record(process, now_ns, EventKind::kReceive);
  event.peer = ProcessId(found->sender);
  event.message = found->message;
  event.bytes = found->bytes;
  state.last_sender = found->sender;
  state.inbox[static_cast<size_t>(found - state.inbox.data())] = state.inbox.back();
  state.inbox.pop_back();
  state.is_waiting = false;
  ++state.at;
  Schedule(process, now_ns + plan_.overhead_ns);
  return true;
}

// True where the wait's beginning is recorded.
bool Simulation::Wait(uint32_t process, int64_t now_ns) {
  ProcessState& state = processes_[process];
  if (std::exchange(state.is_waiting, true) || plan_.detail != Detail::kRegions) return false;
  Record(process, now_ns, EventKind::kBlock);
  return true;
}

bool Simulation::Collect(uint32_t process, int64_t now_ns) {
  ProcessState& state = processes_[process];
  const Action action = state.actions[state.at];
  const Members members = MembersOf(process, action);
  const auto instance = collectives_
                            .try_emplace({state.collectives, members.first}, FlowOf(action.name),
                                         action.peer - members.first, members.count)
                            .first;
  const bool begins = !std::exchange(state.is_waiting, true);
  Event& event =
      Record(process, now_ns, begins ? EventKind::kCollectiveBegin : EventKind::kCollectiveEnd);
  event.name = static_cast<uint32_t>(action.name);
  event.group = action.value == 0 ? static_cast<uint32_t>(Name::kWorld)
                                  : kFirstGroup + process / plan_.group_size;
  event.message = state.collectives;
  if (HasRoot(action.name)) event_.root = action.peer;
  event.is_root = event_.root == process;
  if (begins) {
    for (const auto& [member, ns] : instance->second.Enter(
             process - members.first, now_ns, Delay(state.random, 0), plan_.overhead_ns)) {
      Schedule(members.first + member, ns);
    }
    return true;
  }
  instance->second.Leave();
  if (instance->second.is_over()) collectives_.erase(instance);
  state.is_waiting = false;
  ++state.collectives;
  ++state.at;
  Schedule(process, now_ns);
  return true;
}

void Simulation::Schedule(uint32_t process, int64_t ns) {
  if (ns > kLastNs) {
    error_ = Error{ErrorCode::kUsage,
                   fmt::format("the simulated time of process {} passes 2^62 ns", process)};
    return;
  }
  agenda_.Set(process, ns);
}

Event& Simulation::Record(uint32_t process, int64_t now_ns, EventKind kind) {
  event_.true_ns = now_ns;
  event_.root = UINT32_MAX;
  event_.event = {
      .time = processes_[process].clock.At(now_ns), .process = ProcessId(process), .kind = kind};
  ++events_;
  if (plan_.events && events_ >= *plan_.events && plan_.last_step == UINT64_MAX) {
    plan_.last_step = std::max<uint64_t>(steps_begun_, 1) - 1;
  }
  return event_.event;
}

void Simulation::CheckEnd() {
  for (uint32_t p = 0; p < plan_.processes; ++p) {
    const bool waits_as_server = plan_.server == p && processes_[p].inbox.empty();
    if (processes_[p].is_done || waits_as_server) continue;
    error_ = Error{ErrorCode::kUsage, fmt::format("process {} waits for ever", p)};
    return;
  }
}

}  // namespace syncline
