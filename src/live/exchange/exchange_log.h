// Exchanges as a text trace (docs/formats/text.md), which `syncline sync` reads: a clock and a
// process for this machine and for each host, and two messages per exchange.
//
// Units: nanoseconds since the epoch, as each clock shows it. Errors: those of the output file; the
// file appears under its name by Finish(), and "-" is written as exchanges come. Requires: names
// that differ, and exchanges in the order of this machine's time.
// Tested by: exchange_log_test.cc (by reading back).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "syncline/result.h"

#include "base/file.h"
#include "live/exchange/clock_exchange.h"
#include "live/exchange/group_probe.h"

namespace syncline {

class ExchangeLog {
 public:
  static Result<ExchangeLog> Create(const std::string& path, IfExists if_exists,
                                    const std::string& own);

  Result<void> AddHost(const std::string& name);
  // With the host of this number, from 0.
  Result<void> Add(size_t host, std::span<const ClockExchange> exchanges);
  // A broadcast and its answers; `hosts` are the numbers of those who answered.
  Result<void> Add(const GroupRound& round, std::span<const size_t> hosts);
  Result<void> Finish() { return output_.Commit(); }

 private:
  ExchangeLog(OutputFile output, std::string own)
      : output_(std::move(output)), own_(std::move(own)) {}

  OutputFile output_;
  std::string own_;  // as fields of the format
  std::vector<std::string> hosts_;
};

}  // namespace syncline
