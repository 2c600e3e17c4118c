#include "read/otf2/archive.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/parallel.h"
#include "base/try.h"
#include "read/otf2/definitions.h"
#include "read/otf2/library.h"
#include "read/otf2/local_definitions.h"

namespace syncline {
namespace {

// A check of the anchor file (.otf2) for what libotf2 3.0.2 trusts without looking: it allocates
// and reads as many properties as the file claims, 1.5 billion for one wrong byte.
//
// Layout, numbers in the byte order that byte 1 tells ('B' little, '#' big): type and byte order,
// "OTF2", 6 bytes of versions, 8 bytes chunk size for events and for definitions, substrate and
// compression, 8 bytes number of locations and of definitions; machine, description and creator,
// each ended by a zero byte; 4 bytes number of properties; per property name and value, each ended
// by a zero byte.
// Errors: more properties than the file has room for. Anything else is left to libotf2.
constexpr size_t kFixedBytes = 46;
constexpr size_t kStrings = 3;
constexpr size_t kLeastPropertyBytes = 2;

// Where the number of properties stands.
std::optional<size_t> PropertiesAt(std::string_view bytes) {
  if (bytes.size() < kFixedBytes || bytes.substr(2, 4) != "OTF2") return std::nullopt;
  size_t at = kFixedBytes;
  for (size_t i = 0; i < kStrings; ++i) {
    at = bytes.find('\0', at);
    if (at == std::string_view::npos) return std::nullopt;
    ++at;
  }
  if (at + sizeof(uint32_t) > bytes.size()) return std::nullopt;
  return at;
}

Result<void> CheckAnchor(const std::string& path) {
  SYNCLINE_ASSIGN(const auto content, ReadWholeFile(path));
  const std::optional<size_t> at = PropertiesAt(content);
  if (!at) return {};
  const bool is_big_endian = content[1] == '#';
  uint64_t properties = 0;
  for (size_t i = 0; i < sizeof(uint32_t); ++i) {
    const size_t byte = *at + (is_big_endian ? i : sizeof(uint32_t) - 1 - i);
    properties = properties << 8 | static_cast<unsigned char>(content[byte]);
  }
  if (properties * kLeastPropertyBytes <= content.size() - *at) return {};
  return Fail(ErrorCode::kMalformed,
              fmt::format("claims {} properties, more than it has room for", properties), path,
              ByteOffset{*at});
}

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
  for (const std::string& file : {anchor, base + ".def"}) SYNCLINE_TRY(CheckFile(file));
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

std::string Otf2Archive::events_file(ProcessId process) const {
  return layout_->FileOf(locations()[process.index()], ".evt");
}

}  // namespace syncline
