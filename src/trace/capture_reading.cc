#include "trace/capture_reading.h"

#include <utility>

#include "base/parallel.h"
#include "base/producer.h"
#include "base/try.h"
#include "read/pcap/capture_reader.h"
#include "trace/clock_epochs.h"
#include "trace/found_parcel.h"

namespace syncline {
namespace {

constexpr size_t kBatchPackets = 4096;
constexpr size_t kBatchesAhead = 4;

// Calls on_packet for every packet, and returns the reader at the end.
template <typename OnPacket>
Result<CaptureReader> ReadCapture(const std::string& path, const OnBytesRead& on_bytes,
                                  const OnPacket& on_packet) {
  SYNCLINE_ASSIGN(auto reader, CaptureReader::Open(path));
  uint64_t told = 0;
  const auto tell = [&] {
    return on_bytes(reader.bytes_read() - std::exchange(told, reader.bytes_read()));
  };
  while (const Packet* packet = reader.Next()) {
    SYNCLINE_TRY(on_packet(*packet));
    if (packet->index % kBatchPackets == 0) SYNCLINE_TRY(tell());
  }
  SYNCLINE_TRY(tell());
  if (reader.error()) return tl::unexpected(*reader.error());
  return reader;
}

// A capture that is prepared in a thread.
class CaptureHere : public PreparedCapture {
 public:
  CaptureHere(std::string path, size_t capture, PacketMatcher& matcher, OnBytesRead on_bytes) {
    batches_.Start([this, path = std::move(path), capture, &matcher,
                    on_bytes = std::move(on_bytes)] { Run(path, capture, matcher, on_bytes); });
  }

  Result<std::optional<Batch>> Next() override {
    std::optional<Batch> batch = batches_.Take();
    if (batch) return batch;
    batches_.Stop();
    if (!found_) return tl::unexpected(found_.error());
    return std::nullopt;
  }

 private:
  void Run(const std::string& path, size_t capture, PacketMatcher& matcher,
           const OnBytesRead& on_bytes) {
    Batch batch;
    const auto on_packet = [&](const Packet& packet) -> Result<void> {
      SYNCLINE_ASSIGN(auto prepared, matcher.Prepare(capture, packet));
      if (prepared) batch.push_back(*prepared);
      if (batch.size() == kBatchPackets) {
        if (!batches_.Push(std::exchange(batch, {}))) {
          return Fail(ErrorCode::kCancelled, "is not wanted any more", path);
        }
        batch.reserve(kBatchPackets);
      }
      return {};
    };
    if (auto read = ReadCapture(path, on_bytes, on_packet); !read) {
      found_ = tl::unexpected(read.error());
    }
    batches_.Push(std::move(batch));
  }

  Result<void> found_;
  Producer<Batch> batches_{kBatchesAhead};  // the last, as it ends first
};

enum class Question : uint8_t { kSurvey, kPrepare, kNext };

// A capture that another process prepares: while a batch is stored here, the next one is on its
// way.
class CaptureElsewhere : public PreparedCapture {
 public:
  CaptureElsewhere(FileTeam& team, size_t process, size_t capture, PacketMatcher& matcher)
      : team_(team), capture_(capture), matcher_(matcher) {
    Parcel question;
    question.Put(Question::kPrepare, uint64_t{capture});
    matcher.PutOwn(capture, question);
    asked_ = team_.Ask(process, Format::kCapture, question);
  }

  Result<std::optional<Batch>> Next() override {
    if (has_ended_) return std::nullopt;
    ParcelReader answer = team_.Answer(asked_);
    auto batch = answer.Take<Result<std::optional<Batch>>>();
    if (!batch) return batch;
    has_ended_ = !batch->has_value();
    if (has_ended_) {
      matcher_.TakeCounts(capture_, answer);
      return batch;
    }
    Parcel question;
    question.Put(Question::kNext, uint64_t{capture_});
    asked_ = team_.Ask(asked_.process, Format::kCapture, question);
    return batch;
  }

 private:
  FileTeam& team_;
  FileTeam::Asked asked_;
  size_t capture_;
  PacketMatcher& matcher_;
  bool has_ended_ = false;
};

class CaptureServer : public FileServer {
 public:
  explicit CaptureServer(std::string process) : process_(std::move(process)) {}

  Parcel Answer(ParcelReader& question) override {
    switch (question.Take<Question>()) {
      case Question::kSurvey: return Survey(question);
      case Question::kPrepare: return Prepare(question);
      case Question::kNext: return NextOf(question.Take<uint64_t>());
    }
    return {};
  }

 private:
  struct Dealt {
    size_t capture = 0;
    DealtFile file;
    Result<SurveyedCapture> surveyed;
  };

  Parcel Survey(ParcelReader& question) {
    streams_.clear();
    paths_.clear();
    matcher_.emplace(std::vector<CaptureOrigin>(question.Take<uint64_t>()));
    std::vector<Dealt> dealt;
    while (!question.is_at_end()) {
      Dealt& next = dealt.emplace_back();
      next.capture = question.Take<uint64_t>();
      question.Take(next.file);
      paths_[next.capture] = next.file.path();
    }
    ForEachParallel(dealt.size(), [&](size_t i) { dealt[i].surveyed = SurveyOne(dealt[i]); });
    Parcel answer;
    for (const Dealt& of : dealt) {
      answer.Put(Named(of.surveyed));
      if (of.surveyed) matcher_->PutSurvey(of.capture, answer);
    }
    return answer;
  }

  Result<SurveyedCapture> SurveyOne(const Dealt& dealt) {
    SYNCLINE_TRY(dealt.file.Check());
    return SurveyCapture(dealt.file.path(), dealt.capture, *matcher_, GoOn);
  }

  Parcel Prepare(ParcelReader& question) {
    const auto capture = question.Take<uint64_t>();
    matcher_->TakeOwn(capture, question);
    streams_[capture] = PrepareCapture(paths_[capture], capture, *matcher_, GoOn);
    return NextOf(capture);
  }

  Parcel NextOf(size_t capture) {
    Parcel answer;
    const auto batch = Named(streams_[capture]->Next());
    answer.Put(batch);
    if (batch && !*batch) matcher_->PutCounts(capture, answer);
    return answer;
  }

  template <typename T>
  Result<T> Named(Result<T> result) const {
    if (!result) result = tl::unexpected(InProcess(result.error(), process_));
    return result;
  }

  static Result<void> GoOn(uint64_t /*bytes*/) { return {}; }

  std::string process_;
  std::optional<PacketMatcher> matcher_;
  std::map<size_t, std::string> paths_;
  std::map<size_t, std::unique_ptr<PreparedCapture>> streams_;
};

}  // namespace

Result<SurveyedCapture> SurveyCapture(const std::string& path, size_t capture,
                                      PacketMatcher& matcher, const OnBytesRead& on_bytes) {
  SurveyedCapture surveyed;
  // Each interface hands on its packets in bunches of its own.
  std::vector<SetBackFinder> set_backs;
  const auto on_packet = [&](const Packet& packet) -> Result<void> {
    surveyed.span.Include(packet.time);
    ++surveyed.events;
    if (packet.interface >= set_backs.size()) {
      set_backs.resize(packet.interface + 1, SetBackFinder(kCaptureSetBacks));
    }
    set_backs[packet.interface].Add(packet.index, packet.time);
    matcher.Survey(capture, packet);
    return {};
  };
  SYNCLINE_ASSIGN(const auto reader, ReadCapture(path, on_bytes, on_packet));
  std::vector<SeenSetBacks> seen;
  for (const SetBackFinder& of_interface : set_backs) seen.push_back(of_interface.Finish());
  if (!seen.empty()) surveyed.set_backs = JoinSeen(seen);
  surveyed.ticks_per_second = reader.ticks_per_second();
  surveyed.diagnostics = reader.diagnostics();
  return surveyed;
}

std::unique_ptr<PreparedCapture> PrepareCapture(std::string path, size_t capture,
                                                PacketMatcher& matcher, OnBytesRead on_bytes) {
  return std::make_unique<CaptureHere>(std::move(path), capture, matcher, std::move(on_bytes));
}

CapturesElsewhere::CapturesElsewhere(FileTeam& team, std::span<const Input* const> captures,
                                     std::vector<size_t> processes)
    : questions_(&team), processes_(std::move(processes)) {
  for (size_t process = 1; process < team.processes(); ++process) {
    Parcel question;
    question.Put(Question::kSurvey, uint64_t{captures.size()});
    bool has_any = false;
    for (size_t i = 0; i < captures.size(); ++i) {
      if (processes_[i] != process) continue;
      question.Put(i, DealtFile(captures[i]->path));
      has_any = true;
    }
    if (has_any) asked_[process] = team.Ask(process, Format::kCapture, question);
  }
}

Result<SurveyedCapture> CapturesElsewhere::TakeSurvey(size_t capture, PacketMatcher& matcher) {
  const size_t process = processes_[capture];
  auto surveys = surveys_.find(process);
  if (surveys == surveys_.end()) {
    surveys = surveys_.emplace(process, questions_.team()->Answer(asked_.at(process))).first;
  }
  ParcelReader& answer = surveys->second;
  auto surveyed = answer.Take<Result<SurveyedCapture>>();
  if (surveyed) matcher.TakeSurvey(capture, answer);
  return surveyed;
}

std::unique_ptr<PreparedCapture> CapturesElsewhere::Prepare(size_t capture,
                                                            PacketMatcher& matcher) {
  return std::make_unique<CaptureElsewhere>(*questions_.team(), processes_[capture], capture,
                                            matcher);
}

std::unique_ptr<FileServer> ServeCaptures(const std::string& process) {
  return std::make_unique<CaptureServer>(process);
}

}  // namespace syncline
