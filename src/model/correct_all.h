// Corrects many times of one clock at once: fastest where most lie in the segment of the one
// before.
#pragma once

#include <span>

#include "syncline/correction.h"

namespace syncline {

// As many times as both have room for, each as correction(time).
// Tested by: src/model/correction_test.cc.
void CorrectAll(const Correction& correction, std::span<const LocalTime> local,
                std::span<GlobalTime> corrected);

}  // namespace syncline
