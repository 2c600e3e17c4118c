// Writes the true clocks of a simulation as a truth file (measure/truth.h reads it).
//
// Units: nanoseconds. The points are the knots of each clock, up to the first one after the end, so
// that lines between them give the true time of a reading to within one reading; for a clock that
// shows ticks, of the instant when the tick began. They are computed anew, nothing is stored.
// Errors: those of the output. Cost: about 100 ns per knot. Tested by: truth_writer_test.cc.
#pragma once

#include "syncline/result.h"

#include "base/byte_sink.h"
#include "simulate/simulation.h"

namespace syncline {

// Call it when the simulation has ended.
Result<void> WriteTruth(const Simulation& simulation, ByteSink output);

}  // namespace syncline
