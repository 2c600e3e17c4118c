// How what reading finds travels between processes of an MPI run.
//
// Tested by: found_parcel_test.cc, text_parcel_test.cc.
#pragma once

#include <string>

#include "syncline/clock.h"
#include "syncline/diagnostics.h"
#include "syncline/result.h"

#include "base/parcel.h"

namespace syncline {

// With the process in which it happened, as "process 3 of 4 on HOST".
inline Error InProcess(Error error, const std::string& process) {
  error.message += " (" + process + ")";
  return error;
}

auto Members(Is<Clock> auto& self) {
  return std::tie(self.name, self.ticks_per_second, self.offset_ticks, self.reading_ns);
}
auto Members(Is<Process> auto& self) { return std::tie(self.name, self.label, self.clock); }
auto Members(Is<Group> auto& self) { return std::tie(self.name, self.members); }
auto Members(Is<TraceSet> auto& self) { return std::tie(self.clocks, self.processes, self.groups); }
auto Members(Is<Diagnostic> auto& self) {
  return std::tie(self.severity, self.count, self.example, self.spread);
}

}  // namespace syncline
