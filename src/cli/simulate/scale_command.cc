#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/difference.h"
#include "base/duration_text.h"
#include "base/int128.h"
#include "base/terminal_text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/optional_output.h"
#include "cli/parsed_option.h"
#include "cli/simulate/range_text.h"
#include "cli/simulate/simulate_command.h"
#include "report/json_parts.h"
#include "report/table.h"

namespace syncline {
namespace {

constexpr const char* kScaleFooter =
    R"(Strategies, for n processes and bursts of K exchanges (more in docs/methods/scale.md):
  root       every process exchanges with process 0, one after the other: n - 1 bursts
  tree       a binomial tree, all pairs of a round at the same time: log2 n bursts; errors add up
  broadcast  all compare when they received 2K broadcasts: 2K + 1 messages, and no bounds

What exchanges cost was measured with UDP between network namespaces of one machine (medians), so
it leaves out every cable and switch: put in what you have measured between your own machines
(--measured, or option by option).
Errors are those at the end of the last round; until then the clocks drift on.

Durations take ns, us, ms, s, min, h; LO:HI is drawn anew for each way.
Exit codes: 0 done; 1 wrong usage; 2 a file cannot be read or written.)";

// Sizes and ranges LO..HI (LO, the powers of ten in between, HI), with commas.
Result<std::vector<uint64_t>> ParseSizes(std::string_view text) {
  TextScanner scan(text);
  std::vector<uint64_t> sizes;
  do {
    size_t where = scan.position();
    const uint64_t low = scan.Number(kMaxScaleProcesses);
    scan.RefuseIf(low < 2, where, "2 or more processes");
    sizes.push_back(low);
    if (!scan.Accept('.')) continue;
    scan.Expect('.');
    where = scan.position();
    const uint64_t high = scan.Number(kMaxScaleProcesses);
    scan.RefuseIf(high < low, where, "an upper limit not below the lower one");
    for (uint64_t size = 10; size < high; size *= 10) {
      if (size > low) sizes.push_back(size);
    }
    if (high > low) sizes.push_back(high);
  } while (scan.Accept(','));
  return scan.Finish(std::move(sizes), "',' or the end");
}

Result<int64_t> ParseDriftPpb(std::string_view text) {
  return ParseDrift(text).map([](int64_t ppt) { return ppt / 1000; });
}

struct Trips {
  int64_t least_ns = 0;
  int64_t mean_ns = 0;
};

std::optional<int64_t> NumberAt(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<int64_t>();
}

// Nothing of a host that did not answer, or whose figures make no sense.
std::optional<Trips> TripsOf(const nlohmann::json& host) {
  if (!host.is_object()) return std::nullopt;
  const auto exchanges = host.find("exchanges");
  if (exchanges == host.end() || !exchanges->is_object()) return std::nullopt;
  const auto least = NumberAt(*exchanges, "least_trip_ns");
  const auto mean = NumberAt(*exchanges, "mean_trip_ns");
  if (!least || !mean || *least < 0 || *mean < *least) return std::nullopt;
  return Trips{*least, *mean};
}

// What exchanges cost between real machines, from the JSON of `syncline clock probe`: means over
// the hosts that answered, of their least round trips and of the mean round trips of exchanges. A
// way is half a round trip. Errors: kUnreadable; kMalformed where the file is no such JSON, or no
// host in it answered.
Result<void> TakeMeasured(const std::string& path, ScaleModel& m) {
  SYNCLINE_ASSIGN(const auto text, ReadWholeFile(path));
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("hosts") || !json["hosts"].is_array()) {
    return Fail(ErrorCode::kMalformed, "not the JSON of clock probe: it has no list of hosts",
                path);
  }
  Int128 least = 0;
  Int128 mean = 0;
  int64_t hosts = 0;
  for (const nlohmann::json& host : json["hosts"]) {
    const auto trips = TripsOf(host);
    if (!trips) continue;
    least += trips->least_ns;
    mean += trips->mean_ns;
    ++hosts;
  }
  if (hosts == 0) return Fail(ErrorCode::kMalformed, "no host in it has answered", path);
  // Kernel stamps leave out what programs and kernels need besides.
  m.exchange_cost_ns = std::max(m.exchange_cost_ns, static_cast<int64_t>(mean / hosts));
  m.least_delay_ns = static_cast<int64_t>(least / hosts / 2);
  m.mean_excess_ns = static_cast<int64_t>((mean - least) / hosts / 2);
  return {};
}

Result<ScaleModel> ModelOf(const ScaleOptions& o) {
  ScaleModel m = o.model;
  if (!o.measured.empty()) SYNCLINE_TRY(TakeMeasured(o.measured, m));
  m.exchange_cost_ns = o.exchange_cost_ns.value_or(m.exchange_cost_ns);
  m.least_delay_ns = o.least_delay_ns.value_or(m.least_delay_ns);
  m.mean_excess_ns = o.mean_excess_ns.value_or(m.mean_excess_ns);
  SYNCLINE_TRY(Check(m));
  return m;
}

Result<std::vector<ScaleFigures>> Simulate(const ScaleOptions& options, const ScaleModel& model) {
  std::vector<ScaleFigures> rows;
  for (const uint64_t size : options.sizes) {
    for (const GroupStrategy strategy : kGroupStrategies) {
      const auto& wanted = options.strategies;
      if (std::ranges::find(wanted, NameOf(strategy)) == wanted.end()) continue;
      SYNCLINE_ASSIGN(const auto figures, SimulateScale(model, strategy, size));
      if (figures) rows.push_back(*figures);
    }
  }
  return rows;
}

double Ppm(int64_t ppt) { return static_cast<double>(ppt) * 1e-6; }

std::string ModelText(const ScaleModel& m) {
  std::string text =
      fmt::format("Bursts of {} exchanges of {}; a way takes {} and in the mean {} more{}.\n",
                  m.exchanges, FormatDuration(m.exchange_cost_ns), FormatDuration(m.least_delay_ns),
                  FormatDuration(m.mean_excess_ns),
                  m.route_ns == Range{}
                      ? ""
                      : fmt::format(", besides {} to {} of its own", FormatDuration(m.route_ns.low),
                                    FormatDuration(m.route_ns.high)));
  text += fmt::format("Broadcasts of {}, which receivers stamp {} late in the mean.\n",
                      FormatDuration(m.broadcast_cost_ns), FormatDuration(m.spread_ns));
  text += fmt::format(
      "Drifts up to {:g} ppm; bounds allow any two clocks {:g} ppm and messages {}; {}, seed {}.\n",
      Ppm(m.drift_ppt), static_cast<double>(m.max_drift_ppb) * 1e-3,
      m.min_delay_ns == 0 ? "no time at all"
                          : fmt::format("no less than {}", FormatDuration(m.min_delay_ns)),
      FormatCount(m.runs, "run"), m.seed);
  return text;
}

Json ModelJson(const ScaleModel& m) {
  return {SYNCLINE_FIELDS(m, exchanges, exchange_cost_ns, broadcast_cost_ns, least_delay_ns,
                          mean_excess_ns),
          {"route_low_ns", m.route_ns.low},
          {"route_high_ns", m.route_ns.high},
          {"spread_ns", m.spread_ns},
          {"drift_ppm", Ppm(m.drift_ppt)},
          {"max_drift_ppm", static_cast<double>(m.max_drift_ppb) / 1000},
          SYNCLINE_FIELDS(m, min_delay_ns, runs, seed)};
}

std::string ScaleText(const ScaleModel& model, const std::vector<ScaleFigures>& rows) {
  Table table({"processes", Left("strategy"), "rounds", "messages", "time", "RMS error", "largest",
               "± worst"});
  uint64_t last = 0;
  for (const ScaleFigures& f : rows) {
    table.AddRow({f.processes == last ? "" : FormatCount(f.processes), NameOf(f.strategy),
                  FormatCount(f.rounds), FormatCount(f.messages), FormatDuration(f.time_ns),
                  FormatDuration(NearestInteger(f.rms_error_ns)),
                  FormatDuration(f.largest_error_ns), FormatBound(f.worst_bound_ns)});
    last = f.processes;
  }
  return fmt::format("{}\n{}", ModelText(model), table.ToString());
}

std::string ScaleJson(const ScaleModel& model, const std::vector<ScaleFigures>& rows) {
  Json groups = Json::array();
  for (const ScaleFigures& f : rows) {
    groups.push_back({{"processes", f.processes},
                      {"strategy", NameOf(f.strategy)},
                      SYNCLINE_FIELDS(f, rounds, messages, time_ns),
                      {"rms_error_ns", NearestInteger(f.rms_error_ns)},
                      {"largest_error_ns", f.largest_error_ns},
                      {"worst_bound_ns", OrNull(f.worst_bound_ns)},
                      {"outside_bound", f.outside_bound}});
  }
  const Json json = {
      {"syncline", SYNCLINE_VERSION}, {"model", ModelJson(model)}, {"groups", groups}};
  return JsonText(json, 2) + "\n";
}

}  // namespace

void DeclareScaleOptions(CLI::App& command, ScaleOptions& o) {
  const auto add = AdderTo(command);
  const auto ns = [](std::string_view text) { return ParseDuration(text); };
  ScaleModel& m = o.model;
  add("--processes", o.sizes, ParseSizes, "LIST",
      "Sizes of the group, with commas; LO..HI: these and the powers of ten in between")
      ->default_str("2..1000000");
  AddOption(command, "--strategies", o.strategies, "LIST", "Which, with commas")
      ->delimiter(',')
      ->check(CLI::IsMember({"root", "tree", "broadcast"}))
      ->capture_default_str();
  AddOption(command, "--measured", o.measured, "FILE",
            "Take least delay and mean excess from what `syncline clock probe --json FILE` found, "
            "and the cost where it is more than by default; the options below count more");
  add("--exchanges", m.exchanges, ParseSmallCount, "K", "Exchanges in a burst (default: 10)");
  add("--exchange-cost", o.exchange_cost_ns, ns, "T",
      "From the beginning of an exchange to that of the next (default: 12.3us)");
  add("--broadcast-cost", m.broadcast_cost_ns, ns, "T",
      "From one broadcast to the next: until the last one has received it (default: 60us)");
  add("--least-delay", o.least_delay_ns, ns, "T", "The least that a way takes (default: 3.8us)");
  add("--mean-excess", o.mean_excess_ns, ns, "T",
      "What ways take beyond it in the mean, distributed exponentially (default: 2.1us)");
  add("--route", m.route_ns, ParseDurationRange, "LO:HI",
      "More for each way, drawn once: asymmetric ways (default: 0)");
  add("--spread", m.spread_ns, ns, "T",
      "How late receivers stamp a broadcast in the mean, distributed exponentially "
      "(default: 14us)");
  add("--drift", m.drift_ppt, ParseDrift, "PPM", "Clocks drift by at most this (default: 50ppm)");
  add("--max-drift-ppm", m.max_drift_ppb, ParseDriftPpb, "PPM",
      "What bounds allow any two clocks to differ by (default: 200)");
  add("--min-delay", m.min_delay_ns, ns, "T",
      "What bounds take for granted of each way (default: 0)");
  add("--runs", m.runs, ParseSmallCount, "N", "Runs that errors are taken over (default: 10)");
  add("--seed", m.seed, ParseWholeNumber, "N",
      "What is left to chance follows from this number alone")
      ->default_str("1");
  DeclareOutputOptions(command, o, "Write the figures as JSON; - for standard output");
  FinishOptions(command);
  command.footer(kScaleFooter);
}

Result<int> RunScale(const ScaleOptions& options) {
  SYNCLINE_TRY(CheckOutputs({options.json}, {options.measured, options.config}));
  SYNCLINE_ASSIGN(auto json, OptionalOutput(options.json, options.if_exists()));
  SYNCLINE_ASSIGN(const auto model, ModelOf(options));
  SYNCLINE_ASSIGN(const auto rows, Simulate(options, model));
  if (!options.quiet && options.json != "-") {
    SYNCLINE_TRY(PrintText(ScaleText(model, rows), stdout));
  }
  SYNCLINE_TRY(FinishOutput(json, ScaleJson(model, rows)));
  return kExitDone;
}

}  // namespace syncline
