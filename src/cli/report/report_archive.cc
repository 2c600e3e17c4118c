#include <string>
#include <vector>

#include "cli/load/kept_archive.h"
#include "cli/report/report_events.h"

namespace syncline {

Result<void> VisitArchive(const LoadedInput& input, const VisitEvent& visit) {
  const LoadedArchive& loaded = *input.archive;
  const std::vector<std::string>& names = loaded.archive.names();
  for (size_t number = 0; number < input.processes.size(); ++number) {
    const ProcessId in_file(static_cast<uint32_t>(number));
    auto cursor = loaded.archive.OpenLocation(in_file);
    if (!cursor) return tl::unexpected(cursor.error());
    while (const Event* event = cursor->Next()) {
      const uint64_t index = cursor->index();
      visit({input.processes[number], index, loaded.TimeOf(in_file, index), event->kind,
             names[event->name]});
    }
    if (cursor->error()) return tl::unexpected(*cursor->error());
  }
  return {};
}

}  // namespace syncline
