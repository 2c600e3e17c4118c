#include "estimate/drift_bounded/message_works.h"

#include <algorithm>

#include "base/check.h"
#include "base/try.h"
#include "estimate/drift_bounded/across_epochs.h"

namespace syncline::drift_bounded {

bool ChosenMessages::Choice::Takes(const RecordedMessage& m) const {
  const ClockPair pair = std::minmax(m.from, m.to);
  if (std::ranges::binary_search(pairs, pair)) return true;
  if (std::ranges::binary_search(ids, m.id)) return true;
  if (!about_steps) return false;
  const TrackTable& tracks = *about_steps;
  return tracks[tracks.Of(m.from, m.from_epoch, m.send_ns)].is_between ||
         tracks[tracks.Of(m.to, m.to_epoch, m.receive_ns)].is_between;
}

void ChosenMessages::PutTask(Parcel& task) const {
  task.Put(TeamTask::kChoose);
  task.Put(uint64_t{choice_.pairs.size()});
  for (const auto& [a, b] : choice_.pairs) task.Put(a, b);
  task.Put(choice_.about_steps.has_value());
  if (choice_.about_steps) PutTracks(*choice_.about_steps, task);
  task.Put(choice_.ids);
}

ChosenMessages::Choice ChosenMessages::Choice::Take(ParcelReader& task) {
  Choice choice;
  const auto pairs = task.Take<uint64_t>();
  for (uint64_t i = 0; i < pairs; ++i) {
    const auto a = task.Take<ClockId>();
    choice.pairs.emplace_back(a, task.Take<ClockId>());
  }
  if (task.Take<bool>()) choice.about_steps = TakeTracks(task);
  choice.ids = task.TakeAll<uint64_t>();
  return choice;
}

void ChosenMessages::TakeOutcome(ParcelReader& outcome) {
  for (const RecordedMessage& m : outcome.TakeAll<RecordedMessage>()) visit_(m);
}

MessageCount::MessageCount(ParcelReader& task) {
  const auto is_inside = task.TakeAll<uint8_t>();
  is_inside_.assign(is_inside.begin(), is_inside.end());
  clocks_.resize(is_inside_.size());
}

void MessageCount::Add(const RecordedMessage& m) {
  if (!is_inside_[m.from.index()]) return;
  ++messages_;
  ++clocks_[m.from.index()].messages;
  ++clocks_[m.to.index()].messages;
  clocks_[m.from.index()].readings.Include(m.send_ns);
  clocks_[m.to.index()].readings.Include(m.receive_ns);
}

void MessageCount::PutTask(Parcel& task) const {
  task.Put(TeamTask::kCount);
  task.Put(std::vector<uint8_t>(is_inside_.begin(), is_inside_.end()));
}

void MessageCount::PutOutcome(Parcel& outcome) const { outcome.Put(messages_, clocks_); }

void MessageCount::TakeOutcome(ParcelReader& outcome) {
  messages_ += outcome.Take<uint64_t>();
  const auto others = outcome.TakeAll<OfClock>();
  for (size_t c = 0; c < others.size(); ++c) {
    if (others[c].messages == 0) continue;
    clocks_[c].messages += others[c].messages;
    clocks_[c].readings.Include(others[c].readings.first);
    clocks_[c].readings.Include(others[c].readings.last);
  }
}

namespace {

using Run = std::function<Result<void>(MessageWork&)>;

template <typename Work>
Result<void> Do(Work work, const Run& run, Parcel& outcome) {
  SYNCLINE_TRY(run(work));
  work.PutOutcome(outcome);
  return {};
}

Result<void> Collect(ParcelReader& task, const Run& run, Parcel& outcome) {
  CollectorTask collecting(task);
  return Do(MessageCollector(collecting.explanation, collecting.clocks), run, outcome);
}

Result<void> Choose(ParcelReader& task, const Run& run, Parcel& outcome) {
  std::vector<RecordedMessage> chosen;
  ChosenMessages choosing(ChosenMessages::Choice::Take(task),
                          [&](const RecordedMessage& m) { chosen.push_back(m); });
  SYNCLINE_TRY(run(choosing));
  outcome.Put(chosen);
  return {};
}

}  // namespace

Result<void> DoTask(TeamTask kind, ParcelReader& task, const Run& run, Parcel& outcome) {
  switch (kind) {
    case TeamTask::kCollect: return Collect(task, run, outcome);
    case TeamTask::kChoose: return Choose(task, run, outcome);
    case TeamTask::kCount: return Do(MessageCount(task), run, outcome);
    case TeamTask::kAcrossEpochs: return Do(AcrossEpochs(task), run, outcome);
    case TeamTask::kQuality:
    case TeamTask::kLines:
    case TeamTask::kReplay:
    case TeamTask::kFit:
    case TeamTask::kEvents:
    case TeamTask::kConcurrency: break;  // of no pass
  }
  SYNCLINE_CHECK(false);
  return {};
}

}  // namespace syncline::drift_bounded
