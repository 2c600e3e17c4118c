// The offset of a peer's system clock from this machine's, by exchanges.
//
// Units: nanoseconds. Sign: peer − own, positive: the peer is ahead. Method: of a burst of
// exchanges the one of the least round trip counts, and half of that bounds its error. Errors: the
// first one of the system is kept, and nothing is measured from then on. Cost: a round trip per
// exchange. Requires: `syncline clock serve` at the peer. Tested by: peer_meter_test.cc (over the
// loopback).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "live/character/meter.h"
#include "live/exchange/exchange_client.h"

namespace syncline {

class PeerMeter final : public OffsetMeter {
 public:
  PeerMeter(ExchangeClient client, uint32_t exchanges)
      : client_(std::move(client)), exchanges_(exchanges) {}

  std::optional<OffsetSample> Measure() override;
  Effort GetEffort() const override;

  const std::optional<Error>& error() const { return error_; }

 private:
  ExchangeClient client_;
  uint32_t exchanges_;
  std::optional<Error> error_;
};

}  // namespace syncline
