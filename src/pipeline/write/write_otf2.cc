#include "pipeline/write/write_otf2.h"

#include <mutex>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "trace/kept_archive.h"
#include "write/otf2/events_writer.h"
#include "write/otf2/metadata_writer.h"

namespace syncline {
namespace {

// The kept times by OTF2's numbers of locations, corrected by a retimer.
class KeptTimes : public Otf2TimeSource {
 public:
  KeptTimes(const LoadedArchive& loaded, Otf2Retimer& retimer)
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
  GlobalTime CorrectOne(uint64_t location, uint64_t index, LocalTime recorded) {
    GlobalTime corrected;
    Correct(location, index, std::span(&recorded, 1), std::span(&corrected, 1));
    return corrected;
  }

 private:
  const LoadedArchive& loaded_;
  Otf2Retimer& retimer_;
  absl::flat_hash_map<uint64_t, ProcessId> processes_;
};

}  // namespace

Result<Otf2Written> WriteOtf2(const LoadedInput& input, const std::string& anchor,
                              IfExists if_exists, Otf2Writing writing,
                              const std::function<Otf2Retimer&()>& make_retimer) {
  // The library has state of its own that threads would share.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const LoadedArchive& loaded = ArchiveOf(input);
  const Clock& clock = loaded.archive.traces().clocks.front();
  const Otf2WriteRequest request{.input = loaded.archive.anchor(),
                                 .output = anchor,
                                 .if_exists = if_exists,
                                 .offset_ticks = clock.offset_ticks};
  const auto write_events = [&] {
    KeptTimes times(loaded, make_retimer());
    return PrepareOtf2Events(request, [&](uint64_t location, uint64_t index, LocalTime recorded) {
      return times.CorrectOne(location, index, recorded);
    });
  };
  const auto write_metadata = [&] {
    KeptTimes times(loaded, make_retimer());
    return PrepareOtf2Metadata(request, times);
  };
  Otf2Written written;
  auto pending = writing == Otf2Writing::kMetadata ? write_metadata() : write_events();
  if (pending && pending->counts.inexpressible > 0) {
    const Otf2WriteCounts& counts = pending->counts;
    written.fell_back = true;
    written.note = fmt::format("{}, {}", counts.inexpressible, counts.first_inexpressible);
    pending = write_events();
  }
  if (!pending) return tl::unexpected(pending.error());
  written.finish = std::move(pending->finish);
  const Clock ticks{.name = "", .ticks_per_second = clock.ticks_per_second};
  written.shift_ns =
      static_cast<uint64_t>(ticks.NominalNs({static_cast<int64_t>(pending->counts.shift_ticks)}));
  return written;
}

}  // namespace syncline
