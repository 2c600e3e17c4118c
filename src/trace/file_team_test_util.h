// Processes of an MPI run that are this one, for tests: each answers at once.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "trace/file_team.h"
#include "trace/formats.h"
#include "trace/inputs.h"
#include "trace/load.h"

namespace syncline {

class TeamInOneProcess : public FileTeam {
 public:
  explicit TeamInOneProcess(size_t processes) : processes_(processes) {
    SetFileTeamOfThisRun(this);
  }
  ~TeamInOneProcess() override { SetFileTeamOfThisRun(nullptr); }

  size_t processes() const override { return processes_; }
  Asked Ask(size_t process, Format format, const Parcel& question) override {
    EXPECT_GT(process, 0);
    EXPECT_LT(process, processes_);
    std::unique_ptr<FileServer>& server = servers_[{process, format}];
    if (!server) {
      server = FormatOf(format).serve(fmt::format("process {} of {}", process, processes_));
    }
    ParcelReader reader(question.bytes());
    const Asked asked{process, asked_++};
    answers_.emplace(asked.number, server->Answer(reader).bytes());
    EXPECT_TRUE(reader.is_at_end());
    return asked;
  }
  ParcelReader Answer(Asked asked) override {
    auto answer = answers_.extract(asked.number);
    EXPECT_FALSE(answer.empty());
    return std::move(answer.mapped());
  }
  void DropAnswers() override { answers_.clear(); }

  uint64_t asked() const { return asked_; }
  size_t unanswered() const { return answers_.size(); }

 private:
  size_t processes_;
  uint64_t asked_ = 0;
  std::map<uint64_t, ParcelReader> answers_;
  std::map<std::pair<size_t, Format>, std::unique_ptr<FileServer>> servers_;
};

// What loading found, to be compared.
struct LoadingResult {
  using End = std::tuple<uint32_t, int64_t, uint64_t>;  // process, time, number
  std::vector<std::pair<End, End>> messages;
  std::vector<std::tuple<int64_t, int64_t, uint64_t>> spans;  // by clock
  std::vector<std::tuple<std::string, uint64_t, std::string>> diagnostics;
  uint64_t unmatched = 0;
  friend bool operator==(const LoadingResult&, const LoadingResult&) = default;
};

inline LoadingResult ResultOf(const LoadedTraces& loaded) {
  LoadingResult found;
  const auto end = [](const EventRef& e) {
    return LoadingResult::End(e.process.value, e.time.ticks, e.index);
  };
  EXPECT_TRUE(loaded.messages.ForEach(
      [&](const Message& m) { found.messages.emplace_back(end(m.send), end(m.receive)); }));
  for (const ClockSpan& span : loaded.spans) {
    found.spans.emplace_back(span.first.ticks, span.last.ticks, span.events);
  }
  for (const auto& [name, diagnostic] : loaded.diagnostics.all()) {
    found.diagnostics.emplace_back(name, diagnostic.count, diagnostic.example);
  }
  found.unmatched = loaded.unmatched_sends + loaded.unmatched_receives;
  return found;
}

inline Result<LoadedTraces> LoadPaths(const std::vector<std::string>& paths, RuleSet rules = {}) {
  auto asked = ResolveInputs(paths, std::move(rules));
  if (!asked) return tl::unexpected(asked.error());
  Progress progress(ProgressMode::kOff);
  return LoadTraces(*asked, progress);
}

}  // namespace syncline
