// The parts of a page's data that only some commands have. For page.cc.
#pragma once

#include "report/json_parts.h"
#include "report/page.h"
#include "report/time_series.h"

namespace syncline {

Json LogicalTimelineJson(const LogicalTimeline& timeline);
Json RegionTimelineJson(const RegionTimeline& timeline);
Json PageChartJson(const PageChart& chart);

}  // namespace syncline
