#include "record/stamp/recording_text.h"

#include <limits>
#include <set>
#include <string_view>

#include "base/try.h"

namespace syncline {
namespace {

class Lines {
 public:
  explicit Lines(OutputFile& output) : output_(output) {}

  Lines& Word(std::string_view word) {
    if (!text_.empty() && text_.back() != '\n') text_ += ' ';
    text_ += word;
    return *this;
  }
  Lines& Number(uint64_t number) { return Word(std::to_string(number)); }
  Lines& Number(int64_t number) { return Word(std::to_string(number)); }
  Result<void> End() {
    text_ += '\n';
    return text_.size() < kFileBlock ? Result<void>{} : Flush();
  }
  Result<void> Flush() {
    auto written = output_.Write(text_);
    text_.clear();
    return written;
  }

 private:
  OutputFile& output_;
  std::string text_;
};

Result<void> WriteCalibration(const Recording& recording, Lines& lines) {
  lines.Word("# stamped by").Word(recording.counter);
  if (recording.frequency) {
    const Frequency& f = *recording.frequency;
    lines.Word("at").Number(f.hz).Word("Hz, between").Number(f.low_hz).Word("and");
    lines.Number(f.high_hz).Word("over").Number(f.elapsed_ns).Word("ns");
  }
  return lines.End();
}

Result<void> WriteLosses(const Recording& recording, Lines& lines) {
  const auto write = [&lines](std::string_view who, uint64_t count, std::string_view why) {
    if (count == 0) return Result<void>{};
    return lines.Word("#").Word(who).Word("lost").Number(count).Word(why).End();
  };
  for (const RecordedThread& thread : recording.threads) {
    for (const auto& done :
         {write(thread.name, thread.refused, "newest events: its buffer was full"),
          write(thread.name, thread.overwritten, "oldest events: its buffer was full"),
          write(thread.name, thread.bad_handles, "events with bad handles")}) {
      if (!done) return done;
    }
  }
  return write("the trace", recording.unregistered, "events of threads that were not registered");
}

Result<void> WriteClocks(const Recording& recording, Lines& lines) {
  std::set<std::string_view> clocks = {recording.clock};
  for (const RecordedPeer& peer : recording.peers) clocks.insert(peer.clock);
  for (const std::string_view clock : clocks) {
    SYNCLINE_TRY(lines.Word("clock").Word(clock).Word("1000000000").End());
  }
  return {};
}

Result<void> WriteProcesses(const Recording& recording, Lines& lines) {
  std::set<std::string_view> declared;
  for (const RecordedThread& thread : recording.threads) {
    declared.insert(thread.name);
    SYNCLINE_TRY(lines.Word("process").Word(thread.name).Word(recording.clock).End());
  }
  for (const RecordedPeer& peer : recording.peers) {
    if (!declared.insert(peer.thread).second) continue;
    SYNCLINE_TRY(lines.Word("process").Word(peer.thread).Word(peer.clock).End());
  }
  return {};
}

const char* Verb(StampKind kind) {
  switch (kind) {
    case StampKind::kMark: return "mark";
    case StampKind::kEnter: return "enter";
    case StampKind::kLeave: return "leave";
    case StampKind::kBlock: return "block";
    case StampKind::kSend:
    case StampKind::kAsk:
    case StampKind::kAnswer: return "send";
    case StampKind::kReceive:
    case StampKind::kAsked:
    case StampKind::kAnswered: return "recv";
  }
  return "";
}

// A question and its answer bear the number that the asking side gave them, which the program's own
// messages may bear too.
std::string MessageId(const Stamp& stamp) {
  const std::string number = std::to_string(stamp.message);
  switch (stamp.kind) {
    case StampKind::kAsk:
    case StampKind::kAsked: return "q" + number;
    case StampKind::kAnswer:
    case StampKind::kAnswered: return "a" + number;
    default: return number;
  }
}

Result<void> WriteStamp(const Recording& recording, const RecordedThread& thread,
                        const Stamp& stamp, Lines& lines) {
  lines.Number(recording.line.ToNs(stamp.ticks)).Word(thread.name).Word(Verb(stamp.kind));
  const size_t subject = static_cast<size_t>(stamp.subject);
  switch (stamp.kind) {
    case StampKind::kMark:
    case StampKind::kEnter:
    case StampKind::kLeave: lines.Word(recording.names[subject]); break;
    case StampKind::kBlock: break;
    default:
      lines.Word(recording.peers[subject].thread).Word(MessageId(stamp));
      constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
      if (stamp.bytes > 0 && stamp.bytes <= kMost) lines.Number(stamp.bytes);
  }
  return lines.End();
}

}  // namespace

Result<void> WriteRecording(const Recording& recording, OutputFile& output) {
  Lines lines(output);
  for (const auto write : {WriteCalibration, WriteLosses, WriteClocks, WriteProcesses}) {
    SYNCLINE_TRY(write(recording, lines));
  }
  for (const RecordedThread& thread : recording.threads) {
    for (const Stamp& stamp : thread.stamps) {
      SYNCLINE_TRY(WriteStamp(recording, thread, stamp, lines));
    }
  }
  return lines.Flush();
}

}  // namespace syncline
