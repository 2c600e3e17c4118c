// All of the library: Load, EstimateClocks, Compare, Correct, Write (docs/library.md).
#pragma once

#include "syncline/compare.h"
#include "syncline/corrected.h"
#include "syncline/estimate.h"
#include "syncline/traces.h"
