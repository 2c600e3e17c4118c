#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/difference.h"
#include "base/terminal_text.h"
#include "base/try.h"
#include "cli/clock/clock_command.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/parsed_option.h"
#include "report/json_parts.h"
#include "report/table.h"

namespace syncline {
namespace {

constexpr const char* kCharacterizeFooter =
    R"(Offset = clock - reference, positive: the clock is ahead. The counter's ticks become time by its
frequency against CLOCK_MONOTONIC_RAW, measured for a fifth of a second before.
Drift is that of a line through all offsets; jitter and Allan deviation are without it.
With --peer the clock is that of a host where `syncline clock serve` runs, and the reference this
machine's CLOCK_REALTIME.
Times take ns, us, ms, s, min, h; a number alone is in seconds.

Exit codes: 0 done; 1 wrong usage; 2 an output cannot be written, the counter cannot be read, the
peer does not answer; 3 done, with a stated weakness (measurements missing, clock stands still).)";

Result<Pace> PaceOf(const CharacterizeOptions& o) {
  constexpr double kMostSamples = 1e6;
  const int64_t interval_ns = o.interval_ns.value_or(o.peer.empty() ? 10'000'000 : 100'000'000);
  const auto samples = static_cast<double>(o.duration_ns / interval_ns + 1);
  if (samples >= 3 && samples <= kMostSamples) {
    return Pace{interval_ns, static_cast<uint64_t>(samples)};
  }
  return Fail(ErrorCode::kUsage,
              fmt::format("--duration and --interval give {:.0f} measurements; 3 to {:.0f} are "
                          "possible",
                          samples, kMostSamples));
}

Result<ClockCharacterization> Measure(const CharacterizeOptions& o, const Pace& pace) {
  if (o.peer.empty()) return CharacterizeLocal(o.source, o.against, pace);
  SYNCLINE_ASSIGN(const Endpoint endpoint, EndpointNamed(o.peer));
  SYNCLINE_ASSIGN(PacketKey key, KeyFrom(o.key));
  SYNCLINE_ASSIGN(auto client, ExchangeClient::Connect(endpoint, {.key = std::move(key)}));
  return CharacterizePeer(o.peer, std::move(client), o.exchanges, pace);
}

std::string FormatWholeNs(double ns) { return FormatDuration(NearestInteger(ns)); }

double CpuPercent(const Measurement& m) {
  if (m.elapsed_ns <= 0) return 0;
  return 100 * static_cast<double>(m.cpu_ns) / static_cast<double>(m.elapsed_ns);
}

std::string HeadText(const ClockCharacterization& c) {
  std::string text = fmt::format("{} against {}: {} in {}.\n", c.clock, c.reference,
                                 FormatCount(c.measurement.samples.size(), "measurement"),
                                 FormatDuration(c.measurement.elapsed_ns));
  if (c.frequency) {
    text +=
        fmt::format("Its ticks count as {:.6f} MHz, found by CLOCK_MONOTONIC_RAW ± {:.3f} ppm.\n",
                    static_cast<double>(c.frequency->hz) * 1e-6,
                    static_cast<double>(c.frequency->BoundPpb()) * 1e-3);
  }
  return text;
}

std::string ResolutionText(const Resolution& r) {
  if (r.least_step_ns == 0) return "Resolution  unknown: the clock stands still\n";
  return fmt::format("Resolution  {} between readings that differ; all steps are multiples of {}\n",
                     FormatDuration(r.least_step_ns), FormatDuration(r.common_step_ns));
}

std::string FiguresText(const Character& c) {
  std::string text = fmt::format(
      "Offset      {} at first, {} at last, ± {} (median)\n", FormatDuration(c.first_offset_ns),
      FormatDuration(c.last_offset_ns), FormatDuration(c.median_uncertainty_ns));
  text += fmt::format("Drift       {}; from {} to {} between the first and the last\n",
                      FormatSignedPpm(c.drift_ppm, 4), FormatSignedPpm(c.least_drift_ppm, 4),
                      FormatSignedPpm(c.most_drift_ppm, 4));
  text += fmt::format("Jitter      {} from one to the next; {} around the line, from {} to {}\n",
                      FormatWholeNs(c.jitter_ns), FormatWholeNs(c.residual_ns),
                      FormatDuration(c.least_residual_ns), FormatDuration(c.most_residual_ns));
  return text;
}

std::string MeasuringCostText(const Measurement& m) {
  return fmt::format(
      "Cost        {}, {}, {} of CPU ({:.2f} %)\n", FormatCount(m.effort.readings, "reading"),
      FormatCount(m.effort.messages, "message"), FormatDuration(m.cpu_ns), CpuPercent(m));
}

std::string AllanText(const std::vector<AllanPoint>& allan) {
  if (allan.empty()) return "";
  Table table({"over", "Allan deviation", "as time", "differences"});
  for (const AllanPoint& p : allan) {
    table.AddRow({FormatDuration(p.tau_ns), fmt::format("{:.3e}", p.deviation),
                  fmt::format("{:.1f} ns", p.deviation * static_cast<double>(p.tau_ns)),
                  FormatCount(p.terms)});
  }
  return "\n" + table.ToString();
}

constexpr size_t kMostListedSamples = 2000;

Json AllanJson(const AllanPoint& p) {
  return {SYNCLINE_FIELDS(p, tau_ns, deviation), {"differences", p.terms}};
}

Json SamplesJson(const std::vector<OffsetSample>& samples) {
  Json json = Json::array();
  const size_t every =
      std::max<size_t>(1, (samples.size() + kMostListedSamples - 1) / kMostListedSamples);
  for (size_t i = 0; i < samples.size(); i += every) {
    const OffsetSample& s = samples[i];
    json.push_back({s.at_ns, s.offset_ns, s.uncertainty_ns});
  }
  return json;
}

Json CharacterJson(const Character& c) {
  return {SYNCLINE_FIELDS(c, elapsed_ns, interval_ns, first_offset_ns, last_offset_ns,
                          median_uncertainty_ns, drift_ppm, least_drift_ppm, most_drift_ppm,
                          jitter_ns, residual_ns, least_residual_ns, most_residual_ns),
          {"allan", ListJson(c.allan, AllanJson)}};
}

}  // namespace

std::string CharacterizationText(const ClockCharacterization& c) {
  std::string text = HeadText(c);
  text += '\n';
  if (c.resolution) text += ResolutionText(*c.resolution);
  if (c.character) text += FiguresText(*c.character);
  text += MeasuringCostText(c.measurement);
  if (c.character) text += AllanText(c.character->allan);
  for (const std::string& weakness : c.Weaknesses())
    text += fmt::format("\nweakness: {}", weakness);
  if (text.back() != '\n') text += '\n';
  return text;
}

std::string CharacterizationJson(const ClockCharacterization& c) {
  const Measurement& m = c.measurement;
  Json frequency = nullptr;
  if (c.frequency) frequency = {{"hz", c.frequency->hz}, {"bound_ppb", c.frequency->BoundPpb()}};
  Json resolution = nullptr;
  if (c.resolution) {
    resolution = {SYNCLINE_FIELDS(*c.resolution, least_step_ns, common_step_ns)};
  }
  const Json json = {
      {"syncline", SYNCLINE_VERSION},
      SYNCLINE_FIELDS(c, clock, reference),
      {"frequency", frequency},
      {"resolution", resolution},
      {"measurements",
       {{"wanted", m.wanted},
        {"interval_ns", c.wanted_interval_ns},
        {"taken", m.samples.size()},
        SYNCLINE_FIELDS(m, unanswered, skipped)}},
      {"cost",
       {SYNCLINE_FIELDS(m, elapsed_ns, cpu_ns), SYNCLINE_FIELDS(m.effort, readings, messages)}},
      {"character", c.character ? CharacterJson(*c.character) : Json(nullptr)},
      {"samples", SamplesJson(m.samples)},
      {"weaknesses", c.Weaknesses()}};
  return JsonText(json, 2) + "\n";
}

void DeclareCharacterizeOptions(CLI::App& command, CharacterizeOptions& o) {
  CLI::Option* source =
      AddChoice<ClockSource, ClockSource>(command, "--source", o.source,
                                          {{"counter", ClockSource::kCounter},
                                           {"monotonic", ClockSource::kMonotonic},
                                           {"monotonic-raw", ClockSource::kMonotonicRaw},
                                           {"realtime", ClockSource::kRealtime},
                                           {"gettimeofday", ClockSource::kGetTimeOfDay}},
                                          "The clock that is measured; counter: the processor's")
          ->type_name("")
          ->default_str("counter");
  CLI::Option* against =
      AddChoice<ClockSource, ClockSource>(command, "--against", o.against,
                                          {{"realtime", ClockSource::kRealtime},
                                           {"monotonic", ClockSource::kMonotonic},
                                           {"monotonic-raw", ClockSource::kMonotonicRaw}},
                                          "The clock that it is measured against")
          ->type_name("")
          ->default_str("realtime");
  CLI::Option* peer =
      AddOption(command, "--peer", o.peer, "HOST[:PORT]", "Measure this host's clock instead")
          ->excludes(source)
          ->excludes(against);
  AddOption(command, "--key", o.key, "FILE",
            "Sign exchanges with the key in this file, as the peer does")
      ->needs(peer);
  AddParsed(command, "--exchanges", o.exchanges, NumberWithin(uint32_t{1}, 1000), "N",
            "Exchanges per measurement, of which the fastest counts")
      ->needs(peer)
      ->default_str("4");
  AddParsed(command, "--duration", o.duration_ns, SecondsWithin(0.001, 1e7), "SECONDS",
            "How long to measure")
      ->default_str("10");
  AddParsed(command, "--interval", o.interval_ns, SecondsWithin(1e-5, 1e6), "SECONDS",
            "From one measurement to the next (default: 0.01; 0.1 with --peer)");
  AddOption(command, "--plot", o.plot, "FILE.svg", "Draw offset and Allan deviation");
  DeclareOutputOptions(command, o, "Write the figures as JSON; - for standard output");
  FinishOptions(command);
  command.footer(kCharacterizeFooter);
}

Result<int> RunCharacterize(const CharacterizeOptions& o) {
  SYNCLINE_ASSIGN(const Pace pace, PaceOf(o));
  SYNCLINE_TRY(CheckOutputs({o.json, o.plot}, {o.key, o.config}));
  SYNCLINE_ASSIGN(auto json, OptionalOutput(o.json, o.if_exists()));
  SYNCLINE_ASSIGN(auto plot, OptionalOutput(o.plot, o.if_exists()));
  SYNCLINE_ASSIGN(const auto c, Measure(o, pace));
  SYNCLINE_TRY(FinishOutput(json, CharacterizationJson(c)));
  if (c.character) SYNCLINE_TRY(FinishOutput(plot, CharacterizationPlot(c)));
  if (!o.is_silent()) SYNCLINE_TRY(PrintText(CharacterizationText(c), stdout));
  return c.Weaknesses().empty() ? kExitDone : kExitWeak;
}

}  // namespace syncline
