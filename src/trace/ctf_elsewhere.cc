#include "trace/ctf_elsewhere.h"

#include <map>
#include <utility>

#include "base/try.h"
#include "read/ctf/ctf_frames.h"
#include "read/ctf/readable_folder.h"
#include "trace/found_parcel.h"

namespace syncline {
namespace {

// A child is started, sent a frame, or read on. Each question is answered by frames: a MiB of them,
// or up to where the child waits for one itself.
enum class CtfQuestion : uint8_t { kStart, kSend, kGoOn };

// What comes behind the frames of an answer, in front of which it says so.
enum class Behind : uint8_t { kMoreFrames, kNothing, kError };

class CtfServer : public FileServer {
 public:
  explicit CtfServer(std::string process) : process_(std::move(process)) {}

  Parcel Answer(ParcelReader& question) override {
    const auto what = question.Take<CtfQuestion>();
    const auto number = question.Take<uint64_t>();
    std::vector<std::string> frames;
    const auto behind = Do(what, number, question, frames);
    Parcel answer;
    answer.Put(behind ? *behind : Behind::kError);
    if (!behind) answer.Put(InProcess(behind.error(), process_));
    for (const std::string& frame : frames) answer.Put(frame);
    return answer;
  }

 private:
  class Child {
   public:
    Child(ChildProcess process, ReadableFolders traces)
        : process_(std::move(process)), traces_(std::move(traces)), left_(traces_.size()) {}

    // What the first process sends is about the next trace.
    void Send(const std::string& frame) {
      process_.Send(frame);
      left_ = streams_.at(begun_++);
    }

    Result<Behind> TakeFrames(std::vector<std::string>& frames) {
      constexpr size_t kEnough = size_t{1} << 20;
      for (size_t bytes = 0; left_ > 0 && bytes < kEnough; bytes += frames.back().size()) {
        const auto frame = TakeFrame();
        if (!frame && frame.error().file.empty()) return Failure(frame.error().message);
        SYNCLINE_TRY(frame);
        frames.emplace_back(*frame);
      }
      return left_ > 0 ? Behind::kMoreFrames : Behind::kNothing;
    }

   private:
    // Each trace is described, then read to the end of its streams.
    Result<std::string_view> TakeFrame() {
      SYNCLINE_ASSIGN(const std::string_view frame, process_.Receive());
      ParcelReader reader(frame);
      if (begun_ == 0) {
        SYNCLINE_ASSIGN(const CtfTraceInfo info, ctf_frames::UnpackInfo(reader));
        streams_.push_back(info.clocks.empty() ? 0 : info.streams.size());
        --left_;
      } else if (reader.Take<ctf_frames::Kind>() == ctf_frames::Kind::kEnd) {
        SYNCLINE_TRY(ctf_frames::UnpackEnd(reader));
        --left_;
      }
      return frame;
    }
    tl::unexpected<Error> Failure(const std::string& reason) const {
      return CtfFailure(*traces_.at(begun_ > 0 ? begun_ - 1 : streams_.size()), reason);
    }

    ChildProcess process_;
    ReadableFolders traces_;
    std::vector<size_t> streams_;  // of each trace that was described
    size_t begun_ = 0;             // traces
    size_t left_ = 0;              // of what it sends before it waits
  };

  Result<Behind> Do(CtfQuestion what, uint64_t number, ParcelReader& question,
                    std::vector<std::string>& frames) {
    if (what == CtfQuestion::kStart) {
      // Those of what was read before are done with.
      if (number == 0) children_.clear();
      SYNCLINE_TRY(Start(number, question));
    }
    Child& child = children_.at(number);
    if (what == CtfQuestion::kSend) child.Send(question.Take<std::string>());
    return child.TakeFrames(frames);
  }

  Result<void> Start(uint64_t number, ParcelReader& question) {
    const auto children = question.Take<uint64_t>();
    const auto fields = question.TakeAll<std::string>();
    ReadableFolders traces;
    while (!question.is_at_end()) {
      const std::string folder = question.Take<std::string>();
      const auto bytes = question.Take<uint64_t>();
      SYNCLINE_ASSIGN(auto trace, ReadableFolder::Of(folder));
      if (trace->bytes() != bytes) {
        return Fail(ErrorCode::kUnreadable, "is another trace than the first process sees", folder);
      }
      traces.push_back(std::move(trace));
    }
    const ChildLimits limits = CtfChildLimits(traces, children);
    auto process = CtfChild::StartProcess(traces, fields, limits);
    if (!process) {
      Error error = process.error();
      if (error.file.empty()) error.file = traces.front()->folder();
      return tl::unexpected(std::move(error));
    }
    children_.try_emplace(number, std::move(*process), std::move(traces));
    return {};
  }

  std::string process_;
  std::map<uint64_t, Child> children_;
};

}  // namespace

FramesElsewhere::FramesElsewhere(FileTeam& team, size_t process, size_t number, size_t children,
                                 const ReadableFolders& traces,
                                 const std::vector<std::string>& fields)
    : team_(team), process_(process), number_(number) {
  Parcel question;
  question.Put(CtfQuestion::kStart, number_, children, fields);
  for (const auto& trace : traces) question.Put(trace->folder(), trace->bytes());
  Ask(question);
}

void FramesElsewhere::Send(std::string_view frame) {
  Parcel question;
  question.Put(CtfQuestion::kSend, number_, frame);
  Ask(question);
}

void FramesElsewhere::Ask(const Parcel& question) {
  asked_ = team_.Ask(process_, Format::kCtf, question);
}

Result<std::string_view> FramesElsewhere::Receive() {
  while (!frames_ || frames_->is_at_end()) {
    if (failed_) return tl::unexpected(*failed_);
    if (!asked_) return Fail(ErrorCode::kMalformed, "it ended early");
    frames_.emplace(team_.Answer(*std::exchange(asked_, std::nullopt)));
    const auto behind = frames_->Take<Behind>();
    if (behind == Behind::kError) failed_ = frames_->Take<Error>();
    if (behind != Behind::kMoreFrames) continue;
    // On their way while these are worked on.
    Parcel question;
    question.Put(CtfQuestion::kGoOn, number_);
    Ask(question);
  }
  frame_ = frames_->Take<std::string>();
  return frame_;
}

std::unique_ptr<FileServer> ServeCtfTraces(const std::string& process) {
  return std::make_unique<CtfServer>(process);
}

}  // namespace syncline
