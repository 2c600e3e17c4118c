// The page of docs/methods/ that shows the papers' experiments as this project reproduces them.
//
// Errors: those of the experiments. Cost: about a second. Tested by: logical_experiments_test.cc.
#pragma once

#include <string>

#include "syncline/result.h"

namespace syncline {

Result<std::string> GridSection();       // Rabenseifner 1997, chapter 6
Result<std::string> TicksSection();      // Rabenseifner 2000, chapter 6.3.2
Result<std::string> Theorem10Section();  // Rabenseifner 2000, chapter 5.3

// Markdown.
Result<std::string> ExperimentsPage();

}  // namespace syncline
