// All of the library: Load, EstimateClocks, Correct, Write (docs/library.md).
#pragma once

#include "syncline/corrected.h"
#include "syncline/estimate.h"
#include "syncline/traces.h"
