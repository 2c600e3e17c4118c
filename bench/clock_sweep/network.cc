#include "network.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "random.h"

namespace syncline::sweep {
namespace {

using Edge = std::pair<uint32_t, uint32_t>;

constexpr double kServiceNs = 200'000;  // mean time until a request is answered

struct Queue {
  int64_t begin_ns = 0;
  int64_t length_ns = 0;
  double peak_ns = 0;

  // It grows to its peak in the middle, and drains.
  double At(int64_t true_ns) const {
    if (true_ns < begin_ns || true_ns >= begin_ns + length_ns) return 0;
    const double passed = static_cast<double>(true_ns - begin_ns) / static_cast<double>(length_ns);
    return peak_ns * (1 - std::abs(2 * passed - 1));
  }
};

struct Direction {
  int64_t least_ns = 0;
  std::vector<Queue> queues;
};

void AddRing(std::set<Edge>& edges, const std::vector<uint32_t>& order) {
  for (size_t i = 0; i < order.size(); ++i) {
    edges.insert(std::minmax({order[i], order[(i + 1) % order.size()]}));
  }
}

std::vector<Edge> Edges(const Scenario& scenario, Random& random) {
  std::vector<uint32_t> order(scenario.clocks);
  std::iota(order.begin(), order.end(), 0);
  std::set<Edge> edges;
  switch (scenario.topology) {
    case Scenario::Topology::kPair:
    case Scenario::Topology::kStar:
      for (const uint32_t i : order) {
        const auto hub = static_cast<uint32_t>(scenario.hub);
        if (i != hub) edges.insert(std::minmax(i, hub));
      }
      break;
    case Scenario::Topology::kRing: AddRing(edges, order); break;
    case Scenario::Topology::kMesh:
      for (size_t k = 0; k < std::max<size_t>(2, scenario.neighbours); k += 2) {
        AddRing(edges, order);
        for (size_t i = order.size() - 1; i > 0; --i) {
          std::swap(order[i], order[random.Below(i + 1)]);
        }
      }
      break;
  }
  return {edges.begin(), edges.end()};
}

class Network {
 public:
  Network(const Scenario& scenario, int64_t start_ns, Random& random)
      : scenario_(scenario), random_(random), edges_(Edges(scenario, random)) {
    for (const auto& [a, b] : edges_) {
      for (const Edge& way : {Edge{a, b}, Edge{b, a}}) {
        const auto& [low, high] = scenario.least_delay;
        directions_[way].least_ns = low + static_cast<int64_t>(random.Below(high - low + 1));
      }
    }
    for (size_t i = 0; i < scenario.queues; ++i) AddQueue(start_ns);
  }

  const std::vector<Edge>& edges() const { return edges_; }
  const std::map<Edge, Direction>& directions() const { return directions_; }

  int64_t ArrivalNs(uint32_t from, uint32_t to, int64_t sent_ns) {
    const Direction& direction = directions_.at({from, to});
    double more = ExtraNs();
    for (const Queue& queue : direction.queues) more += queue.At(sent_ns);
    return sent_ns + direction.least_ns + static_cast<int64_t>(more);
  }

 private:
  void AddQueue(int64_t start_ns) {
    auto [from, to] = edges_[random_.Below(edges_.size())];
    if (random_.Happens(0.5)) std::swap(from, to);
    const double begin = random_.Uniform() * static_cast<double>(scenario_.length_ns);
    const double peak = random_.Between(0.5, 1) * static_cast<double>(scenario_.queue_peak_ns);
    directions_[{from, to}].queues.push_back(
        {start_ns + static_cast<int64_t>(begin), scenario_.queue_length_ns, peak});
  }

  double ExtraNs() {
    switch (scenario_.extra) {
      case Scenario::Extra::kExponential: return random_.Exponential(scenario_.extra_ns);
      case Scenario::Extra::kPareto:
        return std::min(10e9, random_.Pareto(scenario_.extra_ns, scenario_.shape));
      case Scenario::Extra::kNone: break;
    }
    return 0;
  }

  const Scenario& scenario_;
  Random& random_;
  std::vector<Edge> edges_;
  std::map<Edge, Direction> directions_;
};

bool IsSilent(const Scenario& scenario, int64_t since_start_ns) {
  return std::any_of(scenario.silences.begin(), scenario.silences.end(), [&](const Interval& s) {
    return since_start_ns >= s.low && since_start_ns < s.high;
  });
}

}  // namespace

Traffic MakeTraffic(const Scenario& scenario, const std::vector<TrueClock>& clocks,
                    int64_t start_ns) {
  Random random(scenario.seed, 2);
  Network network(scenario, start_ns, random);
  Traffic traffic;
  for (const auto& [way, direction] : network.directions()) {
    traffic.least_delay_ns[way] = direction.least_ns;
  }
  const int64_t end_ns = start_ns + scenario.length_ns;
  const auto send = [&](uint32_t from, uint32_t to, int64_t sent_ns) {
    if (sent_ns >= end_ns || clocks[from].IsAsleep(sent_ns)) return false;
    const int64_t received_ns = network.ArrivalNs(from, to, sent_ns);
    const bool is_lost = received_ns >= end_ns || clocks[to].IsAsleep(received_ns);
    traffic.messages.push_back({sent_ns, received_ns, from, to, is_lost});
    return !is_lost;
  };

  // Requests follow each other as a Poisson process.
  const double requests = static_cast<double>(scenario.messages) / (2 - scenario.one_way);
  const double pause_ns = static_cast<double>(scenario.length_ns) / requests;
  double now_ns = 0;
  while ((now_ns += random.Exponential(pause_ns)) < static_cast<double>(scenario.length_ns)) {
    const auto since_start = static_cast<int64_t>(now_ns);
    if (IsSilent(scenario, since_start)) continue;
    auto [from, to] = network.edges()[random.Below(network.edges().size())];
    // In a star the others ask; elsewhere both ends do.
    const bool is_swapped =
        scenario.topology == Scenario::Topology::kStar ? from == scenario.hub : random.Happens(0.5);
    if (is_swapped) std::swap(from, to);
    const bool is_answered = !random.Happens(scenario.one_way);
    if (!send(from, to, start_ns + since_start) || !is_answered) continue;
    const int64_t asked_ns = traffic.messages.back().received_ns;
    send(to, from, asked_ns + 1 + static_cast<int64_t>(random.Exponential(kServiceNs)));
  }
  std::stable_sort(
      traffic.messages.begin(), traffic.messages.end(),
      [](const SentMessage& a, const SentMessage& b) { return a.sent_ns < b.sent_ns; });
  return traffic;
}

}  // namespace syncline::sweep
