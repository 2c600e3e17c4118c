#include "read/ctf/packet_sizes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "base/file.h"
#include "read/ctf/trace_folder.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

constexpr size_t kWord = 8;

struct IntegerType {
  size_t size = 0;  // bits
  size_t align = 1;
};
using Types = std::map<std::string, IntegerType, std::less<>>;

struct Member {
  std::string type;
  std::string name;
  size_t count = 1;
};

uint64_t Load(std::string_view bytes, bool is_big_endian) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const size_t at = is_big_endian ? i : bytes.size() - 1 - i;
    value = value << 8 | static_cast<uint8_t>(bytes[at]);
  }
  return value;
}

// The text that packets of metadata hold; what follows a broken one is left out.
std::string UnpackedText(std::string_view content) {
  constexpr size_t kHeader = 37;
  std::string text;
  while (content.size() >= kHeader) {
    const bool is_big_endian = static_cast<uint8_t>(content[0]) == 0x75;
    const uint64_t used = Load(content.substr(24, 4), is_big_endian) / 8;
    const uint64_t size = Load(content.substr(28, 4), is_big_endian) / 8;
    if (used < kHeader || used > size || size > content.size()) break;
    text += content.substr(kHeader, used - kHeader);
    content.remove_prefix(size);
  }
  return text;
}

// One space between words, no comments.
std::string Normalized(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "/*") {
      i = std::min(text.find("*/", i + 2), text.size() - 1) + 1;
      continue;
    }
    if (text.substr(i, 2) == "//") i = std::min(text.find('\n', i), text.size() - 1);
    const bool is_space = std::isspace(static_cast<unsigned char>(text[i])) != 0;
    if (!is_space) {
      plain += text[i];
    } else if (!plain.empty() && plain.back() != ' ') {
      plain += ' ';
    }
  }
  return plain;
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// What stands between `begin` and the next `end`, and `text` goes on behind that.
std::optional<std::string_view> Take(std::string_view& text, std::string_view begin, char end) {
  const size_t from = text.find(begin);
  if (from == std::string_view::npos) return std::nullopt;
  const size_t to = text.find(end, from + begin.size());
  if (to == std::string_view::npos) return std::nullopt;
  const std::string_view taken = text.substr(from + begin.size(), to - from - begin.size());
  text.remove_prefix(to + 1);
  return Trimmed(taken);
}

std::optional<size_t> NumberIn(std::string_view text) {
  text = Trimmed(text);
  size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0 || value > 4096) {
    return std::nullopt;
  }
  return value;
}

Types TypesOf(std::string_view text) {
  Types types;
  while (auto attributes = Take(text, "typealias integer {", '}')) {
    const auto name = Take(text, ":=", ';');
    if (!name) break;
    // Of another byte order than the trace's: not understood.
    if (attributes->find("byte_order") != std::string_view::npos) continue;
    std::string_view rest = *attributes;
    const auto size_text = Take(rest, "size =", ';');
    const auto size = size_text ? NumberIn(*size_text) : std::nullopt;
    rest = *attributes;
    const auto align_text = Take(rest, "align =", ';');
    const auto align = align_text ? NumberIn(*align_text) : std::nullopt;
    if (size) types[std::string(*name)] = {*size, align.value_or(*size % 8 == 0 ? 8 : 1)};
  }
  return types;
}

std::optional<std::vector<Member>> MembersOf(std::string_view body) {
  std::vector<Member> members;
  if (body.find('{') != std::string_view::npos) return std::nullopt;
  for (size_t end = body.find(';'); end != std::string_view::npos; end = body.find(';')) {
    std::string_view declaration = Trimmed(body.substr(0, end));
    body.remove_prefix(end + 1);
    Member member;
    if (declaration.ends_with(']')) {
      const size_t bracket = declaration.find('[');
      const auto count =
          NumberIn(declaration.substr(bracket + 1, declaration.size() - bracket - 2));
      if (!count) return std::nullopt;
      member.count = *count;
      declaration = Trimmed(declaration.substr(0, bracket));
    }
    const size_t space = declaration.rfind(' ');
    if (space == std::string_view::npos) return std::nullopt;
    member.name = declaration.substr(space + 1);
    member.type = Trimmed(declaration.substr(0, space));
    members.push_back(std::move(member));
  }
  return members;
}

// The body of what `name` is defined as: a structure, there or by its name.
std::optional<std::string_view> StructureOf(std::string_view text, std::string_view name) {
  std::string_view rest = text;
  const size_t at = rest.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(at + name.size());
  if (rest.find(name) != std::string_view::npos) return std::nullopt;  // several, perhaps different
  rest = Trimmed(rest);
  if (!rest.starts_with(":= struct")) return std::nullopt;
  rest = Trimmed(rest.substr(std::string_view(":= struct").size()));
  if (rest.starts_with('{')) return Take(rest, "{", '}');
  const std::string named = "struct " + std::string(rest.substr(0, rest.find_first_of(" ;{")));
  return Take(text, named + " {", '}');
}

// Moves `bit` behind the members, and notes where those of interest lie.
bool Place(const std::vector<Member>& members, const Types& types, size_t& bit,
           std::map<std::string, size_t>& places) {
  size_t align = 1;
  for (const Member& member : members) {
    const auto type = types.find(member.type);
    if (type == types.end()) return false;
    align = std::max(align, type->second.align);
  }
  const auto align_to = [&bit](size_t to) { bit = (bit + to - 1) / to * to; };
  align_to(align);
  for (const Member& member : members) {
    const IntegerType& type = types.find(member.type)->second;
    for (size_t i = 0; i < member.count; ++i) {
      align_to(type.align);
      if (i == 0 && type.size == kWord * 8 && bit % 8 == 0) places[member.name] = bit / 8;
      bit += type.size;
    }
  }
  return true;
}

// One stream file, from packet to packet.
class FileCheck {
 public:
  FileCheck(const std::string& path, const PacketSizeLayout& layout)
      : path_(path), layout_(layout), file_(path, std::ios::binary) {
    std::error_code error;
    size_ = fs::file_size(path, error);
    if (error) size_ = 0;
  }

  // The cut, where there is one. What cannot be read or is no packet, the library has words for.
  Result<std::optional<CutFile>> Run() {
    constexpr uint64_t kTooMuch = uint64_t{1} << 63;
    const size_t last = std::max(layout_.content_size, layout_.packet_size) + kWord;
    uint64_t at = 0;
    while (at < size_) {
      if (size_ - at < last) return CutAt(at);
      const uint64_t bits = Word(at + layout_.packet_size);
      const uint64_t content = Word(at + layout_.content_size);
      if (!file_) break;
      if (bits / 8 == 0 || bits >= kTooMuch || content >= kTooMuch) {
        return Fail(ErrorCode::kMalformed, "a packet claims an impossible size", path_,
                    ByteOffset{at + layout_.packet_size});
      }
      if (bits / 8 > size_ - at) return CutAt(at);
      at += bits / 8;
    }
    return std::optional<CutFile>();
  }

 private:
  uint64_t Word(uint64_t at) { return Load(Bytes(at, kWord), layout_.is_big_endian); }

  // At most 8.
  std::string Bytes(uint64_t at, size_t count) {
    std::array<char, kWord> bytes{};
    file_.seekg(static_cast<std::streamoff>(at));
    file_.read(bytes.data(), static_cast<std::streamsize>(count));
    return {bytes.data(), count};
  }

  std::optional<CutFile> CutAt(uint64_t at) {
    constexpr std::string_view kMagic = "\xC1\xFC\x1F\xC1";
    if (!layout_.has_magic && at == 0) return std::nullopt;
    if (layout_.has_magic) {
      const size_t count = std::min<uint64_t>(kMagic.size(), size_ - at);
      std::string magic(kMagic);
      if (!layout_.is_big_endian) std::reverse(magic.begin(), magic.end());
      if (Bytes(at, count) != magic.substr(0, count) || !file_) return std::nullopt;
    }
    return CutFile{path_, size_, at};
  }

  const std::string& path_;
  const PacketSizeLayout& layout_;
  std::ifstream file_;
  uint64_t size_ = 0;
};

}  // namespace

std::optional<PacketSizeLayout> FindPacketSizes(std::string_view text) {
  const std::string plain = Normalized(text);
  const auto header = StructureOf(plain, "packet.header");
  const auto context = StructureOf(plain, "packet.context");
  std::string_view rest = plain;
  const auto order = Take(rest, "byte_order =", ';');
  if (!header || !context || !order) return std::nullopt;
  const auto header_members = MembersOf(*header);
  const auto context_members = MembersOf(*context);
  if (!header_members || !context_members) return std::nullopt;
  const Types types = TypesOf(plain);
  std::map<std::string, size_t> places;
  size_t bit = 0;
  const bool is_placed =
      Place(*header_members, types, bit, places) && Place(*context_members, types, bit, places);
  const auto content = places.find("content_size");
  const auto packet = places.find("packet_size");
  if (!is_placed || content == places.end() || packet == places.end()) return std::nullopt;
  const bool has_magic = !header_members->empty() && header_members->front().name == "magic" &&
                         types.find(header_members->front().type)->second.size == 32;
  return PacketSizeLayout{content->second, packet->second, *order != "le", has_magic};
}

Result<std::vector<CutFile>> CheckPacketSizes(const std::string& folder) {
  auto content = ReadWholeFile((fs::path(folder) / "metadata").string());
  if (!content) return tl::unexpected(content.error());
  const bool is_packets = MetadataKindOfFolder(folder) == MetadataKind::kPackets;
  const auto layout = FindPacketSizes(is_packets ? UnpackedText(*content) : *content);
  std::vector<CutFile> cuts;
  if (!layout) return cuts;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code ignored;
    if (name == "metadata" || name.starts_with('.') || !it->is_regular_file(ignored)) continue;
    const std::string path = it->path().string();
    auto cut = FileCheck(path, *layout).Run();
    if (!cut) return tl::unexpected(cut.error());
    if (*cut) cuts.push_back(std::move(**cut));
  }
  std::sort(cuts.begin(), cuts.end(),
            [](const CutFile& a, const CutFile& b) { return a.path < b.path; });
  return cuts;
}

}  // namespace syncline
