// Archives that are written at once, with the times of a function, for tests of their writers.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/replace_together.h"
#include "base/try.h"
#include "write/otf2/archive_source.h"
#include "write/otf2/metadata_writer.h"
#include "write/otf2/retime.h"

namespace syncline::otf2_test {

// Nothing appears where there is anything inexpressible.
inline Result<Otf2WriteCounts> Finished(Result<Otf2Pending> prepared) {
  SYNCLINE_ASSIGN(const Otf2Pending pending, std::move(prepared));
  if (pending.counts.inexpressible > 0) return pending.counts;
  SYNCLINE_ASSIGN(const std::vector<Replacement> changes, pending.finish());
  SYNCLINE_TRY(ReplaceTogether(changes));
  return pending.counts;
}

// The times of an archive's events, as they are recorded and as a function corrects them.
class ReadTimes : public Otf2TimeSource {
 public:
  Result<void> Read(const std::string& anchor, const Otf2Retime& retime) {
    otf2_write::Otf2Errors errors;
    SYNCLINE_ASSIGN(auto source, otf2_write::ArchiveSource::Open(anchor, errors));
    for (const uint64_t location : source.facts().locations) {
      const auto add = [&,
                        &to = of_[location]](const otf2_write::RecordedEvent& e) -> Result<void> {
        to.recorded.push_back(e.time);
        const bool is_usable = e.time <= uint64_t{INT64_MAX};
        to.corrected.push_back(is_usable ? retime(location, e.index, {static_cast<int64_t>(e.time)})
                                         : GlobalTime{});
        if (e.end != e.time) to.flushes.push_back({e.index, e.end});
        return {};
      };
      SYNCLINE_TRY(otf2_write::ReadEventTimes(source, location, add));
    }
    return {};
  }
  Otf2LocationTimes Recorded(uint64_t location) const override {
    return {of_.at(location).recorded, of_.at(location).flushes};
  }
  void Correct(uint64_t location, uint64_t first, std::span<const LocalTime> recorded,
               std::span<GlobalTime> corrected) override {
    const auto& all = of_.at(location).corrected;
    for (size_t i = 0; i < recorded.size(); ++i) corrected[i] = all.at(first + i);
  }

 private:
  struct Times {
    std::vector<uint64_t> recorded;
    std::vector<GlobalTime> corrected;
    std::vector<Otf2FlushEnd> flushes;
  };
  std::map<uint64_t, Times> of_;
};

inline Result<Otf2WriteCounts> WriteMetadata(const Otf2WriteRequest& request,
                                             const Otf2Retime& retime) {
  ReadTimes times;
  SYNCLINE_TRY(times.Read(request.input, retime));
  return Finished(PrepareOtf2Metadata(request, times));
}

}  // namespace syncline::otf2_test
