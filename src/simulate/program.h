// What simulated processes do, step by step, and the names that their events carry.
//
// Units: nanoseconds of true time. Ownership: plain values; a Program may keep state of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "simulate/random.h"

namespace syncline {

// Indices into SimulationNames().
enum class Name : uint32_t {
  kNone,
  kBorder,
  kInterior,
  kCompute,
  kThink,
  kService,
  kWorld,
  kBarrier,
  kBcast,
  kReduce,
  kAllreduce,
  kScan,
  kScatter,
  kGather,
  kAllgather,
  kAlltoall,
  kMpiSend,
  kMpiRecv,
  kMpiBarrier,  // from here in the order of kBarrier…kAlltoall
  kMpiBcast,
  kMpiReduce,
  kMpiAllreduce,
  kMpiScan,
  kMpiScatter,
  kMpiGather,
  kMpiAllgather,
  kMpiAlltoall,
};
inline constexpr uint32_t kCollectiveKinds = 9;  // kBarrier…kAlltoall
// What Event::name and Event::group are indices of; names of groups follow.
const std::vector<std::string>& SimulationNames();

struct Action {
  enum class Kind : uint8_t {
    kSpend,  // let `value` nanoseconds pass
    kUntil,  // wait for `value` nanoseconds after the start, if that is still to come
    kEnter,  // a region `name`
    kLeave,
    kSend,        // `value` bytes to `peer`
    kReceive,     // the earliest sent message of `peer`
    kReceiveAny,  // the message that arrives first
    kReply,       // `value` bytes to the sender of the last message received
    kCollective,  // `name` with the root `peer`; `value` 0: of all processes, else of the group
  };
  Kind kind = Kind::kSpend;
  Name name = Name::kNone;
  uint32_t peer = 0;
  int64_t value = 0;
};

// The actions of one step of one process. Called once per process and step, the steps of a process
// in order; chance comes from the process's own random numbers, so that the order of processes
// does not matter.
using Program = std::function<std::vector<Action>(uint32_t process, uint64_t step, Random& random)>;

// Those of the scenarios.

// Computes the border, sends to the up to four neighbours, computes the rest, receives from them.
Program GridProgram(uint32_t rows, uint32_t columns, Range border_ns, Range rest_ns, Range bytes);
// Once per period a message runs from process 0 to the last one and back.
Program ChainProgram(uint32_t processes, int64_t period_ns, Range bytes);
// Two processes that send to each other once per period.
Program ExchangeProgram(int64_t period_ns, Range bytes);
// Computes, sends to the right neighbour, receives from the left one.
Program RingProgram(uint32_t processes, Range compute_ns, Range bytes);
// Process 0 serves the others: each thinks, asks, and waits for the answer.
Program ClientServerProgram(Range think_ns, Range service_ns, Range bytes);
// In each step processes form random pairs of neighbours, and one of each sends to the other.
// `neighbours` by process; none at all: everyone is everyone's.
Program RandomPairsProgram(uint32_t processes, std::vector<std::vector<uint32_t>> neighbours,
                           uint64_t seed, Range compute_ns, Range bytes);
// A connected graph: each process's neighbours in this many random rings of all processes, without
// repetition. Requires one ring or more.
std::vector<std::vector<uint32_t>> UnionOfRings(uint32_t processes, uint32_t rings, uint64_t seed);

}  // namespace syncline
