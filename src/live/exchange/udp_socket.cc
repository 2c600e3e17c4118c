#include "live/exchange/udp_socket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string_view>

#include <fmt/format.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/uio.h>

#include "base/try.h"
#include "record/counter/counter.h"

namespace syncline {
namespace {

constexpr size_t kControlBytes = 512;
constexpr size_t kDeparturesKept = 16;
// Between its stamp and its queue a datagram is on its way in the kernel.
constexpr int64_t kQueueingNs = 1'000'000;

int64_t NowNs() { return ReadSystemNs(CLOCK_REALTIME); }

tl::unexpected<Error> SystemFailure(std::string_view what) {
  return Fail(ErrorCode::kUnreadable, fmt::format("{}: {}", what, std::strerror(errno)));
}

// The next piece of a message's control data of this kind.
template <typename Visit>
void ForEachControl(msghdr& message, const Visit& visit) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) visit(*c);
}

template <typename T>
T ControlData(const cmsghdr& control) {
  T data = {};
  std::memcpy(&data, CMSG_DATA(&control), sizeof data);
  return data;
}

std::optional<int64_t> KernelStamp(const cmsghdr& control) {
  if (control.cmsg_level != SOL_SOCKET || control.cmsg_type != SCM_TIMESTAMPING) {
    return std::nullopt;
  }
  const timespec stamp = ControlData<scm_timestamping>(control).ts[0];
  if (stamp.tv_sec == 0 && stamp.tv_nsec == 0) return std::nullopt;
  return int64_t{stamp.tv_sec} * 1'000'000'000 + stamp.tv_nsec;
}

bool SaysGroup(const cmsghdr& control) {
  if (control.cmsg_level == IPPROTO_IP && control.cmsg_type == IP_PKTINFO) {
    const auto info = ControlData<in_pktinfo>(control);
    return info.ipi_addr.s_addr != info.ipi_spec_dst.s_addr;
  }
  if (control.cmsg_level == IPPROTO_IPV6 && control.cmsg_type == IPV6_PKTINFO) {
    const auto info = ControlData<in6_pktinfo>(control);
    return IN6_IS_ADDR_MULTICAST(&info.ipi6_addr) != 0;
  }
  return false;
}

// Of a message of the error queue: which datagram a stamp belongs to.
std::optional<uint32_t> StampedId(const cmsghdr& control) {
  const bool is_error = (control.cmsg_level == IPPROTO_IP && control.cmsg_type == IP_RECVERR) ||
                        (control.cmsg_level == IPPROTO_IPV6 && control.cmsg_type == IPV6_RECVERR);
  if (!is_error) return std::nullopt;
  const auto error = ControlData<sock_extended_err>(control);
  if (error.ee_origin != SO_EE_ORIGIN_TIMESTAMPING || error.ee_info != SCM_TSTAMP_SCHED) {
    return std::nullopt;
  }
  return error.ee_data;
}

timespec Timespec(int64_t ns) { return {ns / 1'000'000'000, ns % 1'000'000'000}; }

}  // namespace

Result<UdpSocket> UdpSocket::Make(int family, StampWish stamps) {
  FileDescriptor fd(::socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_UDP));
  if (fd.get() < 0) return SystemFailure("no UDP socket");
  UdpSocket socket(std::move(fd), stamps);
  // Without it nothing tells what was sent to a group from what was sent to this host alone.
  SYNCLINE_TRY(family == AF_INET6 ? socket.Allow(IPPROTO_IPV6, IPV6_RECVPKTINFO)
                                  : socket.Allow(IPPROTO_IP, IP_PKTINFO));
  socket.last_empty_ns_ = NowNs();
  socket.StartStamping();
  return socket;
}

Result<UdpSocket> UdpSocket::Bind(const Endpoint& local, StampWish stamps, Sharing sharing) {
  SYNCLINE_ASSIGN(auto socket, Make(local.family(), stamps));
  if (sharing == Sharing::kShared) {
    SYNCLINE_TRY(socket.Allow(SOL_SOCKET, SO_REUSEADDR));
  }
  SYNCLINE_TRY(socket.BindTo(local));
  return socket;
}

Result<UdpSocket> UdpSocket::BindToGroup(const Endpoint& group, StampWish stamps) {
  SYNCLINE_ASSIGN(auto socket, Bind(group, stamps, Sharing::kShared));
  if (!group.IsMulticast()) return socket;
  group_req request = {};
  std::memcpy(&request.gr_group, group.data(), group.size());
  const int level = group.family() == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;
  if (::setsockopt(socket.descriptor(), level, MCAST_JOIN_GROUP, &request, sizeof request) != 0) {
    return SystemFailure(fmt::format("cannot join {}", group.HostText()));
  }
  return socket;
}

Result<UdpSocket> UdpSocket::Connect(const Endpoint& peer, StampWish stamps) {
  SYNCLINE_ASSIGN(auto socket, Make(peer.family(), stamps));
  if (::connect(socket.descriptor(), peer.data(), peer.size()) != 0) {
    return SystemFailure(peer.ToString());
  }
  return socket;
}

Result<UdpSocket> UdpSocket::Open(int family, StampWish stamps) {
  SYNCLINE_ASSIGN(auto socket, Make(family, stamps));
  SYNCLINE_TRY(socket.Allow(SOL_SOCKET, SO_BROADCAST));
  return socket;
}

Result<void> UdpSocket::Allow(int level, int option) {
  const int on = 1;
  if (::setsockopt(fd_.get(), level, option, &on, sizeof on) == 0) return {};
  return SystemFailure("a socket's option was refused");
}

Result<void> UdpSocket::BindTo(const Endpoint& local) {
  if (::bind(fd_.get(), local.data(), local.size()) == 0) return {};
  return SystemFailure(local.ToString());
}

// Once more after a datagram that was not sent, of which nobody knows whether the kernel counted
// it: numbers then start from 0 again.
void UdpSocket::StartStamping() {
  has_kernel_stamps_ = false;
  next_id_ = 0;
  departures_.clear();
  if (stamps_ == StampWish::kProgram) return;
  const int off = 0;
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_TIMESTAMPING, &off, sizeof off);
  ReadDepartures();
  departures_.clear();
  const int flags = SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_RX_SOFTWARE |
                    SOF_TIMESTAMPING_TX_SCHED | SOF_TIMESTAMPING_OPT_ID |
                    SOF_TIMESTAMPING_OPT_TSONLY;
  has_kernel_stamps_ =
      ::setsockopt(fd_.get(), SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags) == 0;
}

Result<Endpoint> UdpSocket::Local() const {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  if (::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return SystemFailure("a socket's address is unknown");
  }
  return Endpoint(address, size);
}

Result<UdpSocket::Sent> UdpSocket::SendTo(std::span<const std::byte> bytes, const Endpoint* to) {
  Sent sent = {.id = next_id_, .before_ns = NowNs()};
  ssize_t count = 0;
  do {
    count = to == nullptr
                ? ::send(fd_.get(), bytes.data(), bytes.size(), 0)
                : ::sendto(fd_.get(), bytes.data(), bytes.size(), 0, to->data(), to->size());
  } while (count < 0 && errno == EINTR);
  if (count >= 0) {
    ++next_id_;
    return sent;
  }
  const int reason = errno;
  StartStamping();
  errno = reason;
  if (reason == ECONNREFUSED || reason == EAGAIN || reason == ENOBUFS || reason == EHOSTUNREACH) {
    sent.refused = true;
    return sent;
  }
  return SystemFailure(to == nullptr ? "cannot send" : to->ToString());
}

void UdpSocket::ReadDepartures() {
  std::array<char, kControlBytes> control = {};
  for (;;) {
    msghdr message = {};
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    if (::recvmsg(fd_.get(), &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) return;
    std::optional<int64_t> stamp;
    std::optional<uint32_t> id;
    ForEachControl(message, [&](const cmsghdr& c) {
      if (const auto found = KernelStamp(c)) stamp = found;
      if (const auto found = StampedId(c)) id = found;
    });
    if (!stamp || !id) continue;
    if (departures_.size() == kDeparturesKept) departures_.erase(departures_.begin());
    departures_.push_back({*id, *stamp});
  }
}

std::optional<int64_t> UdpSocket::KernelDeparture(const Sent& sent) {
  if (!has_kernel_stamps_ || sent.refused) return std::nullopt;
  ReadDepartures();
  const auto found = std::ranges::find(departures_, sent.id, &Departure::id);
  if (found == departures_.end()) return std::nullopt;
  if (found->ns >= sent.before_ns && found->ns <= NowNs()) return found->ns;
  ++contradictory_stamps_;
  return std::nullopt;
}

SocketStamp UdpSocket::ArrivalStamp(std::optional<int64_t> kernel_ns) {
  const int64_t now = NowNs();
  if (!kernel_ns) return {now, false};
  int64_t earliest = 0;
  if (__builtin_sub_overflow(last_empty_ns_, kQueueingNs, &earliest)) earliest = INT64_MIN;
  if (*kernel_ns >= earliest && *kernel_ns <= now) return {*kernel_ns, true};
  ++contradictory_stamps_;
  return {now, false};
}

Result<std::optional<Datagram>> UdpSocket::TakeOne(std::span<std::byte> buffer) {
  sockaddr_storage from = {};
  std::array<char, kControlBytes> control = {};
  iovec place = {buffer.data(), buffer.size()};
  msghdr message = {};
  message.msg_name = &from;
  message.msg_namelen = sizeof from;
  message.msg_iov = &place;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const int64_t asked_ns = NowNs();
  const ssize_t count = ::recvmsg(fd_.get(), &message, MSG_DONTWAIT | MSG_TRUNC);
  if (count < 0) {
    if (errno == EINTR) return std::nullopt;
    if (errno == EAGAIN) {
      last_empty_ns_ = asked_ns;
      // Stamps of what was sent also end a wait, again and again until they are taken.
      ReadDepartures();
      return std::nullopt;
    }
    if (errno == ECONNREFUSED || errno == EHOSTUNREACH || errno == ENETUNREACH) {
      return Datagram{.outcome = Datagram::Outcome::kRefused};
    }
    return SystemFailure("cannot receive");
  }
  Datagram datagram = {.outcome = Datagram::Outcome::kArrived,
                       .size = static_cast<size_t>(count),
                       .from = Endpoint(from, message.msg_namelen)};
  std::optional<int64_t> kernel_ns;
  ForEachControl(message, [&](const cmsghdr& c) {
    if (const auto found = KernelStamp(c)) kernel_ns = found;
    datagram.was_to_group = datagram.was_to_group || SaysGroup(c);
  });
  datagram.arrived = ArrivalStamp(kernel_ns);
  return datagram;
}

Result<Datagram> UdpSocket::Receive(std::span<std::byte> buffer, int64_t wait_ns, int stop) {
  const int64_t began = ReadSystemNs(CLOCK_MONOTONIC);
  for (;;) {
    SYNCLINE_ASSIGN(const auto taken, TakeOne(buffer));
    if (taken) return *taken;
    const int64_t left = wait_ns - (ReadSystemNs(CLOCK_MONOTONIC) - began);
    if (left <= 0) return Datagram{};
    std::array<pollfd, 2> waited = {pollfd{fd_.get(), POLLIN, 0}, pollfd{stop, POLLIN, 0}};
    const timespec limit = Timespec(left);
    const int ready = ::ppoll(waited.data(), waited.size(), &limit, nullptr);
    if (ready < 0 && errno != EINTR) return SystemFailure("cannot wait");
    if (ready > 0 && waited[1].revents != 0)
      return Datagram{.outcome = Datagram::Outcome::kStopped};
  }
}

Waited WaitForAny(std::span<const UdpSocket> sockets, int64_t wait_ns, int stop) {
  std::vector<pollfd> waited = {pollfd{stop, POLLIN, 0}};
  for (const UdpSocket& socket : sockets) waited.push_back({socket.descriptor(), POLLIN, 0});
  const timespec limit = Timespec(std::max<int64_t>(0, wait_ns));
  const int ready = ::ppoll(waited.data(), waited.size(), &limit, nullptr);
  if (ready > 0 && waited[0].revents != 0) return Waited::kStopped;
  return ready == 0 ? Waited::kTimeout : Waited::kReady;
}

bool WaitForStop(int stop, int64_t wait_ns) {
  const int64_t began = ReadSystemNs(CLOCK_MONOTONIC);
  for (;;) {
    const int64_t left = std::max<int64_t>(0, wait_ns - (ReadSystemNs(CLOCK_MONOTONIC) - began));
    pollfd waited = {stop, POLLIN, 0};
    const timespec limit = Timespec(left);
    if (::ppoll(&waited, 1, &limit, nullptr) > 0) return true;
    if (left == 0) return false;
  }
}

Result<FileDescriptor> StopOnSignals() {
  sigset_t signals = {};
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  if (::sigprocmask(SIG_BLOCK, &signals, nullptr) != 0) return SystemFailure("signals");
  FileDescriptor events(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (events.get() < 0) return SystemFailure("signals");
  return events;
}

}  // namespace syncline
