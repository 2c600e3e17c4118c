// Events of Chrome JSON that simdjson's on-demand parser reads one by one where they lie in the
// window.
//
// Requires: a byte before the first event and JsonWindow::kPadding bytes behind the last one that
// may be changed until Restore(). Ownership: the window outlives it. Errors: the parser's.
// Tested by: chrome_reader_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include <simdjson.h>

#include "base/utf8.h"
#include "read/chrome/chrome_event.h"

namespace syncline {

inline bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// The parser skips what is no value as if it were one, and takes a string for a key if a colon
// comes behind it: both would end elsewhere in a longer window. So it is moved past strings here.
simdjson::error_code CheckValue(simdjson::ondemand::value& value);

// What a string means, given without its quotes; as it is where its escapes are none of JSON's.
std::string Unescaped(std::string_view text);

// A key is compared together with the quote behind it: so its end need not be looked for. Requires
// room behind it, as the parser does.
template <size_t N>
bool IsKey(const char* raw, const char (&key)[N]) {
  return std::memcmp(raw, key, N - 1) == 0 && raw[N - 1] == '"';
}

// As IsKey() takes it, without escapes. One whose escapes are none of JSON's is none that is looked
// for.
std::string PlainKey(simdjson::ondemand::field& field);

// Of a value; as it is where it is no JSON.
std::string WithoutBlanks(std::string_view json);

// Some events in a row, or one alone, in the window, put into brackets there.
struct ChromeBatch {
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  simdjson::ondemand::array array;
  simdjson::ondemand::array_iterator next;
  bool is_active = false;
  bool is_first = false;  // `next` has not moved yet
  bool is_single = false;
  char* begin = nullptr;         // of the first event
  const char* latest = nullptr;  // the element that was read last
  size_t size = 0;
  char before = 0, behind = 0;          // what the brackets stand for
  uint64_t offset = 0;                  // of begin, in the file
  std::deque<std::string> plain_texts;  // of one event, where the file's differ
  std::string unmasked;                 // the window's bytes, where others stand there

  void Bracket(char* data, size_t length, uint64_t at) {
    begin = data;
    latest = nullptr;
    size = length;
    offset = at;
    before = std::exchange(begin[-1], '[');
    behind = std::exchange(begin[size], ']');
  }
  void Restore() {
    begin[-1] = before;
    begin[size] = behind;
    if (!unmasked.empty()) std::ranges::copy(std::exchange(unmasked, {}), begin);
    is_active = false;
  }
  simdjson::error_code Parse() {
    const simdjson::padded_string_view text(begin - 1, size + 2,
                                            size + 2 + simdjson::SIMDJSON_PADDING);
    if (auto error = parser.iterate(text).get(document)) return error;
    if (auto error = document.get_array().get(array)) return error;
    if (auto error = array.begin().get(next)) return error;
    is_active = is_first = true;
    return simdjson::SUCCESS;
  }
  // Without bytes that JSON may not hold, such as half of a character where a name was cut off.
  simdjson::error_code ParseMasked() {
    unmasked.assign(begin, size);
    MaskForJson({begin, size});
    return Parse();
  }

  uint64_t OffsetOf(const char* place) const {
    return offset + static_cast<uint64_t>(place - begin);
  }

  ChromeToken TokenOf(std::string_view raw) {
    while (!raw.empty() && IsBlank(raw.back())) raw.remove_suffix(1);
    const bool is_string = raw.size() >= 2 && raw.front() == '"' && raw.back() == '"';
    if (is_string) raw = raw.substr(1, raw.size() - 2);
    ChromeToken token{OffsetOf(raw.data()), raw.size(), raw, is_string};
    if (!unmasked.empty()) [[unlikely]] {
      const auto place = static_cast<size_t>(raw.data() - begin);
      token.text = std::string_view(unmasked).substr(place, raw.size());
    }
    if (is_string && raw.find('\\') != std::string_view::npos) {
      token.text = plain_texts.emplace_back(Unescaped(raw));
    }
    return token;
  }
  simdjson::error_code Read(simdjson::ondemand::object& object, ChromeEvent& event);
  enum class Field : uint8_t {
    kTime,
    kDuration,
    kPid,
    kTid,
    kName,
    kCategory,
    kId,
    kId2,
    kBindId,
    kArguments,
    kPhase,
    kOther
  };
  simdjson::error_code ReadField(Field field, simdjson::ondemand::value& value, ChromeEvent& event);
};

}  // namespace syncline
