// The machines that spans ran on, which are their clocks.
//
// Told by attributes of resources, of which the highest counts, or by one that was asked for.
// Counted: "machine-unknown", "hosts-of-one-name" (warning), "clock-by-missing",
// "machine-by-instance" (info). Errors: kUsage where names that inputs were given do not fit their
// machines, or no resource has the attribute that was asked for. Tested by: load_spans_test.cc.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "syncline/id.h"
#include "syncline/result.h"

#include "read/spans/span_piece.h"
#include "trace/load.h"

namespace syncline {

class SpanMachines {
 public:
  // `clock_by`: an attribute; empty: the usual ones. `loaded` must outlive this object.
  SpanMachines(LoadedTraces& loaded, std::string clock_by)
      : loaded_(loaded), clock_by_(std::move(clock_by)) {}

  Result<ClockId> ClockOf(const SpanResource& resource, const LoadedInput& input);
  // Of each that spans have.
  void NoteClockBy(const SpanResource& resource, const LoadedInput& input);
  // An attribute that nothing has is misspelled.
  Result<void> CheckClockBy() const;
  // Puts the clocks from this number on in order of their names; by number before, the new one.
  std::vector<ClockId> SortFrom(size_t first);

 private:
  std::string ClockName(const SpanResource& resource, SpanResource::Attribute attribute,
                        const LoadedInput& input);

  LoadedTraces& loaded_;
  std::string clock_by_;
  std::map<std::pair<size_t, std::string>, ClockId> machines_;  // by attribute and its value
  bool has_clock_by_ = false;
  std::set<std::string> attribute_names_;  // of resources that lack the one asked for
};

}  // namespace syncline
