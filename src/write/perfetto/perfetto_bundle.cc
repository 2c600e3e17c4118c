#include "write/perfetto/perfetto_bundle.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/try.h"
#include "write/json_text.h"

namespace syncline {
namespace {

constexpr const char* kManifestName = "perfetto_manifest.json";
constexpr size_t kTarBlock = 512;
constexpr uint64_t kMostTarBytes = uint64_t{1} << 33;  // 11 octal digits

// Names of members: printable, short enough for a tar's field, and different.
std::vector<std::string> MemberNames(std::span<const BundledFile> files) {
  constexpr size_t kMost = 80;
  std::vector<std::string> names;
  std::set<std::string> taken = {kManifestName};
  for (const BundledFile& file : files) {
    std::string name = file.path.substr(file.path.find_last_of('/') + 1);
    for (const std::string_view end : {".gz", ".zst"}) {
      if (name.size() > end.size() && name.ends_with(end)) name.resize(name.size() - end.size());
    }
    for (char& c : name) {
      if (c <= ' ' || c > '~' || c == '"' || c == '\\') c = '_';
    }
    if (name.size() > kMost) name = name.substr(name.size() - kMost);
    if (!taken.insert(name).second) {
      name = fmt::format("{}-{}", names.size(), name);
      taken.insert(name);
    }
    names.push_back(std::move(name));
  }
  return names;
}

std::string Manifest(std::span<const BundledFile> files, std::span<const std::string> names,
                     size_t reference) {
  std::string text = "{\"perfetto_manifest\": {\"version\": 1, \"files\": [";
  for (size_t i = 0; i < files.size(); ++i) {
    text += fmt::format("{}\n  {{\"path\": \"{}\", \"machine\": {{\"name\": ", i == 0 ? "" : ",",
                        names[i]);
    AppendJsonString(files[i].machine, text);
    text += "}";
    if (i != reference) {
      text += fmt::format(", \"clocks\": {{\"sync_to\": {{\"file\": \"{}\"}}, \"offset_ns\": {}}}",
                          names[reference], files[i].offset_ns);
    }
    text += "}";
  }
  return text + "\n]}}\n";
}

std::string TarHeader(std::string_view name, uint64_t size) {
  std::string block(kTarBlock, '\0');
  const auto put = [&](size_t at, std::string_view text) { block.replace(at, text.size(), text); };
  put(0, name);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, fmt::format("{:011o}", size));
  put(136, "00000000000");  // time, so that the same input gives the same bytes
  put(148, "        ");
  put(156, "0");
  put(257, std::string_view("ustar\00000", 8));
  const uint32_t sum =
      std::accumulate(block.begin(), block.end(), uint32_t{0},
                      [](uint32_t s, char c) { return s + static_cast<unsigned char>(c); });
  put(148, fmt::format("{:06o}", sum));
  block[154] = '\0';
  return block;
}

std::string Padding(uint64_t size) {
  return std::string((kTarBlock - size % kTarBlock) % kTarBlock, '\0');
}

// All bytes of a file, in pieces.
template <typename OnBytes>
Result<uint64_t> ReadAll(const std::string& path, const OnBytes& on_bytes) {
  SYNCLINE_ASSIGN(auto file, InputFile::Open(path));
  std::vector<std::byte> buffer(kFileBlock);
  uint64_t size = 0;
  for (;;) {
    SYNCLINE_ASSIGN(const size_t read, file.Read(buffer));
    if (read == 0) return size;
    size += read;
    SYNCLINE_TRY(on_bytes(std::string_view(reinterpret_cast<const char*>(buffer.data()), read)));
  }
}

}  // namespace

Result<void> WritePerfettoBundle(std::span<const BundledFile> files, size_t reference,
                                 ByteSink output) {
  const std::vector<std::string> names = MemberNames(files);
  const std::string manifest = Manifest(files, names, reference);
  SYNCLINE_TRY(output.Append(
      {TarHeader(kManifestName, manifest.size()), manifest, Padding(manifest.size())}));
  for (size_t i = 0; i < files.size(); ++i) {
    SYNCLINE_ASSIGN(const uint64_t size,
                    ReadAll(files[i].path, [](std::string_view) { return Result<void>(); }));
    if (size >= kMostTarBytes) {
      return Fail(ErrorCode::kUnsupported, "is larger than 8 GiB, which no tar archive can hold",
                  files[i].path);
    }
    SYNCLINE_TRY(output.Append(TarHeader(names[i], size)));
    SYNCLINE_ASSIGN(const uint64_t written, ReadAll(files[i].path, [&](std::string_view bytes) {
                      return output.Append(bytes);
                    }));
    if (written != size)
      return Fail(ErrorCode::kUnreadable, "has changed meanwhile", files[i].path);
    SYNCLINE_TRY(output.Append(Padding(size)));
  }
  SYNCLINE_TRY(output.Append(std::string(2 * kTarBlock, '\0')));
  return output.Flush();
}

}  // namespace syncline
