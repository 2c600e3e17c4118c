// syncline clock: what has to do with the clocks of running machines. Each of its commands declares
// itself here and has its own sources in this room.
//
// Tested by: clock_command_test.cc, probe_command_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "cli/optional_output.h"
#include "live/character/characterization.h"
#include "live/exchange/endpoint.h"
#include "live/exchange/exchange_server.h"
#include "live/exchange/packet_key.h"
#include "live/exchange/probe.h"
#include "live/exchange/udp_socket.h"
#include "record/counter/machine_calibration.h"

namespace CLI {
class App;
}

namespace syncline {

// What the commands that exchange packets share of their command lines.
struct ExchangeOptions : OutputOptions {
  std::string key;
  StampWish stamps = StampWish::kKernel;
};
void DeclareExchangeOptions(CLI::App& command, ExchangeOptions& options);

// No key where no file is given.
Result<PacketKey> KeyFrom(const std::string& file);

// HOST or HOST:PORT.
Result<Endpoint> EndpointNamed(const std::string& text,
                               uint16_t default_port = kDefaultExchangePort);

// syncline clock calibrate: what its command line asks for, running it, and what it says.
struct CalibrateOptions : OutputOptions {
  CalibrationPlan plan;
  double bound_ppm = 1;
};

void DeclareCalibrateOptions(CLI::App& command, CalibrateOptions& options);

// Prints the tables and returns the exit code: 0; 3 where the counter is not steady, cores differ,
// or the wanted bound was not reached.
Result<int> RunCalibrate(const CalibrateOptions& options);

std::string CalibrationText(const MachineCalibration& calibration);
std::string CalibrationJson(const MachineCalibration& calibration);

// syncline clock characterize: what its command line asks for, running it, and what it says.
struct CharacterizeOptions : OutputOptions {
  ClockSource source = ClockSource::kCounter;
  ClockSource against = ClockSource::kRealtime;
  std::string peer;  // empty: a clock of this machine
  std::string key;
  uint32_t exchanges = 4;
  int64_t duration_ns = 10'000'000'000;
  std::optional<int64_t> interval_ns;
  std::string plot;
};

void DeclareCharacterizeOptions(CLI::App& command, CharacterizeOptions& options);

// Prints the figures and returns the exit code: 0; 3 where measurements are missing.
Result<int> RunCharacterize(const CharacterizeOptions& options);

std::string CharacterizationText(const ClockCharacterization& c);
// Holds at most 2000 samples, evenly chosen.
std::string CharacterizationJson(const ClockCharacterization& c);
// Empty where there is no character.
std::string CharacterizationPlot(const ClockCharacterization& c);

// syncline clock serve: what its command line asks for, and running it.
struct ServeOptions : ExchangeOptions {
  std::string listen = "127.0.0.1";
  std::optional<uint16_t> port;
  std::string broadcast;
  int64_t rate = 1000;   // per second and address
  ServerOptions server;  // but for addresses, key and rate
};

void DeclareServeOptions(CLI::App& command, ServeOptions& options);

// Serves until it is told to end, and says what it has answered and ignored.
Result<int> RunServe(const ServeOptions& options);

// syncline clock probe: what its command line asks for, running it, and what it says.
struct ProbeOptions : ExchangeOptions {
  std::vector<std::string> hosts;  // HOST, HOST:PORT, or NAME= before them
  std::string broadcast;
  // But for the places, the key, and how many bursts.
  ProbePlan plan = {.own = "local", .spacing_ns = 2'000'000, .interval_ns = 1'000'000'000};
  std::optional<uint64_t> bursts;  // else 5, or without limit where a duration is given
  std::string log;
};

void DeclareProbeOptions(CLI::App& command, ProbeOptions& options);

// Prints what each burst told, and all of them, and returns the exit code: 0; 3 where a host did
// not answer, has no bound, or contradicts the limit of rates; 4 where none answered.
Result<int> RunProbe(const ProbeOptions& options);

// The last burst's and the estimate's figures, one line.
std::string BurstText(const ProbedHost& host);
std::string ProbeText(const ProbeResult& result);
std::string ProbeJson(const ProbeResult& result);

struct ClockOptions {
  CalibrateOptions calibrate;
  ServeOptions serve;
  ProbeOptions probe;
  CharacterizeOptions characterize;
};

// Declares the commands below `clock`, one of which is required.
void DeclareClockCommands(CLI::App& clock, ClockOptions& options);

// Runs the one that was parsed.
Result<int> RunClock(const CLI::App& clock, const ClockOptions& options);

}  // namespace syncline
