// What is said of a clock that was set.
//
// Instants are told as UTC, with as many digits as tell them apart, two at least, and with the date
// where the trace spans more than a day. Where the reference's time cannot count from 1970 (before
// 1990: the clock began when its machine did), as seconds since the reference's first event.
// The amount is told as a range where bounds leave more than a tenth of it on either side.
// Tested by: step_text_test.cc.
#pragma once

#include <string>

#include "report/summary.h"

namespace syncline {

// "clock b was set back by 2.503 ms between 12:03:11.20 and 12:03:19.41"
std::string StepText(const Summary& summary, const Summary::Step& step);

// All of them as sentences, a line each; of very many the first ones.
std::string StepSentences(const Summary& summary);

}  // namespace syncline
