#include "pipeline/estimate/measure_quality.h"

#include <optional>
#include <span>

#include <absl/container/flat_hash_map.h>

#include "base/int128.h"
#include "base/parallel.h"
#include "base/try.h"

namespace syncline {
namespace {

// Minimum delays of the messages between two clocks, as used in estimation.
class DelayTable {
 public:
  using Row = QualityTask::Least;
  explicit DelayTable(std::span<const Row> rows) {
    for (const Row& row : rows) delays_[{row.from, row.to}] = row.delay;
  }
  Duration Of(ClockId from, ClockId to) const {
    const auto known = delays_.find({from, to});
    return known == delays_.end() ? Duration{} : known->second;
  }

 private:
  absl::flat_hash_map<std::pair<ClockId, ClockId>, Duration> delays_;
};

std::vector<DelayTable::Row> DelaysOf(const Solution& solution) {
  std::vector<DelayTable::Row> rows;
  for (const PairInput& pair : solution.pairs) {
    const auto& [ab_ns, ba_ns] = pair.estimate.min_delays;
    if (ab_ns != 0) rows.push_back({pair.a, pair.b, {ab_ns}});
    if (ba_ns != 0) rows.push_back({pair.b, pair.a, {ba_ns}});
  }
  return rows;
}

// What the clocks themselves claim of the time from a to b.
Duration NominalDifference(const TraceSet& traces, const EventRef& a, const EventRef& b) {
  auto nominal = [&](const EventRef& e) {
    return traces.clocks[traces.processes[e.process.index()].clock.index()].NominalNs(e.time);
  };
  return {Saturate(static_cast<Int128>(nominal(b)) - nominal(a))};
}

// Measures messages one by one, with what is asked about their direction.
class Measuring {
 public:
  Measuring(const TraceSet& traces, const DelayTable& delays, MessageQuality& quality)
      : traces_(traces), delays_(delays), batch_(traces.clocks.size(), quality) {}

  // `delay_of`: of a message, of which the second says what it takes at least.
  template <typename DelayOf>
  void Add(const Message& m, const DelayOf& delay_of) {
    const ClockId from = traces_.processes[m.send.process.index()].clock;
    const ClockId to = traces_.processes[m.receive.process.index()].clock;
    if (!last_ || last_->from != from || last_->to != to) last_ = {from, to, delays_.Of(from, to)};
    batch_.AddMessage(from, to, delay_of(m, last_->delay), last_->delay);
  }
  void Finish() { batch_.Finish(); }

 private:
  const TraceSet& traces_;
  const DelayTable& delays_;
  QualityBatch batch_;
  std::optional<DelayTable::Row> last_;  // messages come in runs of one direction
};

// Of messages as they were recorded, on top of what is known.
template <typename ForEach>
Result<void> AddBefore(const TraceSet& traces, const DelayTable& delays, const ForEach& for_each,
                       MessageQuality& known) {
  Measuring measuring(traces, delays, known);
  SYNCLINE_TRY(for_each([&](const Message& m) {
    measuring.Add(m, [&](const Message& of, Duration) {
      return NominalDifference(traces, of.send, of.receive);
    });
  }));
  measuring.Finish();
  return {};
}

enum class Rounding { kRepair, kLeave };

// The same as they are to be written; how many had to be moved.
template <typename ForEach>
Result<uint64_t> AddAfter(const TraceSet& traces, const DelayTable& delays, const ForEach& for_each,
                          Rounding rounding, Retiming& retiming, MessageQuality& known) {
  uint64_t moved = 0;
  Measuring measuring(traces, delays, known);
  SYNCLINE_TRY(for_each([&](const Message& m) {
    measuring.Add(m, [&](const Message& of, Duration least) {
      const GlobalTime send = retiming(of.send);
      const GlobalTime receive = retiming(of.receive);
      const bool may_repair = rounding == Rounding::kRepair && receive - send < least;
      if (!may_repair || !retiming.RepairRounding(of, least)) return receive - send;
      ++moved;
      return retiming(of.receive) - send;
    });
  }));
  measuring.Finish();
  return moved;
}

auto Each(const MessageStore& store) {
  return [&store](const auto& visit) { return store.ForEach(visit); };
}
auto Each(std::span<const Message> messages) {
  return [messages](const auto& visit) -> Result<void> {
    for (const Message& m : messages) visit(m);
    return {};
  };
}

struct QualityAfter {
  MessageQuality messages;
  uint64_t contradictions = 0;  // of those that are not set aside
};
// With what is set aside, or without. A moved receive can be the neighbour of another, and takes
// sends along: looks again as long as something moves.
Result<QualityAfter> MeasureAfter(const TraceSet& traces, const DelayTable& delays,
                                  const MessageStore& store, std::span<const Message> aside,
                                  Retiming& retiming) {
  constexpr int kMostRounds = 32;  // of some; the last one says what is so
  QualityAfter after;
  uint64_t moved = 1;
  for (int round = 0; moved > 0 && round <= kMostRounds; ++round) {
    const Rounding rounding = round < kMostRounds ? Rounding::kRepair : Rounding::kLeave;
    after = {};
    SYNCLINE_ASSIGN(moved,
                    AddAfter(traces, delays, Each(store), rounding, retiming, after.messages));
    after.contradictions = after.messages.inverted() + after.messages.too_fast();
    SYNCLINE_ASSIGN(const uint64_t others,
                    AddAfter(traces, delays, Each(aside), rounding, retiming, after.messages));
    moved += others;
  }
  return after;
}

// Neither needs the other, and each takes a pass.
Result<QualityFigures> MeasureBoth(const TraceSet& traces, const DelayTable& delays,
                                   const MessageStore& store, std::span<const Message> aside,
                                   Retiming& retiming) {
  QualityFigures figures;
  Result<void> before;
  Result<QualityAfter> after;
  ForEachParallel(2, [&](size_t part) {
    if (part == 0) {
      before = AddBefore(traces, delays, Each(store), figures.before);
    } else {
      after = MeasureAfter(traces, delays, store, aside, retiming);
    }
  });
  SYNCLINE_TRY(std::move(before));
  SYNCLINE_TRY(AddBefore(traces, delays, Each(aside), figures.before));
  if (!after) return tl::unexpected(after.error());
  figures.after = std::move(after->messages);
  figures.contradictions = after->contradictions;
  return figures;
}

Result<QualityFigures> MeasureByTeam(const LoadedTraces& loaded, const Solution& solution,
                                     Retiming& retiming) {
  Parcel task;
  task.Put(TeamTask::kQuality);
  PutQualityTask(loaded, solution, task);
  retiming.Put(task);
  SYNCLINE_ASSIGN(std::vector<ParcelReader> outcomes, loaded.messages.team()->Ask(task));
  QualityFigures figures;
  for (ParcelReader& outcome : outcomes) AdoptQuality(outcome, retiming, figures);
  SYNCLINE_TRY(CompleteQuality(loaded, solution, retiming, figures));
  return figures;
}

Result<void> MeasureCollectives(const LoadedTraces& loaded, const Retiming& retiming,
                                QualityFigures& figures) {
  const TraceSet& traces = loaded.traces;
  const auto add = [&](const Message& m) {
    const ClockId from = traces.processes[m.send.process.index()].clock;
    const ClockId to = traces.processes[m.receive.process.index()].clock;
    if (from == to) return;
    CollectiveOrder& counts = figures.collectives[{from, to}];
    ++counts.total;
    if (NominalDifference(traces, m.send, m.receive).ns < 0) ++counts.inverted_before;
    if (retiming(m.receive) < retiming(m.send)) ++counts.inverted_after;
  };
  SYNCLINE_TRY(loaded.collective_messages.ForEach(add));
  for (const Message& m : loaded.collective_messages.set_aside()) add(m);
  return {};
}

void MeasureBroadcasts(const LoadedTraces& loaded, const Retiming& retiming,
                       QualityFigures& figures) {
  const auto& processes = loaded.traces.processes;
  for (const Broadcast& broadcast : loaded.messages.broadcasts()) {
    for (size_t i = 0; i < broadcast.receives.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        const EventRef& a = broadcast.receives[j];
        const EventRef& b = broadcast.receives[i];
        const ClockId clock_a = processes[a.process.index()].clock;
        const ClockId clock_b = processes[b.process.index()].clock;
        if (clock_a == clock_b) continue;
        figures.before.AddBroadcastDifference(clock_a, clock_b,
                                              NominalDifference(loaded.traces, a, b));
        figures.after.AddBroadcastDifference(clock_a, clock_b, retiming(b) - retiming(a));
      }
    }
  }
}

}  // namespace

Result<QualityFigures> MeasureQuality(const LoadedTraces& loaded, const Solution& solution,
                                      Retiming& retiming) {
  const MessageStore& store = loaded.messages;
  if (store.team() != nullptr && retiming.is_of_corrections_alone()) {
    return MeasureByTeam(loaded, solution, retiming);
  }
  const DelayTable delays(DelaysOf(solution));
  SYNCLINE_ASSIGN(QualityFigures figures,
                  MeasureBoth(loaded.traces, delays, store, store.set_aside(), retiming));
  SYNCLINE_TRY(MeasureCollectives(loaded, retiming, figures));
  MeasureBroadcasts(loaded, retiming, figures);
  return figures;
}

void PutQualityTask(const LoadedTraces& loaded, const Solution& solution, Parcel& task) {
  task.Put(DelaysOf(solution), loaded.messages.set_aside());
}

QualityTask TakeQualityTask(const LoadedTraces& held, ParcelReader& task) {
  QualityTask taken{task.TakeAll<QualityTask::Least>(), held.messages};
  taken.messages.SetAside(task.TakeAll<Message>());
  return taken;
}

Result<void> MeasureShare(const LoadedTraces& held, ParcelReader& task, Parcel& outcome) {
  const QualityTask taken = TakeQualityTask(held, task);
  Retiming retiming = Retiming::Take(task);
  return MeasureShare(held.traces, taken, retiming, outcome);
}

Result<void> MeasureShare(const TraceSet& traces, const QualityTask& task, Retiming& retiming,
                          Parcel& outcome) {
  SYNCLINE_ASSIGN(const QualityFigures figures,
                  MeasureBoth(traces, DelayTable(task.delays), task.messages, {}, retiming));
  outcome.Put(figures.before, figures.after, figures.contradictions);
  retiming.PutMoved(outcome);
  return {};
}

void AdoptQuality(ParcelReader& outcome, Retiming& retiming, QualityFigures& figures) {
  figures.before.Adopt(outcome);
  figures.after.Adopt(outcome);
  figures.contradictions += outcome.Take<uint64_t>();
  retiming.AdoptMoved(outcome);
}

Result<void> CompleteQuality(const LoadedTraces& loaded, const Solution& solution,
                             Retiming& retiming, QualityFigures& figures) {
  const TraceSet& traces = loaded.traces;
  const DelayTable delays(DelaysOf(solution));
  const std::vector<Message>& aside = loaded.messages.set_aside();
  uint64_t moved = retiming.moved();
  if (moved == 0) {
    SYNCLINE_TRY(AddBefore(traces, delays, Each(aside), figures.before));
    SYNCLINE_ASSIGN(
        moved, AddAfter(traces, delays, Each(aside), Rounding::kRepair, retiming, figures.after));
  }
  // It can take sends along whose receives others have measured.
  if (moved > 0) {
    SYNCLINE_ASSIGN(figures, MeasureBoth(traces, delays, loaded.messages, aside, retiming));
  }
  SYNCLINE_TRY(MeasureCollectives(loaded, retiming, figures));
  MeasureBroadcasts(loaded, retiming, figures);
  return {};
}

}  // namespace syncline
