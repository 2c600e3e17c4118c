#include "cli/clock/probe_command.h"

#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/clock/probe.h"
#include "cli/commands.h"
#include "cli/optional_output.h"
#include "cli/options.h"

namespace syncline {
namespace {

constexpr const char* kProbeFooter =
    R"(HOST is a name or address with or without :PORT; NAME=HOST names its clock. Each runs `syncline
clock serve`. With each, --exchanges questions follow one another in a burst; --bursts such bursts
begin every --interval. Round trips longer than twice a burst's least are left out of its mean.
Ends early, with all results, on SIGINT or SIGTERM.

An offset is bounded by what all exchanges until then leave open to clocks that gain or lose no more
than --max-drift-ppm on each other, straight or not. Where exchanges contradict that, a clock was set
or ran faster: that is said, and bounds begin anew there, with twice what it ran where that is less
than 1000 ppm.

Exit codes: 0 done, all bounds hold; 1 wrong usage; 2 a name is unknown, or a file cannot be read or
written; 3 done, with a stated weakness (a host did not answer, a clock was set or ran too fast);
4 nobody answered.)";

Result<ProbePlan::Host> HostNamed(const std::string& text) {
  const size_t equals = text.find('=');
  const std::string place = equals == std::string::npos ? text : text.substr(equals + 1);
  const auto parsed = ParseHostAndPort(place);
  if (!parsed) return tl::unexpected(parsed.error());
  const auto endpoint = ResolveEndpoint(*parsed);
  if (!endpoint) return tl::unexpected(endpoint.error());
  return ProbePlan::Host{equals == std::string::npos ? text : text.substr(0, equals), *endpoint};
}

Result<void> SetPlaces(const ProbeOptions& o, ProbePlan& plan) {
  plan.own = o.own;
  if (o.hosts.empty() == o.broadcast.empty()) {
    return Fail(ErrorCode::kUsage, "either hosts or --broadcast ADDRESS are needed");
  }
  if (!o.broadcast.empty()) {
    const auto host = HostNamed(o.broadcast);
    if (!host) return tl::unexpected(host.error());
    plan.group = host->place;
    return {};
  }
  std::set<std::string> names = {o.own};
  for (const std::string& text : o.hosts) {
    auto host = HostNamed(text);
    if (!host) return tl::unexpected(host.error());
    if (host->name.empty() || !names.insert(host->name).second) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("\"{}\": a name of its own is needed, as in NAME=HOST", text));
    }
    plan.hosts.push_back(std::move(*host));
  }
  return {};
}

Result<void> SetBursts(const ProbeOptions& o, ProbePlan& plan) {
  const auto exchanges = ParseCount("--exchanges", o.exchanges, 1, 1'000'000);
  if (!exchanges) return tl::unexpected(exchanges.error());
  plan.exchanges = static_cast<uint32_t>(*exchanges);
  plan.bursts = o.duration.empty() ? 5 : UINT64_MAX;
  if (!o.bursts.empty()) {
    const auto bursts = ParseCount("--bursts", o.bursts, 1, UINT64_MAX);
    if (!bursts) return tl::unexpected(bursts.error());
    plan.bursts = *bursts;
  }
  struct Span {
    const char* option;
    const std::string& text;
    double least_s;
    int64_t& place;
  };
  for (const Span& s : {Span{"--spacing", o.spacing, 0, plan.spacing_ns},
                        Span{"--interval", o.interval, 0, plan.interval_ns},
                        Span{"--timeout", o.timeout, 0.0001, plan.client.timeout_ns},
                        Span{"--duration", o.duration, 0.001, plan.longest_ns}}) {
    if (s.text.empty()) continue;
    const auto span = ParseSpan(s.option, s.text, s.least_s, kLongestS);
    if (!span) return tl::unexpected(span.error());
    s.place = *span;
  }
  return {};
}

Result<ProbePlan> PlanOf(const ProbeOptions& o) {
  ProbePlan plan;
  if (const auto set = SetPlaces(o, plan); !set) return tl::unexpected(set.error());
  if (const auto set = SetBursts(o, plan); !set) return tl::unexpected(set.error());
  const auto drift = ParseWithin("--max-drift-ppm", o.max_drift_ppm, 0, 1e6);
  if (!drift) return tl::unexpected(drift.error());
  plan.max_drift_ppm = *drift;
  auto key = KeyOf(o.common);
  if (!key) return tl::unexpected(key.error());
  plan.client.key = std::move(*key);
  plan.client.stamps = StampsWished(o.common);
  return plan;
}

Result<std::optional<ExchangeLog>> LogOf(const ProbeOptions& o) {
  if (o.log.empty()) return std::nullopt;
  if (o.log == o.common.json) {
    return Fail(ErrorCode::kUsage, "--log and --json name the same output");
  }
  auto log =
      ExchangeLog::Create(o.log, o.common.force ? IfExists::kReplace : IfExists::kFail, o.own);
  if (!log) return tl::unexpected(log.error());
  return std::optional<ExchangeLog>(std::move(*log));
}

int ExitCodeOf(const ProbeResult& result) {
  if (!result.HasExchanges()) return kExitNoCorrection;
  return result.Weaknesses().empty() ? kExitDone : kExitWeak;
}

}  // namespace

void DeclareProbeOptions(CLI::App& command, ProbeOptions& o) {
  command.add_option("HOST", o.hosts, "Who is asked")->type_name("");
  command.add_option("--exchanges,-n", o.exchanges, "Exchanges per burst and host")
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--spacing", o.spacing, "From question to question, at least")
      ->type_name("SECONDS")
      ->capture_default_str();
  command.add_option("--bursts", o.bursts, "How many bursts [5; without limit with --duration]")
      ->type_name("N");
  command.add_option("--interval", o.interval, "From burst to burst")
      ->type_name("SECONDS")
      ->capture_default_str();
  command.add_option("--duration", o.duration, "Begin no burst after so long")
      ->type_name("SECONDS");
  command.add_option("--timeout", o.timeout, "How long an answer is waited for")
      ->type_name("SECONDS")
      ->capture_default_str();
  command
      .add_option("--broadcast", o.broadcast,
                  "Instead of hosts, ask all of a segment at once at this broadcast or multicast "
                  "address (serve --broadcast), each question waiting for --timeout, and compare "
                  "when they received it")
      ->type_name("ADDRESS");
  command
      .add_option("--max-drift-ppm", o.max_drift_ppm,
                  "What a host's clock may gain or lose on this one at most, at any time; bounds "
                  "rest on it, and widen by it until the next exchange. 600 where daemons slew")
      ->type_name("PPM")
      ->capture_default_str();
  command.add_option("--name", o.own, "The name of this machine's clock")
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option("--log", o.log,
                  "Write the exchanges as a text trace, which syncline sync reads; - for standard "
                  "output, as they come")
      ->type_name("FILE");
  DeclareExchangeOptions(command, o.common);
  FinishOptions(command);
  command.footer(kProbeFooter);
}

Result<int> RunProbe(const ProbeOptions& options) {
  auto plan = PlanOf(options);
  if (!plan) return tl::unexpected(plan.error());
  auto log = LogOf(options);
  if (!log) return tl::unexpected(log.error());
  auto json = OptionalOutput(options.common.json, options.common.if_exists());
  if (!json) return tl::unexpected(json.error());
  const auto stop = StopOnSignals();
  if (!stop) return tl::unexpected(stop.error());
  plan->client.stop = stop->get();
  const bool is_silent = options.common.quiet || options.common.json == "-" || options.log == "-";
  const auto result = Probe(*plan, *log ? &**log : nullptr, [&](const ProbedHost& host) {
    if (is_silent) return;
    fmt::print("{}", BurstText(host));
    std::fflush(stdout);
  });
  if (!result) return tl::unexpected(result.error());
  if (!is_silent) fmt::print("{}", ProbeText(*result));
  if (*log) {
    if (const auto done = (*log)->Finish(); !done) return tl::unexpected(done.error());
  }
  if (const auto done = FinishOutput(*json, ProbeJson(*result)); !done) {
    return tl::unexpected(done.error());
  }
  return ExitCodeOf(*result);
}

}  // namespace syncline
