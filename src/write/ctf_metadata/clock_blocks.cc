#include "write/ctf_metadata/clock_blocks.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "write/ctf_metadata/tsdl_scanner.h"

namespace syncline::ctf_metadata {
namespace {

// Decimal, octal or hexadecimal, with C's suffixes of unsigned and long.
std::optional<uint64_t> ParseNumber(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.starts_with('0')) {
    base = 8;
  }
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || std::any_of(rest, end, [](char c) {
        return std::string_view("uUlL").find(c) == std::string_view::npos;
      })) {
    return std::nullopt;
  }
  return value;
}

// A number with signs before it, as the grammar allows them.
struct SignedNumber {
  uint64_t magnitude = 0;
  bool is_signed = false;  // a minus stood before it
  bool is_negative = false;
};

std::optional<SignedNumber> ParseSigned(std::span<const Token> value) {
  SignedNumber number;
  if (value.empty() || value.back().kind != Token::Kind::kNumber) return std::nullopt;
  for (const Token& token : value.first(value.size() - 1)) {
    if (token.Is('-')) {
      number.is_signed = true;
      number.is_negative = !number.is_negative;
    } else if (!token.Is('+')) {
      return std::nullopt;
    }
  }
  const auto magnitude = ParseNumber(value.back().text);
  if (!magnitude) return std::nullopt;
  number.magnitude = *magnitude;
  return number;
}

std::string Unquoted(const Token& token) {
  std::string_view text = token.text;
  if (token.kind == Token::Kind::kText) {
    text.remove_prefix(text.find(text.back()) + 1);
    text.remove_suffix(1);
  }
  return std::string(text);
}

TextPart PartOf(std::span<const Token> tokens) {
  return {tokens.front().at, tokens.back().end() - tokens.front().at};
}

class BlockParser {
 public:
  explicit BlockParser(std::string_view text) : text_(text), scanner_(text) {}

  Result<std::vector<ClockBlock>> Run() {
    std::vector<ClockBlock> blocks;
    int64_t depth = 0;
    bool after_clock = false;
    for (;;) {
      SYNCLINE_ASSIGN(auto token, scanner_.Next());
      if (token.kind == Token::Kind::kEnd) break;
      if (token.Is('{') && after_clock) {
        SYNCLINE_ASSIGN(auto block, Block(token.end()));
        blocks.push_back(std::move(block));
      } else if (token.Is('{')) {
        ++depth;
      } else if (token.Is('}')) {
        --depth;
      }
      after_clock = depth == 0 && token.text == "clock";
    }
    return blocks;
  }

 private:
  tl::unexpected<Error> FailAt(size_t at, std::string message) const {
    return Fail(ErrorCode::kMalformed, std::move(message), {}, LineColumnOf(text_, at));
  }

  // Up to the closing brace: entries KEY = VALUE; and whatever else stands there.
  Result<ClockBlock> Block(size_t body) {
    ClockBlock block;
    block.body = body;
    std::vector<Token> entry;
    for (int64_t depth = 0;;) {
      SYNCLINE_ASSIGN(auto token, scanner_.Next());
      if (token.kind == Token::Kind::kEnd) return FailAt(body, "a clock block has no end");
      if (token.Is('{')) ++depth;
      if (token.Is('}') && depth-- == 0) break;
      if (!token.Is(';') || depth > 0) {
        entry.push_back(token);
        continue;
      }
      SYNCLINE_TRY(Entry(entry, block));
      entry.clear();
    }
    if (block.name.empty()) return FailAt(body, "a clock block has no name");
    return block;
  }

  Result<void> Entry(std::span<const Token> entry, ClockBlock& block) const {
    if (entry.size() < 3 || !entry[1].Is('=')) return {};
    const std::string_view key = entry[0].text;
    const std::span<const Token> value = entry.subspan(2);
    if (key == "name") {
      block.name = Unquoted(value.front());
    } else if (key == "freq" || key == "offset") {
      SYNCLINE_ASSIGN(auto number, Unsigned(key, value));
      if (key == "freq" && number == 0) return FailAt(value.front().at, "freq is 0");
      (key == "freq" ? block.setting.freq : block.setting.offset) = number;
      return Remember(key == "freq" ? block.freq : block.offset, key, value);
    } else if (key == "offset_s") {
      SYNCLINE_ASSIGN(block.setting.offset_s, Signed(key, value));
      return Remember(block.offset_s, key, value);
    }
    return {};
  }

  Result<void> Remember(std::optional<TextPart>& part, std::string_view key,
                        std::span<const Token> value) const {
    if (part) return FailAt(value.front().at, fmt::format("{} stands twice in a clock block", key));
    part = PartOf(value);
    return {};
  }

  Result<uint64_t> Unsigned(std::string_view key, std::span<const Token> value) const {
    const auto number = ParseSigned(value);
    if (number && !number->is_signed) return number->magnitude;
    return FailAt(value.front().at, fmt::format("{} is no unsigned integer", key));
  }

  Result<int64_t> Signed(std::string_view key, std::span<const Token> value) const {
    constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
    const auto number = ParseSigned(value);
    if (!number || number->magnitude > kMost) {
      return FailAt(value.front().at, fmt::format("{} is no 64-bit integer", key));
    }
    const auto magnitude = static_cast<int64_t>(number->magnitude);
    return number->is_negative ? -magnitude : magnitude;
  }

  std::string_view text_;
  TsdlScanner scanner_;
};

// A part of the text and what stands there instead.
struct Replacement {
  TextPart part;
  std::string with;
};

template <typename T>
void Replace(T before, T after, std::string_view key, const ClockBlock& block,
             const std::optional<TextPart>& part, std::vector<Replacement>& replacements) {
  if (before == after) return;
  if (part) {
    replacements.push_back({*part, fmt::format("{}", after)});
  } else {
    replacements.push_back({{block.body, 0}, fmt::format("\n\t{} = {};", key, after)});
  }
}

}  // namespace

Result<std::vector<ClockBlock>> ClockBlocks(std::string_view text) {
  return BlockParser(text).Run();
}

std::string WithSettings(std::string_view text, std::span<const ClockBlock> blocks,
                         std::span<const ClockSetting> settings) {
  std::vector<Replacement> replacements;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const ClockBlock& block = blocks[i];
    const ClockSetting& before = block.setting;
    const ClockSetting& after = settings[i];
    Replace(before.freq, after.freq, "freq", block, block.freq, replacements);
    Replace(before.offset_s, after.offset_s, "offset_s", block, block.offset_s, replacements);
    Replace(before.offset, after.offset, "offset", block, block.offset, replacements);
  }
  std::ranges::stable_sort(replacements, [](const Replacement& a, const Replacement& b) {
    return a.part.at < b.part.at;
  });
  std::string out;
  size_t done = 0;
  for (const Replacement& replacement : replacements) {
    out += text.substr(done, replacement.part.at - done);
    out += replacement.with;
    done = replacement.part.at + replacement.part.size;
  }
  out += text.substr(done);
  return out;
}

}  // namespace syncline::ctf_metadata
