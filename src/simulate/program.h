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
// What Event::name and Event::group are indices of.
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
    kCollective,  // `name` with the root `peer`, of all processes
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

}  // namespace syncline
