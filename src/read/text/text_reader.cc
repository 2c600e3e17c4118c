// How it works: LineBuffer hands out whole lines; LineScanner walks over one, and each Read…()
// below is one rule of the grammar in docs/formats/text.md. Expect…() read one field or set error_.

#include "read/text/text_reader.h"

#include <fmt/format.h>

#include "base/try.h"
#include "read/text/message_token.h"

namespace syncline {
namespace {

// What a declared name costs beside its bytes, so that many short names are limited as well.
constexpr uint64_t kNameOverhead = 128;
constexpr size_t kMaxQuoted = 40;

// The bytes in quotes, printable and not too long, for messages to people.
std::string Quoted(std::string_view bytes) {
  std::string text = "'";
  for (const char c : bytes.substr(0, kMaxQuoted)) {
    if (c >= ' ' && c < 0x7f) {
      text += c;
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return text + (bytes.size() > kMaxQuoted ? "…'" : "'");
}

std::string Found(LineScanner scan, const char* where) {
  scan.GoTo(where);
  const std::string_view field = scan.Field();
  if (!field.empty()) return Quoted(field);
  if (scan.AtNewline()) return "the end of the line";
  if (scan.AtEnd()) return "a comment";
  return fmt::format("the byte 0x{:02x}", static_cast<unsigned char>(*scan.position()));
}

}  // namespace

TextReader::TextReader(LineBuffer lines) : lines_(std::move(lines)) {}

Result<TextReader> TextReader::Open(const std::string& path) {
  SYNCLINE_ASSIGN(auto file, InputFile::Open(path));
  return FromFile(std::move(file));
}

TextReader TextReader::FromMemory(std::string_view text, size_t block) {
  return TextReader(LineBuffer(text, block));
}

TextReader TextReader::FromStream(ReadSomeFunction read, std::string name) {
  return TextReader(LineBuffer(std::move(read), std::move(name)));
}

const Event* TextReader::Next() {
  while (const TextLine* line = NextLine()) {
    if (line->kind == TextLine::Kind::kEvent) return &event_;
  }
  return nullptr;
}

const TextLine* TextReader::NextLine() {
  if (error_) return nullptr;
  if (!lines_.HasLine()) {
    if (lines_.error()) {
      error_ = lines_.error();
      if (error_->code == ErrorCode::kMalformed) error_->position = LineColumn{line_number_ + 1, 1};
    }
    return nullptr;
  }
  ++line_number_;
  LineScanner scan(lines_.line());
  if (!ReadLine(scan)) return nullptr;
  line_.text = lines_.Consume(scan.position());
  return &line_;
}

bool TextReader::ReadLine(LineScanner& scan) {
  scan.SkipBlanks();
  const char* begin = scan.position();
  line_.numbers = {};
  if (LineScanner::IsDigit(*begin) || *begin == '-') {
    line_.kind = TextLine::Kind::kEvent;
    return ReadEvent(scan);
  }
  if (scan.AtEnd()) {
    line_.kind = TextLine::Kind::kEmpty;
    return ExpectEnd(scan);
  }
  const std::string_view keyword = scan.Field();
  if (keyword == "clock") {
    line_.kind = TextLine::Kind::kClock;
    return ReadClock(scan);
  }
  if (keyword == "process") {
    line_.kind = TextLine::Kind::kProcess;
    return ReadProcess(scan);
  }
  if (keyword == "group") {
    line_.kind = TextLine::Kind::kGroup;
    return ReadGroup(scan);
  }
  return FailExpected(scan, begin, "a time, `clock`, `process` or `group`");
}

// clock NAME TICKS_PER_SECOND [OFFSET_TICKS [READING_NS]]
bool TextReader::ReadClock(LineScanner& scan) {
  const auto name = ExpectField(scan, "a clock's name");
  if (!name) return false;
  if (const uint32_t known = clock_table_.Find(*name); known != StringIndex::kNone) {
    return FailAt(name->data(), fmt::format("clock {} is already declared in line {}",
                                            Quoted(*name), clock_lines_[known]));
  }
  scan.SkipBlanks();
  const char* rate_begin = scan.position();
  const auto rate = ExpectInteger(scan, "the clock's ticks per second");
  if (!rate) return false;
  if (*rate <= 0) return FailExpected(scan, rate_begin, "ticks per second above 0");
  const char* numbers_end = scan.position();
  int64_t offset_ticks = 0;
  scan.SkipBlanks();
  if (!scan.AtEnd()) {
    const auto offset = ExpectInteger(scan, "the clock's offset in ticks");
    if (!offset) return false;
    offset_ticks = *offset;
    numbers_end = scan.position();
    scan.SkipBlanks();
  }
  int64_t reading_ns = 0;
  if (!scan.AtEnd()) {
    const char* reading_begin = scan.position();
    const auto reading = ExpectInteger(scan, "how many nanoseconds late a reading may be");
    if (!reading) return false;
    if (*reading < 0) return FailExpected(scan, reading_begin, "nanoseconds of 0 or more");
    reading_ns = *reading;
    numbers_end = scan.position();
  }
  line_.numbers = {rate_begin, numbers_end};
  if (!ExpectEnd(scan) || !Reserve(*name)) return false;
  clock_table_.Insert(*name, static_cast<uint32_t>(traces_.clocks.size()));
  clock_lines_.push_back(line_number_);
  traces_.clocks.push_back({std::string(*name), *rate, offset_ticks, reading_ns});
  return true;
}

// process ID CLOCK [LABEL…]
bool TextReader::ReadProcess(LineScanner& scan) {
  const auto id = ExpectField(scan, "a process's id");
  if (!id) return false;
  const uint32_t known = process_table_.Find(*id, ProcessTable::Role::kProcess);
  if (known != ProcessTable::kNone) {
    return FailAt(id->data(), fmt::format("process {} is already declared in line {}", Quoted(*id),
                                          process_lines_[known]));
  }
  const auto clock = ExpectField(scan, "the name of the process's clock");
  if (!clock) return false;
  const uint32_t clock_number = clock_table_.Find(*clock);
  if (clock_number == StringIndex::kNone)
    return FailExpected(scan, clock->data(), "a declared clock");
  scan.SkipBlanks();
  const char* label_begin = scan.position();
  const char* label_end = label_begin;
  while (!scan.AtEnd()) {
    if (!ExpectField(scan, "a label")) return false;
    label_end = scan.position();
    scan.SkipBlanks();
  }
  const std::string_view label(label_begin, label_end);
  if (!ExpectEnd(scan) || !Reserve(*id) || !Reserve(label)) return false;
  process_table_.Insert(*id, static_cast<uint32_t>(traces_.processes.size()));
  process_lines_.push_back(line_number_);
  const Clock& counts = traces_.clocks[clock_number];
  Progress& progress = progress_.emplace_back();
  progress.earliest = counts.FromNominalNs(INT64_MIN);
  progress.latest = counts.FromNominalNs(INT64_MAX);
  traces_.processes.push_back({std::string(*id), std::string(label), ClockId(clock_number)});
  return true;
}

// group NAME PROCESS…
bool TextReader::ReadGroup(LineScanner& scan) {
  const auto name = ExpectField(scan, "a group's name");
  if (!name) return false;
  if (const uint32_t known = group_table_.Find(*name); known != StringIndex::kNone) {
    return FailAt(name->data(), fmt::format("group {} is already declared in line {}",
                                            Quoted(*name), group_lines_[known]));
  }
  const uint32_t used = name_table_.Find(*name);
  if (used < group_use_lines_.size() && group_use_lines_[used] != 0) {
    return FailAt(name->data(), fmt::format("group {} is already used in line {}", Quoted(*name),
                                            group_use_lines_[used]));
  }
  Group group;
  group.name = *name;
  if (!ReadMembers(scan, group) || !ExpectEnd(scan) || !Reserve(*name)) return false;
  group_table_.Insert(*name, static_cast<uint32_t>(traces_.groups.size()));
  group_lines_.push_back(line_number_);
  traces_.groups.push_back(std::move(group));
  return true;
}

// PROCESS…
bool TextReader::ReadMembers(LineScanner& scan, Group& group) {
  last_group_.resize(traces_.processes.size(), 0);
  const auto number = static_cast<uint32_t>(traces_.groups.size()) + 1;
  const char* begin = scan.position();
  do {
    const auto member = ExpectProcess(scan, ProcessTable::Role::kPeer);
    if (!member) return false;
    if (last_group_[member->index()] == number) {
      const std::string& id = traces_.processes[member->index()].name;
      return FailAt(scan.position() - id.size(),
                    fmt::format("process {} is already in the group", Quoted(id)));
    }
    last_group_[member->index()] = number;
    group.members.push_back(*member);
    scan.SkipBlanks();
  } while (!scan.AtEnd());
  return Reserve({begin, scan.position()});
}

// TIME PROCESS …
bool TextReader::ReadEvent(LineScanner& scan) {
  const char* begin = scan.position();
  const auto time = ExpectInteger(scan, "a time");
  if (!time) return false;
  line_.numbers = {begin, scan.position()};
  const auto process = ExpectProcess(scan, ProcessTable::Role::kProcess);
  if (!process) return false;
  event_ = Event{};
  message_name_ = {};
  event_.time = {*time};
  event_.process = *process;
  if (!ReadDetails(scan) || !ExpectEnd(scan)) return false;
  CountEvent();
  return true;
}

bool TextReader::ReadDetails(LineScanner& scan) {
  const std::string_view kind = scan.Field();
  if (kind == "send") return ReadTransfer(scan, EventKind::kSend);
  if (kind == "recv") return ReadTransfer(scan, EventKind::kReceive);
  if (kind == "enter") return ReadRegion(scan, EventKind::kEnter);
  if (kind == "leave") return ReadRegion(scan, EventKind::kLeave);
  if (kind == "mark") return ReadRegion(scan, EventKind::kMark);
  if (kind == "bcast") return ReadBroadcast(scan);
  if (kind == "collective") return ReadCollective(scan);
  if (kind == "block") {
    event_.kind = EventKind::kBlock;
    return true;
  }
  return FailExpected(scan, scan.position() - kind.size(),
                      "send, recv, bcast, block, enter, leave, mark or collective");
}

// PEER MSG [BYTES]
bool TextReader::ReadTransfer(LineScanner& scan, EventKind kind) {
  event_.kind = kind;
  const auto peer = ExpectProcess(scan, ProcessTable::Role::kPeer);
  if (!peer) return false;
  event_.peer = *peer;
  const auto message = ExpectMessage(scan, "a message id");
  if (!message) return false;
  event_.message = *message;
  scan.SkipBlanks();
  return scan.AtEnd() || ReadBytes(scan, "the message's size in bytes");
}

bool TextReader::ReadBytes(LineScanner& scan, std::string_view expected) {
  const char* begin = scan.position();
  const auto bytes = ExpectInteger(scan, expected);
  if (!bytes) return false;
  if (*bytes < 0) return FailExpected(scan, begin, "a size of at least 0 bytes");
  event_.bytes = static_cast<uint64_t>(*bytes);
  return true;
}

bool TextReader::ReadBroadcast(LineScanner& scan) {
  event_.kind = EventKind::kBroadcast;
  const auto message = ExpectMessage(scan, "a message id");
  if (message) event_.message = *message;
  return message.has_value();
}

bool TextReader::ReadRegion(LineScanner& scan, EventKind kind) {
  event_.kind = kind;
  const auto name = ExpectName(scan, "a name");
  if (name) event_.name = *name;
  return name.has_value();
}

bool TextReader::takes_part() const {
  const bool is_collective =
      event_.kind == EventKind::kCollectiveBegin || event_.kind == EventKind::kCollectiveEnd;
  if (!is_collective || !moves_nothing_) return true;
  const std::string& kind = names()[event_.name];
  const bool waits_for_nobody =
      kind == "reduce_scatter" && event_.kind == EventKind::kCollectiveEnd;
  return !kind.ends_with('v') && !kind.ends_with('w') && !waits_for_nobody;
}

// KIND GROUP INSTANCE begin|end [root] [BYTES]
bool TextReader::ReadCollective(LineScanner& scan) {
  const auto kind = ExpectName(scan, "the kind of the collective");
  if (!kind) return false;
  const auto group = ExpectGroup(scan);
  if (!group) return false;
  const auto instance = ExpectMessage(scan, "the collective's instance");
  if (!instance) return false;
  event_.name = *kind;
  event_.group = *group;
  event_.message = *instance;
  return ReadPhase(scan);
}

bool TextReader::ReadPhase(LineScanner& scan) {
  const std::string_view phase = scan.Field();
  if (phase != "begin" && phase != "end") {
    return FailExpected(scan, scan.position() - phase.size(), "begin or end");
  }
  moves_nothing_ = false;
  event_.kind = phase == "begin" ? EventKind::kCollectiveBegin : EventKind::kCollectiveEnd;
  scan.SkipBlanks();
  if (scan.AtEnd()) return true;
  const char* rest = scan.position();
  event_.is_root = LineScanner(scan).Field() == "root";
  if (event_.is_root) {
    scan.Field();
    scan.SkipBlanks();
    if (scan.AtEnd()) return true;
    rest = scan.position();
  } else if (*rest != '-' && (*rest < '0' || *rest > '9')) {
    return FailExpected(scan, rest, "root, a size in bytes or the end of the line");
  }
  if (!ReadBytes(scan, "the member's size in bytes")) return false;
  moves_nothing_ = event_.bytes == 0;
  return true;
}

// Of the latest event's process.
template <typename What>
void TextReader::CountDefect(std::string_view name, Severity severity, const What& what) {
  std::string example;
  if (diagnostics_.count(name) == 0) {
    const Process& process = traces_.processes[event_.process.index()];
    example =
        Error{ErrorCode::kMalformed, fmt::format("process {} {}", Quoted(process.name), what()),
              lines_.path(), LineColumn{line_number_, 1}}
            .ToString();
  }
  diagnostics_.Count(name, severity, 1, example);
}

void TextReader::CountEvent() {
  Progress& progress = progress_[event_.process.index()];
  ++progress.events;
  const int64_t ticks = event_.time.ticks;
  if (ticks < progress.last_ticks) [[unlikely]] {
    CountDefect("time-steps-back", Severity::kInfo,
                [&] { return fmt::format("goes from {} to {}", progress.last_ticks, ticks); });
  }
  if (event_.time <= progress.earliest || progress.latest <= event_.time) [[unlikely]]
    CheckRange();
  progress.last_ticks = ticks;
}

// Of a time at the ends of what fits, or beyond.
void TextReader::CheckRange() {
  const Clock& clock = traces_.clocks[traces_.processes[event_.process.index()].clock.index()];
  const int64_t ns = clock.NominalNs(event_.time);
  const bool fits = clock.CountsNanoseconds() ? clock.FromNominalNs(ns) == event_.time
                                              : ns != INT64_MIN && ns != INT64_MAX;
  if (fits) return;
  CountDefect("time-out-of-range", Severity::kWarning, [&] {
    return fmt::format("is at {}, of which the nanoseconds do not fit in 64 bits",
                       event_.time.ticks);
  });
}

std::optional<int64_t> TextReader::ExpectInteger(LineScanner& scan, std::string_view what) {
  scan.SkipBlanks();
  const char* begin = scan.position();
  const bool negative = *begin == '-';
  const char* first = begin + (negative ? 1 : 0);
  const DigitRun digits = LineScanner::Digits(first);
  if (digits.end == first || LineScanner::IsFieldByte(*digits.end)) {
    FailExpected(scan, begin, what);
    return std::nullopt;
  }
  const uint64_t limit = static_cast<uint64_t>(INT64_MAX) + (negative ? 1 : 0);
  if (digits.overflow || digits.value > limit) {
    FailExpected(scan, begin, fmt::format("{} that fits in a signed 64-bit integer", what));
    return std::nullopt;
  }
  scan.GoTo(digits.end);
  return static_cast<int64_t>(negative ? 0 - digits.value : digits.value);
}

std::optional<ProcessId> TextReader::ExpectProcess(LineScanner& scan, ProcessTable::Role role) {
  const std::string_view id = scan.Field();
  const uint32_t process = process_table_.Find(id, role);
  if (process != ProcessTable::kNone) return ProcessId(process);
  FailExpected(scan, scan.position() - id.size(), "a process that a `process` line above declares");
  return std::nullopt;
}

std::optional<uint64_t> TextReader::ExpectMessage(LineScanner& scan, std::string_view what) {
  scan.SkipBlanks();
  const char* begin = scan.position();
  const DigitRun digits = LineScanner::Digits(begin);
  const bool ends = !LineScanner::IsFieldByte(*digits.end);
  if (ends && digits.end != begin && *begin != '0' && digits.value < kHashedMessage &&
      !digits.overflow) {
    scan.GoTo(digits.end);
    return digits.value;
  }
  const auto token = ExpectField(scan, what);
  if (!token) return std::nullopt;
  message_name_ = *token;
  return MessageFromToken(*token);
}

std::optional<uint32_t> TextReader::ExpectName(LineScanner& scan, std::string_view what) {
  const auto name = ExpectField(scan, what);
  if (!name) return std::nullopt;
  if (const uint32_t known = name_table_.Find(*name); known != StringIndex::kNone) return known;
  if (!Reserve(*name)) return std::nullopt;
  const auto number = static_cast<uint32_t>(names_.size());
  names_.emplace_back(*name);
  name_table_.Insert(*name, number);
  return number;
}

std::optional<uint32_t> TextReader::ExpectGroup(LineScanner& scan) {
  const auto group = ExpectName(scan, "the collective's group");
  if (!group) return std::nullopt;
  if (*group >= group_use_lines_.size()) group_use_lines_.resize(names_.size(), 0);
  if (group_use_lines_[*group] == 0) group_use_lines_[*group] = line_number_;
  return group;
}

std::optional<std::string_view> TextReader::ExpectField(LineScanner& scan, std::string_view what) {
  const std::string_view field = scan.Field();
  if (!field.empty()) return field;
  FailExpected(scan, scan.position(), what);
  return std::nullopt;
}

// Leaves the scanner at the '\n'.
bool TextReader::ExpectEnd(LineScanner& scan) {
  scan.SkipBlanks();
  if (!scan.AtEnd()) return FailExpected(scan, scan.position(), "the end of the line");
  const char* begin = scan.position();
  const char* p = begin;
  for (; *p != '\n'; ++p) {
    if (*p == '\0') return FailAt(p, "expected text, found the byte 0x00");
  }
  line_.comment = *begin == '#' ? std::string_view(begin, p) : std::string_view();
  if (line_.comment.ends_with('\r')) line_.comment.remove_suffix(1);
  scan.GoTo(p);
  return true;
}

// Accounts for a name that is kept until the end.
bool TextReader::Reserve(std::string_view text) {
  name_bytes_ += 2 * text.size() + kNameOverhead;
  return name_bytes_ <= kMaxNameBytes ||
         FailAt(text.data(),
                fmt::format("too many names: they take more than {} MiB", kMaxNameBytes >> 20));
}

bool TextReader::FailAt(const char* where, std::string message) {
  const auto column = static_cast<uint64_t>(where - lines_.line()) + 1;
  error_ = Error{ErrorCode::kMalformed, std::move(message), lines_.path(),
                 LineColumn{line_number_, column}};
  return false;
}

bool TextReader::FailExpected(const LineScanner& scan, const char* where, std::string_view what) {
  return FailAt(where, fmt::format("expected {}, found {}", what, Found(scan, where)));
}

}  // namespace syncline
