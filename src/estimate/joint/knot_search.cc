#include "estimate/joint/knot_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/parallel.h"

namespace syncline {
namespace {

constexpr double kLeastShare = 0.1;
constexpr size_t kMostKnots = 64;
constexpr size_t kMostRejected = 16;
constexpr int kMostSlides = 40;
constexpr double kFurthestSlide = 3;  // bins
constexpr double kSettled = 0.01;
constexpr double kLeastDistance = 1.5;  // bins, between knots of a clock and from the ends

struct Knot {
  size_t clock = 0;
  double at = 0;
  double bend = 0;  // change of slope, µs per bin
};

// One term of the functions f.
struct Term {
  enum class Kind { kSlope, kHinge, kStep } kind = Kind::kSlope;
  size_t clock = 0;
  double at = 0;

  double operator()(double k) const {
    if (kind == Kind::kSlope) return k;
    if (k <= at) return 0;
    return kind == Kind::kHinge ? k - at : 1;
  }
};

double MiddleOfBin(size_t bin) { return static_cast<double>(bin) + 0.5; }

// f_b − f_a of one pair, term by term, without its weighted mean.
class PairTerms {
 public:
  PairTerms(const CentreCurve& curve, std::span<const Term> terms) : curve_(curve) {
    for (size_t t = 0; t < terms.size(); ++t) {
      if (terms[t].clock != curve.a && terms[t].clock != curve.b) continue;
      numbers_.push_back(t);
      const double sign = terms[t].clock == curve.b ? 1 : -1;
      std::vector<double> values;
      for (size_t k = 0; k < curve.weights.size(); ++k) {
        values.push_back(sign * terms[t](MiddleOfBin(k)));
      }
      values_.push_back(Centred(std::move(values)));
    }
    centres_ = Centred(curve.centres_us);
  }

  std::span<const size_t> numbers() const { return numbers_; }
  double Product(size_t i, size_t j) const { return Sum(values_[i], values_[j]); }
  double ProductWithCurve(size_t i) const { return Sum(values_[i], centres_); }
  std::vector<double> Residuals(std::span<const double> coefficients) const {
    std::vector<double> rest = centres_;
    for (size_t i = 0; i < numbers_.size(); ++i) {
      for (size_t k = 0; k < rest.size(); ++k) {
        rest[k] -= coefficients[numbers_[i]] * values_[i][k];
      }
    }
    return rest;
  }

 private:
  std::vector<double> Centred(std::vector<double> values) const {
    double sum = 0;
    double weight = 0;
    for (size_t k = 0; k < values.size(); ++k) {
      sum += curve_.weights[k] * values[k];
      weight += curve_.weights[k];
    }
    for (double& value : values) value -= sum / weight;
    return values;
  }
  double Sum(std::span<const double> x, std::span<const double> y) const {
    double sum = 0;
    for (size_t k = 0; k < x.size(); ++k) sum += curve_.weights[k] * x[k] * y[k];
    return sum;
  }

  const CentreCurve& curve_;
  std::vector<size_t> numbers_;  // of the terms that are part of this pair
  std::vector<std::vector<double>> values_;
  std::vector<double> centres_;
};

// Coefficients of the terms that explain a curve best.
std::vector<double> Fitted(std::span<const Term> terms, std::span<const double> curve_us,
                           std::span<const double> weights) {
  const size_t n = terms.size();
  std::vector<double> matrix(n * n);
  std::vector<double> right(n);
  std::vector<double> values(n);
  for (size_t k = 0; k < curve_us.size(); ++k) {
    if (weights[k] == 0) continue;
    for (size_t i = 0; i < n; ++i) values[i] = terms[i](MiddleOfBin(k));
    for (size_t i = 0; i < n; ++i) {
      right[i] += weights[k] * values[i] * curve_us[k];
      for (size_t j = 0; j < n; ++j) matrix[i * n + j] += weights[k] * values[i] * values[j];
    }
  }
  return SolveSymmetric(std::move(matrix), std::move(right));
}

class KnotSearch {
 public:
  KnotSearch(std::span<const CentreCurve> curves, size_t clocks, size_t bins, double price)
      : curves_(curves), clocks_(clocks), bins_(bins), price_(price), residuals_(curves.size()) {
    Fit();
  }

  std::vector<ClockShape> Find() {
    while (knots_.size() < kMostKnots) {
      const std::optional<Knot> best = BestCandidate();
      if (!best) break;
      const std::vector<Knot> before = knots_;
      knots_.push_back(*best);
      Settle(best->clock);
      if (knots_.size() > before.size()) continue;
      // It slid onto another: elsewhere one may still stay.
      knots_ = before;
      Fit();
      rejected_.push_back(*best);
      if (rejected_.size() > kMostRejected) break;
    }
    while (const std::optional<size_t> clock = DropLeastUseful()) Settle(*clock);
    return Shapes();
  }

 private:
  // All pairs of one clock as one curve.
  struct ClockCurve {
    std::vector<double> weights;             // by bin
    std::vector<double> residuals;           // times their weights
    double least_us = 0;                     // a knot must bend the curve by as much
    std::vector<std::vector<double>> terms;  // of the clock, orthonormal

    // What the clock's terms leave of this one.
    std::vector<double> Remainder(const Term& term) const {
      std::vector<double> values(weights.size());
      for (size_t k = 0; k < values.size(); ++k) values[k] = term(MiddleOfBin(k));
      for (const std::vector<double>& other : terms) {
        double product = 0;
        for (size_t k = 0; k < values.size(); ++k) product += weights[k] * values[k] * other[k];
        for (size_t k = 0; k < values.size(); ++k) values[k] -= product * other[k];
      }
      return values;
    }
    void AddTerm(const Term& term) {
      std::vector<double> values = Remainder(term);
      double norm = 0;
      for (size_t k = 0; k < values.size(); ++k) norm += weights[k] * values[k] * values[k];
      if (!(norm > 0)) return;
      for (double& value : values) value /= std::sqrt(norm);
      terms.push_back(std::move(values));
    }
  };

  std::vector<Term> Terms() const {
    std::vector<Term> terms;
    for (size_t i = 1; i < clocks_; ++i) terms.push_back({Term::Kind::kSlope, i, 0});
    for (const Knot& knot : knots_) terms.push_back({Term::Kind::kHinge, knot.clock, knot.at});
    return terms;
  }

  std::vector<double> Coefficients(std::span<const Term> terms) const {
    const size_t n = terms.size();
    std::vector<double> matrix(n * n);
    std::vector<double> right(n);
    for (const CentreCurve& curve : curves_) {
      const PairTerms pair(curve, terms);
      const auto numbers = pair.numbers();
      for (size_t i = 0; i < numbers.size(); ++i) {
        right[numbers[i]] += pair.ProductWithCurve(i);
        for (size_t j = 0; j < numbers.size(); ++j) {
          matrix[numbers[i] * n + numbers[j]] += pair.Product(i, j);
        }
      }
    }
    return SolveSymmetric(std::move(matrix), std::move(right));
  }

  // All coefficients anew, and what they leave.
  void Fit() {
    const std::vector<Term> terms = Terms();
    const std::vector<double> coefficients = Coefficients(terms);
    const auto hinges = coefficients.begin() + static_cast<ptrdiff_t>(clocks_ - 1);
    slopes_.assign(coefficients.begin(), hinges);
    for (size_t i = 0; i < knots_.size(); ++i) knots_[i].bend = hinges[static_cast<ptrdiff_t>(i)];
    for (size_t p = 0; p < curves_.size(); ++p) {
      residuals_[p] = PairTerms(curves_[p], terms).Residuals(coefficients);
    }
  }

  // The knots of one clock, the others as they are. A step beside each hinge says, to first order,
  // how far the hinge should move. Returns the longest move.
  double Slide(size_t clock, std::span<const double> curve_us, std::span<const double> weights) {
    std::vector<Term> terms = {{Term::Kind::kStep, clock, -1}, {Term::Kind::kSlope, clock, 0}};
    std::vector<Knot*> mine;
    for (Knot& knot : knots_) {
      if (knot.clock == clock) mine.push_back(&knot);
    }
    for (const Knot* knot : mine) terms.push_back({Term::Kind::kHinge, clock, knot->at});
    for (const Knot* knot : mine) terms.push_back({Term::Kind::kStep, clock, knot->at});
    const std::vector<double> coefficients = Fitted(terms, curve_us, weights);
    double longest = 0;
    for (size_t i = 0; i < mine.size(); ++i) {
      const double bend = coefficients[2 + i];
      if (bend == 0) continue;
      const double move =
          std::clamp(-coefficients[2 + mine.size() + i] / bend, -kFurthestSlide, kFurthestSlide);
      const double before = mine[i]->at;
      mine[i]->at =
          std::clamp(before + move, kLeastDistance, static_cast<double>(bins_) - kLeastDistance);
      longest = std::max(longest, std::fabs(mine[i]->at - before));
    }
    return longest;
  }

  // What one clock does, as its pairs show it once the others are taken off; 0 where none does.
  std::vector<double> OwnCurve(size_t clock, const ClockCurve& curve) const {
    std::vector<double> own(bins_);
    for (size_t k = 0; k < bins_; ++k) {
      if (curve.weights[k] == 0) continue;
      const double at = MiddleOfBin(k);
      own[k] = curve.residuals[k] / curve.weights[k] + slopes_[clock - 1] * at;
      for (const Knot& knot : knots_) {
        if (knot.clock == clock && at > knot.at) own[k] += knot.bend * (at - knot.at);
      }
    }
    return own;
  }

  void Settle(size_t clock) {
    Fit();
    const ClockCurve curve = CurveOf(clock);
    const std::vector<double> own = OwnCurve(clock, curve);
    for (int i = 0; i < kMostSlides && Slide(clock, own, curve.weights) > kSettled; ++i) continue;
    DropDoubles();
    Fit();
  }

  // Of knots of a clock that have come close to each other, one stays.
  void DropDoubles() {
    for (size_t i = 0; i < knots_.size(); ++i) {
      for (size_t j = knots_.size(); --j > i;) {
        if (knots_[i].clock != knots_[j].clock) continue;
        if (std::fabs(knots_[i].at - knots_[j].at) >= kLeastDistance) continue;
        knots_.erase(knots_.begin() + static_cast<ptrdiff_t>(j));
      }
    }
  }

  double Unexplained() const {
    double sum = 0;
    for (size_t p = 0; p < curves_.size(); ++p) {
      for (size_t k = 0; k < bins_; ++k) {
        sum += curves_[p].weights[k] * residuals_[p][k] * residuals_[p][k];
      }
    }
    return sum;
  }

  // Knots found early may be superfluous beside later ones. Whose was dropped; none where each is
  // worth its price.
  std::optional<size_t> DropLeastUseful() {
    const double unexplained = Unexplained();
    double least = price_;
    std::optional<size_t> idle;
    const std::vector<Knot> all = knots_;
    for (size_t i = 0; i < all.size(); ++i) {
      knots_ = all;
      knots_.erase(knots_.begin() + static_cast<ptrdiff_t>(i));
      Fit();
      const double explained = Unexplained() - unexplained;
      if (explained >= least) continue;
      least = explained;
      idle = i;
    }
    knots_ = all;
    if (idle) knots_.erase(knots_.begin() + static_cast<ptrdiff_t>(*idle));
    Fit();
    return idle ? std::optional(all[*idle].clock) : std::nullopt;
  }

  std::vector<ClockShape> Shapes() const {
    std::vector<ClockShape> shapes(clocks_);
    for (const CentreCurve& curve : curves_) {
      shapes[curve.a].is_known = true;
      shapes[curve.b].is_known = true;
    }
    for (size_t i = 1; i < clocks_; ++i) shapes[i].slope = slopes_[i - 1];
    // Finer than this no curve tells, and what rounding far away from the origin of time did to
    // the guesses would show.
    constexpr double kGrid = 64;
    for (const Knot& knot : knots_) {
      shapes[knot.clock].knots.push_back({std::round(knot.at * kGrid) / kGrid, knot.bend});
    }
    for (ClockShape& shape : shapes) {
      std::sort(shape.knots.begin(), shape.knots.end(),
                [](const auto& x, const auto& y) { return x.at < y.at; });
    }
    return shapes;
  }

  // The hinge that explains most besides what the clock's terms already do.
  std::optional<Knot> BestCandidate() const {
    std::vector<std::vector<Candidate>> by_clock(clocks_ - 1);
    ForEachParallel(by_clock.size(), [&](size_t i) { by_clock[i] = CandidatesOf(i + 1); });
    std::optional<Knot> best;
    double most = price_;
    for (const std::vector<Candidate>& candidates : by_clock) {
      for (const auto& [knot, product, norm] : candidates) {
        if (product * product <= most * norm) continue;
        most = product * product / norm;
        best = knot;
      }
    }
    return best;
  }

  // A hinge that is worth its price and bends the curve by enough; it explains product² / norm.
  struct Candidate {
    Knot knot;
    double product = 0;
    double norm = 0;
  };
  std::vector<Candidate> CandidatesOf(size_t clock) const {
    std::vector<Candidate> candidates;
    const ClockCurve curve = CurveOf(clock);
    for (size_t k = 2; k + 1 < bins_; ++k) {
      const auto at = static_cast<double>(k);
      if (IsTaken(clock, at)) continue;
      const std::vector<double> own = curve.Remainder({Term::Kind::kHinge, clock, at});
      double norm = 0;
      double product = 0;
      for (size_t i = 0; i < bins_; ++i) {
        norm += curve.weights[i] * own[i] * own[i];
        product += curve.residuals[i] * own[i];
      }
      if (!(norm > 0) || product * product <= price_ * norm) continue;
      const double bend = product / norm;
      double largest_us = 0;
      for (const double value : own) largest_us = std::max(largest_us, std::fabs(bend * value));
      if (largest_us >= curve.least_us) candidates.push_back({{clock, at, bend}, product, norm});
    }
    return candidates;
  }

  bool IsTaken(size_t clock, double at) const {
    const auto is_near = [&](const Knot& knot) {
      return knot.clock == clock && std::fabs(knot.at - at) < kLeastDistance;
    };
    return std::any_of(knots_.begin(), knots_.end(), is_near) ||
           std::any_of(rejected_.begin(), rejected_.end(), is_near);
  }

  ClockCurve CurveOf(size_t clock) const {
    ClockCurve result{std::vector<double>(bins_), std::vector<double>(bins_)};
    double width = std::numeric_limits<double>::infinity();
    for (size_t p = 0; p < curves_.size(); ++p) {
      const CentreCurve& curve = curves_[p];
      if (curve.a != clock && curve.b != clock) continue;
      width = std::min(width, curve.half_width_us);
      const double sign = curve.b == clock ? 1 : -1;
      for (size_t k = 0; k < bins_; ++k) {
        result.weights[k] += curve.weights[k];
        result.residuals[k] += sign * curve.weights[k] * residuals_[p][k];
      }
    }
    result.least_us = kLeastShare * width;
    result.AddTerm({Term::Kind::kStep, clock, -1});  // a constant
    result.AddTerm({Term::Kind::kSlope, clock, 0});
    for (const Knot& knot : knots_) {
      if (knot.clock == clock) result.AddTerm({Term::Kind::kHinge, clock, knot.at});
    }
    return result;
  }

  std::span<const CentreCurve> curves_;
  size_t clocks_;
  size_t bins_;
  double price_;
  std::vector<Knot> knots_;
  std::vector<Knot> rejected_;                  // places where a knot did not stay
  std::vector<double> slopes_;                  // before the first knot, by clock but clock 0
  std::vector<std::vector<double>> residuals_;  // by curve, then bin
};

}  // namespace

std::vector<double> SolveSymmetric(std::vector<double> matrix, std::vector<double> right) {
  constexpr double kSingular = 1e-11;
  const size_t n = right.size();
  // Cholesky's decomposition in place, below the diagonal.
  for (size_t j = 0; j < n; ++j) {
    const double whole = matrix[j * n + j];
    double diagonal = whole;
    for (size_t k = 0; k < j; ++k) diagonal -= matrix[j * n + k] * matrix[j * n + k];
    diagonal = diagonal > kSingular * whole ? std::sqrt(diagonal)
                                            : std::numeric_limits<double>::infinity();
    matrix[j * n + j] = diagonal;
    for (size_t i = j + 1; i < n; ++i) {
      double value = matrix[i * n + j];
      for (size_t k = 0; k < j; ++k) value -= matrix[i * n + k] * matrix[j * n + k];
      matrix[i * n + j] = value / diagonal;
    }
  }
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < i; ++k) right[i] -= matrix[i * n + k] * right[k];
    right[i] /= matrix[i * n + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; ++k) right[i] -= matrix[k * n + i] * right[k];
    right[i] /= matrix[i * n + i];
  }
  return right;
}

double ClockShape::SlopeAt(double at) const {
  double here = slope;
  for (const Knot& knot : knots) here += at > knot.at ? knot.bend : 0;
  return here;
}

std::vector<ClockShape> FindShapes(std::span<const CentreCurve> curves, size_t clocks, size_t bins,
                                   double price) {
  if (clocks < 2 || bins < 4) return std::vector<ClockShape>(clocks);
  return KnotSearch(curves, clocks, bins, price).Find();
}

}  // namespace syncline
