// What writers of OTF2 archives ask for, of an archive that was kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "pipeline/write/archive_retimer.h"
#include "trace/kept_archive.h"
#include "write/otf2/location_fit.h"
#include "write/otf2/retime.h"

namespace syncline {

// The kept times by OTF2's numbers of locations, corrected by a retimer.
class KeptTimes : public Otf2TimeSource {
 public:
  KeptTimes(const LoadedArchive& loaded, ArchiveRetimer& retimer)
      : loaded_(loaded), retimer_(retimer) {
    const std::vector<OTF2_LocationRef>& locations = loaded.archive.locations();
    for (uint32_t i = 0; i < locations.size(); ++i) processes_.emplace(locations[i], ProcessId(i));
  }

  Otf2LocationTimes Recorded(uint64_t location) const override {
    const ProcessId process = processes_.at(location);
    const auto kept = loaded_.Location(process);
    return {kept->times, kept->flushes, loaded_.archive.has_other_definitions(process), kept};
  }
  void Correct(uint64_t location, uint64_t first, std::span<const LocalTime> recorded,
               std::span<GlobalTime> corrected) override {
    const ProcessId process = processes_.at(location);
    const Otf2ClockOffsets& offsets = loaded_.archive.clock_offsets(process);
    if (!offsets.corrects()) return retimer_.Retime(process, first, recorded, corrected);
    std::vector<LocalTime> local;
    local.reserve(recorded.size());
    for (const LocalTime time : recorded) {
      local.push_back(offsets.Corrected(static_cast<uint64_t>(time.ticks)));
    }
    retimer_.Retime(process, first, local, corrected);
  }
  otf2_write::LocationFit* Fitted(uint64_t location) override {
    return retimer_.Fitted(processes_.at(location));
  }
  GlobalTime CorrectOne(uint64_t location, uint64_t index, LocalTime recorded) {
    GlobalTime corrected;
    Correct(location, index, std::span(&recorded, 1), std::span(&corrected, 1));
    return corrected;
  }

 private:
  const LoadedArchive& loaded_;
  ArchiveRetimer& retimer_;
  absl::flat_hash_map<uint64_t, ProcessId> processes_;
};

}  // namespace syncline
