// When no process can go on: a circle of processes that wait for each other.
//
// Every process that is not done then waits for one other (EdgeOf), so that going from one to the
// next leads into a circle. Along it, what each process waits for is looked up among the events of
// its partner that have come but are not computed:
//
//   found                      nothing yet: it may be what closes the circle
//   not found, more may come   more input is asked for (wanted_), and the search goes on with it
//   not there up to max_horizon, or never   the wait is given up: the circle is broken
//   an enter that takes no part             the leave does without it: the circle is broken
//
// Where all are found, no times satisfy the circle: of its waits the most inverted is set aside.
#include <algorithm>

#include "syncline/time.h"

#include "base/check.h"
#include "logical/logical_filter.h"

namespace syncline {

using Kind = LogicalEvent::Kind;

// Whom a blocked process waits for.
std::optional<LogicalFilter::Edge> LogicalFilter::EdgeOf(uint32_t process) const {
  const Lane& lane = lanes_[process];
  if (lane.state == State::kAwaitsSend) {
    return Edge{process, lane.input.front().event.peer.value, lane.deadline};
  }
  if (lane.state != State::kAwaitsEnters) return std::nullopt;
  const auto partner = collectives_.MissingPartner(lane.place);
  if (!partner) return std::nullopt;
  return Edge{process, partner->process, partner->deadline};
}

// Requires: every process that is not done waits for one that is not done.
std::vector<LogicalFilter::Edge> LogicalFilter::FindCircle() const {
  std::vector<Edge> path;
  std::vector<size_t> place(lanes_.size(), SIZE_MAX);  // in the path
  uint32_t process = 0;
  while (lanes_[process].state == State::kDone) ++process;
  while (place[process] == SIZE_MAX) {
    const auto edge = EdgeOf(process);
    if (!edge) return {};
    place[process] = path.size();
    path.push_back(*edge);
    process = edge->partner;
  }
  path.erase(path.begin(), path.begin() + static_cast<ptrdiff_t>(place[process]));
  return path;
}

// Whether the circle has been broken; false when more input is needed to tell how.
bool LogicalFilter::ResolveDeadlock() {
  const std::vector<Edge> circle = FindCircle();
  SYNCLINE_CHECK(!circle.empty());
  for (const Edge& edge : circle) {
    const Search search = SearchAwaited(edge);
    if (search == Search::kFound) continue;
    if (search == Search::kUnknown) {
      wanted_ = edge.partner;
      return false;
    }
    Break(edge, search);
    return true;
  }
  SetAside(*std::ranges::min_element(
      circle, [&](const Edge& a, const Edge& b) { return DelayOf(a) < DelayOf(b); }));
  return true;
}

// Whether what the process waits for is among its partner's events, up to the deadline. What lies
// beyond does not count even where it is known, so results do not depend on how input arrives.
LogicalFilter::Search LogicalFilter::SearchAwaited(const Edge& edge) {
  Lane& lane = lanes_[edge.process];
  const Lane& partner = lanes_[edge.partner];
  if (lane.searched != edge.partner) {
    lane.searched = edge.partner;
    lane.searched_to = partner.input.first();
    lane.found = Search::kUnknown;
  }
  const LogicalEvent& waiting = lane.input.front().event;
  const auto is_awaited = [&](const LogicalEvent& event) {
    if (event.message != waiting.message) return false;
    if (waiting.kind == Kind::kLeaveCollective) {
      return event.kind == Kind::kEnterCollective && event.group == waiting.group;
    }
    return event.kind == Kind::kBroadcast ||
           (event.kind == Kind::kSend && event.peer.value == edge.process);
  };
  while (lane.found == Search::kUnknown && lane.searched_to != partner.input.end()) {
    const LogicalEvent& event = partner.input[lane.searched_to++].event;
    if (is_awaited(event)) {
      lane.found = event.takes_part ? Search::kFound : Search::kTakesNoPart;
    } else if (event.time.ns > edge.deadline) {
      lane.found = Search::kAbsent;
    }
  }
  if (lane.found == Search::kUnknown && partner.has_ended) lane.found = Search::kAbsent;
  return lane.found;
}

void LogicalFilter::Break(const Edge& edge, Search search) {
  if (lanes_[edge.process].state == State::kAwaitsSend) {
    GiveUpHead(edge.process);
    return;
  }
  const Collectives::Place place = lanes_[edge.process].place;
  if (search == Search::kTakesNoPart) {
    collectives_.Excuse(place, edge.partner);
  } else {
    collectives_.MarkPartnerAbsent(place, edge.partner);
  }
  WakeMembers();
}

// Requires, as the next two: SearchAwaited has found it.
LogicalEvent& LogicalFilter::AwaitedBy(const Edge& edge) {
  return lanes_[edge.partner].input[lanes_[edge.process].searched_to - 1].event;
}

int64_t LogicalFilter::DelayOf(const Edge& edge) {
  return SaturatedDifference(lanes_[edge.process].input.front().event.time.ns,
                             AwaitedBy(edge).time.ns);
}

// A receive goes on without its send, and a leave without any member.
void LogicalFilter::SetAside(const Edge& edge) {
  Lane& lane = lanes_[edge.process];
  LogicalEvent& waiting = lane.input.front().event;
  const LogicalEvent& awaited = AwaitedBy(edge);
  const bool is_of_collective = lane.state == State::kAwaitsEnters;
  report_.cycles.Add({awaited.process, awaited.tag, waiting.process, waiting.tag, DelayOf(edge)},
                     is_of_collective);
  waiting.takes_part = false;
  if (is_of_collective) {
    collectives_.WaitForNobody(lane.place);
  } else {
    RemoveWaiter(edge.process);
  }
  MakeReady(edge.process);
}

}  // namespace syncline
