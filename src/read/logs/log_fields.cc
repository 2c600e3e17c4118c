#include "read/logs/log_fields.h"

#include <algorithm>
#include <utility>

#include <simdjson.h>

#include "base/parse_number.h"
#include "base/utf8.h"

namespace syncline {
namespace {

using simdjson::ondemand::json_type;

constexpr int kMaxDepth = 32;

// From 1.
std::optional<uint32_t> ColumnNumber(std::string_view name) {
  const auto number = ParseNumber<uint32_t>(name);
  return number && *number > 0 ? number : std::nullopt;
}

bool IsOfBytes(simdjson::error_code code) {
  return code == simdjson::UTF8_ERROR || code == simdjson::UNESCAPED_CHARS;
}

std::string_view WithoutBlanksBehind(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

}  // namespace

struct LogFields::Json {
  // A name that is looked for in the object at hand: what is left of its path.
  struct Sought {
    size_t name = 0;
    std::string_view rest;
  };

  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  std::vector<Sought> sought;  // of all objects on the way down, one after the other
  std::string_view line;
  std::string masked;            // the same without bytes that JSON may not hold
  const char* parsed = nullptr;  // which of both

  simdjson::error_code Parse(const char* text) {
    parsed = text;
    const simdjson::padded_string_view padded(text, line.size(), line.size() + kPadding);
    return parser.iterate(padded).get(document);
  }
  // Texts are the line's all the same, but where they have escapes.
  simdjson::error_code Parse() {
    const simdjson::error_code code = Parse(line.data());
    if (!IsOfBytes(code)) return code;
    masked.assign(line);
    MaskForJson(masked);
    masked.resize(line.size() + kPadding);
    return Parse(masked.data());
  }
  simdjson::error_code ReadObject(simdjson::ondemand::object object, size_t first, int depth,
                                  std::span<LogField> fields);
  simdjson::error_code ReadScalar(simdjson::ondemand::value value, LogField& field) const;
};

simdjson::error_code LogFields::Json::ReadScalar(simdjson::ondemand::value value,
                                                 LogField& field) const {
  json_type type{};
  if (const auto code = value.type().get(type); code != simdjson::SUCCESS) return code;
  if (type == json_type::object || type == json_type::array || type == json_type::null) {
    return simdjson::SUCCESS;
  }
  std::string_view raw = WithoutBlanksBehind(value.raw_json_token());
  field.is_quoted = type == json_type::string;
  if (field.is_quoted) {
    if (const auto code = value.get_string().get(field.text); code != simdjson::SUCCESS) {
      return code;
    }
    raw.remove_prefix(1);
    raw.remove_suffix(raw.ends_with('"') ? 1 : 0);
  } else {
    field.text = raw;
  }
  field.at = static_cast<size_t>(raw.data() - parsed);
  field.length = raw.size();
  const bool is_plain = raw.find('\\') == std::string_view::npos;
  if (is_plain) field.text = line.substr(field.at, field.length);
  field.is_there = true;
  return simdjson::SUCCESS;
}

// Names with dots are found as they are, and as paths.
simdjson::error_code LogFields::Json::ReadObject(simdjson::ondemand::object object, size_t first,
                                                 int depth, std::span<LogField> fields) {
  const size_t end = sought.size();
  for (auto member : object) {
    std::string_view key;
    simdjson::ondemand::value value;
    if (const auto code = member.unescaped_key().get(key); code != simdjson::SUCCESS) return code;
    if (const auto code = member.value().get(value); code != simdjson::SUCCESS) return code;
    std::optional<LogField> scalar;
    for (size_t i = first; i < end; ++i) {
      const Sought wanted = sought[i];
      if (!wanted.rest.starts_with(key) || fields[wanted.name].is_there) continue;
      if (wanted.rest.size() == key.size()) {
        if (!scalar) {
          const auto code = ReadScalar(value, scalar.emplace());
          if (code != simdjson::SUCCESS) return code;
        }
        fields[wanted.name] = *scalar;
      } else if (wanted.rest[key.size()] == '.') {
        sought.push_back({wanted.name, wanted.rest.substr(key.size() + 1)});
      }
    }
    if (sought.size() == end) continue;
    simdjson::ondemand::object inner;
    const bool goes_down =
        !scalar && depth < kMaxDepth && value.get_object().get(inner) == simdjson::SUCCESS;
    if (goes_down) {
      const auto code = ReadObject(inner, end, depth + 1, fields);
      if (code != simdjson::SUCCESS) return code;
    }
    sought.resize(end);
  }
  return simdjson::SUCCESS;
}

LogFields::LogFields(const LogSource& source, std::vector<std::string> names)
    : form_(source.form),
      names_(std::move(names)),
      fields_(names_.size()),
      is_by_number_(ColumnNumber(source.time).has_value()) {
  if (form_ == LogForm::kJson) json_ = std::make_unique<Json>();
  if (form_ != LogForm::kText) return;
  pattern_ = source.pattern;
  groups_.resize(pattern_->names().size());
  for (const std::string& group : pattern_->names()) {
    std::vector<size_t>& places = names_of_group_.emplace_back();
    for (size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == group) places.push_back(i);
    }
  }
}

LogFields::LogFields(LogFields&&) noexcept = default;
LogFields::~LogFields() = default;

bool LogFields::Read(std::string_view line) {
  std::ranges::fill(fields_, LogField{});
  switch (form_) {
    case LogForm::kJson: return ReadJson(line);
    case LogForm::kCsv:
    case LogForm::kTsv: return ReadColumns(line);
    case LogForm::kText: break;
  }
  return ReadText(line);
}

bool LogFields::ReadJson(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos || line[begin] != '{') return false;
  json_->line = line;
  if (json_->Parse() != simdjson::SUCCESS) return false;
  simdjson::ondemand::object object;
  if (json_->document.get_object().get(object) != simdjson::SUCCESS) return false;
  json_->sought.clear();
  for (size_t i = 0; i < names_.size(); ++i) {
    if (!names_[i].empty()) json_->sought.push_back({i, names_[i]});
  }
  if (json_->ReadObject(object, 0, 0, fields_) != simdjson::SUCCESS) return false;
  // Nothing may stand behind the object.
  return json_->document.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

// Quotes may surround a column, and are doubled inside, as RFC 4180 has it; TSV has none.
bool LogFields::SplitColumns(std::string_view line) {
  columns_.clear();
  unquoted_.clear();
  const char separator = form_ == LogForm::kTsv ? '\t' : ',';
  for (size_t at = 0;;) {
    LogField& column = columns_.emplace_back();
    column.is_there = true;
    column.is_quoted = form_ == LogForm::kCsv && at < line.size() && line[at] == '"';
    size_t end = std::min(line.find(separator, at), line.size());
    column.at = at;
    if (column.is_quoted) {
      bool has_quotes = false;
      size_t quote = line.find('"', at + 1);
      for (; quote != std::string_view::npos && line.substr(quote + 1).starts_with('"');
           quote = line.find('"', quote + 2)) {
        has_quotes = true;
      }
      end = quote == std::string_view::npos ? line.size() + 1 : quote + 1;
      if (end > line.size() || (end < line.size() && line[end] != separator)) return false;
      column.at = at + 1;
      column.text = line.substr(at + 1, quote - at - 1);
      if (has_quotes) {
        std::string& text = unquoted_.emplace_back();
        for (size_t i = 0; i < column.text.size(); ++i) {
          text += column.text[i];
          if (column.text[i] == '"') ++i;
        }
        column.length = column.text.size();
        column.text = text;
      }
    } else {
      column.text = line.substr(at, end - at);
    }
    if (column.length == 0) column.length = column.text.size();
    if (end == line.size()) return true;
    at = end + 1;
  }
}

void LogFields::Begin(std::string_view first_line) {
  if (form_ != LogForm::kCsv && form_ != LogForm::kTsv) return;
  column_of_.assign(names_.size(), std::nullopt);
  if (!SplitColumns(first_line)) columns_.clear();
  for (size_t i = 0; i < names_.size(); ++i) {
    const auto number = ColumnNumber(names_[i]);
    const auto named = std::ranges::find(columns_, names_[i], &LogField::text);
    const bool may_be_name = !number || !is_by_number_;
    if (may_be_name && named != columns_.end() && !names_[i].empty()) {
      column_of_[i] = static_cast<size_t>(named - columns_.begin());
      has_header_ = true;
    } else if (number) {
      column_of_[i] = *number - 1;
    }
  }
}

bool LogFields::ReadColumns(std::string_view line) {
  if (!SplitColumns(line)) return false;
  for (size_t i = 0; i < names_.size(); ++i) {
    if (column_of_[i] && *column_of_[i] < columns_.size()) fields_[i] = columns_[*column_of_[i]];
  }
  return true;
}

bool LogFields::ReadText(std::string_view line) {
  if (!pattern_->Find(line, groups_)) return false;
  for (size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].data() == nullptr) continue;
    const auto at = static_cast<size_t>(groups_[g].data() - line.data());
    for (const size_t name : names_of_group_[g]) {
      fields_[name] = {true, groups_[g], at, groups_[g].size(), false};
    }
  }
  return true;
}

}  // namespace syncline
