#include "trace/text_elsewhere.h"

#include <optional>
#include <utility>

#include "base/block_store.h"
#include "base/producer.h"
#include "base/try.h"
#include "trace/found_parcel.h"
#include "trace/text_parcel.h"

namespace syncline {
namespace {

enum class TextQuestion : uint8_t { kRead, kNext };

class TextElsewhere : public TextSource {
 public:
  TextElsewhere(FileTeam& team, size_t process) : team_(team), process_(process) { Ask(); }

  std::optional<TextBatch> Next() override {
    while (!batches_ || batches_->is_at_end()) {
      if (has_ended_) return std::nullopt;
      ParcelReader answer = team_.Answer(asked_);
      has_ended_ = answer.Take<bool>();
      ParcelReader part(answer.TakeAll<std::byte>());
      if (has_ended_) {
        part.Take(end_);
        return std::nullopt;
      }
      batches_.emplace(std::move(part));
      Ask();
    }
    return unpacker_.Take(*batches_);
  }
  const TextEnd& end() const override { return end_; }

 private:
  void Ask() {
    Parcel question;
    question.Put(TextQuestion::kNext);
    asked_ = team_.Ask(process_, Format::kText, question);
  }

  FileTeam& team_;
  size_t process_;
  FileTeam::Asked asked_;
  std::optional<ParcelReader> batches_;
  BatchUnpacker unpacker_;
  bool has_ended_ = false;
  TextEnd end_;
};

class TextServer : public FileServer {
 public:
  explicit TextServer(std::string process) : process_(std::move(process)) {}
  ~TextServer() override { Stop(); }
  TextServer(const TextServer&) = delete;
  TextServer& operator=(const TextServer&) = delete;

  Parcel Answer(ParcelReader& question) override {
    return question.Take<TextQuestion>() == TextQuestion::kRead ? Read(question) : NextPart();
  }

 private:
  // Batches of a text, or its end.
  struct Part {
    bool is_end = false;
    std::vector<std::byte> bytes;  // none: they are on disk
    uint64_t place = 0;
    size_t size = 0;
  };

  // The thread looks at parts_ and space_ until it has ended.
  void Stop() {
    if (parts_) parts_->Stop();
    parts_.reset();
    space_.reset();
  }

  Parcel Read(ParcelReader& question) {
    Stop();
    std::vector<DealtFile> texts;
    while (!question.is_at_end()) texts.push_back(question.Take<DealtFile>());
    texts_left_ = texts.size();
    space_ = std::make_unique<SpillSpace>();
    parts_.emplace(SIZE_MAX);
    parts_->Start([this, texts = std::move(texts)] {
      for (const DealtFile& text : texts) {
        TextEnd end = ReadText(text);
        if (end.error) end.error = InProcess(*end.error, process_);
        if (!Push(EndOf(end))) return;
      }
    });
    return {};
  }

  static Part EndOf(const TextEnd& end) {
    Parcel parcel;
    parcel.Put(end);
    return {.is_end = true, .bytes = {parcel.bytes().begin(), parcel.bytes().end()}};
  }

  TextEnd ReadText(const DealtFile& text) {
    constexpr size_t kPartBytes = size_t{1} << 20;
    if (auto same = text.Check(); !same) return {.error = same.error()};
    auto reader = TextReader::Open(text.path());
    if (!reader) return {.error = reader.error()};
    Progress no_progress(ProgressMode::kOff);
    TextStream stream(std::move(*reader), no_progress);
    BatchPacker packer;
    Parcel batches;
    const auto put_away = [&]() -> Result<bool> {
      SYNCLINE_ASSIGN(Part part, PutAway(std::exchange(batches, {})));
      return Push(std::move(part));
    };
    while (const std::optional<TextBatch> batch = stream.Next()) {
      if (!parts_->IsWanted()) return {};
      packer.Put(*batch, batches);
      const bool is_full = batch->events.size() == TextStream::kBatchEvents;
      if (is_full && batches.bytes().size() < kPartBytes) continue;
      const auto is_wanted = put_away();
      if (!is_wanted) return {.error = is_wanted.error()};
      if (!*is_wanted) return {};
    }
    if (batches.bytes().empty()) return stream.end();
    if (const auto last = put_away(); !last) return {.error = last.error()};
    return stream.end();
  }

  bool Push(Part part) { return parts_->Push(std::move(part)); }

  Result<Part> PutAway(const Parcel& batches) {
    const std::span<const std::byte> bytes = batches.bytes();
    if (space_->TakeMemory(bytes.size())) return Part{.bytes = {bytes.begin(), bytes.end()}};
    SYNCLINE_ASSIGN(const uint64_t place, space_->Append(bytes));
    return Part{.place = place, .size = bytes.size()};
  }

  Parcel NextPart() {
    SYNCLINE_CHECK(parts_);
    std::optional<Part> part = parts_->Take();
    SYNCLINE_CHECK(part);
    if (part->size > 0) {
      part->bytes.resize(part->size);
      if (auto read = space_->Read(part->place, part->bytes); !read) {
        *part = EndOf({.error = InProcess(read.error(), process_)});
      }
    }
    Parcel answer;
    answer.Put(part->is_end, part->bytes);
    if (part->is_end && --texts_left_ == 0) Stop();
    return answer;
  }

  std::string process_;
  size_t texts_left_ = 0;
  std::unique_ptr<SpillSpace> space_;
  std::optional<Producer<Part>> parts_;  // of all texts, in their order
};

}  // namespace

TextsElsewhere::TextsElsewhere(FileTeam& team, std::span<const Input* const> texts)
    : questions_(&team), processes_(DealFiles(texts, team.processes())) {
  for (size_t process = 1; process < team.processes(); ++process) {
    Parcel question;
    question.Put(TextQuestion::kRead);
    bool has_any = false;
    for (size_t i = 0; i < texts.size(); ++i) {
      if (processes_[i] != process) continue;
      question.Put(DealtFile(texts[i]->path));
      has_any = true;
    }
    if (has_any) team.Ask(process, Format::kText, question);
  }
}

std::unique_ptr<TextSource> TextsElsewhere::Open(size_t text) const {
  return std::make_unique<TextElsewhere>(*questions_.team(), processes_[text]);
}

std::unique_ptr<FileServer> ServeTexts(const std::string& process) {
  return std::make_unique<TextServer>(process);
}

}  // namespace syncline
