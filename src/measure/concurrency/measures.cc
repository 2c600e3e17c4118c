#include "measure/concurrency/measures.h"

#include <algorithm>
#include <cmath>

#include "base/int128.h"

namespace syncline {
namespace {

Ratio Quotient(double numerator, double denominator) {
  if (denominator == 0) return std::nullopt;
  return numerator / denominator;
}

Ratio Quotient(Int128 numerator, Int128 denominator) {
  return Quotient(static_cast<double>(numerator), static_cast<double>(denominator));
}

// Of a past of one event nothing is known: p − 1 = 0.
Ratio Fidge(int64_t events, int64_t height) {
  if (events < 1) return std::nullopt;
  return Quotient(Int128{events} - height, Int128{events} - 1);
}

// Σ |W_k − load|.
double SumOfDeviations(std::span<const ProcessTotals> processes, double load) {
  double sum = 0;
  for (const ProcessTotals& p : processes) {
    sum += std::abs(static_cast<double>(p.computed_ns) - load);
  }
  return sum;
}

struct Load {
  Ratio load;       // Φ5
  Ratio deviation;  // Φ6
  Ratio balance;    // Φ7
};

// Φ5, Φ6, Φ7, and with the sum of speeds for `processors` the same with a prime.
Load MeasureLoad(std::span<const ProcessTotals> processes, Int128 weight, double processors) {
  const Ratio load = Quotient(static_cast<double>(weight), processors);
  if (!load) return {};
  const Ratio deviation = Quotient(SumOfDeviations(processes, *load), processors);
  return {load, deviation, Quotient(*load - *deviation, *load)};
}

}  // namespace

RegionMeasures MeasureRegion(const RegionValues& v) {
  const Int128 own = Int128{v.computed_ns} + v.delayed_ns;
  return {.alpha = Quotient(Int128{v.weight_ns} - v.height_ns, Int128{v.volume_ns} - v.height_ns),
          .efficiency = Quotient(v.computed_ns, own),
          .loss = Quotient(v.delayed_ns, own),
          .share = Quotient(Int128{v.computed_ns}, v.weight_ns),
          .path_share = Quotient(Int128{v.height_ns}, v.weight_ns),
          .fidge = Fidge(v.events, v.event_height),
          .event_alpha =
              Quotient(Int128{v.events} - v.event_height, Int128{v.event_volume} - v.event_height)};
}

ComputationMeasures MeasureComputation(std::span<const ProcessTotals> processes) {
  ComputationMeasures m;
  Int128 weight = 0;
  Int128 delay = 0;
  for (const ProcessTotals& p : processes) {
    weight += p.computed_ns;
    delay += p.delayed_ns;
    m.height_ns = std::max(m.height_ns, p.height_ns);
    m.speed += static_cast<double>(p.speed.billionths) / 1e9;
    m.events += p.events;
    m.event_height = std::max(m.event_height, p.event_height);
  }
  m.weight_ns = Saturate(weight);
  m.volume_ns = Saturate(weight + delay);
  // Of one process vol − ht is its own delay, which says nothing about concurrency.
  if (processes.size() > 1) {
    m.alpha = Quotient(weight - m.height_ns, weight + delay - m.height_ns);
  }
  m.efficiency = Quotient(weight, weight + delay);
  m.loss = Quotient(delay, weight + delay);
  for (const ProcessTotals& p : processes) {
    m.shares.push_back(Quotient(Int128{p.computed_ns}, weight));
  }
  m.path_share = Quotient(Int128{m.height_ns}, weight);
  const auto n = static_cast<double>(processes.size());
  const Load mean = MeasureLoad(processes, weight, n);
  m.mean_load_ns = mean.load;
  m.load_deviation_ns = mean.deviation;
  m.balance = mean.balance;
  const Load by_speed = MeasureLoad(processes, weight, m.speed);
  m.speed_load_ns = by_speed.load;
  m.speed_load_deviation_ns = by_speed.deviation;
  m.speed_balance = by_speed.balance;
  m.fidge = Fidge(m.events, m.event_height);
  const Int128 others = static_cast<Int128>(processes.size()) - 1;
  m.event_alpha = Quotient(Int128{m.events} - m.event_height, others * m.event_height);
  return m;
}

}  // namespace syncline
