#include "estimate/joint/elastic_programme.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace syncline {
namespace {

using Entry = LinearProgramme::Entry;

constexpr double kMarginNs = 1;
// Room counts for less than any violation.
constexpr double kRoomCost = 0.5;
constexpr double kMostRoomUs = 1e6;

JointRow RowOf(const JointProblem& problem, const TimedMessage& m) {
  return MakeMessageRow(problem, m.from, m.send_ns, m.to, m.receive_ns);
}

}  // namespace

void ElasticProgramme::Add(std::span<const TimedMessage> messages) {
  for (const TimedMessage& message : messages) rows_.push_back({message});
}

LinearProgramme::Line ElasticProgramme::LineOf(size_t row) const {
  const JointRow message = RowOf(problem_, rows_[row].message);
  LinearProgramme::Line line{message.Entries(), {}, 0};
  line.entries.push_back({StartOf(problem_.clocks.size()), -1});
  line.entries.push_back({ColumnOf(row), 1});
  line.limits.low = -static_cast<double>(message.constant_ns - kMarginNs) * kUsPerNs;
  return line;
}

void ElasticProgramme::Build() {
  LinearProgramme programme;
  for (size_t i = 0; i < problem_.clocks.size(); ++i) {
    const LinearProgramme::Limits limits =
        i == 0 ? LinearProgramme::Limits{0, 0} : LinearProgramme::Limits{};
    programme.AddColumn(limits, 0);
    programme.AddColumn(limits, 0);
  }
  programme.AddColumn({0, kMostRoomUs}, -kRoomCost);
  for (const JointRow& row : RateRows(problem_)) {
    programme.AddRow(row.Entries(), {-static_cast<double>(row.constant_ns) * kUsPerNs, kUnlimited});
  }
  solver_.emplace(programme);
  costs_.clear();
}

void ElasticProgramme::AddNewRows() {
  const size_t known = costs_.size();
  std::vector<LinearProgramme::Line> columns, lines;
  for (size_t r = known; r < rows_.size(); ++r) {
    columns.push_back({{}, {0, kUnlimited}, rows_[r].cost});
    lines.push_back(LineOf(r));
    costs_.push_back(rows_[r].cost);
  }
  if (columns.empty()) return;
  solver_->AddColumns(columns);
  solver_->AddRows(lines);
}

bool ElasticProgramme::Solve() {
  if (!solver_) Build();
  const bool has_new_rows = costs_.size() < rows_.size();
  for (size_t r = 0; r < costs_.size(); ++r) {
    if (costs_[r] == rows_[r].cost) continue;
    costs_[r] = rows_[r].cost;
    solver_->SetObjective(ColumnOf(r), costs_[r]);
  }
  AddNewRows();
  const auto method = has_new_rows ? LinearSolver::Method::kDual : LinearSolver::Method::kPrimal;
  if (solver_->Solve(method) != LinearSolver::Status::kOptimal) return false;
  const auto unknowns = solver_->columns().first(StartOf(problem_.clocks.size()));
  unknowns_us_.assign(unknowns.begin(), unknowns.end());
  if (!FollowSolution()) return false;
  PlaceLines();
  MeasureViolations();
  return true;
}

void ElasticProgramme::MeasureViolations() {
  // The solver's own tolerance.
  constexpr double kNothingUs = 1e-6;
  for (Row& row : rows_) {
    const double lacking_us = (kMarginNs - SlackNs(row.message)) * kUsPerNs;
    row.violation_us = lacking_us > kNothingUs ? lacking_us : 0;
  }
}

// False where the lines have left the range of times.
bool ElasticProgramme::FollowSolution() {
  constexpr double kFarUs = 1e6;
  constexpr double kTooFarUs = 1e15;
  double largest = 0;
  for (const double u : unknowns_us_) largest = std::max(largest, std::fabs(u));
  if (!(largest < kTooFarUs)) return false;
  if (largest < kFarUs) return true;
  const auto follow = [](Point& anchor, double& unknown_us) {
    const auto move_ns = static_cast<double>(std::llround(unknown_us * 1e3));
    anchor.y = Saturate(static_cast<Int128>(anchor.y) + static_cast<int64_t>(move_ns));
    unknown_us -= move_ns * kUsPerNs;
  };
  for (size_t i = 1; i < problem_.clocks.size(); ++i) {
    Anchors& anchors = problem_.anchors[i];
    follow(anchors.first, unknowns_us_[StartOf(i)]);
    follow(anchors.last, unknowns_us_[EndOf(i)]);
    const Int128 rise = static_cast<Int128>(anchors.last.y) - anchors.first.y;
    if (rise <= 0 || rise > (Int128{1} << 61)) return false;
  }
  solver_.reset();
  return true;
}

void ElasticProgramme::PlaceLines() {
  lines_.clear();
  for (size_t i = 0; i < problem_.clocks.size(); ++i) {
    const auto& [first, last] = problem_.anchors[i];
    const auto unknown_ns = [&](size_t unknown) -> long double {
      return unknowns_us_.empty() ? 0 : 1000 * static_cast<long double>(unknowns_us_[unknown]);
    };
    const auto run = static_cast<long double>(last.x - first.x);
    const auto gain = static_cast<long double>((last.y - first.y) - (last.x - first.x));
    const long double turn = unknown_ns(EndOf(i)) - unknown_ns(StartOf(i));
    lines_.push_back({first.x, first.y, unknown_ns(StartOf(i)), (gain + turn) / run});
  }
}

double ElasticProgramme::SlackNs(const TimedMessage& message) const {
  const PlacedLine& from = lines_[message.from];
  const PlacedLine& to = lines_[message.to];
  const Int128 sent = message.send_ns - from.x;
  const Int128 received = message.receive_ns - to.x;
  const auto whole = static_cast<long double>((to.y + received) - (from.y + sent));
  return static_cast<double>(whole + (to.offset_ns - from.offset_ns) +
                             to.extra_rate * static_cast<long double>(received) -
                             from.extra_rate * static_cast<long double>(sent));
}

}  // namespace syncline
