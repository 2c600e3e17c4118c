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

void ChosenMessages::PutTask(Parcel& task) const { task.Put(TeamTask::kChoose, choice_); }

void ChosenMessages::TakeOutcome(ParcelReader& outcome) {
  for (const RecordedMessage& m : outcome.TakeAll<RecordedMessage>()) visit_(m);
}

void MessageCount::Add(const RecordedMessage& m) {
  if (!is_inside_[m.from.index()]) return;
  ++messages_;
  ++clocks_[m.from.index()].messages;
  ++clocks_[m.to.index()].messages;
  clocks_[m.from.index()].readings.Include(m.send_ns);
  clocks_[m.to.index()].readings.Include(m.receive_ns);
}

void MessageCount::PutTask(Parcel& task) const { task.Put(TeamTask::kCount, is_inside_); }

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
  ChosenMessages choosing(task.Take<ChosenMessages::Choice>(),
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
