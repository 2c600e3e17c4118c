// syncline simulate: traces of processes whose true clocks are known.
#include "cli/simulate/simulate_command.h"

#include <array>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/compression.h"
#include "base/duration_text.h"
#include "base/output_folder.h"
#include "base/replace_together.h"
#include "base/temporaries.h"
#include "base/terminal_text.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/parsed_option.h"
#include "cli/simulate/range_text.h"
#include "simulate/chrome_trace_writer.h"
#include "simulate/otf2_trace_writer.h"
#include "simulate/simulation.h"
#include "simulate/truth_writer.h"
#include "write/text/text_writer.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSimulateFooter =
    R"(Scenarios, and what they do when nothing else is asked for:
  grid           4 x 5 processes, 120 steps: compute the border (--border 200us:400us), send to
                 the four neighbours, compute the rest (--rest 2ms:4ms), receive; --delay 250us:500us
  ticks          a message runs along 20 processes and back every --period 10ms, --delay 250us,
                 overhead 1ns, 100 loops; every clock shows multiples of the period only
  two            two processes send to each other every --period 100ms, --delay 0; clock 1 starts
                 behind (--behind 1ms) and runs faster (--faster 100ppm); 200 steps
  ring           8 processes, 100 steps: compute (--compute 500us:1500us), send right, receive left
  client-server  process 0 serves 4 clients (--service 100us:300us), which think
                 (--compute 1ms:5ms), ask and wait; 100 requests each
  random         8 processes in 100 steps, each with another random partner

Clocks: WHICH:PART[+PART...], WHICH being *, a process or FIRST-LAST. Options add up. Parts:
  offset=1ms             ahead (behind with -); offset=~1ms: drawn from -1ms to 1ms
  drift=20ppm            fast; drift=~20ppm: drawn; drift=20ppm,-5ppm@10s: another one from 10 s on
  steps=20ppm/1s         another drift from -20 to 20 ppm every second
  walk=0.1ppm/1s         a drift that wanders by up to 0.1 ppm a second, within 100 times that
  sine=1ms/60s           ahead by 1 ms times a sine of period 60 s
  slew=20ppm/64s         fast, and slewed back at 500 ppm every 64 s
  jump=-5ms@2s           stepped after 2 s
  tick=10ms, tick=10ms@3ms   shows multiples of 10 ms (plus 3 ms) only
  hz=24000000            counts ticks of 1/24000000 s
  For example: --clock '*:drift=~50ppm' --clock '3:offset=1ms+sine=200us/10s'

Durations take ns, us, ms, s, min, h; LO:HI is drawn anew each time; one value is fixed.
Exit codes: 0 done; 1 wrong usage; 2 an output cannot be written.)";

Result<GridSize> ParseGrid(std::string_view text) {
  TextScanner scan(text);
  GridSize grid;
  grid.rows = static_cast<uint32_t>(scan.Number(kMaxProcesses));
  scan.Expect('x');
  grid.columns = static_cast<uint32_t>(scan.Number(kMaxProcesses));
  return scan.Finish(grid);
}

void DeclareScenario(CLI::App& command, ScenarioOptions& s) {
  const auto add = AdderTo(command);
  add("--seed", s.seed, ParseWholeNumber, "N",
      "What is left to chance follows from this number alone")
      ->default_str("1");
  add("--processes", s.processes, ParseSmallCount, "N", "How many processes");
  add("--grid", s.grid, ParseGrid, "N1xN2", "Rows and columns of the grid");
  add("--steps", s.steps, ParseWholeNumber, "N",
      "How many steps, loops or requests every process takes");
  add("--events", s.events, ParseWholeNumber, "N",
      "End with the step in which this many events are recorded");
  add("--group-size", s.group_size, ParseSmallCount, "N",
      "Every other one of the --collectives is one of N processes that follow each other");
  const auto take_clocks = [&s](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      auto clock = ParseClockAssignment(text);
      if (!clock) throw CLI::ValidationError("--clock", clock.error().message);
      s.clocks.push_back(std::move(*clock));
    }
  };
  command
      .add_option_function<std::vector<std::string>>("--clock", take_clocks,
                                                     "A clock model; may be repeated; see below")
      ->type_name("WHICH:MODEL")
      ->allow_extra_args(false);
  add("--delay", s.delay_ns, ParseDurationRange, "LO:HI", "How long messages travel");
  add("--route", s.route_ns, ParseDurationRange, "LO:HI",
      "More delay for each way from one process to another, drawn once: asymmetric delays");
  add("--neighbours", s.neighbours, ParseSmallCount, "K",
      "random: each process has K partners, of K/2 random rings (2: a ring; default: all others)");
  add("--wrong-matches", s.wrong_matches_ppb, ParseShare, "SHARE",
      "Let this share of the messages be received by another one's number (0.001: one in a "
      "thousand)");
  const auto ns = [](std::string_view text) { return ParseDuration(text); };
  add("--per-byte", s.ps_per_byte, ns, "PS", "Picoseconds more for every byte of a message");
  add("--bytes", s.bytes, ParseCountRange, "LO:HI", "How large messages are (default: 1024)");
  add("--overhead", s.overhead_ns, ns, "T", "How long a send or receive call takes (default: 1us)");
  add("--border", s.border_ns, ParseDurationRange, "LO:HI",
      "grid: computing time before the sends");
  add("--rest", s.rest_ns, ParseDurationRange, "LO:HI", "grid: computing time after the sends");
  add("--compute", s.compute_ns, ParseDurationRange, "LO:HI", "Computing time per step");
  add("--service", s.service_ns, ParseDurationRange, "LO:HI",
      "client-server: how long a request takes");
  add("--period,--tau", s.period_ns, ns, "T",
      "ticks, two: time from one loop or exchange to the next");
  add("--behind", s.behind_ns, ns, "T", "two: how far clock 1 is behind at the start");
  add("--faster", s.faster_ppt, ParseDrift, "PPM", "two: how much faster clock 1 runs");
  add("--collectives", s.collectives_every, ParseWholeNumber, "K",
      "grid, ring, random: a group operation of all processes every K steps; barrier, bcast, "
      "reduce, allreduce, scan, scatter, gather, allgather, alltoall take turns");
  AddChoice<std::optional<Detail>, Detail>(
      command, "--detail", s.detail,
      {{"messages", Detail::kMessages}, {"regions", Detail::kRegions}, {"calls", Detail::kCalls}},
      "What is recorded. messages: these and group operations alone; regions: also computing and "
      "where a process starts to wait; calls: also MPI_Send and the like around them (default: "
      "regions; messages for ticks and two; calls for otf2 and chrome)")
      ->type_name("");
  add("--start", s.start_ns, ns, "T", "True time of the start (default: 0)");
}

// What takes more options than one to decide.
Result<ScenarioOptions> ScenarioOf(const SimulateOptions& o) {
  ScenarioOptions scenario = o.scenario;
  scenario.kind = *o.kind;
  if (o.format != SimulatedFormat::kText) {
    const char* name = o.format == SimulatedFormat::kOtf2 ? "otf2" : "chrome";
    if (scenario.detail.value_or(Detail::kCalls) != Detail::kCalls) {
      return Fail(ErrorCode::kUsage, fmt::format("--format {} records --detail calls", name));
    }
    if (scenario.wrong_matches_ppb != 0 && o.format == SimulatedFormat::kOtf2) {
      return Fail(ErrorCode::kUsage,
                  "--wrong-matches goes without --format otf2: MPI messages have no numbers");
    }
    if (scenario.group_size != 0 && o.format == SimulatedFormat::kOtf2) {
      return Fail(ErrorCode::kUsage, "--group-size goes without --format otf2");
    }
    scenario.detail = Detail::kCalls;
  }
  // More would fill any disk before it ends.
  constexpr uint64_t kMostSteps = 1'000'000'000, kMostEvents = 100'000'000'000;
  if (scenario.steps > kMostSteps || scenario.events > kMostEvents) {
    return Fail(ErrorCode::kUsage, fmt::format("at most {} --steps and {} --events are simulated",
                                               kMostSteps, kMostEvents));
  }
  return scenario;
}

Result<void> WriteTruthOf(const Simulation& simulation, OutputFile& truth) {
  if (simulation.error()) return tl::unexpected(*simulation.error());
  return WriteTruth(simulation, ByteSink(truth));
}

Result<void> WriteText(Simulation& simulation, const std::string& path, IfExists if_exists,
                       OutputFile truth) {
  SYNCLINE_ASSIGN(auto trace, OutputFile::Create(path, if_exists));
  TextWriter writer{ByteSink(trace)};
  SYNCLINE_TRY(writer.Declare(simulation.traces()));
  while (const SimulatedEvent* next = simulation.Next()) {
    SYNCLINE_TRY(writer.Write(next->event, simulation.names()));
  }
  SYNCLINE_TRY(writer.Finish());
  SYNCLINE_TRY(WriteTruthOf(simulation, truth));
  std::array outputs = {std::move(trace), std::move(truth)};
  return CommitTogether(outputs);
}

Result<void> WriteArchive(Simulation& simulation, const std::string& folder, IfExists if_exists,
                          OutputFile truth) {
  SYNCLINE_ASSIGN(const OutputFolder trace, WriteOtf2Trace(simulation, folder, if_exists));
  SYNCLINE_TRY(WriteTruthOf(simulation, truth));
  const HeldTemporaries held = HoldTemporaries();
  std::vector<Replacement> changes = {trace.Finish()};
  SYNCLINE_ASSIGN(const std::optional<Replacement> of_truth, truth.Finish());
  if (of_truth) changes.push_back(*of_truth);
  return ReplaceTogether(changes);
}

// A file is open for each process.
constexpr size_t kMostRanks = 500;

Result<void> WriteChrome(Simulation& simulation, const std::string& folder, IfExists if_exists,
                         OutputFile truth) {
  const auto& clocks = simulation.traces().clocks;
  if (clocks.size() > kMostRanks) {
    return Fail(ErrorCode::kUsage,
                fmt::format("--format chrome takes at most {} processes", kMostRanks));
  }
  std::vector<OutputFile> files;
  for (const Clock& clock : clocks) {
    SYNCLINE_ASSIGN(
        auto file,
        OutputFile::Create((fs::path(folder) / (clock.name + ".json")).string(), if_exists));
    files.push_back(std::move(file));
  }
  SYNCLINE_TRY(WriteChromeTraces(simulation, files));
  SYNCLINE_TRY(WriteTruthOf(simulation, truth));
  files.push_back(std::move(truth));
  return CommitTogether(files);
}

Result<int> WriteTrace(const SimulateOptions& o) {
  if (o.output_folder == "-") {
    return Fail(ErrorCode::kUsage, "-o needs a folder, not standard output");
  }
  if (CompressionOfName(o.output_folder) != Compression::kNone) {
    return Fail(ErrorCode::kUsage, "-o is a folder, which is not compressed", o.output_folder);
  }
  SYNCLINE_ASSIGN(const auto scenario, ScenarioOf(o));
  SYNCLINE_ASSIGN(auto simulation, Simulation::Create(scenario));
  SYNCLINE_ASSIGN(const MadeFolders made, MadeFolders::Make(o.output_folder));
  SYNCLINE_TRY(FinishReplacing(o.output_folder));
  const auto in_folder = [&o](const char* name) {
    return (fs::path(o.output_folder) / name).string();
  };
  SYNCLINE_ASSIGN(auto truth, OutputFile::Create(in_folder("truth.json"), o.if_exists()));
  std::string written = in_folder("trace.txt");
  switch (o.format) {
    case SimulatedFormat::kText:
      SYNCLINE_TRY(WriteText(simulation, written, o.if_exists(), std::move(truth)));
      break;
    case SimulatedFormat::kOtf2:
      SYNCLINE_TRY(WriteArchive(simulation, in_folder("trace"), o.if_exists(), std::move(truth)));
      written = in_folder("trace/traces.otf2");
      break;
    case SimulatedFormat::kChrome:
      SYNCLINE_TRY(WriteChrome(simulation, o.output_folder, o.if_exists(), std::move(truth)));
      written = fmt::format("{} to c{}.json", in_folder("c0.json"),
                            simulation.traces().clocks.size() - 1);
      break;
  }
  if (o.quiet) return kExitDone;
  const double seconds = static_cast<double>(simulation.now_ns() - simulation.start_ns()) / 1e9;
  SYNCLINE_TRY(PrintText(
      fmt::format("{}: {} processes, {} events, {} messages in {:.3f} s\nwrote {} and {}\n",
                  ScenarioName(scenario.kind), simulation.traces().processes.size(),
                  simulation.events(), simulation.messages(), seconds, written,
                  in_folder("truth.json")),
      stdout));
  return kExitDone;
}

}  // namespace

void DeclareSimulateOptions(CLI::App& command, SimulateOptions& o) {
  std::vector<std::pair<std::string, ScenarioKind>> scenarios;
  for (const ScenarioKind kind : kScenarioKinds) scenarios.emplace_back(ScenarioName(kind), kind);
  // Not ->required(): the parser would take the command below for a scenario.
  AddChoice(command, "SCENARIO", o.kind, scenarios, "What the processes do; see below")
      ->type_name("");
  CLI::Option* output = AddOption(command, "-o,--output", o.output_folder, "DIR",
                                  "Folder for the trace and truth.json")
                            ->required();
  AddChoice<SimulatedFormat, SimulatedFormat>(
      command, "--format", o.format,
      {{"text", SimulatedFormat::kText},
       {"otf2", SimulatedFormat::kOtf2},
       {"chrome", SimulatedFormat::kChrome}},
      HasOtf2Writer()
          ? "text: DIR/trace.txt; otf2: the archive DIR/trace/traces.otf2; chrome: DIR/c0.json and "
            "so on, a profile for each rank as PyTorch's profiler writes it"
          : "text: DIR/trace.txt; chrome: DIR/c0.json and so on, a profile for each rank as "
            "PyTorch's profiler writes it; otf2 is not in this build")
      ->type_name("")
      ->default_str("text");
  DeclareScenario(command, o.scenario);
  command.add_flag("--quiet,-q", o.quiet, "Print errors only");
  command.add_flag("--force,-f", o.force, "Replace existing outputs");
  AddOption(command, "--config", o.config, "FILE",
            "Read options from this file, lines of NAME = VALUE without the dashes; what the "
            "command line says counts more");
  FinishOptions(command);
  command.get_option("--clock")->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.footer(kSimulateFooter);

  CLI::App* scale = command.add_subcommand(
      "scale",
      "Write no trace: tell what measuring the offsets of 2 to 10^7 clocks costs, and how "
      "far they are wrong then");
  DeclareScaleOptions(*scale, o.scale);
  scale->preparse_callback([&o, output](size_t) {
    o.wants_scale = true;
    output->required(false);
  });
  command.callback([&o] {
    if (!o.kind && !o.wants_scale) throw CLI::RequiredError("SCENARIO");
  });
}

Result<int> RunSimulate(const SimulateOptions& options) {
  return options.wants_scale ? RunScale(options.scale) : WriteTrace(options);
}

}  // namespace syncline
