#include "read/ctf/packet_layout.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/parse_number.h"

namespace syncline {
namespace {

struct FieldType {
  size_t bits = 0;  // 0: of any length, as texts
  size_t align = 1;
};
constexpr size_t kMostStructures = 1000;
using Types = std::map<std::string, FieldType, std::less<>>;

struct Member {
  FieldType type;
  std::string_view name;
  size_t count = 1;
};

struct Structure {
  std::vector<Member> members;
  size_t align = 1;
};

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

// What stands between the brace with which `text` begins and its counterpart.
std::optional<std::string_view> TakeBraces(std::string_view& text) {
  if (!text.starts_with('{')) return std::nullopt;
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '{' ? 1 : 0;
    if (text[i] != '}' || --depth > 0) continue;
    const std::string_view taken = text.substr(1, i - 1);
    text = Trimmed(text.substr(i + 1));
    return Trimmed(taken);
  }
  return std::nullopt;
}

bool TakeWord(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text = Trimmed(text.substr(word.size()));
  return true;
}

std::optional<size_t> NumberIn(std::string_view text) {
  const auto value = ParseNumber<size_t>(Trimmed(text));
  return value && *value > 0 && *value <= 4096 ? value : std::nullopt;
}

// Nothing for one of another byte order than the trace's.
std::optional<FieldType> IntegerOf(std::string_view attributes) {
  if (attributes.find("byte_order") != std::string_view::npos) return std::nullopt;
  std::string_view rest = attributes;
  const auto size_text = Take(rest, "size =", ';');
  const auto size = size_text ? NumberIn(*size_text) : std::nullopt;
  if (!size) return std::nullopt;
  rest = attributes;
  const auto align_text = Take(rest, "align =", ';');
  if (!align_text) return FieldType{*size, size_t{*size % 8 == 0 ? 8U : 1U}};
  const auto align = NumberIn(*align_text);
  return align ? std::optional(FieldType{*size, *align}) : std::nullopt;
}

Types TypesOf(std::string_view text) {
  Types types;
  while (auto attributes = Take(text, "typealias integer {", '}')) {
    const auto name = Take(text, ":=", ';');
    if (!name) break;
    if (const auto type = IntegerOf(*attributes)) types[std::string(*name)] = *type;
  }
  return types;
}

// What stands before the next end of a declaration outside of braces.
std::optional<std::string_view> TakeDeclaration(std::string_view& text) {
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && depth-- == 0) return std::nullopt;
    if (text[i] != ';' || depth > 0) continue;
    const std::string_view taken = Trimmed(text.substr(0, i));
    text = Trimmed(text.substr(i + 1));
    return taken;
  }
  return std::nullopt;
}

// The type with which a declaration begins, which goes on with the name behind it.
std::optional<FieldType> TakeType(std::string_view& declaration, const Types& types) {
  for (const bool is_text : {false, true}) {
    std::string_view rest = declaration;
    if (!TakeWord(rest, is_text ? "string" : "integer") || !rest.starts_with('{')) continue;
    const auto attributes = TakeBraces(rest);
    if (!attributes) return std::nullopt;
    declaration = rest;
    return is_text ? FieldType{0, 8} : IntegerOf(*attributes);
  }
  const size_t space = declaration.rfind(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view name = Trimmed(declaration.substr(0, space));
  declaration = declaration.substr(space + 1);
  if (name == "string") return FieldType{0, 8};
  const auto type = types.find(name);
  return type == types.end() ? std::nullopt : std::optional(type->second);
}

std::optional<Member> MemberOf(std::string_view declaration, const Types& types) {
  Member member;
  if (declaration.ends_with(']')) {
    const size_t bracket = declaration.rfind('[');
    if (bracket == std::string_view::npos) return std::nullopt;
    const auto count = NumberIn(declaration.substr(bracket + 1, declaration.size() - bracket - 2));
    if (!count) return std::nullopt;
    member.count = *count;
    declaration = Trimmed(declaration.substr(0, bracket));
  }
  const auto type = TakeType(declaration, types);
  if (!type) return std::nullopt;
  member.type = *type;
  member.name = declaration;
  return member;
}

std::optional<std::vector<Member>> MembersOf(std::string_view body, const Types& types) {
  std::vector<Member> members;
  while (!body.empty()) {
    const auto declaration = TakeDeclaration(body);
    const auto member = declaration ? MemberOf(*declaration, types) : std::nullopt;
    if (!member) return std::nullopt;
    members.push_back(*member);
  }
  return members;
}

// What `definition` begins with: a structure, there or by its name.
std::optional<Structure> StructureOf(std::string_view definition, std::string_view text,
                                     const Types& types) {
  if (!TakeWord(definition, ":= struct")) return std::nullopt;
  if (!definition.starts_with('{')) {
    const std::string named =
        "struct " + std::string(definition.substr(0, definition.find_first_of(" ;{"))) + " {";
    const size_t at = text.find(named);
    if (at == std::string_view::npos) return std::nullopt;
    definition = text.substr(at + named.size() - 1);
  }
  const auto body = TakeBraces(definition);
  auto members = body ? MembersOf(*body, types) : std::nullopt;
  if (!members) return std::nullopt;
  Structure structure{.members = std::move(*members)};
  if (TakeWord(definition, "align(")) {
    const auto align = NumberIn(definition.substr(0, definition.find(')')));
    if (!align) return std::nullopt;
    structure.align = *align;
  }
  for (const Member& member : structure.members) {
    structure.align = std::max(structure.align, member.type.align);
  }
  return structure;
}

// All that `name` is defined as; nothing where one of them is not understood.
std::vector<Structure> StructuresOf(std::string_view name, std::string_view text,
                                    const Types& types) {
  std::vector<Structure> structures;
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    auto structure = StructureOf(Trimmed(text.substr(at + name.size())), text, types);
    if (!structure) return {};
    structures.push_back(std::move(*structure));
    if (structures.size() > kMostStructures) return {};
  }
  return structures;
}

// Moves `bit` behind the members, and notes where numbers lie, up to a member of unknown length.
void Place(const Structure& structure, size_t& bit,
           std::map<std::string_view, NumberPlace>& places) {
  const auto aligned = [](size_t place, size_t to) { return (place + to - 1) / to * to; };
  bit = aligned(bit, structure.align);
  for (const Member& member : structure.members) {
    const FieldType& type = member.type;
    if (type.bits == 0) return;
    bit = aligned(bit, type.align);
    const bool is_whole = bit % 8 == 0 && type.bits % 8 == 0 && type.bits <= 64;
    if (is_whole) places[member.name] = {bit / 8, type.bits / 8};
    bit += (member.count - 1) * aligned(type.bits, type.align) + type.bits;
  }
}

std::optional<PacketLayout> LayoutOf(const Structure& header, const Structure& context) {
  const bool is_fixed = std::ranges::all_of(
      header.members, [](const Member& member) { return member.type.bits > 0; });
  std::map<std::string_view, NumberPlace> places;
  size_t bit = 0;
  if (!is_fixed) return std::nullopt;
  Place(header, bit, places);
  Place(context, bit, places);
  const auto content = places.find("content_size");
  const auto packet = places.find("packet_size");
  if (content == places.end() || packet == places.end()) return std::nullopt;
  const bool has_magic = !header.members.empty() && header.members.front().name == "magic" &&
                         header.members.front().type.bits == 32;
  return PacketLayout{
      .content_size = content->second, .packet_size = packet->second, .has_magic = has_magic};
}

}  // namespace

uint64_t LoadNumber(std::string_view bytes, bool is_big_endian) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const size_t at = is_big_endian ? i : bytes.size() - 1 - i;
    value = value << 8 | static_cast<uint8_t>(bytes[at]);
  }
  return value;
}

std::optional<PacketLayout> FindPacketLayout(std::string_view text) {
  const std::string plain = Normalized(text);
  const Types types = TypesOf(plain);
  std::string_view rest = plain;
  const auto order = Take(rest, "byte_order =", ';');
  const std::vector<Structure> headers = StructuresOf("packet.header", plain, types);
  const std::vector<Structure> contexts = StructuresOf("packet.context", plain, types);
  if (!order || headers.size() != 1 || contexts.empty()) return std::nullopt;
  const auto layout = LayoutOf(headers[0], contexts[0]);
  const bool are_alike = std::ranges::all_of(
      contexts, [&](const auto& context) { return LayoutOf(headers[0], context) == layout; });
  if (!layout || !are_alike) return std::nullopt;
  PacketLayout found = *layout;
  found.is_big_endian = *order != "le";
  return found;
}

}  // namespace syncline
