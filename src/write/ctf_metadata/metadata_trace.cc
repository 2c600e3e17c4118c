#include "write/ctf_metadata/metadata_trace.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/copy_file.h"
#include "base/file.h"
#include "base/try.h"
#include "write/ctf_metadata/clock_blocks.h"
#include "write/ctf_metadata/metadata_text.h"

namespace syncline::ctf_metadata {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> SystemError(const std::error_code& error, const fs::path& path) {
  return Fail(ErrorCode::kUnreadable, error.message(), path.string());
}

Result<void> Set(const NamedSetting& named, std::span<const ClockBlock> blocks,
                 std::vector<ClockSetting>& settings) {
  size_t found = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].name != named.clock) continue;
    settings[i] = named.setting;
    ++found;
  }
  if (found == 1) return {};
  return Fail(ErrorCode::kUnsupported,
              fmt::format("the metadata has {} clock blocks called \"{}\"", found, named.clock));
}

// Whoever replaces a folder removes what it holds: that should be a trace.
Result<void> CheckReplaceable(const fs::path& output) {
  std::error_code ignored;
  if (!fs::exists(output, ignored) || fs::exists(output / "metadata", ignored)) return {};
  if (fs::is_directory(output, ignored) && fs::is_empty(output, ignored)) return {};
  return Fail(ErrorCode::kUsage, "exists and is no CTF trace, so it is not replaced",
              output.string());
}

// The regular files of a folder whose names are wanted.
Result<void> LinkFiles(const fs::path& input, const fs::path& output,
                       bool (*is_wanted)(const fs::path& name)) {
  std::error_code error;
  fs::directory_iterator entry(input, error);
  for (const fs::directory_iterator end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    const fs::path name = entry->path().filename();
    if (!is_wanted(name) || !entry->is_regular_file(ignored)) continue;
    SYNCLINE_TRY(LinkOrCopy(entry->path().string(), (output / name).string()));
  }
  if (error) return SystemError(error, input);
  return {};
}

// What readers take for streams, and their index. What else there is belongs to others: it would
// be in the way of whoever replaces the output.
Result<void> LinkOthers(const fs::path& input, const fs::path& output) {
  SYNCLINE_TRY(LinkFiles(input, output, [](const fs::path& name) {
    return name != "metadata" && !name.string().starts_with('.');
  }));
  std::error_code error;
  if (!fs::is_directory(input / "index", error)) return {};
  if (!fs::create_directory(output / "index", error)) return SystemError(error, output / "index");
  return LinkFiles(input / "index", output / "index",
                   [](const fs::path& name) { return name.extension() == ".idx"; });
}

}  // namespace

Result<std::string> MetadataWith(const std::string& metadata_path,
                                 std::span<const NamedSetting> settings) {
  SYNCLINE_ASSIGN(auto text, ReadMetadata(metadata_path));
  auto blocks = ClockBlocks(text);
  if (!blocks) {
    blocks.error().file = metadata_path;
    return tl::unexpected(blocks.error());
  }
  std::vector<ClockSetting> all;
  for (const ClockBlock& block : *blocks) all.push_back(block.setting);
  for (const NamedSetting& named : settings) {
    if (auto done = Set(named, *blocks, all); !done) {
      done.error().file = metadata_path;
      return tl::unexpected(done.error());
    }
  }
  return WithSettings(text, *blocks, all);
}

Result<OutputFolder> WriteMetadataTrace(const std::string& input, const std::string& output,
                                        IfExists if_exists,
                                        std::span<const NamedSetting> settings) {
  const fs::path folder = fs::path(input) / "";  // the same for "x" and "x/"
  SYNCLINE_ASSIGN(auto text, MetadataWith((folder / "metadata").string(), settings));
  SYNCLINE_TRY(CheckReplaceable(output));
  SYNCLINE_ASSIGN(auto out, OutputFolder::Create(output, if_exists));
  const fs::path place = out.place();
  SYNCLINE_TRY(LinkOthers(folder, place));
  SYNCLINE_ASSIGN(auto metadata,
                  OutputFile::Create((place / "metadata").string(), IfExists::kFail));
  SYNCLINE_TRY(metadata.Write(text));
  SYNCLINE_TRY(metadata.Commit());
  return out;
}

}  // namespace syncline::ctf_metadata
