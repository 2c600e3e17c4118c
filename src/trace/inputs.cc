#include "trace/inputs.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/try.h"
#include "base/utf8.h"
#include "read/ctf/trace_folder.h"
#include "read/logs/log_reader.h"
#include "trace/foreign_formats.h"
#include "trace/formats.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> FilesOf(const Input& input) {
  std::vector<std::string> files;
  const auto add_folder = [&](const fs::path& folder) {
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      if (entry->is_regular_file(error)) files.push_back(entry->path().string());
    }
  };
  std::error_code error;
  if (fs::is_directory(input.path, error)) {
    add_folder(input.path);
    return files;
  }
  files.push_back(input.path);
  if (input.format == Format::kOtf2) {
    files.push_back(fs::path(input.path).replace_extension(".def").string());
    add_folder(fs::path(input.path).replace_extension(""));
  }
  return files;
}

namespace fs = std::filesystem;

// After comments, which may hold any bytes. In a folder no other text is taken for a trace.
bool StartsWithDeclaration(std::span<const std::byte> head) {
  std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!text.starts_with('#')) break;
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return true;  // a comment longer than what was looked at
    text.remove_prefix(end);
  }
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  return word == "clock" || word == "process";
}

struct Recognised {
  std::optional<Format> format;
  uint64_t bytes = 0;
  bool is_empty = false;
  bool is_certain = true;  // not merely any text
  Compression compression = Compression::kNone;
  std::string advice;  // where it is known to be something that is not read
};

// What is certain to be something else by its first bytes stays it.
void RecogniseLog(std::span<const std::byte> head, const std::string& path,
                  std::span<const LogSource> sources, Recognised& found) {
  if (found.format == Format::kCapture || found.format == Format::kOtf2 || sources.empty()) return;
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  const bool is_certain = LooksLikeLog(text, path, sources);
  const bool is_other = found.format.has_value() && found.is_certain;
  if (!is_certain && is_other) return;
  found.format = Format::kLog;
  found.is_certain = is_certain;
}

// What can be had of a file whose compressed data is cut off soon.
Result<size_t> ReadHead(InputFile& file, std::span<std::byte> head) {
  size_t done = 0;
  while (done < head.size()) {
    const Result<size_t> n = file.ReadSome(head.subspan(done));
    if (!n && (done == 0 || !file.is_cut_off())) return n;
    if (!n || *n == 0) break;
    done += *n;
  }
  return done;
}

Result<Recognised> Recognise(const std::string& path, std::span<const LogSource> sources) {
  // What can be read only once is not looked at beforehand; text alone is read in one pass.
  if (path == "-") return Recognised{Format::kText};
  auto file = InputFile::Open(path);
  if (!file) return tl::unexpected(file.error());
  if (!file->is_regular()) {
    return Fail(ErrorCode::kUnsupported, "is no regular file; check reads standard input (-)",
                path);
  }
  // Formats show in the first of them; lines of logs may be long.
  constexpr size_t kFirst = 4096;
  std::vector<std::byte> head(sources.empty() ? kFirst : 16 * kFirst);
  SYNCLINE_ASSIGN(const size_t n, ReadHead(*file, head));
  head.resize(n);
  const auto start = std::span<const std::byte>(head).first(std::min(n, kFirst));
  Recognised found{std::nullopt, file->size(), n == 0, true, file->compression()};
  for (const TraceFormat* format : AllFormats()) {
    if (format->recognises != nullptr && format->recognises(start)) {
      found.format = format->format;
      found.is_certain = format->format != Format::kText || StartsWithDeclaration(start);
      break;
    }
  }
  if (!found.format && StartsWithDeclaration(start)) found.format = Format::kText;
  RecogniseLog(head, path, sources, found);
  if (!found.is_certain || !found.format) found.advice = ForeignFormatAdvice(start, path);
  if (!found.is_certain && found.format == Format::kText && found.advice.empty()) {
    found.advice = ForeignJsonAdvice(start);
  }
  if (found.format == Format::kOtf2 && found.compression != Compression::kNone) {
    return Fail(ErrorCode::kUnsupported,
                "is the compressed anchor of an OTF2 archive, whose files are read uncompressed",
                path);
  }
  return found;
}

// NAME=PATH, where NAME is not the beginning of a path.
NamedPath SplitArgument(const std::string& argument) {
  const size_t equals = argument.find('=');
  std::error_code ignored;
  const bool is_path = equals == std::string::npos || equals == 0 || argument.find('/') < equals ||
                       fs::exists(argument, ignored);
  if (is_path) return {"", argument};
  return {argument.substr(0, equals), argument.substr(equals + 1)};
}

// In order of name.
struct Entries {
  std::vector<std::string> files;
  std::vector<std::string> folders;
};

Result<Entries> EntriesOf(const std::string& folder) {
  Entries entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->is_directory(ignored)) entries.folders.push_back(it->path().string());
    if (it->is_regular_file(error)) entries.files.push_back(it->path().string());
  }
  if (error) return Fail(ErrorCode::kUnreadable, "cannot list: " + error.message(), folder);
  std::ranges::sort(entries.files);
  std::ranges::sort(entries.folders);
  return entries;
}

Input MakeInput(const NamedPath& argument, const std::string& path, const Recognised& found) {
  Input input{.path = path,
              .name = argument.name,
              .is_named = !argument.name.empty(),
              .format = *found.format,
              .bytes = found.bytes,
              .compression = found.compression};
  const bool is_of_one_clock = input.format == Format::kCapture || input.format == Format::kChrome;
  if (!input.is_named && is_of_one_clock) input.name = StemOf(path);
  return input;
}

// NAME.def beside NAME.otf2.
bool IsDefinitionsOfArchive(const std::string& path) {
  std::error_code ignored;
  return path.ends_with(".def") && fs::exists(fs::path(path).replace_extension(".otf2"), ignored);
}

uint64_t BytesIn(const std::string& folder) {
  uint64_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored)) bytes += it->file_size(ignored);
  }
  return bytes;
}

// The last name of a path, also of "." and of one that ends with a slash.
std::string OwnName(const std::string& folder) {
  std::error_code ignored;
  fs::path path = fs::weakly_canonical(folder, ignored);
  return path.filename().string();
}

// Returns how many there are.
Result<size_t> AddCtfTraces(const NamedPath& argument, std::vector<Input>& inputs) {
  SYNCLINE_ASSIGN(auto folders, FindCtfTraces(argument.path));
  for (const std::string& folder : folders) {
    const fs::path below =
        OwnName(argument.path) / fs::path(folder).lexically_relative(argument.path);
    inputs.push_back({.path = folder,
                      .name = argument.name,
                      .is_named = !argument.name.empty(),
                      .format = Format::kCtf,
                      .bytes = BytesIn(folder),
                      .below = (below / "").lexically_normal().parent_path().string()});
  }
  return folders.size();
}

// CTF traces, which are found at any depth, and NAME beside NAME.otf2.
bool HoldsPartOfTraces(const std::string& folder, std::span<const Input> ctf_traces) {
  std::error_code ignored;
  return fs::exists(folder + ".otf2", ignored) ||
         std::ranges::any_of(ctf_traces, [&](const Input& trace) {
           return trace.path == folder || trace.path.starts_with(folder + "/");
         });
}

Result<void> AddFolder(const NamedPath& argument, ResolvedInputs& resolved) {
  std::vector<Input>& inputs = resolved.inputs;
  SYNCLINE_ASSIGN(auto ctf_traces, AddCtfTraces(argument, inputs));
  if (MetadataKindOfFolder(argument.path) != MetadataKind::kNone) return {};
  SYNCLINE_ASSIGN(auto entries, EntriesOf(argument.path));
  const size_t before = inputs.size() - ctf_traces;
  std::erase_if(entries.folders, [&](const std::string& folder) {
    return HoldsPartOfTraces(folder, std::span(inputs).subspan(before));
  });
  for (const std::string& folder : entries.folders) {
    resolved.diagnostics.Count("input-skipped", Severity::kInfo, 1,
                               folder + ": subfolders are not looked into");
  }
  for (const std::string& path : entries.files) {
    auto found = Recognise(path, resolved.sources);
    if (!found && found.error().code != ErrorCode::kUnreadable) {
      resolved.diagnostics.Count("input-skipped", Severity::kWarning, 1, found.error().ToString());
      continue;
    }
    if (!found) return tl::unexpected(found.error());
    if (found->format && found->is_certain) {
      inputs.push_back(MakeInput(argument, path, *found));
      continue;
    }
    if (IsDefinitionsOfArchive(path)) continue;
    const bool may_be_trace = found->is_empty || path.find(".pcap") != std::string::npos;
    resolved.diagnostics.Count("input-skipped", may_be_trace ? Severity::kWarning : Severity::kInfo,
                               1, found->advice.empty() ? path : path + ": " + found->advice);
  }
  if (inputs.size() == before) {
    const char* where = entries.folders.empty() ? "" : "; its subfolders are not looked into";
    return Fail(ErrorCode::kUnsupported,
                std::string("the folder holds no trace of a known format") + where, argument.path);
  }
  return {};
}

Result<void> AddFile(const NamedPath& argument, ResolvedInputs& resolved) {
  std::vector<Input>& inputs = resolved.inputs;
  if (argument.path.empty()) {
    return Fail(ErrorCode::kUsage, fmt::format("{}= names no file", argument.name));
  }
  const fs::path path = argument.path;
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  if (path.filename() == "metadata" && MetadataKindOfFolder(folder) != MetadataKind::kNone) {
    SYNCLINE_TRY(AddCtfTraces({argument.name, folder}, inputs));
    return {};
  }
  SYNCLINE_ASSIGN(auto found, Recognise(argument.path, resolved.sources));
  if (found.is_empty) return Fail(ErrorCode::kMalformed, "the file is empty", argument.path);
  if (!found.advice.empty()) return Fail(ErrorCode::kUnsupported, found.advice, argument.path);
  if (!found.format) {
    return Fail(
        ErrorCode::kUnsupported,
        "not a trace of a known format (pcap, pcapng, an OTF2 anchor, the folder of a CTF trace, "
        "spans of OpenTelemetry or Jaeger, Chrome JSON, logs with a source, or Syncline text)",
        argument.path, ByteOffset{0});
  }
  inputs.push_back(MakeInput(argument, argument.path, found));
  return {};
}

Result<void> CheckName(const Input& input, const Input& other) {
  if (input.path == "-" && other.path == "-") {
    return Fail(ErrorCode::kUsage, "is given twice", "standard input");
  }
  if (input.name != other.name) return {};
  std::error_code ignored;
  if (fs::equivalent(input.path, other.path, ignored)) {
    return Fail(ErrorCode::kUsage, "is given twice", input.path);
  }
  if (input.name.empty() || (input.is_named && other.is_named)) return {};
  return Fail(ErrorCode::kUsage,
              fmt::format("its clock would be called \"{0}\" like that of {1}; name them as "
                          "NAME=PATH (the same NAME if they come from one host)",
                          input.name, other.path),
              input.path);
}

Result<void> CheckNames(const std::vector<Input>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t j = 0; j < i; ++j) SYNCLINE_TRY(CheckName(inputs[i], inputs[j]));
  }
  return {};
}

}  // namespace

InputStates::InputStates(std::span<const Input> inputs) {
  for (const Input& input : inputs) {
    for (const std::string& file : FilesOf(input)) {
      struct stat found = {};
      // A pipe has no state that lasts.
      if (::stat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
      states_[file] = {found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec,
                       found.st_mtim.tv_nsec};
    }
  }
}

Result<void> InputStates::CheckUnchanged() const {
  for (const auto& [file, state] : states_) {
    struct stat now = {};
    const bool is_there = ::stat(file.c_str(), &now) == 0;
    const State found = {now.st_dev, now.st_ino, now.st_size, now.st_mtim.tv_sec,
                         now.st_mtim.tv_nsec};
    if (is_there && found == state) continue;
    return Fail(ErrorCode::kUnreadable,
                is_there ? "has changed while it was read: nothing is written"
                         : "has disappeared while it was read: nothing is written",
                file);
  }
  return {};
}

std::string StemOf(const std::string& path) {
  fs::path name = fs::path(path).filename();
  for (const char* ending : {".gz", ".zst", ".pcap", ".pcapng", ".cap", ".ntar", ".dmp", ".json",
                             ".trace", ".pt", ".log", ".jsonl", ".ndjson", ".csv", ".tsv"}) {
    if (name.extension() == ending && name.has_stem()) name = name.stem();
  }
  return WithoutControls(name.string());
}

Result<ResolvedInputs> ResolveInputs(std::span<const std::string> arguments, RuleSet rules) {
  std::vector<NamedPath> paths;
  for (const std::string& argument : arguments) paths.push_back(SplitArgument(argument));
  return ResolvePaths(paths, std::move(rules));
}

Result<ResolvedInputs> ResolvePaths(std::span<const NamedPath> paths, RuleSet rules) {
  ResolvedInputs resolved;
  resolved.rules = std::move(rules.rules);
  resolved.sources = std::move(rules.sources);
  for (const NamedPath& argument : paths) {
    std::error_code ignored;
    SYNCLINE_TRY(fs::is_directory(argument.path, ignored) ? AddFolder(argument, resolved)
                                                          : AddFile(argument, resolved));
  }
  SYNCLINE_TRY(CheckNames(resolved.inputs));
  return resolved;
}

}  // namespace syncline
