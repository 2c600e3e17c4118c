// syncline simulate: traces of processes whose true clocks are known.
#include "cli/simulate/simulate_command.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/simulate/option_reader.h"
#include "simulate/otf2_trace_writer.h"
#include "simulate/scenario.h"
#include "simulate/simulation.h"
#include "simulate/spec_scanner.h"
#include "simulate/truth_writer.h"
#include "write/text/text_writer.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

Result<GridSize> ParseGrid(std::string_view text) {
  SpecScanner scan(text);
  const auto rows = scan.Number(kMaxProcesses);
  if (!rows) return tl::unexpected(rows.error());
  if (auto by = scan.Expect('x'); !by) return tl::unexpected(by.error());
  const auto columns = scan.Number(kMaxProcesses);
  if (!columns) return tl::unexpected(columns.error());
  if (!scan.AtEnd()) return scan.Expected("the end");
  return GridSize{static_cast<uint32_t>(*rows), static_cast<uint32_t>(*columns)};
}

std::optional<Detail> DetailOf(const SimulateOptions& o) {
  if (o.detail == "messages") return Detail::kMessages;
  if (o.detail == "regions") return Detail::kRegions;
  if (o.detail == "calls" || o.format == "otf2") return Detail::kCalls;
  return std::nullopt;
}

Result<ScenarioOptions> ParseScenarioOptions(const SimulateOptions& o) {
  ScenarioOptions scenario;
  const auto kind = ScenarioFromName(o.scenario);
  if (!kind) return Fail(ErrorCode::kUsage, fmt::format("no scenario '{}'", o.scenario));
  if (o.format == "otf2" && !o.detail.empty() && o.detail != "calls") {
    return Fail(ErrorCode::kUsage, "--format otf2 records --detail calls");
  }
  if (o.format == "otf2" && !o.wrong_matches.empty()) {
    return Fail(ErrorCode::kUsage,
                "--wrong-matches needs --format text: MPI messages have no numbers");
  }
  scenario.kind = *kind;
  scenario.detail = DetailOf(o);
  OptionReader reader;
  std::optional<uint64_t> processes;
  std::optional<uint64_t> neighbours;
  reader.Read("--seed", o.seed, ParseWholeNumber, scenario.seed);
  reader.Read("--processes", o.processes, ParseWholeNumber, processes);
  reader.Read("--grid", o.grid, ParseGrid, scenario.grid);
  reader.Read("--steps", o.steps, ParseWholeNumber, scenario.steps);
  reader.Read("--events", o.events, ParseWholeNumber, scenario.events);
  reader.Read("--delay", o.delay, ParseDurationRange, scenario.delay_ns);
  reader.Read("--neighbours", o.neighbours, ParseWholeNumber, neighbours);
  reader.Read("--route", o.route, ParseDurationRange, scenario.route_ns);
  reader.Read("--wrong-matches", o.wrong_matches, ParseShare, scenario.wrong_matches_ppb);
  reader.Read("--per-byte", o.per_byte, ParseDuration, scenario.ps_per_byte);
  reader.Read("--bytes", o.bytes, ParseCountRange, scenario.bytes);
  reader.Read("--overhead", o.overhead, ParseDuration, scenario.overhead_ns);
  reader.Read("--border", o.border, ParseDurationRange, scenario.border_ns);
  reader.Read("--rest", o.rest, ParseDurationRange, scenario.rest_ns);
  reader.Read("--compute", o.compute, ParseDurationRange, scenario.compute_ns);
  reader.Read("--service", o.service, ParseDurationRange, scenario.service_ns);
  reader.Read("--period", o.period, ParseDuration, scenario.period_ns);
  reader.Read("--behind", o.behind, ParseDuration, scenario.behind_ns);
  reader.Read("--faster", o.faster, ParseDrift, scenario.faster_ppt);
  reader.Read("--collectives", o.collectives, ParseWholeNumber, scenario.collectives_every);
  reader.Read("--start", o.start, ParseDuration, scenario.start_ns);
  for (const std::string& clock : o.clocks) {
    scenario.clocks.emplace_back();
    reader.Read("--clock", clock, ParseClockAssignment, scenario.clocks.back());
  }
  if (reader.error()) return tl::unexpected(*reader.error());
  // More would fill any disk before it ends.
  constexpr uint64_t kMostSteps = 1'000'000'000, kMostEvents = 100'000'000'000;
  if (scenario.steps > kMostSteps || scenario.events > kMostEvents) {
    return Fail(ErrorCode::kUsage, fmt::format("at most {} --steps and {} --events are simulated",
                                               kMostSteps, kMostEvents));
  }
  if (processes) {
    scenario.processes = static_cast<uint32_t>(std::min<uint64_t>(*processes, kMaxProcesses + 1));
  }
  if (neighbours) {
    scenario.neighbours = static_cast<uint32_t>(std::min<uint64_t>(*neighbours, kMaxProcesses + 2));
  }
  return scenario;
}

class SimulateRun {
 public:
  explicit SimulateRun(const SimulateOptions& options) : options_(options) {}

  Result<int> Run() {
    const auto scenario = ParseScenarioOptions(options_);
    if (!scenario) return tl::unexpected(scenario.error());
    auto simulation = Simulation::Create(*scenario);
    if (!simulation) return tl::unexpected(simulation.error());
    if (auto made = MakeFolder(); !made) return tl::unexpected(made.error());
    auto truth = OutputFile::Create(In("truth.json"), if_exists_);
    if (!truth) return tl::unexpected(truth.error());
    auto done =
        options_.format == "otf2" ? WriteOtf2(*simulation, *truth) : WriteText(*simulation, *truth);
    if (!done) return tl::unexpected(done.error());
    return kExitDone;
  }

 private:
  std::string In(const std::string& name) const {
    return (fs::path(options_.output_folder) / name).string();
  }

  Result<void> MakeFolder() const {
    std::error_code error;
    fs::create_directories(options_.output_folder, error);
    if (!error) return {};
    return Fail(ErrorCode::kUnreadable, "cannot create the folder: " + error.message(),
                options_.output_folder);
  }

  Result<void> WriteText(Simulation& simulation, OutputFile& truth) const {
    auto trace = OutputFile::Create(In("trace.txt"), if_exists_);
    if (!trace) return tl::unexpected(trace.error());
    TextWriter writer{ByteSink(*trace)};
    if (auto done = writer.Declare(simulation.traces()); !done) return done;
    while (const SimulatedEvent* next = simulation.Next()) {
      if (auto done = writer.Write(next->event, simulation.names()); !done) return done;
    }
    if (auto done = writer.Finish(); !done) return done;
    if (auto done = EndWith(simulation, truth); !done) return done;
    if (auto done = trace->Commit(); !done) return done;
    if (auto done = truth.Commit(); !done) return done;
    Print(simulation, trace->path());
    return {};
  }

  Result<void> WriteOtf2(Simulation& simulation, OutputFile& truth) const {
    auto writer = Otf2TraceWriter::Create(In("trace"), simulation, if_exists_);
    if (!writer) return tl::unexpected(writer.error());
    while (const SimulatedEvent* next = simulation.Next()) {
      if (auto done = writer->Write(*next); !done) return done;
    }
    if (auto done = EndWith(simulation, truth); !done) return done;
    if (auto done = writer->Finish(); !done) return done;
    if (auto done = truth.Commit(); !done) return done;
    Print(simulation, In("trace/traces.otf2"));
    return {};
  }

  static Result<void> EndWith(const Simulation& simulation, OutputFile& truth) {
    if (simulation.error()) return tl::unexpected(*simulation.error());
    return WriteTruth(simulation, ByteSink(truth));
  }

  void Print(const Simulation& simulation, const std::string& trace) const {
    if (options_.quiet) return;
    const double seconds = static_cast<double>(simulation.now_ns() - simulation.start_ns()) / 1e9;
    fmt::print("{}: {} processes, {} events, {} messages in {:.3f} s\nwrote {} and {}\n",
               options_.scenario, simulation.traces().processes.size(), simulation.events(),
               simulation.messages(), seconds, trace, In("truth.json"));
  }

  const SimulateOptions& options_;
  IfExists if_exists_ = options_.force ? IfExists::kReplace : IfExists::kFail;
};

}  // namespace

Result<int> RunSimulate(const SimulateOptions& options) {
  return options.wants_scale ? RunScale(options.scale) : SimulateRun(options).Run();
}

}  // namespace syncline
