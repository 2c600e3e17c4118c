// The programs of the scenarios.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/program.h"
#include "simulate/random.h"

namespace syncline {

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
