// What is known of a process beside its events, as lines of text: written as it becomes known, sent
// to the others at the end, or read again after the process died.
//
//   rank RANK OF                       host NAME
//   clock SOURCE                       time TICKS EPOCH_NS STEADY_NS
//   offset TICKS ADDED UNCERTAINTY     thread EVENTS FIRST LAST
//   communicator NUMBER KEY NAME MEMBER... [| MEMBER...]
//
// A communicator's key is the same in all its members: a hash of its origin, of the members' ranks
// in MPI_COMM_WORLD, and of how many of just this origin and these members there were before. Its
// origin is the communicator it was made of and the how manieth made of that one: all its members
// make these in one order, whatever they do with other communicators in between. Only the member of
// the smallest rank lists the members.
// Tested by: definitions_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "syncline/result.h"

namespace syncline::mpi {

struct CommunicatorDefinition {
  uint32_t number = 0;  // of the process
  uint64_t key = 0;
  std::string name;               // without spaces
  std::vector<uint32_t> members;  // ranks in MPI_COMM_WORLD; empty: another process lists them
  std::vector<uint32_t> remote;   // of inter-communicators
  friend bool operator==(const CommunicatorDefinition&, const CommunicatorDefinition&) = default;
};

// Adding `added` ticks to a time gives the root's, to within `uncertainty`, at `ticks`.
struct OffsetPoint {
  uint64_t ticks = 0;
  int64_t added = 0;
  uint64_t uncertainty = 0;
  friend bool operator==(const OffsetPoint&, const OffsetPoint&) = default;
};

// One instant by three clocks: the events', the calendar's, and one that is never set.
struct TimePoint {
  uint64_t ticks = 0;
  uint64_t epoch_ns = 0;
  uint64_t steady_ns = 0;
  friend bool operator==(const TimePoint&, const TimePoint&) = default;
};

struct ThreadDefinition {
  uint64_t events = 0;
  uint64_t first = 0;  // ticks
  uint64_t last = 0;
  friend bool operator==(const ThreadDefinition&, const ThreadDefinition&) = default;
};

struct RankDefinitions {
  uint32_t rank = 0;
  uint32_t ranks = 0;
  std::string host;
  std::string clock;
  std::vector<TimePoint> times;
  std::vector<OffsetPoint> offsets;
  std::vector<ThreadDefinition> threads;
  std::vector<CommunicatorDefinition> communicators;
  friend bool operator==(const RankDefinitions&, const RankDefinitions&) = default;
};

std::string LineOf(const CommunicatorDefinition& communicator);
std::string LineOf(const OffsetPoint& point);
std::string LineOf(const TimePoint& point);
std::string LineOf(const ThreadDefinition& thread);
// The lines before all others.
std::string FirstLines(const RankDefinitions& definitions);

// Of one process. A last line that is cut off is ignored.
Result<RankDefinitions> ParseDefinitions(const std::string& text, const std::string& file);

// All communicators under one number each, and what every process's own numbers mean.
struct GlobalCommunicators {
  static constexpr uint32_t kUnknown = UINT32_MAX;
  std::vector<CommunicatorDefinition> all;     // numbered in order
  std::vector<std::vector<uint32_t>> numbers;  // by process as given, by own number
};
GlobalCommunicators Unify(std::span<const RankDefinitions> processes);

// Where a communicator comes from, the same for all its members.
// The `number`-th made of all members of `parent`.
uint64_t OriginOfChild(uint64_t parent, uint64_t number);
// Made by a group of members of `parent` alone, under a tag.
uint64_t OriginOfGroup(uint64_t parent, int tag);

// Keys for communicators, counted by their origin and members.
class CommunicatorKeys {
 public:
  // Of no other communicator: the first ones, and those between two groups.
  static constexpr uint64_t kNoOrigin = 0;
  uint64_t Next(uint64_t origin, std::span<const uint32_t> members,
                std::span<const uint32_t> remote);

 private:
  std::unordered_map<uint64_t, uint64_t> made_;  // by hash of origin and members
};

}  // namespace syncline::mpi
