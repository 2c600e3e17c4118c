#include <CLI/CLI.hpp>

#include "cli/options.h"
#include "cli/simulate/simulate_command.h"
#include "simulate/otf2_trace_writer.h"

namespace syncline {
namespace {

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

}  // namespace

void DeclareSimulateOptions(CLI::App& command, SimulateOptions& o) {
  const auto add = [&command](const char* name, std::string& value, const char* type,
                              const char* help) {
    return command.add_option(name, value, help)->type_name(type);
  };
  // Not ->required(): the parser would take the command below for a scenario.
  add("SCENARIO", o.scenario, "", "What the processes do; see below")
      ->check(CLI::IsMember({"grid", "ticks", "two", "ring", "client-server", "random"}));
  CLI::Option* output =
      add("-o,--output", o.output_folder, "DIR", "Folder for the trace and truth.json")->required();
  add("--format", o.format, "",
      HasOtf2Writer() ? "text: DIR/trace.txt; otf2: the archive DIR/trace/traces.otf2"
                      : "text: DIR/trace.txt; otf2 is not in this build")
      ->check(CLI::IsMember({"text", "otf2"}))
      ->capture_default_str();
  add("--seed", o.seed, "N", "What is left to chance follows from this number alone")
      ->capture_default_str();
  add("--processes", o.processes, "N", "How many processes");
  add("--grid", o.grid, "N1xN2", "Rows and columns of the grid");
  add("--steps", o.steps, "N", "How many steps, loops or requests every process takes");
  add("--events", o.events, "N", "End with the step in which this many events are recorded");
  CLI::Option* clock =
      command.add_option("--clock", o.clocks, "A clock model; may be repeated; see below")
          ->type_name("WHICH:MODEL")
          ->allow_extra_args(false);
  add("--delay", o.delay, "LO:HI", "How long messages travel");
  add("--route", o.route, "LO:HI",
      "More delay for each way from one process to another, drawn once: asymmetric delays");
  add("--neighbours", o.neighbours, "K",
      "random: each process has K partners, of K/2 random rings (2: a ring; default: all others)");
  add("--wrong-matches", o.wrong_matches, "SHARE",
      "Let this share of the messages be received by another one's number (0.001: one in a "
      "thousand)");
  add("--per-byte", o.per_byte, "PS", "Picoseconds more for every byte of a message");
  add("--bytes", o.bytes, "LO:HI", "How large messages are (default: 1024)");
  add("--overhead", o.overhead, "T", "How long a send or receive call takes (default: 1us)");
  add("--border", o.border, "LO:HI", "grid: computing time before the sends");
  add("--rest", o.rest, "LO:HI", "grid: computing time after the sends");
  add("--compute", o.compute, "LO:HI", "Computing time per step");
  add("--service", o.service, "LO:HI", "client-server: how long a request takes");
  add("--period,--tau", o.period, "T", "ticks, two: time from one loop or exchange to the next");
  add("--behind", o.behind, "T", "two: how far clock 1 is behind at the start");
  add("--faster", o.faster, "PPM", "two: how much faster clock 1 runs");
  add("--collectives", o.collectives, "K",
      "grid, ring, random: a group operation of all processes every K steps; barrier, bcast, "
      "reduce, allreduce, scan, scatter, gather, allgather, alltoall take turns");
  add("--detail", o.detail, "",
      "What is recorded. messages: these and group operations alone; regions: also computing and "
      "where a process starts to wait; calls: also MPI_Send and the like around them (default: "
      "regions; messages for ticks and two; calls for otf2)")
      ->check(CLI::IsMember({"messages", "regions", "calls"}));
  add("--start", o.start, "T", "True time of the start (default: 0)");
  command.add_flag("--quiet,-q", o.quiet, "Print errors only");
  command.add_flag("--force,-f", o.force, "Replace existing outputs");
  add("--config", o.config, "FILE",
      "Read options from this file, lines of NAME = VALUE without the dashes; what the command "
      "line says counts more");
  FinishOptions(command);
  clock->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
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
    if (o.scenario.empty() && !o.wants_scale) throw CLI::RequiredError("SCENARIO");
  });
}

}  // namespace syncline
