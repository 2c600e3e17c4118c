#include "trace/found_parcel.h"

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace syncline {

Error InProcess(Error error, const std::string& process) {
  error.message += fmt::format(" ({})", process);
  return error;
}

void PutError(const Error& error, Parcel& parcel) {
  parcel.Put(error.code, error.message, error.file, error.position);
}

Error TakeError(ParcelReader& parcel) {
  Error error;
  parcel.Take(error.code, error.message, error.file, error.position);
  return error;
}

void PutStrings(std::span<const std::string> strings, Parcel& parcel) {
  parcel.Put(uint64_t{strings.size()});
  for (const std::string& string : strings) parcel.Put(string);
}

std::vector<std::string> TakeStrings(ParcelReader& parcel) {
  std::vector<std::string> strings;
  for (auto left = parcel.Take<uint64_t>(); left > 0; --left)
    strings.push_back(parcel.Take<std::string>());
  return strings;
}

void PutTraceSet(const TraceSet& traces, Parcel& parcel) {
  parcel.Put(uint64_t{traces.clocks.size()});
  for (const Clock& clock : traces.clocks) {
    parcel.Put(clock.name, clock.ticks_per_second, clock.offset_ticks, clock.reading_ns);
  }
  parcel.Put(uint64_t{traces.processes.size()});
  for (const Process& process : traces.processes) {
    parcel.Put(process.name, process.label, process.clock);
  }
  parcel.Put(uint64_t{traces.groups.size()});
  for (const Group& group : traces.groups) parcel.Put(group.name, group.members);
}

TraceSet TakeTraceSet(ParcelReader& parcel) {
  TraceSet traces;
  for (auto left = parcel.Take<uint64_t>(); left > 0; --left) {
    Clock& clock = traces.clocks.emplace_back();
    parcel.Take(clock.name, clock.ticks_per_second, clock.offset_ticks, clock.reading_ns);
  }
  for (auto left = parcel.Take<uint64_t>(); left > 0; --left) {
    Process& process = traces.processes.emplace_back();
    parcel.Take(process.name, process.label, process.clock);
  }
  for (auto left = parcel.Take<uint64_t>(); left > 0; --left) {
    Group& group = traces.groups.emplace_back();
    parcel.Take(group.name, group.members);
  }
  return traces;
}

// As they were counted: by example, then those without one, or with one too many.
void PutDiagnostics(const Diagnostics& diagnostics, Parcel& parcel) {
  parcel.Put(uint64_t{diagnostics.all().size()});
  for (const auto& [name, diagnostic] : diagnostics.all()) {
    uint64_t others = diagnostic.count;
    parcel.Put(name, diagnostic.severity, uint64_t{diagnostic.spread.size()});
    for (const auto& [example, count] : diagnostic.spread) {
      parcel.Put(example, count);
      others -= count;
    }
    parcel.Put(others);
  }
}

Diagnostics TakeDiagnostics(ParcelReader& parcel) {
  Diagnostics diagnostics;
  const auto names = parcel.Take<uint64_t>();
  for (uint64_t i = 0; i < names; ++i) {
    const std::string name = parcel.Take<std::string>();
    const auto severity = parcel.Take<Severity>();
    const auto examples = parcel.Take<uint64_t>();
    for (uint64_t k = 0; k < examples; ++k) {
      const std::string example = parcel.Take<std::string>();
      diagnostics.Count(name, severity, parcel.Take<uint64_t>(), example);
    }
    diagnostics.Count(name, severity, parcel.Take<uint64_t>());
  }
  return diagnostics;
}

}  // namespace syncline
