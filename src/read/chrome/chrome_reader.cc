#include "read/chrome/chrome_reader.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include <absl/strings/string_view.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "base/try.h"
#include "read/chrome/chrome_batch.h"
#include "read/chrome/decimal_time.h"

namespace syncline {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr size_t kMostTracks = size_t{1} << 20;
static_assert(JsonWindow::kPadding >= simdjson::SIMDJSON_PADDING + 1);

// Behind the last object of `text` that another one seems to follow; 0 where none does. It may be
// inside of a value, or of a string.
size_t GuessBoundary(std::string_view text) {
  for (size_t open = text.rfind('{'); open != std::string_view::npos && open > 0;
       open = text.rfind('{', open - 1)) {
    size_t i = open;
    while (i > 0 && IsBlank(text[i - 1])) --i;
    if (i == 0 || text[i - 1] != ',') continue;
    --i;
    while (i > 0 && IsBlank(text[i - 1])) --i;
    if (i > 0 && text[i - 1] == '}') return i;
  }
  return 0;
}

}  // namespace

Result<ChromeReader> ChromeReader::Open(const std::string& path, const Options& options) {
  if (!simdjson::builtin_implementation()->supported_by_runtime_system()) {
    return Fail(ErrorCode::kUnsupported, "reading JSON needs a processor with SSE4.2 and PCLMUL",
                path);
  }
  SYNCLINE_ASSIGN(InputFile file, InputFile::Open(path));
  return ChromeReader(JsonWindow(std::move(file), options.window), options);
}

ChromeReader ChromeReader::FromMemory(std::string_view text, const Options& options) {
  return ChromeReader(JsonWindow(text, options.window), options);
}

ChromeReader::ChromeReader(JsonWindow window, const Options& options)
    : window_(std::move(window)),
      batch_(std::make_unique<ChromeBatch>()),
      base_ns_(options.base_ns) {}

ChromeReader::ChromeReader(ChromeReader&&) noexcept = default;
ChromeReader::~ChromeReader() = default;

tl::unexpected<Error> ChromeReader::Malformed(std::string message, uint64_t offset) const {
  return Fail(ErrorCode::kMalformed, std::move(message), window_.path(), ByteOffset{offset});
}

const ChromeEvent* ChromeReader::Next() {
  if (error_) return nullptr;
  auto event = Advance();
  if (event) return *event;
  error_ = event.error();
  return nullptr;
}

std::string_view ChromeReader::EventText() const {
  const char* begin = batch_->latest;
  const char* end = nullptr;
  if (batch_->document.current_location().get(end) != simdjson::SUCCESS) return {};
  while (end > begin && end[-1] != '}') --end;
  const auto size = static_cast<size_t>(end - begin);
  if (batch_->unmasked.empty()) return {begin, size};
  return std::string_view(batch_->unmasked)
      .substr(static_cast<size_t>(begin - batch_->begin), size);
}

Result<const ChromeEvent*> ChromeReader::Advance() {
  for (;;) {
    if (batch_->is_active) {
      SYNCLINE_ASSIGN(const bool has_event, NextOfBatch());
      if (has_event) {
        SYNCLINE_TRY(Place());
        return &event_;
      }
    } else if (state_ == State::kEnd) {
      SYNCLINE_TRY(window_.Finish());
      return nullptr;
    } else {
      SYNCLINE_TRY(Step());
    }
  }
}

// One token or value outside of events, or a batch of these.
Result<void> ChromeReader::Step() {
  SYNCLINE_ASSIGN(const std::optional<char> next, window_.Peek());
  switch (state_) {
    case State::kBegin: return Begin(next);
    case State::kKey: return TakeKey(next);
    case State::kElement: return TakeElement(next);
    case State::kAfterValue:
    case State::kAfterElement: {
      if (!next) return CutOff();
      const bool is_element = state_ == State::kAfterElement;
      if (*next == ',') {
        window_.Consume(1);
        state_ = is_element ? State::kElement : State::kKey;
        return {};
      }
      if (*next == (is_element ? ']' : '}')) return is_element ? TakeElement(next) : TakeKey(next);
      return Malformed(fmt::format("a comma or {} is missing", is_element ? "]" : "}"),
                       window_.offset());
    }
    case State::kEnd: break;
  }
  return {};
}

Result<void> ChromeReader::Begin(std::optional<char> next) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (next == kByteOrderMark[0] && window_.offset() == 0) {
    while (window_.size() < kByteOrderMark.size()) {
      SYNCLINE_ASSIGN(const bool is_more, window_.Fill());
      if (!is_more) break;
    }
    if (std::string_view(window_.data(), window_.size()).starts_with(kByteOrderMark)) {
      window_.Consume(kByteOrderMark.size());
      return {};
    }
  }
  if (next != '{' && next != '[') {
    return Malformed("is no JSON of trace events: neither { nor [", window_.offset());
  }
  window_.Consume(1);
  header_.is_array = next == '[';
  state_ = header_.is_array ? State::kElement : State::kKey;
  return {};
}

// A file that ends early is used up to there. That of an array without anything around it may.
Result<void> ChromeReader::CutOff() {
  if (!header_.is_array) cut_off_.Add(window_.offset());
  state_ = State::kEnd;
  return {};
}

Result<void> ChromeReader::TakeKey(std::optional<char> next) {
  if (!next) return CutOff();
  if (*next == '}') {
    window_.Consume(1);
    SYNCLINE_ASSIGN(const std::optional<char> behind, window_.Peek());
    if (behind) return Malformed("something follows the end of the JSON", window_.offset());
    state_ = State::kEnd;
    return {};
  }
  if (*next != '"') return Malformed("a key is missing", window_.offset());
  std::string quoted;
  SYNCLINE_ASSIGN(const bool is_whole, window_.SkipValue(&quoted));
  if (!is_whole) return CutOff();
  SYNCLINE_ASSIGN(const std::optional<char> colon, window_.Peek());
  if (!colon) return CutOff();
  if (*colon != ':') return Malformed("a colon is missing", window_.offset());
  window_.Consume(1);
  return TakeField(Unescaped(std::string_view(quoted).substr(1, quoted.size() - 2)));
}

Result<void> ChromeReader::TakeField(const std::string& key) {
  SYNCLINE_ASSIGN(const std::optional<char> next, window_.Peek());
  if (!next) return CutOff();
  if (std::strchr(",:]}", *next) != nullptr) {
    return Malformed("a value is missing", window_.offset());
  }
  if (key == "traceEvents") {
    if (*next != '[') return Malformed("traceEvents is no array", window_.offset());
    window_.Consume(1);
    state_ = State::kElement;
    return {};
  }
  const uint64_t offset = window_.offset();
  const bool is_wanted = key == "baseTimeNanoseconds" || key == "distributedInfo";
  std::string value;
  SYNCLINE_ASSIGN(const bool is_whole, window_.SkipValue(is_wanted ? &value : nullptr));
  if (!is_whole) return CutOff();
  state_ = State::kAfterValue;
  if (key == "baseTimeNanoseconds") return TakeBaseTime(value, offset);
  if (key == "distributedInfo") TakeDistribution(value);
  return {};
}

// Whoever reads the file adds it to all times.
Result<void> ChromeReader::TakeBaseTime(std::string_view value, uint64_t offset) {
  const bool is_string = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  const auto base =
      ParseNanoseconds(is_string ? Unescaped(value.substr(1, value.size() - 2)) : value);
  if (!base) return Malformed("baseTimeNanoseconds is no number below 2^61", offset);
  if (base->is_finer) finer_.Add(offset);
  header_.base_ns = base->ns;
  header_.is_base_late = has_instants_ && base->ns != base_ns_;
  base_ns_ = base->ns;
  return {};
}

void ChromeReader::TakeDistribution(const std::string& value) {
  simdjson::dom::parser parser;
  simdjson::dom::element element;
  if (parser.parse(value).get(element) != simdjson::SUCCESS) return;
  int64_t number = 0;
  header_.is_distributed = true;
  if (element["rank"].get_int64().get(number) == simdjson::SUCCESS) header_.rank = number;
}

Result<void> ChromeReader::TakeElement(std::optional<char> next) {
  if (!next) return CutOff();
  if (*next == ']') {
    window_.Consume(1);
    state_ = State::kAfterValue;
    if (!header_.is_array) return {};
    SYNCLINE_ASSIGN(const std::optional<char> behind, window_.Peek());
    if (behind) return Malformed("something follows the end of the JSON", window_.offset());
    state_ = State::kEnd;
    return {};
  }
  if (*next == '{') return BeginBatch();
  if (std::strchr(",:}", *next) != nullptr)
    return Malformed("an event is missing", window_.offset());
  not_an_event_.Add(window_.offset());
  SYNCLINE_ASSIGN(const bool is_whole, window_.SkipValue(nullptr));
  if (!is_whole) return CutOff();
  state_ = State::kAfterElement;
  return {};
}

Result<void> ChromeReader::BeginBatch() {
  SYNCLINE_TRY(window_.Fill());
  size_t size = 0;
  batch_->is_single = std::exchange(is_single_, false) || window_.offset() < single_until_;
  if (!batch_->is_single) size = GuessBoundary({window_.data(), window_.size()});
  if (size == 0) {
    batch_->is_single = true;
    SYNCLINE_ASSIGN(const std::optional<size_t> length, window_.HoldValue());
    if (!length) {
      // Also where a string does not end.
      cut_off_.Add(window_.offset());
      state_ = State::kEnd;
      return {};
    }
    size = *length;
  }
  batch_->Bracket(window_.data(), size, window_.offset());
  simdjson::error_code error = batch_->Parse();
  const bool is_of_bytes = error == simdjson::UTF8_ERROR || error == simdjson::UNESCAPED_CHARS;
  if (is_of_bytes && batch_->is_single) error = batch_->ParseMasked();
  if (error == simdjson::SUCCESS) return {};
  batch_->Restore();
  if (batch_->is_single) return Malformed(simdjson::error_message(error), window_.offset());
  // The guess was in a string, or one of the events is malformed.
  single_until_ = window_.offset() + size;
  return {};
}

// False where the batch has ended, where the guess of its end was wrong, and of what is no event.
Result<bool> ChromeReader::NextOfBatch() {
  ChromeBatch& batch = *batch_;
  if (!std::exchange(batch.is_first, false)) ++batch.next;
  if (batch.next == ondemand::array_iterator()) {
    SYNCLINE_TRY(StopBatch());
    return false;
  }
  simdjson::simdjson_result<ondemand::value> element = *batch.next;
  ondemand::json_type type{};
  simdjson::error_code error = element.error();
  ondemand::value&& value = std::move(element).value_unsafe();
  const char* place = nullptr;
  if (error == simdjson::SUCCESS) error = value.current_location().get(place);
  if (place == nullptr) return ResumeBehind(error);
  batch.latest = place;
  error = value.type().get(type);
  if (error == simdjson::SUCCESS && type != ondemand::json_type::object) {
    not_an_event_.Add(batch.OffsetOf(place));
    if (CheckValue(value) != simdjson::SUCCESS) return ResumeBehind(simdjson::TAPE_ERROR);
    return false;
  }
  event_ = {.offset = batch.OffsetOf(place)};
  if (error == simdjson::SUCCESS) {
    auto object = value.get_object();
    error = object.error() ? object.error() : batch.Read(object.value_unsafe(), event_);
  }
  if (error == simdjson::SUCCESS) return true;
  batch.Restore();
  if (batch.is_single) return Malformed(simdjson::error_message(error), event_.offset);
  window_.Consume(static_cast<size_t>(place - batch.begin));
  is_single_ = true;
  return false;
}

// What follows an element is nothing that the parser knows.
Result<bool> ChromeReader::ResumeBehind(int error) {
  ChromeBatch& batch = *batch_;
  batch.Restore();
  if (batch.latest == nullptr || batch.is_single) {
    return Malformed(simdjson::error_message(static_cast<simdjson::error_code>(error)),
                     batch.offset);
  }
  window_.Consume(static_cast<size_t>(batch.latest - batch.begin));
  SYNCLINE_ASSIGN(const bool is_whole, window_.SkipValue(nullptr));
  state_ = State::kAfterElement;
  if (!is_whole) SYNCLINE_TRY(CutOff());
  return false;
}

// Behind the batch, or at the end of all events inside of it.
Result<void> ChromeReader::StopBatch() {
  ChromeBatch& batch = *batch_;
  const char* place = nullptr;
  const bool is_whole = batch.document.current_location().get(place) != simdjson::SUCCESS;
  batch.Restore();
  state_ = State::kAfterElement;
  if (is_whole) {
    window_.Consume(batch.size);
    return {};
  }
  while (place > batch.begin && IsBlank(place[-1])) --place;
  if (place <= batch.begin || place[-1] != ']') {
    return Malformed("is no JSON", batch.OffsetOf(place));
  }
  window_.Consume(static_cast<size_t>(place - 1 - batch.begin));
  return {};
}

// The event among those of its track.
Result<void> ChromeReader::Place() {
  PlaceTimes();
  if (event_.instants == 0) return {};
  if (tracks_.size() >= kMostTracks) {
    return Fail(ErrorCode::kUnsupported, fmt::format("has more than {} threads", kMostTracks - 1),
                window_.path(), ByteOffset{event_.offset});
  }
  has_instants_ = true;
  event_.track = TrackOf(event_);
  ChromeTrack& track = tracks_[event_.track];
  event_.index = track.instants;
  track.instants += event_.instants;
  return {};
}

void ChromeReader::PlaceTimes() {
  const bool is_metadata = event_.phase == 'M';
  if (!event_.time.is_there()) {
    if (!is_metadata) without_time_.Add(event_.offset);
    return;
  }
  const auto time = ParseMicroseconds(event_.time.text);
  if (!time) {
    if (!is_metadata) out_of_range_.Add(event_.offset);
    return;
  }
  event_.has_time = true;
  event_.begin = event_.end = {SaturatedSum(time->ns, base_ns_)};
  if (time->is_finer) finer_.Add(event_.offset);
  if (is_metadata) {
    decimals_ = std::max<int>(decimals_, time->decimals);
    return;
  }
  Include(*time, time_decimals_);
  event_.instants = 1;
  if (event_.phase != 'X' || !event_.duration.is_there()) return;
  const auto duration = ParseMicroseconds(event_.duration.text);
  if (!duration) {
    out_of_range_.Add(event_.offset);
    return;
  }
  if (duration->ns < 0) {
    negative_.Add(event_.offset);
    return;
  }
  if (duration->is_finer) finer_.Add(event_.offset);
  Include(*duration, duration_decimals_);
  event_.end = {SaturatedSum(event_.begin.ticks, duration->ns)};
  if (duration->ns > 0) event_.instants = 2;
}

void ChromeReader::Include(const DecimalTime& time, DecimalCounts& counts) {
  decimals_ = std::max<int>(decimals_, time.decimals);
  int64_t tick_ns = 1000;
  for (int i = 0; i < time.decimals; ++i) tick_ns /= 10;
  // Digits behind the last one are none that could have been left out.
  counts.AllowForFloats();
  counts.Add(time.decimals, time.is_finer ? 1 : time.ns / tick_ns);
}

uint32_t ChromeReader::TrackOf(const ChromeEvent& event) {
  const auto is_of = [&](const ChromeTrack& track) {
    return track.tid == event.tid.text && track.pid == event.pid.text;
  };
  const std::hash<std::string_view> hash;
  uint32_t& recent =
      recent_tracks_[(hash(event.tid.text) + 31 * hash(event.pid.text)) % recent_tracks_.size()];
  if (recent < tracks_.size() && is_of(tracks_[recent])) return recent;
  // Either may hold any character.
  const std::string key =
      fmt::format("{} {}{}", event.pid.text.size(), event.pid.text, event.tid.text);
  const auto [known, is_new] = track_of_.try_emplace(key, static_cast<uint32_t>(tracks_.size()));
  if (is_new) tracks_.push_back({std::string(event.pid.text), std::string(event.tid.text)});
  return recent = known->second;
}

Diagnostics ChromeReader::diagnostics() const {
  Diagnostics diagnostics;
  const auto count = [&](std::string_view name, Severity severity, const Finding& finding) {
    diagnostics.Count(name, severity, finding.count,
                      fmt::format("{}: byte {}", window_.path(), finding.first));
  };
  count("trace-cut-off", Severity::kWarning, cut_off_);
  count("event-without-time", Severity::kWarning, without_time_);
  count("time-out-of-range", Severity::kWarning, out_of_range_);
  count("element-not-an-event", Severity::kWarning, not_an_event_);
  count("negative-duration", Severity::kInfo, negative_);
  count("time-finer-than-nanoseconds", Severity::kInfo, finer_);
  return diagnostics;
}

}  // namespace syncline
