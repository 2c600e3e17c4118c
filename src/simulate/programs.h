// The programs of the scenarios.
#pragma once

#include <cstdint>

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
// In each step a random half of the processes sends to the other half, one message each.
Program RandomPairsProgram(uint32_t processes, uint64_t seed, Range compute_ns, Range bytes);

}  // namespace syncline
