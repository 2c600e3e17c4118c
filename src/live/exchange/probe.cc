#include "live/exchange/probe.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "base/int128.h"
#include "base/quantity_text.h"
#include "base/try.h"
#include "record/counter/counter.h"

namespace syncline {
namespace {

void CountKernelStamps(ProbedHost& host, std::span<const ClockExchange> exchanges) {
  for (const ClockExchange& e : exchanges) {
    const std::array stamped = {e.by_kernel.t1, e.by_kernel.t2, e.by_kernel.t3, e.by_kernel.t4};
    for (size_t i = 0; i < stamped.size(); ++i) host.by_kernel[i] += stamped[i] ? 1 : 0;
  }
}

// A host and what its exchanges add up to.
struct Watched {
  ProbedHost host;
  HostEstimate estimate;

  void Take(std::span<const ClockExchange> exchanges) {
    if (exchanges.empty()) return;
    estimate.Add(exchanges);
    CountKernelStamps(host, exchanges);
    const BurstFigures figures = FiguresOf(exchanges);
    host.figures = Together(host.figures, figures);
    host.estimate = estimate.At(exchanges.back().t4_ns);
    const uint64_t seen = estimate.contradictions_seen() - host.contradictions_seen;
    host.contradictions = estimate.contradictions();
    host.contradictions_seen += seen;
    host.bursts.push_back({exchanges.back().t4_ns, figures, host.estimate, seen});
  }
};

// Calls burst() as often and as long as the plan says; it returns whether to go on. True: stopped.
template <typename Burst>
Result<bool> RepeatBursts(const ProbePlan& plan, const Burst& burst) {
  const int64_t began = SteadyNs();
  for (uint64_t i = 0; i < plan.bursts; ++i) {
    const int64_t burst_began = SteadyNs();
    if (i > 0 && burst_began - began >= plan.longest_ns) return false;
    const Result<bool> goes_on = burst();
    if (!goes_on) return tl::unexpected(goes_on.error());
    if (!*goes_on) return true;
    if (i + 1 == plan.bursts) return false;
    const int64_t until_end = plan.longest_ns - (SteadyNs() - began);
    const int64_t left = std::min(plan.interval_ns - (SteadyNs() - burst_began), until_end);
    if (left > 0 && WaitForStop(plan.client.stop, left)) return true;
  }
  return false;
}

// One burst with each host in turn, so that the network carries one at a time.
class HostsRun {
 public:
  static Result<HostsRun> Open(const ProbePlan& plan, ExchangeLog* log) {
    HostsRun run(plan, log);
    for (const ProbePlan::Host& host : plan.hosts) {
      SYNCLINE_ASSIGN(auto client, ExchangeClient::Connect(host.place, plan.client));
      run.clients_.push_back(std::move(client));
      run.watched_.push_back({.host = {.name = host.name, .address = host.place.ToString()},
                              .estimate = HostEstimate(plan.max_drift_ppm)});
      if (log == nullptr) continue;
      SYNCLINE_TRY(log->AddHost(host.name));
    }
    return run;
  }

  Result<bool> Burst(const OnBurst& on_burst) {
    for (size_t i = 0; i < clients_.size(); ++i) {
      SYNCLINE_ASSIGN(const auto exchanges, clients_[i].Burst(plan_.exchanges, plan_.spacing_ns));
      ProbedHost& host = watched_[i].host;
      host.counts = clients_[i].counts();
      watched_[i].Take(exchanges);
      if (log_ != nullptr) {
        SYNCLINE_TRY(log_->Add(i, exchanges));
      }
      if (!exchanges.empty()) on_burst(host);
      if (clients_[i].was_stopped()) return false;
    }
    return true;
  }

  ProbeResult Finish() {
    ProbeResult result;
    for (Watched& w : watched_) result.hosts.push_back(std::move(w.host));
    return result;
  }

 private:
  HostsRun(const ProbePlan& plan, ExchangeLog* log) : plan_(plan), log_(log) {}

  const ProbePlan& plan_;
  ExchangeLog* log_;
  std::vector<ExchangeClient> clients_;
  std::vector<Watched> watched_;
};

// Bursts of questions to all; hosts come as they answer.
class GroupRun {
 public:
  static Result<GroupRun> Open(const ProbePlan& plan, ExchangeLog* log) {
    SYNCLINE_ASSIGN(auto probe, GroupProbe::Open(*plan.group, plan.client));
    return GroupRun(plan, log, std::move(probe));
  }

  Result<bool> Burst(const OnBurst& on_burst) {
    SYNCLINE_ASSIGN(const auto rounds, probe_.Burst(plan_.exchanges, plan_.spacing_ns));
    for (const GroupRound& round : rounds) {
      SYNCLINE_TRY(Log(round));
    }
    for (size_t i = 0; i < watched_.size(); ++i) {
      std::vector<ClockExchange> exchanges;
      for (const GroupRound& round : rounds) {
        for (const GroupAnswer& answer : round.answers) {
          if (answer.from == places_[i]) exchanges.push_back(answer.exchange);
        }
      }
      watched_[i].Take(exchanges);
      ProbedHost& host = watched_[i].host;
      host.counts.answered += exchanges.size();
      if (i > 0) host.reception = CompareReceptions(rounds, places_[i], places_[0]);
      if (!exchanges.empty()) on_burst(host);
    }
    return !probe_.was_stopped();
  }

  ProbeResult Finish() {
    ProbeResult result = {.is_broadcast = true, .group_counts = probe_.counts()};
    for (Watched& w : watched_) result.hosts.push_back(std::move(w.host));
    return result;
  }

 private:
  GroupRun(const ProbePlan& plan, ExchangeLog* log, GroupProbe probe)
      : plan_(plan), log_(log), probe_(std::move(probe)) {}

  Result<size_t> NumberOf(const Endpoint& place) {
    const auto found = std::find(places_.begin(), places_.end(), place);
    const auto number = static_cast<size_t>(found - places_.begin());
    if (found != places_.end()) return number;
    places_.push_back(place);
    watched_.push_back({.host = {.name = place.ToString(), .address = place.ToString()},
                        .estimate = HostEstimate(plan_.max_drift_ppm)});
    if (log_ == nullptr) return number;
    SYNCLINE_TRY(log_->AddHost(place.ToString()));
    return number;
  }

  Result<void> Log(const GroupRound& round) {
    std::vector<size_t> numbers;
    for (const GroupAnswer& answer : round.answers) {
      SYNCLINE_ASSIGN(const auto number, NumberOf(answer.from));
      numbers.push_back(number);
    }
    return log_ == nullptr ? Result<void>() : log_->Add(round, numbers);
  }

  const ProbePlan& plan_;
  ExchangeLog* log_;
  GroupProbe probe_;
  std::vector<Endpoint> places_;
  std::vector<Watched> watched_;
};

// "2025-06-15 15:06:40.123 UTC"
std::string TimeText(int64_t ns) {
  const auto seconds = static_cast<time_t>(FloorDiv(ns, 1'000'000'000));
  const auto ms = (ns - static_cast<Int128>(seconds) * 1'000'000'000) / 1'000'000;
  std::tm parts = {};
  if (::gmtime_r(&seconds, &parts) == nullptr) return fmt::format("{} ns", ns);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03} UTC", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     static_cast<int>(ms));
}

// How much a clock was set by, if it was.
std::string ChangeText(const Contradiction& c) {
  if (c.change_low_ns && c.change_high_ns && *c.change_low_ns <= *c.change_high_ns) {
    const Int128 sum = static_cast<Int128>(*c.change_low_ns) + *c.change_high_ns;
    const Int128 open = static_cast<Int128>(*c.change_high_ns) - *c.change_low_ns;
    return fmt::format("about {} ± {}", FormatSignedDuration(Saturate(sum / 2)),
                       FormatDuration(Saturate((open + 1) / 2)));
  }
  if (c.change_low_ns && *c.change_low_ns > 0) {
    return fmt::format("at least {}", FormatSignedDuration(*c.change_low_ns));
  }
  if (c.change_high_ns && *c.change_high_ns < 0) {
    return fmt::format("at least {}", FormatSignedDuration(*c.change_high_ns));
  }
  return "an unknown amount";
}

void AppendContradictions(const ProbeResult& result, const ProbedHost& host,
                          std::vector<std::string>& weaknesses) {
  constexpr size_t kMostSaid = 5;
  const size_t said = std::min(kMostSaid, host.contradictions.size());
  for (size_t i = 0; i < said; ++i) {
    weaknesses.push_back(ContradictionText(result, host, host.contradictions[i]));
  }
  if (host.contradictions_seen > said) {
    weaknesses.push_back(
        fmt::format("{}: {} more such", host.name, host.contradictions_seen - said));
  }
}

template <typename Run>
Result<ProbeResult> RunToEnd(Result<Run> run, const ProbePlan& plan, const OnBurst& on_burst) {
  if (!run) return tl::unexpected(run.error());
  const auto stopped = RepeatBursts(plan, [&] { return run->Burst(on_burst); });
  if (!stopped) return tl::unexpected(stopped.error());
  ProbeResult result = run->Finish();
  result.own = plan.own;
  result.was_stopped = *stopped;
  result.max_drift_ppm = plan.max_drift_ppm;
  return result;
}

}  // namespace

std::string ContradictionText(const ProbeResult& result, const ProbedHost& host,
                              const Contradiction& c) {
  using Kind = Contradiction::Kind;
  if (c.kind == Kind::kOwnSetBack) {
    return fmt::format("{}: {} was set back at {}; its bounds begin anew", host.name, result.own,
                       TimeText(c.from_ns));
  }
  const std::string when = fmt::format("between {} and {}", TimeText(c.from_ns), TimeText(c.to_ns));
  if (c.kind == Kind::kPeerSetBack) {
    return fmt::format("{} was set, by {}, {}; its bounds begin anew", host.name, ChangeText(c),
                       when);
  }
  if (c.kind == Kind::kSet) {
    return fmt::format("{} was set against {}, by {}, {}; its bounds begin anew", host.name,
                       result.own, ChangeText(c), when);
  }
  return fmt::format(
      "{} ran at least {:.3f} ppm {} against {} {}, or was set; its bounds begin anew", host.name,
      std::abs(c.drift_ppm), c.drift_ppm < 0 ? "slow" : "fast", result.own, when);
}

std::vector<std::string> ProbeResult::Weaknesses() const {
  std::vector<std::string> weaknesses;
  for (const ProbedHost& host : hosts) {
    AppendContradictions(*this, host, weaknesses);
    if (!host.estimate) {
      weaknesses.push_back(fmt::format("{} did not answer", host.name));
    } else if (host.estimate->quality != Quality::kAccurate) {
      weaknesses.push_back(fmt::format("{}: {}", host.name, host.estimate->reason));
    }
  }
  if (is_broadcast && hosts.empty()) weaknesses.emplace_back("nobody answered");
  return weaknesses;
}

bool ProbeResult::HasExchanges() const {
  return std::any_of(hosts.begin(), hosts.end(),
                     [](const ProbedHost& host) { return host.figures.exchanges > 0; });
}

Result<ProbeResult> Probe(const ProbePlan& plan, ExchangeLog* log, const OnBurst& on_burst) {
  if (plan.group) return RunToEnd(GroupRun::Open(plan, log), plan, on_burst);
  return RunToEnd(HostsRun::Open(plan, log), plan, on_burst);
}

}  // namespace syncline
