#include "cli/convert/convert_targets.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "report/table.h"
#include "write/chrome/chrome_writer.h"
#include "write/csv/csv_writer.h"
#include "write/ctf/exported_ctf.h"
#include "write/otf2/exported_archive.h"
#include "write/perfetto/perfetto_writer.h"
#include "write/shiviz/shiviz_writer.h"
#include "write/text/exported_text.h"

namespace syncline {
namespace {

constexpr std::array<ConvertTarget, 8> kTargets = {
    {{.name = "chrome", .write = WriteChrome},
     {.name = "csv", .write = WriteCsv, .messages = ExportedMessages::kListed},
     {.name = "ctf", .write_folder = WriteExportedCtf, .messages = ExportedMessages::kReadBack},
     {.name = "otf2",
      .write_folder = WriteExportedArchive,
      .messages = ExportedMessages::kReadBack},
     {.name = "perfetto", .write = WritePerfetto},
     {.name = "perfetto-bundle"},
     {.name = "shiviz", .write = WriteShiviz},
     {.name = "text", .write = WriteExportedText, .messages = ExportedMessages::kReadBack}}};

std::string Length(uint64_t ns) {
  return FormatDuration(static_cast<int64_t>(std::min<uint64_t>(ns, INT64_MAX)));
}

}  // namespace

std::vector<std::string> ConvertTargetNames() {
  std::vector<std::string> names;
  for (const ConvertTarget& target : kTargets) names.emplace_back(target.name);
  return names;
}

const ConvertTarget* FindConvertTarget(std::string_view name) {
  const auto* target = std::ranges::find(kTargets, name, &ConvertTarget::name);
  return target == kTargets.end() ? nullptr : target;
}

void CountFindings(const ExportFindings& findings, std::string_view format,
                   Diagnostics& diagnostics) {
  if (findings.shift_ns > 0) {
    diagnostics.Count(
        "times-shifted", Severity::kInfo, 1,
        fmt::format("{} later: --to {} has no times before 0", Length(findings.shift_ns), format));
  }
  if (findings.raised > 0) {
    diagnostics.Count("events-raised", Severity::kWarning, findings.raised,
                      fmt::format("by up to {}", Length(findings.largest_raise_ns)));
  }
  if (findings.collective_parts > 0) {
    diagnostics.Count("collectives-as-regions", Severity::kInfo, findings.collective_parts);
  }
}

}  // namespace syncline
