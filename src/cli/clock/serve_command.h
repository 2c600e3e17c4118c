// syncline clock serve: what its command line asks for, and running it.
//
// Tested by: probe_command_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "syncline/result.h"

#include "cli/clock/exchange_options.h"
#include "live/exchange/exchange_server.h"

namespace CLI {
class App;
}

namespace syncline {

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

}  // namespace syncline
