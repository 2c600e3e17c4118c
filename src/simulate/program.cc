#include "simulate/program.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "base/int128.h"

namespace syncline {
namespace {

using Kind = Action::Kind;

class Steps {
 public:
  explicit Steps(size_t expected) { actions_.reserve(expected); }
  Steps& Compute(Name region, int64_t ns) {
    actions_.push_back({.kind = Kind::kEnter, .name = region});
    actions_.push_back({.kind = Kind::kSpend, .value = ns});
    actions_.push_back({.kind = Kind::kLeave, .name = region});
    return *this;
  }
  Steps& Add(Kind kind, uint32_t peer, int64_t value = 0) {
    actions_.push_back({.kind = kind, .peer = peer, .value = value});
    return *this;
  }
  std::vector<Action> Take() { return std::move(actions_); }

 private:
  std::vector<Action> actions_;
};

struct GridPlace {
  uint32_t row = 0;
  uint32_t column = 0;
};

// Up, left, right, down; there is no wrap-around.
std::vector<uint32_t> NeighboursOf(GridPlace own, GridPlace size) {
  std::vector<uint32_t> neighbours;
  const uint32_t process = own.row * size.column + own.column;
  if (own.row > 0) neighbours.push_back(process - size.column);
  if (own.column > 0) neighbours.push_back(process - 1);
  if (own.column + 1 < size.column) neighbours.push_back(process + 1);
  if (own.row + 1 < size.row) neighbours.push_back(process + size.column);
  return neighbours;
}

std::vector<uint32_t> Shuffled(uint32_t processes, Random& random) {
  std::vector<uint32_t> order(processes);
  std::iota(order.begin(), order.end(), 0);
  for (uint32_t i = processes - 1; i > 0; --i) {
    std::swap(order[i], order[static_cast<size_t>(random.In({0, i}))]);
  }
  return order;
}

// Who exchanges with whom in the steps that some process has still to take.
class Pairings {
 public:
  struct Role {
    uint32_t partner = 0;
    bool is_sender = false;
    bool is_idle = false;
  };
  Pairings(uint32_t processes, std::vector<std::vector<uint32_t>> neighbours, uint64_t seed)
      : processes_(processes), neighbours_(std::move(neighbours)), seed_(seed) {}

  Role RoleOf(uint32_t process, uint64_t step) {
    while (first_ + steps_.size() <= step) steps_.push_back(Draw(first_ + steps_.size()));
    Step& at = steps_[step - first_];
    const Role role = at.roles[process];
    ++at.taken;
    while (!steps_.empty() && steps_.front().taken == processes_) {
      steps_.pop_front();
      ++first_;
    }
    return role;
  }

 private:
  struct Step {
    std::vector<Role> roles;
    uint32_t taken = 0;

    void Pair(uint32_t sender, uint32_t receiver) {
      roles[sender] = {.partner = receiver, .is_sender = true};
      roles[receiver] = {.partner = sender};
    }
  };

  Step Draw(uint64_t step) const {
    Random random(seed_, step);
    const std::vector<uint32_t> order = Shuffled(processes_, random);
    Step drawn{std::vector<Role>(processes_, Role{.is_idle = true})};
    if (neighbours_.empty()) {
      for (size_t i = 0; i + 1 < order.size(); i += 2) drawn.Pair(order[i], order[i + 1]);
      return drawn;
    }
    for (const uint32_t process : order) {
      if (!drawn.roles[process].is_idle) continue;
      std::vector<uint32_t> free = neighbours_[process];
      std::erase_if(free, [&](uint32_t peer) { return !drawn.roles[peer].is_idle; });
      if (free.empty()) continue;
      const auto last = static_cast<int64_t>(free.size()) - 1;
      drawn.Pair(process, free[static_cast<size_t>(random.In({0, last}))]);
    }
    return drawn;
  }

  uint32_t processes_ = 0;
  std::vector<std::vector<uint32_t>> neighbours_;  // none: all are
  uint64_t seed_ = 0;
  uint64_t first_ = 0;
  std::deque<Step> steps_;
};

}  // namespace

const std::vector<std::string>& SimulationNames() {
  static const std::vector<std::string> kNames = {
      "",           "border",        "interior",    "compute",
      "think",      "service",       "world",       "barrier",
      "bcast",      "reduce",        "allreduce",   "scan",
      "scatter",    "gather",        "allgather",   "alltoall",
      "MPI_Send",   "MPI_Recv",      "MPI_Barrier", "MPI_Bcast",
      "MPI_Reduce", "MPI_Allreduce", "MPI_Scan",    "MPI_Scatter",
      "MPI_Gather", "MPI_Allgather", "MPI_Alltoall"};
  return kNames;
}

Program GridProgram(uint32_t rows, uint32_t columns, Range border_ns, Range rest_ns, Range bytes) {
  std::vector<std::vector<uint32_t>> all;
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t column = 0; column < columns; ++column) {
      all.push_back(NeighboursOf({row, column}, {rows, columns}));
    }
  }
  return [=, neighbours = std::move(all)](uint32_t process, uint64_t /*step*/, Random& random) {
    Steps steps(24);
    steps.Compute(Name::kBorder, random.In(border_ns));
    for (const uint32_t peer : neighbours[process]) steps.Add(Kind::kSend, peer, random.In(bytes));
    steps.Compute(Name::kInterior, random.In(rest_ns));
    for (const uint32_t peer : neighbours[process]) steps.Add(Kind::kReceive, peer);
    return steps.Take();
  };
}

Program ChainProgram(uint32_t processes, int64_t period_ns, Range bytes) {
  return [=](uint32_t process, uint64_t step, Random& random) {
    Steps steps(4);
    const uint32_t last = processes - 1;
    if (process == 0) {
      steps.Add(Kind::kUntil, 0, Saturate(static_cast<Int128>(step) * period_ns));
    } else {
      steps.Add(Kind::kReceive, process - 1);
    }
    if (process != last) {
      steps.Add(Kind::kSend, process + 1, random.In(bytes)).Add(Kind::kReceive, process + 1);
    }
    if (process != 0) steps.Add(Kind::kSend, process - 1, random.In(bytes));
    return steps.Take();
  };
}

Program ExchangeProgram(int64_t period_ns, Range bytes) {
  return [=](uint32_t process, uint64_t step, Random& random) {
    return Steps(3)
        .Add(Kind::kUntil, 0, Saturate(static_cast<Int128>(step) * period_ns))
        .Add(Kind::kSend, 1 - process, random.In(bytes))
        .Add(Kind::kReceive, 1 - process)
        .Take();
  };
}

Program RingProgram(uint32_t processes, Range compute_ns, Range bytes) {
  return [=](uint32_t process, uint64_t /*step*/, Random& random) {
    return Steps(8)
        .Compute(Name::kCompute, random.In(compute_ns))
        .Add(Kind::kSend, (process + 1) % processes, random.In(bytes))
        .Add(Kind::kReceive, (process + processes - 1) % processes)
        .Take();
  };
}

Program ClientServerProgram(Range think_ns, Range service_ns, Range bytes) {
  return [=](uint32_t process, uint64_t /*step*/, Random& random) {
    Steps steps(8);
    if (process == 0) {
      steps.Add(Kind::kReceiveAny, 0).Compute(Name::kService, random.In(service_ns));
      return steps.Add(Kind::kReply, 0, random.In(bytes)).Take();
    }
    steps.Compute(Name::kThink, random.In(think_ns));
    return steps.Add(Kind::kSend, 0, random.In(bytes)).Add(Kind::kReceive, 0).Take();
  };
}

std::vector<std::vector<uint32_t>> UnionOfRings(uint32_t processes, uint32_t rings, uint64_t seed) {
  std::vector<std::vector<uint32_t>> neighbours(processes);
  Random random(seed, UINT64_MAX);  // steps draw from the streams of their numbers
  for (uint32_t ring = 0; ring < rings; ++ring) {
    const std::vector<uint32_t> order = Shuffled(processes, random);
    for (uint32_t i = 0; i < processes; ++i) {
      const uint32_t next = order[(i + 1) % processes];
      neighbours[order[i]].push_back(next);
      neighbours[next].push_back(order[i]);
    }
  }
  for (std::vector<uint32_t>& peers : neighbours) {
    std::ranges::sort(peers);
    peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  }
  return neighbours;
}

Program RandomPairsProgram(uint32_t processes, std::vector<std::vector<uint32_t>> neighbours,
                           uint64_t seed, Range compute_ns, Range bytes) {
  const auto pairings = std::make_shared<Pairings>(processes, std::move(neighbours), seed);
  return [=](uint32_t process, uint64_t step, Random& random) {
    const Pairings::Role role = pairings->RoleOf(process, step);
    Steps steps(8);
    steps.Compute(Name::kCompute, random.In(compute_ns));
    if (role.is_idle) return steps.Take();
    if (role.is_sender) return steps.Add(Kind::kSend, role.partner, random.In(bytes)).Take();
    return steps.Add(Kind::kReceive, role.partner).Take();
  };
}

}  // namespace syncline
