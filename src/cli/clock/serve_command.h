// syncline clock serve: what its command line asks for, and running it.
//
// Tested by: probe_command_test.cc.
#pragma once

#include <string>

#include "syncline/result.h"

#include "cli/clock/exchange_options.h"

namespace CLI {
class App;
}

namespace syncline {

// Values as they stand on the command line; empty: not given.
struct ServeOptions {
  ExchangeOptions common;
  std::string listen = "127.0.0.1";
  std::string port;
  std::string broadcast;
  std::string distort;
  std::string rate = "1000";
  std::string count;
  std::string duration;
};

void DeclareServeOptions(CLI::App& command, ServeOptions& options);

// Serves until it is told to end, and says what it has answered and ignored.
Result<int> RunServe(const ServeOptions& options);

}  // namespace syncline
