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
    SYNCLINE_ASSIGN(const bool goes_on, burst());
    if (!goes_on) return true;
    if (i + 1 == plan.bursts) return false;
    const int64_t until_end = plan.longest_ns - (SteadyNs() - began);
    const int64_t left = std::min(plan.interval_ns - (SteadyNs() - burst_began), until_end);
    if (left > 0 && WaitForStop(plan.client.stop, left)) return true;
  }
  return false;
}

ProbeResult ResultOf(const ProbePlan& plan, std::vector<Watched> watched, bool was_stopped) {
  ProbeResult result = {
      .own = plan.own, .max_drift_ppm = plan.max_drift_ppm, .was_stopped = was_stopped};
  for (Watched& w : watched) result.hosts.push_back(std::move(w.host));
  return result;
}

// One burst with each host in turn, so that the network carries one at a time.
Result<ProbeResult> ProbeHosts(const ProbePlan& plan, ExchangeLog* log, const OnBurst& on_burst) {
  std::vector<ExchangeClient> clients;
  std::vector<Watched> watched;
  for (const ProbePlan::Host& host : plan.hosts) {
    SYNCLINE_ASSIGN(auto client, ExchangeClient::Connect(host.place, plan.client));
    clients.push_back(std::move(client));
    watched.push_back({.host = {.name = host.name, .address = host.place.ToString()},
                       .estimate = HostEstimate(plan.max_drift_ppm)});
    if (log != nullptr) SYNCLINE_TRY(log->AddHost(host.name));
  }
  const auto burst = [&]() -> Result<bool> {
    for (size_t i = 0; i < clients.size(); ++i) {
      SYNCLINE_ASSIGN(const auto exchanges, clients[i].Burst(plan.exchanges, plan.spacing_ns));
      watched[i].host.counts = clients[i].counts();
      watched[i].Take(exchanges);
      if (log != nullptr) SYNCLINE_TRY(log->Add(i, exchanges));
      if (!exchanges.empty()) on_burst(watched[i].host);
      if (clients[i].was_stopped()) return false;
    }
    return true;
  };
  SYNCLINE_ASSIGN(const bool was_stopped, RepeatBursts(plan, burst));
  return ResultOf(plan, std::move(watched), was_stopped);
}

// Bursts of questions to all; hosts come as they answer.
Result<ProbeResult> ProbeGroup(const ProbePlan& plan, ExchangeLog* log, const OnBurst& on_burst) {
  SYNCLINE_ASSIGN(auto probe, GroupProbe::Open(*plan.group, plan.client));
  std::vector<Endpoint> places;
  std::vector<Watched> watched;
  const auto number_of = [&](const Endpoint& place) -> Result<size_t> {
    const auto found = std::ranges::find(places, place);
    const auto number = static_cast<size_t>(found - places.begin());
    if (found != places.end()) return number;
    places.push_back(place);
    watched.push_back({.host = {.name = place.ToString(), .address = place.ToString()},
                       .estimate = HostEstimate(plan.max_drift_ppm)});
    if (log != nullptr) SYNCLINE_TRY(log->AddHost(place.ToString()));
    return number;
  };
  const auto burst = [&]() -> Result<bool> {
    SYNCLINE_ASSIGN(const auto rounds, probe.Burst(plan.exchanges, plan.spacing_ns));
    for (const GroupRound& round : rounds) {
      std::vector<size_t> numbers;
      for (const GroupAnswer& answer : round.answers) {
        SYNCLINE_ASSIGN(const size_t number, number_of(answer.from));
        numbers.push_back(number);
      }
      if (log != nullptr) SYNCLINE_TRY(log->Add(round, numbers));
    }
    for (size_t i = 0; i < watched.size(); ++i) {
      std::vector<ClockExchange> exchanges;
      for (const GroupRound& round : rounds) {
        for (const GroupAnswer& answer : round.answers) {
          if (answer.from == places[i]) exchanges.push_back(answer.exchange);
        }
      }
      watched[i].Take(exchanges);
      ProbedHost& host = watched[i].host;
      host.counts.answered += exchanges.size();
      if (i > 0) host.reception = CompareReceptions(rounds, places[i], places[0]);
      if (!exchanges.empty()) on_burst(host);
    }
    return !probe.was_stopped();
  };
  SYNCLINE_ASSIGN(const bool was_stopped, RepeatBursts(plan, burst));
  ProbeResult result = ResultOf(plan, std::move(watched), was_stopped);
  result.is_broadcast = true;
  result.group_counts = probe.counts();
  return result;
}

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
    const BurstFigures& figures = host.figures;
    if (figures.departed_early > 0) {
      weaknesses.push_back(
          fmt::format("{}: {} of {} answers left before their questions arrived, by its own clock: "
                      "it was set, or tells wrong times",
                      host.name, figures.departed_early, figures.exchanges));
    }
    if (!host.estimate && figures.exchanges > 0) {
      weaknesses.push_back(
          fmt::format("{} answered {} times, with times that no clock shows: nothing follows",
                      host.name, figures.exchanges));
    } else if (!host.estimate) {
      weaknesses.push_back(fmt::format("{} did not answer", host.name));
    } else if (host.estimate->quality != Quality::kAccurate) {
      weaknesses.push_back(fmt::format("{}: {}", host.name, host.estimate->reason));
    }
  }
  if (is_broadcast && hosts.empty()) weaknesses.emplace_back("nobody answered");
  return weaknesses;
}

bool ProbeResult::HasExchanges() const {
  return std::ranges::any_of(hosts,
                             [](const ProbedHost& host) { return host.figures.exchanges > 0; });
}

Result<ProbeResult> Probe(const ProbePlan& plan, ExchangeLog* log, const OnBurst& on_burst) {
  return plan.group ? ProbeGroup(plan, log, on_burst) : ProbeHosts(plan, log, on_burst);
}

}  // namespace syncline
