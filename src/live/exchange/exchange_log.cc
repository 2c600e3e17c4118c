#include "live/exchange/exchange_log.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include <fmt/format.h>

#include "base/compression.h"
#include "base/try.h"
#include "write/text/text_writer.h"

namespace syncline {
namespace {

std::string Declaration(const std::string& name) {
  return fmt::format("clock {0} 1000000000\nprocess {0} {0}\n", name);
}

}  // namespace

Result<ExchangeLog> ExchangeLog::Create(const std::string& path, IfExists if_exists,
                                        const std::string& own) {
  SYNCLINE_ASSIGN(auto output, CreateAsNamed(path, if_exists));
  ExchangeLog log(std::move(output), TextToken(own));
  SYNCLINE_TRY(log.output_.Write(Declaration(log.own_)));
  return log;
}

Result<void> ExchangeLog::AddHost(const std::string& name) {
  hosts_.push_back(TextToken(name));
  return output_.Write(Declaration(hosts_.back()));
}

Result<void> ExchangeLog::Add(size_t host, std::span<const ClockExchange> exchanges) {
  std::string lines;
  for (const ClockExchange& e : exchanges) {
    fmt::format_to(std::back_inserter(lines),
                   "{2} {0} send {1} {6}\n{3} {1} recv {0} {6}\n"
                   "{4} {1} send {0} {6}\n{5} {0} recv {1} {6}\n",
                   own_, hosts_[host], e.t1_ns, e.t2_ns, e.t3_ns, e.t4_ns, e.number);
  }
  return lines.empty() ? Result<void>() : output_.Write(lines);
}

Result<void> ExchangeLog::Add(const GroupRound& round, std::span<const size_t> hosts) {
  std::string lines = fmt::format("{} {} bcast {}\n", round.t1_ns, own_, round.number);
  std::vector<size_t> by_arrival(round.answers.size());
  std::iota(by_arrival.begin(), by_arrival.end(), size_t{0});
  std::ranges::stable_sort(by_arrival, {},
                           [&](size_t i) { return round.answers[i].exchange.t4_ns; });
  for (const size_t i : by_arrival) {
    const ClockExchange& e = round.answers[i].exchange;
    fmt::format_to(std::back_inserter(lines),
                   "{2} {1} recv {0} {5}\n{3} {1} send {0} {5}\n{4} {0} recv {1} {5}\n", own_,
                   hosts_[hosts[i]], e.t2_ns, e.t3_ns, e.t4_ns, e.number);
  }
  return output_.Write(lines);
}

}  // namespace syncline
