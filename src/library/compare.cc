#include "syncline/compare.h"

#include <utility>

#include "base/exit_code.h"
#include "base/progress.h"
#include "base/try.h"
#include "library/estimate_state.h"
#include "library/refusals.h"
#include "pipeline/compare/compare.h"

namespace syncline {

Result<Compared> Compare(const Traces& traces, const EstimateOptions& options,
                         const std::string& methods, const ProgressCallback& callback) {
  return WithRefusals([&]() -> Result<Compared> {
    SYNCLINE_ASSIGN(const SolveOptions solve, SolveOptionsOf(options));
    SYNCLINE_ASSIGN(const std::vector<Method> wanted, ParseMethods(methods));
    Progress progress(callback);
    SYNCLINE_ASSIGN(MethodRuns runs, RunMethods(traces.loaded(), wanted, solve, progress));
    SYNCLINE_TRY(progress.CheckGoesOn());
    SYNCLINE_ASSIGN(const Comparison comparison, Compare(traces.loaded(), std::move(runs), solve));
    return Compared{ComparisonToJson(comparison), ComparisonToText(comparison),
                    ExitCodeOf(comparison) == kExitDone};
  });
}

}  // namespace syncline
