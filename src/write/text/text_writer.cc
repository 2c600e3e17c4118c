#include "write/text/text_writer.h"

#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/line_buffer.h"
#include "base/try.h"
#include "read/text/line_scanner.h"
#include "read/text/message_token.h"

namespace syncline {
namespace {

std::string TextLabel(std::string_view label) {
  std::string text;
  for (const char c : label) {
    const bool begins_word = text.empty() || text.back() == ' ';
    if (!LineScanner::IsFieldByte(c)) {
      if (!text.empty()) text += ' ';
    } else if (c == '#' && begins_word) {
      text += "%23";
    } else {
      text += c;
    }
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string NameToken(uint32_t number, std::span<const std::string> names) {
  SYNCLINE_CHECK(number < names.size());
  return TextToken(names[number]);
}

Result<void> CheckLength(const std::string& line) {
  if (line.size() <= LineBuffer::kMaxLine) return {};
  return Fail(
      ErrorCode::kUnsupported,
      fmt::format("a line of the text format would be longer than {} bytes", LineBuffer::kMaxLine));
}

Result<void> CheckBytes(const Event& event) {
  if (event.bytes <= static_cast<uint64_t>(INT64_MAX)) return {};
  return Fail(ErrorCode::kUnsupported, fmt::format("a message has {} bytes", event.bytes));
}

}  // namespace

std::string TextToken(std::string_view name) {
  if (name.empty()) return "%";
  std::string token;
  for (const char c : name) {
    if (LineScanner::IsFieldByte(c) && !(c == '#' && token.empty())) {
      token += c;
    } else {
      token += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    }
  }
  return token;
}

Result<void> TextWriter::Declare(const TraceSet& traces) {
  SYNCLINE_CHECK(traces.clocks.size() >= clock_tokens_.size());
  SYNCLINE_CHECK(traces.processes.size() >= process_tokens_.size());
  SYNCLINE_CHECK(traces.groups.size() >= group_names_.size());
  while (clock_tokens_.size() < traces.clocks.size()) {
    SYNCLINE_TRY(DeclareClock(traces.clocks[clock_tokens_.size()]));
  }
  while (process_tokens_.size() < traces.processes.size()) {
    SYNCLINE_TRY(DeclareProcess(traces.processes[process_tokens_.size()]));
  }
  while (group_names_.size() < traces.groups.size()) {
    SYNCLINE_TRY(DeclareGroup(traces.groups[group_names_.size()]));
  }
  return {};
}

Result<void> TextWriter::DeclareClock(const Clock& clock) {
  const std::string token = TextToken(clock.name);
  if (!clock_names_.insert(token).second) {
    return Fail(ErrorCode::kUnsupported, fmt::format("two clocks are named '{}'", token));
  }
  if (clock.ticks_per_second <= 0) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("clock '{}' has {} ticks per second", token, clock.ticks_per_second));
  }
  clock_tokens_.push_back(token);
  SYNCLINE_TRY(BeginDeclaration("clock", token));
  AddField(fmt::format_int(clock.ticks_per_second).c_str());
  const bool has_reading = clock.reading_ns > Clock::ReadingNs(clock.ticks_per_second);
  if (clock.offset_ticks != 0 || has_reading) {
    AddField(fmt::format_int(clock.offset_ticks).c_str());
  }
  if (has_reading) AddField(fmt::format_int(clock.reading_ns).c_str());
  return FinishLine();
}

Result<void> TextWriter::DeclareProcess(const Process& process) {
  const std::string token = TextToken(process.name);
  if (!process_names_.insert(token).second) {
    return Fail(ErrorCode::kUnsupported, fmt::format("two processes are named '{}'", token));
  }
  SYNCLINE_CHECK(process.clock.index() < clock_tokens_.size());
  process_tokens_.push_back(token);
  SYNCLINE_TRY(BeginDeclaration("process", token));
  AddField(clock_tokens_[process.clock.index()]);
  const std::string label = TextLabel(process.label);
  if (!label.empty()) AddField(label);
  return FinishLine();
}

Result<void> TextWriter::DeclareGroup(const Group& group) {
  const std::string token = TextToken(group.name);
  if (!group_names_.insert(token).second) {
    return Fail(ErrorCode::kUnsupported, fmt::format("two groups are named '{}'", token));
  }
  if (group.members.empty()) {
    return Fail(ErrorCode::kUnsupported, fmt::format("group '{}' has no members", token));
  }
  SYNCLINE_TRY(BeginDeclaration("group", token));
  absl::flat_hash_set<uint32_t> members;
  for (const ProcessId member : group.members) {
    SYNCLINE_CHECK(member.index() < process_tokens_.size());
    if (!members.insert(member.value).second) {
      return Fail(ErrorCode::kUnsupported, fmt::format("group '{}' has process '{}' twice", token,
                                                       process_tokens_[member.index()]));
    }
    AddField(process_tokens_[member.index()]);
  }
  return FinishLine();
}

Result<void> TextWriter::Write(const Event& event, std::span<const std::string> names) {
  SYNCLINE_TRY(CheckBytes(event));
  BeginLine(event);
  AddDetails(event, names);
  return FinishLine();
}

Result<void> TextWriter::WriteSized(const Event& event, std::span<const std::string> names) {
  SYNCLINE_CHECK(event.kind == EventKind::kCollectiveBegin ||
                 event.kind == EventKind::kCollectiveEnd);
  SYNCLINE_TRY(CheckBytes(event));
  BeginLine(event);
  AddDetails(event, names);
  AddField(fmt::format_int(event.bytes).c_str());
  return FinishLine();
}

Result<void> TextWriter::Comment(const ExportedComment& comment) {
  behind_ = comment.behind;
  return output_.Append(comment.above);
}

Result<void> TextWriter::BeginDeclaration(std::string_view keyword, const std::string& token) {
  line_ = fmt::format("{} {}", keyword, token);
  if (comments_ == nullptr) return {};
  const auto comment = comments_->find(line_);
  return comment == comments_->end() ? Result<void>() : Comment(comment->second);
}

void TextWriter::BeginLine(const Event& event) {
  SYNCLINE_CHECK(event.process.index() < process_tokens_.size());
  line_ = fmt::format_int(event.time.ticks).c_str();
  AddField(process_tokens_[event.process.index()]);
}

Result<void> TextWriter::FinishLine() {
  if (!behind_.empty()) AddField(std::exchange(behind_, {}));
  line_ += '\n';
  SYNCLINE_TRY(CheckLength(line_));
  return output_.Append(line_);
}

void TextWriter::AddField(std::string_view field) {
  line_ += ' ';
  line_ += field;
}

void TextWriter::AddMessage(uint64_t message) {
  if (message_names_ != nullptr) {
    const auto name = message_names_->find(message);
    if (name != message_names_->end()) return AddField(name->second);
  }
  AddField(TokenFromMessage(message));
}

void TextWriter::AddDetails(const Event& event, std::span<const std::string> names) {
  switch (event.kind) {
    case EventKind::kSend: return AddTransfer("send", event);
    case EventKind::kReceive: return AddTransfer("recv", event);
    case EventKind::kBroadcast: AddField("bcast"); return AddMessage(event.message);
    case EventKind::kBlock: return AddField("block");
    case EventKind::kEnter: AddField("enter"); return AddField(NameToken(event.name, names));
    case EventKind::kLeave: AddField("leave"); return AddField(NameToken(event.name, names));
    case EventKind::kMark: AddField("mark"); return AddField(NameToken(event.name, names));
    case EventKind::kCollectiveBegin: return AddCollective(event, "begin", names);
    case EventKind::kCollectiveEnd: return AddCollective(event, "end", names);
  }
}

void TextWriter::AddTransfer(std::string_view verb, const Event& event) {
  SYNCLINE_CHECK(event.peer.index() < process_tokens_.size());
  AddField(verb);
  AddField(process_tokens_[event.peer.index()]);
  AddMessage(event.message);
  if (event.bytes > 0) AddField(fmt::format_int(event.bytes).c_str());
}

void TextWriter::AddCollective(const Event& event, std::string_view phase,
                               std::span<const std::string> names) {
  AddField("collective");
  AddField(NameToken(event.name, names));
  AddField(NameToken(event.group, names));
  AddMessage(event.message);
  AddField(phase);
  if (event.is_root) AddField("root");
}

}  // namespace syncline
