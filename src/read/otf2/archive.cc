#include "read/otf2/archive.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/try.h"
#include "read/otf2/anchor.h"
#include "read/otf2/definitions.h"
#include "read/otf2/library.h"
#include "read/otf2/local_definitions.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAnchorSuffix = ".otf2";

Result<std::string> AnchorOf(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return Fail(ErrorCode::kUnreadable, "does not exist", path);
  if (!fs::is_directory(status)) {
    if (!path.ends_with(kAnchorSuffix))
      return Fail(ErrorCode::kUsage, "an OTF2 archive is given by its .otf2 file or folder", path);
    return path;
  }
  std::vector<std::string> anchors;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    if (entry.path().extension() == kAnchorSuffix) anchors.push_back(entry.path().string());
  }
  if (error) return Fail(ErrorCode::kUnreadable, "cannot be listed: " + error.message(), path);
  if (anchors.size() == 1) return anchors[0];
  return Fail(ErrorCode::kUnreadable,
              anchors.empty() ? "holds no .otf2 file" : "holds several .otf2 files; give one",
              path);
}

// libotf2 says too little about files that are missing or empty.
Result<void> CheckFile(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return Fail(ErrorCode::kUnreadable, "does not exist", path);
  if (!fs::is_regular_file(status)) return Fail(ErrorCode::kUnreadable, "is no file", path);
  if (fs::file_size(path, error) == 0) return Fail(ErrorCode::kMalformed, "is empty", path);
  return {};
}

// By ProcessId, in several threads with a reader each.
std::vector<Result<Otf2LocalDefinitions>> ReadAllLocalDefinitions(const Otf2Layout& layout) {
  std::vector<Result<Otf2LocalDefinitions>> all(layout.locations.size());
  const size_t threads = ThreadsFor(all.size());
  ForEachParallel(threads, [&](size_t thread) {
    auto reader = OpenReader(layout.anchor);
    if (!reader) {
      all[thread] = tl::unexpected(reader.error());
      return;
    }
    for (size_t i = thread; i < all.size(); i += threads)
      OTF2_Reader_SelectLocation(reader->get(), layout.locations[i]);
    OpenLocalDefinitions(reader->get());
    for (size_t i = thread; i < all.size(); i += threads) {
      all[i] = ReadLocalDefinitions(reader->get(), layout.locations[i],
                                    layout.FileOf(layout.locations[i], ".def"));
    }
    OTF2_Reader_CloseDefFiles(reader->get());
  });
  return all;
}

}  // namespace

Result<Otf2Archive> Otf2Archive::Open(const std::string& path, Otf2Options options) {
  SYNCLINE_ASSIGN(auto anchor, AnchorOf(path));
  const std::string base = anchor.substr(0, anchor.size() - kAnchorSuffix.size());
  for (const std::string& file : {anchor, base + ".def"}) {
    SYNCLINE_TRY(CheckFile(file));
  }
  SYNCLINE_TRY(CheckAnchor(anchor));
  SYNCLINE_ASSIGN(auto reader, OpenReader(anchor));
  SYNCLINE_ASSIGN(auto definitions, ReadGlobalDefinitions(reader.get(), base + ".def"));
  SYNCLINE_ASSIGN(auto layout, MakeLayout(definitions, std::move(anchor), options.clock_per));

  Otf2Archive archive;
  archive.options_ = options;
  archive.diagnostics_ = std::move(definitions.diagnostics);
  SYNCLINE_TRY(archive.ReadOffsets(layout));
  archive.layout_ = std::make_shared<const Otf2Layout>(std::move(layout));
  return archive;
}

Result<void> Otf2Archive::ReadOffsets(Otf2Layout& layout) {
  auto all = ReadAllLocalDefinitions(layout);
  uint64_t missing = 0;
  layout.offsets.reserve(layout.locations.size());
  for (size_t i = 0; i < layout.locations.size(); ++i) {
    if (!all[i]) return tl::unexpected(all[i].error());
    const std::string file = layout.FileOf(layout.locations[i], ".def");
    std::error_code ignored;
    if (!fs::exists(file, ignored)) ++missing;
    if (all[i]->clock_offsets.size() == 1)
      diagnostics_.Count("single-clock-offset", Severity::kWarning, 1, file);
    layout.is_mapped.push_back(all[i]->mapping_tables > 0);
    layout.has_other_definitions.push_back(all[i]->mapping_tables + all[i]->others > 0);
    auto offsets = Otf2ClockOffsets::FromRecords(std::move(all[i]->clock_offsets));
    if (!offsets) {
      offsets.error().file = file;
      return tl::unexpected(offsets.error());
    }
    const Clock& clock = layout.traces.clocks[layout.traces.processes[i].clock.index()];
    if (offsets->corrects() && !offsets->ToCorrection(clock))
      diagnostics_.Count("clock-offsets-not-increasing", Severity::kWarning, 1, file);
    layout.offsets.push_back(*std::move(offsets));
  }
  // Archives need not have local definitions; if they have some, the others are lost.
  if (missing > 0) {
    diagnostics_.Count("local-definitions-missing",
                       missing == layout.locations.size() ? Severity::kInfo : Severity::kWarning,
                       missing, layout.folder);
  }
  return {};
}

Result<Otf2Cursor> Otf2Archive::OpenLocation(ProcessId process) const {
  return Otf2Cursor::Open(layout_, process, options_.times);
}

Correction Otf2Archive::ArchiveCorrection(ProcessId process) const {
  const Clock& clock = traces().clocks[traces().processes[process.index()].clock.index()];
  if (options_.times == Otf2Times::kArchive) return Correction::Nominal(clock);
  return clock_offsets(process).ToCorrection(clock).value_or(Correction::Nominal(clock));
}

std::string Otf2Archive::events_file(ProcessId process) const {
  return layout_->FileOf(locations()[process.index()], ".evt");
}

std::string Otf2Archive::local_definitions_file(ProcessId process) const {
  return layout_->FileOf(locations()[process.index()], ".def");
}

}  // namespace syncline
