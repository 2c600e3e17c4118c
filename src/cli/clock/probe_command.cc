#include <cstdio>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/terminal_text.h"
#include "base/try.h"
#include "cli/clock/clock_command.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/parsed_option.h"

namespace syncline {
namespace {

constexpr const char* kProbeFooter =
    R"(HOST is a name or address with or without :PORT; NAME=HOST names its clock. Each runs `syncline
clock serve`. With each, --exchanges questions follow one another in a burst; --bursts such bursts
begin every --interval. Round trips longer than twice a burst's least are left out of its mean.
Times take ns, us, ms, s, min, h; a number alone is in seconds.
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
  const bool has_name = equals != std::string::npos;
  SYNCLINE_ASSIGN(const Endpoint place, EndpointNamed(has_name ? text.substr(equals + 1) : text));
  return ProbePlan::Host{has_name ? text.substr(0, equals) : text, place};
}

Result<ProbePlan> PlanOf(const ProbeOptions& o) {
  ProbePlan plan = o.plan;
  if (o.hosts.empty() == o.broadcast.empty()) {
    return Fail(ErrorCode::kUsage, "either hosts or --broadcast ADDRESS are needed");
  }
  if (!o.broadcast.empty()) {
    SYNCLINE_ASSIGN(const ProbePlan::Host group, HostNamed(o.broadcast));
    plan.group = group.place;
  }
  std::set<std::string> names = {plan.own};
  for (const std::string& text : o.hosts) {
    SYNCLINE_ASSIGN(ProbePlan::Host host, HostNamed(text));
    if (host.name.empty() || !names.insert(host.name).second) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("\"{}\": a name of its own is needed, as in NAME=HOST", text));
    }
    plan.hosts.push_back(std::move(host));
  }
  plan.bursts = o.bursts.value_or(plan.longest_ns == INT64_MAX ? 5 : UINT64_MAX);
  plan.client.stamps = o.stamps;
  SYNCLINE_ASSIGN(plan.client.key, KeyFrom(o.key));
  return plan;
}

Result<std::optional<ExchangeLog>> LogOf(const ProbeOptions& o) {
  if (o.log.empty()) return std::nullopt;
  if (o.log == "-" && o.json == "-") {
    return Fail(ErrorCode::kUsage, "--log and --json name the same output");
  }
  SYNCLINE_ASSIGN(auto log, ExchangeLog::Create(o.log, o.if_exists(), o.plan.own));
  return std::optional<ExchangeLog>(std::move(log));
}

int ExitCodeOf(const ProbeResult& result) {
  if (!result.HasExchanges()) return kExitNoCorrection;
  return result.Weaknesses().empty() ? kExitDone : kExitWeak;
}

}  // namespace

void DeclareProbeOptions(CLI::App& command, ProbeOptions& o) {
  const auto add = AdderTo(command);
  ProbePlan& plan = o.plan;
  AddOption(command, "HOST", o.hosts, "", "Who is asked");
  add("--exchanges,-n", plan.exchanges, NumberWithin(uint32_t{1}, 1'000'000), "N",
      "Exchanges per burst and host")
      ->default_str("10");
  add("--spacing", plan.spacing_ns, SecondsWithin(0, kLongestS), "SECONDS",
      "From question to question, at least")
      ->default_str("0.002");
  add("--bursts", o.bursts, NumberWithin(uint64_t{1}, UINT64_MAX), "N",
      "How many bursts [5; without limit with --duration]");
  add("--interval", plan.interval_ns, SecondsWithin(0, kLongestS), "SECONDS", "From burst to burst")
      ->default_str("1");
  add("--duration", plan.longest_ns, SecondsWithin(0.001, kLongestS), "SECONDS",
      "Begin no burst after so long");
  add("--timeout", plan.client.timeout_ns, SecondsWithin(0.0001, kLongestS), "SECONDS",
      "How long an answer is waited for")
      ->default_str("0.5");
  AddOption(command, "--broadcast", o.broadcast, "ADDRESS",
            "Instead of hosts, ask all of a segment at once at this broadcast or multicast "
            "address (serve --broadcast), each question waiting for --timeout, and compare "
            "when they received it");
  add("--max-drift-ppm", plan.max_drift_ppm, NumberWithin(0.0, 1e6), "PPM",
      "What a host's clock may gain or lose on this one at most, at any time; bounds "
      "rest on it, and widen by it until the next exchange. 600 where daemons slew")
      ->default_str("200");
  AddOption(command, "--name", plan.own, "NAME", "The name of this machine's clock")
      ->capture_default_str();
  AddOption(command, "--log", o.log, "FILE",
            "Write the exchanges as a text trace, which syncline sync reads; - for standard "
            "output, as they come");
  DeclareExchangeOptions(command, o);
  FinishOptions(command);
  command.footer(kProbeFooter);
}

Result<int> RunProbe(const ProbeOptions& o) {
  SYNCLINE_ASSIGN(ProbePlan plan, PlanOf(o));
  SYNCLINE_TRY(CheckOutputs({o.log, o.json}, {o.key, o.config}));
  SYNCLINE_ASSIGN(std::optional<ExchangeLog> log, LogOf(o));
  SYNCLINE_ASSIGN(auto json, OptionalOutput(o.json, o.if_exists()));
  SYNCLINE_ASSIGN(const FileDescriptor stop, StopOnSignals());
  plan.client.stop = stop.get();
  const bool is_silent = o.is_silent() || o.log == "-";
  const auto print_burst = [is_silent](const ProbedHost& host) {
    if (is_silent) return;
    (void)PrintText(BurstText(host), stdout);  // said in the end where it fails
  };
  SYNCLINE_ASSIGN(const ProbeResult result, Probe(plan, log ? &*log : nullptr, print_burst));
  // First what cannot be had again: printing may fail.
  if (log) SYNCLINE_TRY(log->Finish());
  SYNCLINE_TRY(FinishOutput(json, ProbeJson(result)));
  if (!is_silent) SYNCLINE_TRY(PrintText(ProbeText(result), stdout));
  return ExitCodeOf(result);
}

}  // namespace syncline
