#include "pipeline/concurrency/shared_meter.h"

#include <utility>

#include "base/try.h"
#include "measure/concurrency/stamp_post.h"
#include "pipeline/concurrency/meter_feeds.h"
#include "pipeline/concurrency/meter_run.h"

namespace syncline {
namespace {

class MeterRunner {
 public:
  MeterRunner(const TraceShare& share, ParcelReader& task)
      : team_(share.team),
        share_(share),
        options_(task.Take<SharedMeterOptions>()),
        archive_(share.archive),
        ranking_(options_.most_regions),
        groups_(MembersOfGroups(archive_.traces)),
        post_(share.shares, groups_, team_),
        meter_share_(MakeMeterShare()),
        meter_(
            archive_.traces.processes.size(), groups_, options_.meter,
            [this](const Region& region) { AddRegion(region); }, &meter_share_) {
    task.Take(archive_.epochs);
  }

  Result<void> Run(Parcel& outcome) {
    auto measured = Measure();
    // All, or none.
    const bool is_done = !team_.Any(!measured || !*measured);
    if (!measured) return tl::unexpected(measured.error());
    outcome.Put(is_done);
    if (!is_done) return {};
    MeterTotals& totals = **measured;
    SetSizeOfAll(totals.order());
    outcome.Put(totals, ranking_, series_);
    return {};
  }

 private:
  using Totals = std::optional<MeterTotals>;

  MeterShare MakeMeterShare() {
    return {.is_here = share_.IsHere(),
            .tell_send =
                [this](const SendElsewhere& send, const PastStamp& stamp) {
                  const uint64_t index = MessageLinks::IndexOfSend(send.message);
                  for (const auto& [event, to] : links_.LeavingFrom(send.origin.process, index)) {
                    post_.Tell(to, send, stamp);
                  }
                },
            .tell_begins = [this](const BeginsElsewhere& begins) { post_.Tell(begins); }};
  }

  void AddRegion(const Region& region) {
    ranking_.Add(region);
    if (options_.origins_ns.empty()) return;
    series_.Add(region, options_.origins_ns[region.process.index()]);
  }

  // The others wait for this one, so all hear of its errors before they go on.
  Result<Totals> Measure() {
    auto messages = FetchMessages(share_, share_.held.messages, [](const Message&) {});
    if (team_.Any(!messages)) return OwnError<Totals>(messages);
    links_ = MessageLinks::OfShare(*messages, share_.shares, static_cast<uint32_t>(team_.own()));
    messages = {};
    MeterFeeds feeds(archive_, options_.rule, links_, meter_);
    auto opened = feeds.Open(meter_share_.is_here);
    if (team_.Any(!opened)) return OwnError<Totals>(opened);
    const Result<void> read = ReadAndLearn(feeds);
    if (team_.Any(!read)) return OwnError<Totals>(read);
    return feeds.has_more() ? std::nullopt : meter_.FinishShare();
  }

  // One that cannot read on still takes what the others tell, lest they wait.
  Result<void> ReadAndLearn(MeterFeeds& feeds) {
    // Others start early on what was read first: who tells all at the end makes them take turns.
    constexpr uint32_t kSourcesBetween = 8;
    uint32_t sources = 0;
    const auto has_read = [&] {
      if (++sources % kSourcesBetween == 0) post_.Flush();
    };
    Result<void> done;
    do {
      for (bool goes_on = done.has_value(); goes_on;) {
        const auto read = feeds.Read(0, has_read);
        if (!read) done = tl::unexpected(read.error());
        goes_on = read && *read > 0;
      }
      post_.Flush();
    } while (post_.Learn(meter_, !feeds.has_more()));
    return done;
  }

  void SetSizeOfAll(EventOrder& order) {
    EventOrder::Size all;
    const std::vector<std::vector<EventOrder::Size>> to_each(team_.shares(), {order.size()});
    for (const auto& from : team_.ExchangeAll(to_each)) {
      all.events += from[0].events;
      all.links += from[0].links;
    }
    order.SetSizeOfAll(all);
  }

  ReplayTeam& team_;
  const TraceShare& share_;
  SharedMeterOptions options_;
  LoadedTraces archive_;
  RegionRanking ranking_;
  RegionSeries series_;
  MessageLinks links_;
  std::vector<std::vector<ProcessId>> groups_;
  StampPost post_;
  MeterShare meter_share_;
  ConcurrencyMeter meter_;
};

}  // namespace

Result<void> RunShareOfMeter(const TraceShare& share, ParcelReader& task, Parcel& outcome) {
  return MeterRunner(share, task).Run(outcome);
}

Result<std::optional<SharedMeasures>> RunSharedMeter(const LoadedTraces& loaded,
                                                     const SharedMeterOptions& options) {
  const TeamMessages* team = loaded.messages.team();
  const bool may_be = team != nullptr && loaded.messages.set_aside().empty() &&
                      loaded.likely_messages.messages() == 0;
  if (!may_be) return std::nullopt;
  Parcel task;
  task.Put(TeamTask::kConcurrency, options, loaded.epochs);
  SYNCLINE_ASSIGN(std::vector<ParcelReader> outcomes, team->Ask(task));
  MeterTotals totals(loaded.traces.processes.size(), options.meter.max_cuts);
  SharedMeasures shared{{}, RegionRanking(options.most_regions), {}};
  for (ParcelReader& outcome : outcomes) {
    if (!outcome.Take<bool>()) return std::nullopt;
    totals.Adopt(outcome);
    shared.ranking.Adopt(outcome);
    shared.series.Adopt(outcome);
  }
  shared.computation = totals.Measure();
  return shared;
}

}  // namespace syncline
