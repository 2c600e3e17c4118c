#include "cli/simulate/scale_command.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/optional_output.h"
#include "cli/simulate/measured_costs.h"
#include "cli/simulate/option_reader.h"
#include "cli/simulate/scale_table.h"

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

// LO, the powers of ten in between, HI.
Result<void> AppendRange(SpecScanner& scan, uint64_t low, std::vector<uint64_t>& sizes) {
  const size_t where = scan.position();
  const auto high = scan.Number(kMaxScaleProcesses);
  if (!high) return tl::unexpected(high.error());
  if (*high < low) return scan.ExpectedAt(where, "an upper limit not below the lower one");
  sizes.push_back(low);
  for (uint64_t size = 10; size < *high; size *= 10) {
    if (size > low) sizes.push_back(size);
  }
  if (*high > low) sizes.push_back(*high);
  return {};
}

// Sizes and ranges LO..HI, with commas.
Result<std::vector<uint64_t>> ParseSizes(std::string_view text) {
  SpecScanner scan(text);
  std::vector<uint64_t> sizes;
  do {
    const size_t where = scan.position();
    const auto low = scan.Number(kMaxScaleProcesses);
    if (!low) return tl::unexpected(low.error());
    if (*low < 2) return scan.ExpectedAt(where, "2 or more processes");
    if (!scan.Accept('.')) {
      sizes.push_back(*low);
      continue;
    }
    if (auto dot = scan.Expect('.'); !dot) return tl::unexpected(dot.error());
    if (auto done = AppendRange(scan, *low, sizes); !done) return tl::unexpected(done.error());
  } while (scan.Accept(','));
  if (!scan.AtEnd()) return scan.Expected("',' or the end");
  return sizes;
}

Result<uint32_t> ParseSmallCount(std::string_view text) {
  const auto count = ParseWholeNumber(text);
  if (!count) return tl::unexpected(count.error());
  // Too large either way; the model says what it takes.
  return static_cast<uint32_t>(std::min<uint64_t>(*count, UINT32_MAX));
}

Result<int64_t> ParseDriftPpb(std::string_view text) {
  return ParseDrift(text).map([](int64_t ppt) { return ppt / 1000; });
}

struct Request {
  ScaleModel model;
  std::vector<uint64_t> sizes;
};

Result<Request> ParseScaleOptions(const ScaleOptions& o) {
  Request request;
  ScaleModel& m = request.model;
  if (!o.measured.empty()) {
    const auto costs = ReadMeasuredCosts(o.measured);
    if (!costs) return tl::unexpected(costs.error());
    // Kernel stamps leave out what programs and kernels need besides.
    m.exchange_cost_ns = std::max(m.exchange_cost_ns, costs->exchange_cost_ns);
    m.least_delay_ns = costs->least_delay_ns;
    m.mean_excess_ns = costs->mean_excess_ns;
  }
  OptionReader reader;
  reader.Read("--processes", o.processes, ParseSizes, request.sizes);
  reader.Read("--exchanges", o.exchanges, ParseSmallCount, m.exchanges);
  reader.Read("--exchange-cost", o.exchange_cost, ParseDuration, m.exchange_cost_ns);
  reader.Read("--broadcast-cost", o.broadcast_cost, ParseDuration, m.broadcast_cost_ns);
  reader.Read("--least-delay", o.least_delay, ParseDuration, m.least_delay_ns);
  reader.Read("--mean-excess", o.mean_excess, ParseDuration, m.mean_excess_ns);
  reader.Read("--route", o.route, ParseDurationRange, m.route_ns);
  reader.Read("--spread", o.spread, ParseDuration, m.spread_ns);
  reader.Read("--drift", o.drift, ParseDrift, m.drift_ppt);
  reader.Read("--max-drift-ppm", o.max_drift_ppm, ParseDriftPpb, m.max_drift_ppb);
  reader.Read("--min-delay", o.min_delay, ParseDuration, m.min_delay_ns);
  reader.Read("--runs", o.runs, ParseSmallCount, m.runs);
  reader.Read("--seed", o.seed, ParseWholeNumber, m.seed);
  if (reader.error()) return tl::unexpected(*reader.error());
  if (auto fits = Check(m); !fits) return tl::unexpected(fits.error());
  return request;
}

Result<ScaleTable> Simulate(const ScaleOptions& options) {
  const auto request = ParseScaleOptions(options);
  if (!request) return tl::unexpected(request.error());
  ScaleTable table{request->model, {}};
  for (const uint64_t size : request->sizes) {
    for (const GroupStrategy strategy : kGroupStrategies) {
      const auto& wanted = options.strategies;
      if (std::find(wanted.begin(), wanted.end(), NameOf(strategy)) == wanted.end()) continue;
      const auto figures = SimulateScale(request->model, strategy, size);
      if (!figures) return tl::unexpected(figures.error());
      if (*figures) table.rows.push_back(**figures);
    }
  }
  return table;
}

void DeclareCosts(CLI::App& command, ScaleOptions& o) {
  const auto add = [&command](const char* name, std::string& value, const char* type,
                              const char* help) {
    command.add_option(name, value, help)->type_name(type);
  };
  add("--measured", o.measured, "FILE",
      "Take least delay and mean excess from what `syncline clock probe --json FILE` found, and "
      "the "
      "cost where it is more than by default; the options below count more");
  add("--exchanges", o.exchanges, "K", "Exchanges in a burst (default: 10)");
  add("--exchange-cost", o.exchange_cost, "T",
      "From the beginning of an exchange to that of the next (default: 12.3us)");
  add("--broadcast-cost", o.broadcast_cost, "T",
      "From one broadcast to the next: until the last one has received it (default: 60us)");
  add("--least-delay", o.least_delay, "T", "The least that a way takes (default: 3.8us)");
  add("--mean-excess", o.mean_excess, "T",
      "What ways take beyond it in the mean, distributed exponentially (default: 2.1us)");
  add("--route", o.route, "LO:HI", "More for each way, drawn once: asymmetric ways (default: 0)");
  add("--spread", o.spread, "T",
      "How late receivers stamp a broadcast in the mean, distributed exponentially "
      "(default: 14us)");
  add("--drift", o.drift, "PPM", "Clocks drift by at most this (default: 50ppm)");
  add("--max-drift-ppm", o.max_drift_ppm, "PPM",
      "What bounds allow any two clocks to differ by (default: 200)");
  add("--min-delay", o.min_delay, "T", "What bounds take for granted of each way (default: 0)");
}

}  // namespace

void DeclareScaleOptions(CLI::App& command, ScaleOptions& o) {
  const auto add = [&command](const char* name, std::string& value, const char* type,
                              const char* help) {
    return command.add_option(name, value, help)->type_name(type);
  };
  add("--processes", o.processes, "LIST",
      "Sizes of the group, with commas; LO..HI: these and the powers of ten in between")
      ->capture_default_str();
  command.add_option("--strategies", o.strategies, "Which, with commas")
      ->type_name("LIST")
      ->delimiter(',')
      ->check(CLI::IsMember({"root", "tree", "broadcast"}))
      ->capture_default_str();
  DeclareCosts(command, o);
  add("--runs", o.runs, "N", "Runs that errors are taken over (default: 10)");
  add("--seed", o.seed, "N", "What is left to chance follows from this number alone")
      ->capture_default_str();
  DeclareOutputOptions(command, o, "Write the figures as JSON; - for standard output");
  FinishOptions(command);
  command.footer(kScaleFooter);
}

Result<int> RunScale(const ScaleOptions& options) {
  auto json = OptionalOutput(options.json, options.force ? IfExists::kReplace : IfExists::kFail);
  if (!json) return tl::unexpected(json.error());
  const auto table = Simulate(options);
  if (!table) return tl::unexpected(table.error());
  if (!options.quiet && options.json != "-") fmt::print("{}", ScaleText(*table));
  if (auto done = FinishOutput(*json, ScaleJson(*table)); !done) {
    return tl::unexpected(done.error());
  }
  return kExitDone;
}

}  // namespace syncline
