#include "pipeline/write/outputs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string_view>

#include "base/replace_together.h"
#include "base/try.h"
#include "base/unique_name.h"
#include "write/otf2/archive_output.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

std::string FileName(const Input& input) { return fs::path(input.path).filename().string(); }

// Of a CTF trace, whose folder keeps its place below the one that was given.
std::string FolderName(const Input& input, std::set<std::string>& taken) {
  if (taken.insert(input.below).second) return input.below;
  return UniqueName(input.name.empty() ? input.below : input.name + "/" + input.below, taken);
}

// Of "a.pcap.gz" all of ".pcap.gz".
std::string EndingOf(const fs::path& name) {
  const std::string last = name.extension().string();
  if (last != ".gz" && last != ".zst") return last;
  return name.stem().extension().string() + last;
}

std::vector<std::string> TraceNames(std::span<const Input> inputs) {
  std::map<std::string, int> uses;
  for (const Input& input : inputs) ++uses[FileName(input)];
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (const Input& input : inputs) {
    if (input.format == Format::kCtf) {
      names.push_back(FolderName(input, taken));
      continue;
    }
    const std::string name = FileName(input);
    const std::string ending = EndingOf(name);
    const bool is_unclear = uses[name] > 1 && !input.name.empty();
    const std::string stem = is_unclear ? input.name : name.substr(0, name.size() - ending.size());
    names.push_back(UniqueName(stem, taken, ending));
  }
  return names;
}

// One name for one place, whatever links lead there.
std::string Place(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  const fs::path folder = fs::weakly_canonical(absolute.parent_path(), error);
  return (folder / absolute.filename()).lexically_normal().string();
}

Result<void> CheckOutput(const std::string& path, std::span<const std::string> read,
                         IfExists if_exists) {
  std::error_code error;
  const fs::path folder = fs::path(Place(path)).parent_path();
  if (!fs::is_directory(folder, error)) {
    return Fail(ErrorCode::kUnreadable, "there is no folder " + folder.string(), path);
  }
  if (!fs::exists(path, error)) return {};
  for (const std::string& source : read) {
    if (fs::equivalent(path, source, error)) {
      return Fail(ErrorCode::kUsage, "is an input, and inputs are never overwritten", path);
    }
  }
  if (fs::is_directory(path, error)) return Fail(ErrorCode::kUsage, "is a folder", path);
  if (if_exists == IfExists::kFail && fs::is_regular_file(path, error)) {
    return Fail(ErrorCode::kUsage, "already exists (--force replaces it)", path);
  }
  return {};
}

// The first bytes of a file; fewer where it ends.
std::string BeginningOf(const fs::path& path, size_t length) {
  std::string bytes(length, 0);
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), static_cast<std::streamsize>(length));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

// Whether it begins with a number of four bytes in either order.
bool HasMagic(const fs::path& path, std::string_view magic) {
  const std::string found = BeginningOf(path, magic.size());
  return found == magic || found == std::string(magic.rbegin(), magic.rend());
}

bool IsCtfMetadata(const fs::path& path) {
  return HasMagic(path, "\x75\xD1\x1D\x57") || BeginningOf(path, 6) == "/* CTF";
}

// A packet's magic number; traces can do without, and say so.
bool IsCtfStream(const fs::path& path) {
  std::error_code error;
  return fs::file_size(path, error) == 0 || HasMagic(path, "\xC1\xFC\x1F\xC1") ||
         ReadWholeFile(path.parent_path() / "metadata").value_or("magic").find("magic") ==
             std::string::npos;
}

bool IsIndex(const fs::directory_entry& folder) {
  std::error_code error;
  if (!fs::is_directory(folder.symlink_status(error))) return false;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path(), error)) {
    const bool is_file = fs::is_regular_file(entry.symlink_status(error));
    if (!is_file || entry.path().extension() != ".idx") return false;
  }
  return !error;
}

// A CTF trace's folder holds its metadata and streams and perhaps their index; what holds more is
// not only a trace.
bool HoldsOnlyATrace(const std::string& folder) {
  std::error_code error;
  bool has_metadata = false;
  bool is_empty = true;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    is_empty = false;
    if (name == "index" && IsIndex(entry)) continue;
    if (!fs::is_regular_file(entry.symlink_status(error))) return false;
    if (name != "metadata" && !IsCtfStream(entry.path())) return false;
    has_metadata = has_metadata || (name == "metadata" && IsCtfMetadata(entry.path()));
  }
  return !error && (is_empty || has_metadata);
}

// What convert writes as a folder.
bool HoldsOnlyTraces(const std::string& folder) {
  std::error_code error;
  const bool is_archive = fs::is_regular_file(fs::path(folder) / "traces.otf2", error);
  if (is_archive && otf2_write::ForeignPart(folder, "traces")) return false;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const bool is_of_archive = name == "traces.otf2" || name == "traces.def" || name == "traces";
    if (is_archive ? !is_of_archive
                   : !entry.is_directory(error) || !HoldsOnlyATrace(entry.path().string())) {
      return false;
    }
  }
  return !error;
}

// What may be replaced, and what is said of everything else.
struct Replaceable {
  bool (*is_so)(const std::string& folder);
  const char* complaint;
};
constexpr Replaceable kOneTrace = {HoldsOnlyATrace, "is no CTF trace, and is not replaced"};
constexpr Replaceable kTraces = {HoldsOnlyTraces, "holds more than traces, and is not replaced"};

// A folder to be made, at whatever depth, for traces that are one.
Result<void> CheckOutputFolder(const std::string& path, std::span<const std::string> read,
                               IfExists if_exists, const Replaceable& replaceable) {
  const std::string place = Place(path);
  std::error_code error;
  for (const std::string& source : read) {
    if (!fs::exists(source, error)) continue;
    // Neither in the place of an input, nor around it, nor inside.
    const std::string other = Place(source);
    if (place == other || place.starts_with(other + "/") || other.starts_with(place + "/")) {
      return Fail(ErrorCode::kUsage, "is, holds or lies in an input", path);
    }
  }
  if (!fs::exists(path, error)) return {};
  if (!fs::is_directory(path, error)) return Fail(ErrorCode::kUsage, "is no folder", path);
  if (if_exists == IfExists::kFail) {
    return Fail(ErrorCode::kUsage, "already exists (--force replaces it)", path);
  }
  if (!replaceable.is_so(path)) return Fail(ErrorCode::kUsage, replaceable.complaint, path);
  return {};
}

Result<void> CheckAll(const OutputPlan& plan, std::span<const Input> inputs,
                      const OutputRequest& request) {
  std::vector<std::string> read = request.also_read;
  for (const Input& input : inputs) read.push_back(input.path);
  std::vector<std::string> outputs;
  std::set<std::string> places;
  const bool is_traces = request.names.empty();  // else plan.traces are files of these names
  for (size_t i = 0; i < plan.traces.size(); ++i) {
    if (!is_traces || inputs[i].format != Format::kCtf) {
      outputs.push_back(plan.traces[i]);
      continue;
    }
    SYNCLINE_TRY(CheckOutputFolder(plan.traces[i], read, request.if_exists, kOneTrace));
    places.insert(Place(plan.traces[i]));
  }
  if (const std::string& path = request.whole_folder; !path.empty()) {
    SYNCLINE_TRY(CheckOutputFolder(path, read, request.if_exists, kTraces));
    places.insert(Place(path));
  }
  for (const std::string& path : {plan.summary, plan.merged, plan.json, plan.report}) {
    if (!path.empty() && path != "-") outputs.push_back(path);
  }
  for (const std::string& path : outputs) {
    SYNCLINE_TRY(CheckOutput(path, read, request.if_exists));
    if (!places.insert(Place(path)).second) {
      return Fail(ErrorCode::kUsage, "would be written twice", path);
    }
  }
  return {};
}

Result<void> FinishEarlier(const OutputPlan& plan, const OutputRequest& request) {
  std::set<std::string> folders;
  if (!request.folder.empty()) folders.insert(request.folder);
  for (const std::string& path : {plan.merged, plan.json, plan.report, request.whole_folder}) {
    if (!path.empty() && path != "-") folders.insert(fs::path(Place(path)).parent_path().string());
  }
  for (const std::string& folder : folders) SYNCLINE_TRY(FinishReplacing(folder));
  return {};
}

}  // namespace

Result<OutputPlan> PlanOutputs(std::span<const Input> inputs, const OutputRequest& request) {
  if (request.merged == "-") {
    return Fail(ErrorCode::kUsage, "--merge needs a file, not standard output");
  }
  OutputPlan plan{.merged = request.merged,
                  .json = request.json,
                  .report = request.report,
                  .if_exists = request.if_exists};
  if (!request.folder.empty()) {
    SYNCLINE_ASSIGN(MadeFolders made, MadeFolders::Make(request.folder));
    plan.folder = std::make_shared<const MadeFolders>(std::move(made));
    const bool is_traces = request.names.empty();
    if (is_traces) plan.summary = (fs::path(request.folder) / "syncline.json").string();
    for (const std::string& name : is_traces ? TraceNames(inputs) : request.names) {
      plan.traces.push_back((fs::path(request.folder) / name).string());
    }
  }
  SYNCLINE_TRY(FinishEarlier(plan, request));
  SYNCLINE_TRY(CheckAll(plan, inputs, request));
  return plan;
}

}  // namespace syncline
