#include "read/spans/span_reader.h"

#include <array>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/try.h"
#include "read/spans/json_elements.h"
#include "read/spans/protobuf_messages.h"
#include "read/spans/span_forms.h"

namespace syncline {
namespace {

constexpr size_t kHead = 4096;

std::string_view TextOfBytes(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void SkipSpaces(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

bool Skip(std::string_view& text, std::string_view expected) {
  SkipSpaces(text);
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

// {"KEY": [
bool SkipKeyOfArray(std::string_view& text, std::string_view key) {
  return Skip(text, "{") && Skip(text, "\"") && Skip(text, key) && Skip(text, "\"") &&
         Skip(text, ":") && Skip(text, "[");
}

bool LooksLikeOtlpJson(std::string_view head) {
  // Files of all signals may begin with another one.
  for (const std::string_view key :
       {"resourceSpans", "batches", "resourceLogs", "resourceMetrics"}) {
    std::string_view rest = head;
    if (SkipKeyOfArray(rest, key)) return true;
  }
  return false;
}

bool LooksLikeJaeger(std::string_view head) {
  if (!SkipKeyOfArray(head, kJaegerKeys[0])) return false;
  SkipSpaces(head);
  if (head.starts_with("]")) return true;
  return Skip(head, "{") && (head.find("\"traceID\"") != std::string_view::npos ||
                             head.find("\"processes\"") != std::string_view::npos);
}

// A message whose first field is ResourceSpans, whose first field is a resource or a scope.
bool LooksLikeProtobuf(std::string_view head) {
  if (head.size() < ProtobufMessages::kPrefix + 3 || head[ProtobufMessages::kPrefix] != '\x0a')
    return false;
  uint64_t length = 0;
  size_t at = ProtobufMessages::kPrefix + 1;
  for (int shift = 0; shift < 35 && at < head.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(head[at++]);
    length |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  const bool is_inside =
      length > 0 && at - ProtobufMessages::kPrefix + length <= ProtobufMessages::LengthIn(head);
  return is_inside && at < head.size() && (head[at] == '\x0a' || head[at] == '\x12');
}

std::span<const std::string_view> KeysOf(SpanForm form) {
  return form == SpanForm::kJaegerJson ? std::span<const std::string_view>(kJaegerKeys)
                                       : std::span<const std::string_view>(kOtlpKeys);
}

std::string PlaceIn(const JsonElements& json, const LineColumn& at) {
  return fmt::format("{}:{}:{}", json.name(), at.line, at.column);
}

}  // namespace

std::optional<SpanForm> SpanFormOf(std::span<const std::byte> head) {
  std::string_view text = TextOfBytes(head);
  if (LooksLikeProtobuf(text)) return SpanForm::kOtlpProtobuf;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (LooksLikeOtlpJson(text)) return SpanForm::kOtlpJson;
  if (LooksLikeJaeger(text)) return SpanForm::kJaegerJson;
  return std::nullopt;
}

class SpanReader::Walk {
 public:
  Walk(SpanForm form, std::variant<InputFile, std::string_view> source, std::string name,
       std::string clock_by)
      : form_(form), clock_by_(std::move(clock_by)) {
    if (form == SpanForm::kOtlpProtobuf) {
      source_.emplace<ProtobufMessages>(std::move(source), std::move(name));
    } else if (auto* file = std::get_if<InputFile>(&source)) {
      source_.emplace<JsonElements>(std::move(*file), KeysOf(form));
    } else {
      source_.emplace<JsonElements>(std::get<std::string_view>(source), std::move(name),
                                    KeysOf(form));
    }
  }

  const SpanPiece* Next() {
    if (error_) return nullptr;
    piece_.resources.clear();
    piece_.spans.clear();
    piece_.has_others = false;
    auto* json = std::get_if<JsonElements>(&source_);
    return json != nullptr ? NextElement(*json) : NextMessage(std::get<ProtobufMessages>(source_));
  }

  const std::optional<Error>& error() const { return error_; }
  SpanForm form() const { return form_; }
  uint64_t bytes_read() const { return piece_.offset + piece_.bytes.size(); }

  Diagnostics Findings() const {
    Diagnostics found;
    if (const auto* json = std::get_if<JsonElements>(&source_)) {
      found.Count("values-without-spans", Severity::kWarning, json->others(),
                  PlaceIn(*json, json->first_other()));
      found.Count("spans-cut-off", Severity::kWarning, json->cut_offs(),
                  PlaceIn(*json, json->first_cut_off()));
      return found;
    }
    const auto& messages = std::get<ProtobufMessages>(source_);
    found.Count("values-without-spans", Severity::kWarning, others_,
                fmt::format("{}: byte {}", messages.name(), first_other_));
    if (messages.cut_off()) {
      found.Count("spans-cut-off", Severity::kWarning, 1,
                  fmt::format("{}: byte {}", messages.name(), *messages.cut_off()));
    }
    return found;
  }

 private:
  const SpanPiece* NextElement(JsonElements& json) {
    const JsonElements::Piece* found = json.Next();
    if (found == nullptr) {
      error_ = json.error();
      return nullptr;
    }
    piece_.bytes = found->bytes;
    piece_.offset = found->offset;
    if (!found->is_element) return &piece_;
    const auto parse = form_ == SpanForm::kJaegerJson ? ParseJaegerJson : ParseOtlpJson;
    const simdjson::error_code code = parse(parser_, clock_by_, piece_);
    if (code == simdjson::SUCCESS) return &piece_;
    error_ =
        Error{ErrorCode::kMalformed, Describe(code), json.name(), json.PositionOf(PlaceOfError())};
    return nullptr;
  }

  std::string Describe(simdjson::error_code code) const {
    if (code == simdjson::NUMBER_ERROR) return "a time is no whole number of units";
    if (code == simdjson::NUMBER_OUT_OF_RANGE) return "a time lies beyond the year 2262";
    std::string text = simdjson::error_message(code);
    // The library's sentences end with periods and explanations in parentheses.
    text = text.substr(0, text.find_first_of(".("));
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return (form_ == SpanForm::kJaegerJson ? "a trace cannot be read: "
                                           : "spans of a resource cannot be read: ") +
           text;
  }

  // About where parsing stopped: behind the last span that was begun, if any.
  size_t PlaceOfError() const {
    size_t at = 0;
    for (const Span& span : piece_.spans) {
      for (const TimePlace& time : {span.start, span.end}) at = std::max(at, time.at + time.length);
    }
    return std::min(at, piece_.bytes.size());
  }

  const SpanPiece* NextMessage(ProtobufMessages& messages) {
    const auto bytes = messages.Next();
    if (!bytes) {
      error_ = messages.error();
      return nullptr;
    }
    piece_.bytes = *bytes;
    piece_.offset = messages.offset();
    piece_.is_rest = messages.cut_off().has_value();
    if (piece_.is_rest) return &piece_;
    const auto problem =
        ParseOtlpProtobuf(bytes->substr(ProtobufMessages::kPrefix), clock_by_, piece_);
    if (piece_.has_others && others_++ == 0) first_other_ = piece_.offset;
    if (!problem) return &piece_;
    error_ = Error{ErrorCode::kMalformed, std::string(problem->what), messages.name(),
                   ByteOffset{piece_.offset + problem->at}};
    return nullptr;
  }

  SpanForm form_;
  std::string clock_by_;
  std::variant<std::monostate, JsonElements, ProtobufMessages> source_;
  simdjson::ondemand::parser parser_;
  SpanPiece piece_;
  uint64_t others_ = 0;  // messages of protobuf that hold other values, and where the first begins
  uint64_t first_other_ = 0;
  std::optional<Error> error_;
};

SpanReader::SpanReader(std::unique_ptr<Walk> walk) : walk_(std::move(walk)) {}
SpanReader::SpanReader(SpanReader&&) noexcept = default;
SpanReader& SpanReader::operator=(SpanReader&&) noexcept = default;
SpanReader::~SpanReader() = default;

Result<SpanReader> SpanReader::Open(const std::string& path, std::string clock_by) {
  std::array<std::byte, kHead> head{};
  SYNCLINE_ASSIGN(InputFile look, InputFile::Open(path));
  SYNCLINE_ASSIGN(const size_t n, look.Read(head));
  const auto form = SpanFormOf(std::span(head).first(n));
  if (!form) return Fail(ErrorCode::kMalformed, "holds no spans of a known form", path);
  SYNCLINE_ASSIGN(InputFile file, InputFile::Open(path));
  return SpanReader(std::make_unique<Walk>(*form, std::move(file), path, std::move(clock_by)));
}

Result<SpanReader> SpanReader::FromBytes(std::string_view bytes, std::string name,
                                         std::string clock_by) {
  const auto form = SpanFormOf(std::as_bytes(std::span(bytes.substr(0, kHead))));
  if (!form) return Fail(ErrorCode::kMalformed, "holds no spans of a known form", std::move(name));
  return SpanReader(std::make_unique<Walk>(*form, bytes, std::move(name), std::move(clock_by)));
}

const SpanPiece* SpanReader::Next() { return walk_->Next(); }
const std::optional<Error>& SpanReader::error() const { return walk_->error(); }
SpanForm SpanReader::form() const { return walk_->form(); }
int64_t SpanReader::tick_ns() const { return form() == SpanForm::kJaegerJson ? kJaegerTickNs : 1; }
uint64_t SpanReader::bytes_read() const { return walk_->bytes_read(); }
Diagnostics SpanReader::diagnostics() const { return walk_->Findings(); }

}  // namespace syncline
