// What `syncline simulate scale` has simulated, as text and as JSON.
//
// Tested by: scale_command_test.cc.
#pragma once

#include <string>
#include <vector>

#include "simulate/scale.h"

namespace syncline {

struct ScaleTable {
  ScaleModel model;
  std::vector<ScaleFigures> rows;
};

std::string ScaleText(const ScaleTable& table);
std::string ScaleJson(const ScaleTable& table);

}  // namespace syncline
