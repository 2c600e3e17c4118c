#include <cmath>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "base/file.h"
#include "base/parse_number.h"
#include "base/try.h"
#include "cli/common_options.h"
#include "cli/concurrency/concurrency_command.h"
#include "cli/options.h"
#include "cli/report/report_command.h"

namespace syncline {
namespace {

constexpr const char* kConcurrencyFooter =
    R"(Shows how concurrent a computation was, and where it lost time waiting: measures of every
region between two message events, of every process and of the whole. Only durations on each
process's own clock are used, so the inputs need no correction. Clocks are estimated only where
messages form a cycle, or spans of servers may end late, to tell which ones are wrong: the options
from --group to --reference say how, as with check.
  syncline concurrency archive/traces.otf2
  syncline concurrency a.pcap b.pcap --waits replies
  syncline concurrency hostA hostB --match 'msg:send(id) -> msg:recv(id)' --waits receives

Exit codes: 0 done; 1 wrong usage; 2 input unreadable; 3 done, with a stated weakness (no waits are
recorded, data lost in the input, messages that form a cycle left out).)";

class SpeedReader {
 public:
  SpeedReader(const std::string& path, const TraceSet& traces)
      : path_(path), speeds_(traces.processes.size()), is_given_(traces.processes.size()) {
    for (uint32_t i = 0; i < traces.processes.size(); ++i) {
      numbers_.emplace(traces.processes[i].name, i);
    }
  }

  Result<std::vector<RelativeSpeed>> Read(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      ++line_;
      SYNCLINE_TRY(ReadLine(line.substr(0, line.find('#'))));
    }
    return speeds_;
  }

 private:
  Result<void> ReadLine(const std::string& line) {
    std::istringstream words(line);
    std::string process;
    std::string speed;
    std::string rest;
    if (!(words >> process)) return {};
    words >> speed >> rest;
    const auto value = ParseNumber<double>(speed);
    if (!value || !rest.empty()) return Refuse("expected PROCESS SPEED");
    const double billionths = std::round(*value * 1e9);
    if (!(billionths >= 1 && billionths <= 1e9)) return Refuse("a speed is above 0 and at most 1");
    const auto number = numbers_.find(process);
    if (number == numbers_.end()) {
      return Refuse(fmt::format("the inputs have no process '{}'", process));
    }
    if (is_given_[number->second]) {
      return Refuse(fmt::format("process '{}' already has a speed", process));
    }
    is_given_[number->second] = true;
    speeds_[number->second].billionths = static_cast<int64_t>(billionths);
    return {};
  }

  tl::unexpected<Error> Refuse(std::string message) const {
    return Fail(ErrorCode::kMalformed, std::move(message), path_, LineColumn{line_, 1});
  }

  const std::string& path_;
  std::map<std::string, uint32_t> numbers_;
  std::vector<RelativeSpeed> speeds_;
  std::vector<bool> is_given_;
  uint64_t line_ = 0;
};

}  // namespace

Result<std::vector<RelativeSpeed>> ReadSpeeds(const std::string& path, const TraceSet& traces) {
  SYNCLINE_ASSIGN(auto text, ReadWholeFile(path));
  return SpeedReader(path, traces).Read(text);
}

void DeclareConcurrencyOptions(CLI::App& command, ConcurrencyCommandOptions& o) {
  AddOption(command, "INPUT", o.estimate.inputs,
            "Traces, as for sync: OTF2 (the .otf2 file), CTF (folders), Syncline text, pcap, "
            "pcapng; a file, a folder of files, or NAME=PATH")
      ->required();
  AddOption(command, "--waits", o.waits,
            "What counts as waiting. recorded: what the traces say (`block` lines, waiting "
            "calls of MPI); replies: besides, from a message to the answers that follow "
            "it directly, as requests in captures; receives: besides, all time before a "
            "receive, since the message event before it or the process's first event")
      ->check(CLI::IsMember({"recorded", "replies", "receives"}))
      ->capture_default_str();
  AddOption(command, "--speeds", o.speeds, "FILE",
            "Relative speeds of the processors: lines PROCESS SPEED, 0 < SPEED <= 1; 1 "
            "where none is given");
  AddOption(command, "--regions", o.regions, "N",
            "How many regions, waits and pairs of processes are listed, the worst first")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  AddOption(command, "--max-cuts", o.max_cuts, "N",
            "Count the consistent cuts, for Charron-Bost's measure, up to so many; 0: do not")
      ->check(CLI::Range(uint64_t{0}, uint64_t{100'000'000}))
      ->capture_default_str();
  AddOption(command, "--clock-per", o.estimate.clock_per,
            "OTF2: whose timestamps are one clock's, as with sync. Forks, joins and barriers of "
            "threads are seen where the threads have clocks of their own")
      ->check(CLI::IsMember({"process", "node", "location"}))
      ->default_str("location");
  AddOption(command, "--clock-by", o.estimate.clock_by, "ATTRIBUTE",
            "Spans: the attribute of resources that tells machines apart, as with sync");
  DeclareRuleOptions(command, o.estimate);
  DeclareClockOptions(command, o.estimate);
  AddOption(command, "--csv", o.csv, "FILE",
            "Write every region as a line of CSV; - for standard output");
  command.add_flag("--quote-formulas", o.quote_formulas,
                   "--csv: put ' before names that spreadsheets would take for formulas, as with "
                   "convert");
  DeclareReportOption(command, o.report,
                      "Also write a page that shows all measures, and where time was lost. One "
                      "file, for any browser");
  DeclareCommonOptions(command, o.estimate, "Write all measures as JSON; - for standard output");
  FinishOptions(command);
  command.footer(kConcurrencyFooter);
}

}  // namespace syncline
