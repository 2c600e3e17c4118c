#include "match/span_matcher.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "base/int128.h"

namespace syncline {
namespace {

constexpr uint32_t kNoSpan = UINT32_MAX;
constexpr size_t kMostOfKey = 16;  // spans of one id that are looked at

// Of which the server need not have seen the call, or not yet: 202 is of queues, too.
bool MayComeFromProxy(int64_t status) {
  constexpr std::array<int64_t, 6> kStatus = {202, 408, 499, 502, 503, 504};
  return std::ranges::find(kStatus, status) != kStatus.end();
}

class SpanMatching {
 public:
  SpanMatching(std::span<const SpanToMatch> spans, const SpanSinks& sinks, Diagnostics& diagnostics)
      : spans_(spans),
        sinks_(sinks),
        diagnostics_(diagnostics),
        next_of_key_(spans.size(), kNoSpan),
        servers_(spans.size()),
        is_followed_(spans.size()) {}

  SpanMatchCounts Run(std::span<const SpanLink> links) {
    Register();
    for (uint32_t i = 0; i < spans_.size(); ++i) CountServer(i);
    for (uint32_t i = 0; i < spans_.size(); ++i) MatchWithParent(i);
    for (const SpanLink& link : links) MatchLink(link);
    for (uint32_t i = 0; i < spans_.size(); ++i) {
      const bool sends =
          spans_[i].kind == SpanKind::kClient || spans_[i].kind == SpanKind::kProducer;
      if (sends && !is_followed_[i] && !IsRepeat(i)) ++counts_.unmatched_sends;
    }
    return counts_;
  }

 private:
  std::string NameOf(const SpanToMatch& span) const {
    return fmt::format("trace {:016x}{:016x}, span {:016x}", span.key.trace_high,
                       span.key.trace_low, span.key.span);
  }
  void Note(std::string_view name, const SpanToMatch& span) {
    // The example is made for the first one alone.
    diagnostics_.Count(name, Severity::kInfo, 1,
                       diagnostics_.count(name) == 0 ? NameOf(span) : std::string());
  }

  // An end before the start tells nothing: one of them is wrong.
  static bool HasEnd(const SpanToMatch& span) {
    return span.has_end && !(span.has_start && span.end.time < span.start.time);
  }

  static bool IsSame(const SpanToMatch& a, const SpanToMatch& b) {
    return a.clock == b.clock && a.kind == b.kind && a.start.time == b.start.time &&
           a.end.time == b.end.time;
  }

  bool HasSame(uint32_t first, const SpanToMatch& span) const {
    size_t looked_at = 0;
    for (uint32_t i = first; i != kNoSpan && ++looked_at <= kMostOfKey; i = next_of_key_[i]) {
      if (IsSame(spans_[i], span)) return true;
    }
    return false;
  }

  // Spans of one id: repeats of an export, or both sides of a call that share it.
  void Register() {
    first_of_key_.reserve(spans_.size());
    for (uint32_t i = 0; i < spans_.size(); ++i) {
      if (!spans_[i].key.IsValid() || !spans_[i].has_start) continue;
      const auto [at, is_new] = first_of_key_.try_emplace(spans_[i].key, i);
      if (is_new) continue;
      if (HasSame(at->second, spans_[i])) {
        Note("duplicate-spans", spans_[i]);
        repeats_.push_back(i);
        continue;
      }
      next_of_key_[i] = next_of_key_[at->second];
      next_of_key_[at->second] = i;
    }
  }
  bool IsRepeat(size_t i) const { return std::ranges::binary_search(repeats_, i); }

  // The span that a child means; none where several have the id and nothing tells.
  std::optional<uint32_t> Find(const SpanKey& key, uint32_t child) const {
    const auto at = first_of_key_.find(key);
    if (at == first_of_key_.end()) return std::nullopt;
    const uint32_t first = at->second;
    if (next_of_key_[first] == kNoSpan) return first;
    // Of what its own machine has it is a child, as what a client does before its request is out.
    // Else of a call that both sides know by one id: what happens further is the server's.
    std::optional<uint32_t> beside, server;
    uint64_t servers = 0;
    size_t looked_at = 0;
    for (uint32_t i = first; i != kNoSpan; i = next_of_key_[i]) {
      if (++looked_at > kMostOfKey) return std::nullopt;
      if (i == child) continue;
      const bool is_server = spans_[i].kind == SpanKind::kServer;
      if (spans_[i].clock == spans_[child].clock && (!beside || is_server)) beside = i;
      if (is_server && ++servers == 1) server = i;
    }
    return beside ? beside : servers == 1 ? server : std::nullopt;
  }

  // Where both sides of a call have one id, the client is the server's parent: kNoSpan where
  // several clients have it.
  std::optional<uint32_t> SharedClient(uint32_t server) const {
    if (spans_[server].kind != SpanKind::kServer) return std::nullopt;
    const auto at = first_of_key_.find(spans_[server].key);
    if (at == first_of_key_.end()) return std::nullopt;
    std::optional<uint32_t> client;
    size_t looked_at = 0;
    for (uint32_t i = at->second; i != kNoSpan; i = next_of_key_[i]) {
      if (++looked_at > kMostOfKey) return kNoSpan;
      if (spans_[i].kind == SpanKind::kClient) client = client ? kNoSpan : i;
    }
    return client;
  }

  std::optional<uint32_t> ParentOf(uint32_t i) const {
    if (!spans_[i].key.IsValid() || !spans_[i].has_start || IsRepeat(i)) return std::nullopt;
    if (const auto client = SharedClient(i)) {
      return *client == kNoSpan ? std::nullopt : client;
    }
    return spans_[i].parent.IsValid() ? Find(spans_[i].parent, i) : std::nullopt;
  }

  void CountServer(uint32_t i) {
    if (spans_[i].kind != SpanKind::kServer) return;
    const auto parent = ParentOf(i);
    if (parent && servers_[*parent] < UINT8_MAX) ++servers_[*parent];
  }

  void MatchWithParent(uint32_t i) {
    const SpanToMatch& child = spans_[i];
    const auto parent = ParentOf(i);
    if (!parent) {
      const bool is_shared = SharedClient(i).has_value();
      const bool misses_one =
          (child.parent.IsValid() || is_shared) && child.has_start && !IsRepeat(i);
      counts_.unmatched_receives += misses_one ? 1 : 0;
      const bool is_there =
          is_shared || (child.key.IsValid() && first_of_key_.contains(child.parent));
      if (misses_one && is_there) Note("span-ids-ambiguous", child);
      return;
    }
    is_followed_[*parent] = true;
    const SpanToMatch& sender = spans_[*parent];
    if (sender.clock == child.clock) return;
    SendTo(sender, child);
    if (sender.kind == SpanKind::kClient && child.kind == SpanKind::kServer) {
      MatchAnswer(*parent, i);
    }
  }

  void SendTo(const SpanToMatch& sender, const SpanToMatch& child) {
    if (!child.is_reception) return sinks_.certain.OnMessage({sender.start, child.start});
    if (HasEnd(child)) sinks_.certain.OnMessage({sender.start, child.end});
  }

  void MatchAnswer(uint32_t call, uint32_t answer) {
    const SpanToMatch& client = spans_[call];
    const SpanToMatch& server = spans_[answer];
    if (!HasEnd(client)) return;
    // HTTP may carry a call of another system only to what passes it on.
    const bool is_http = client.http_status != 0 && (client.is_grpc || !client.is_rpc);
    const bool is_certain = is_http || (client.is_grpc && client.grpc_status == 0);
    // Calls one way succeed when they are sent, too.
    const bool is_likely = client.is_rpc && !client.is_error;
    // gRPC's own status tells more than that of the HTTP it uses.
    const bool is_broken_rpc = client.grpc_status > 0;
    if (!(is_certain || is_likely) || is_broken_rpc) return Note("calls-unanswered", client);
    if (servers_[call] > 1) return Note("calls-with-several-servers", client);
    if (MayComeFromProxy(client.http_status)) return Note("answers-of-proxies", client);
    if (is_certain) {
      sinks_.implied.OnMessage({server.start, client.end});
    } else {
      Note("answers-uncertain", client);
    }
    if (!HasEnd(server)) return;
    const bool is_broken_off =
        client.is_error && client.http_status != 0 && client.http_status < 400;
    if (is_broken_off) return Note("calls-broken-off", client);
    const int64_t served = Saturate(Minus(server.end.time.ticks, server.start.time.ticks));
    const int64_t waited = Saturate(Minus(client.end.time.ticks, client.start.time.ticks));
    if (served > waited) return Note("late-ends", server);
    sinks_.likely.OnMessage({server.end, client.end});
  }

  void MatchLink(const SpanLink& link) {
    const SpanToMatch& consumer = spans_[link.from];
    const bool consumes = consumer.kind == SpanKind::kConsumer || consumer.is_reception;
    if (!consumes || !consumer.has_start || IsRepeat(link.from)) return;
    const auto at = first_of_key_.find(link.to);
    if (at == first_of_key_.end() || link.to == consumer.parent) return;
    if (next_of_key_[at->second] != kNoSpan) return Note("span-ids-ambiguous", consumer);
    const SpanToMatch& producer = spans_[at->second];
    if (producer.kind != SpanKind::kProducer) return;
    is_followed_[at->second] = true;
    if (producer.clock != consumer.clock) SendTo(producer, consumer);
  }

  std::span<const SpanToMatch> spans_;
  const SpanSinks& sinks_;
  Diagnostics& diagnostics_;
  absl::flat_hash_map<SpanKey, uint32_t> first_of_key_;
  std::vector<uint32_t> next_of_key_;  // by span: another one of the same id
  std::vector<uint32_t> repeats_;      // ascending
  std::vector<uint8_t> servers_;       // by span: children that are servers
  std::vector<bool> is_followed_;
  SpanMatchCounts counts_;
};

}  // namespace

SpanMatchCounts MatchSpans(std::span<const SpanToMatch> spans, std::span<const SpanLink> links,
                           const SpanSinks& sinks, Diagnostics& diagnostics) {
  return SpanMatching(spans, sinks, diagnostics).Run(links);
}

}  // namespace syncline
