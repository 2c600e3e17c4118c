#include "pipeline/write/write_otf2.h"

#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "pipeline/write/kept_times.h"
#include "trace/kept_archive.h"
#include "write/otf2/events_writer.h"
#include "write/otf2/metadata_writer.h"

namespace syncline {

Result<Otf2Written> WriteOtf2(const LoadedInput& input, const std::string& anchor,
                              IfExists if_exists, Otf2Writing writing,
                              const std::function<ArchiveRetimer&()>& make_retimer,
                              TeamEvents* team) {
  // The library has state of its own that threads would share.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const LoadedArchive& loaded = ArchiveOf(input);
  const Clock& clock = loaded.archive.traces().clocks.front();
  const Otf2WriteRequest request{.input = loaded.archive.anchor(),
                                 .output = anchor,
                                 .if_exists = if_exists,
                                 .offset_ticks = clock.offset_ticks};
  const auto write_events = [&]() -> Result<Otf2Pending> {
    if (team != nullptr) {
      SYNCLINE_ASSIGN(auto pending, PrepareOtf2EventsOfOthers(request, [&](const auto& place) {
                        return team->Write(place);
                      }));
      if (pending) return *std::move(pending);
    }
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
