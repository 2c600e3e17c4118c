// Addresses of UDP: an IPv4 or IPv6 address and a port.
//
// Errors: kUnreadable where a name has no address, kUsage where the text makes none.
// Cost: ResolveEndpoint may ask name servers. Tested by: udp_socket_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <netinet/in.h>
#include <sys/socket.h>

#include "syncline/result.h"

namespace syncline {

inline constexpr uint16_t kDefaultExchangePort = 24240;

class Endpoint {
 public:
  Endpoint() = default;
  Endpoint(const sockaddr_storage& address, socklen_t size) : address_(address), size_(size) {}

  int family() const { return address_.ss_family; }
  uint16_t port() const;
  bool IsMulticast() const;
  // The bytes of the address without the port.
  std::string_view host_bytes() const;
  // "127.0.0.1", "::1".
  std::string HostText() const;
  // "127.0.0.1:24240", "[::1]:24240".
  std::string ToString() const;
  const sockaddr* data() const { return reinterpret_cast<const sockaddr*>(&address_); }
  socklen_t size() const { return size_; }

  friend bool operator==(const Endpoint& a, const Endpoint& b) {
    return a.family() == b.family() && a.port() == b.port() && a.host_bytes() == b.host_bytes();
  }
  template <typename H>
  friend H AbslHashValue(H hash, const Endpoint& e) {
    return H::combine(std::move(hash), e.port(), e.host_bytes());
  }

 private:
  sockaddr_storage address_ = {};
  socklen_t size_ = 0;
};

struct HostAndPort {
  std::string host;
  uint16_t port = kDefaultExchangePort;
};
// A HOST or HOST:PORT; an IPv6 address with a port stands in brackets.
Result<HostAndPort> ParseHostAndPort(const std::string& text,
                                     uint16_t default_port = kDefaultExchangePort);

Result<Endpoint> ResolveEndpoint(const HostAndPort& place);

}  // namespace syncline
