// The corrected time of one event, with what is known of its true one.
//
//     time_of_event EVENT TRACE...        for example packet 10 of the first capture
#include <cstdlib>
#include <iostream>
#include <vector>

#include "syncline/syncline.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: time_of_event EVENT TRACE...\n";
    return 1;
  }
  const uint64_t wanted = std::strtoull(argv[1], nullptr, 10);
  std::vector<syncline::InputSpec> inputs;
  for (int i = 2; i < argc; ++i) inputs.push_back({argv[i], ""});
  const auto traces = syncline::Load(inputs);
  if (!traces) {
    std::cerr << traces.error().ToString() << "\n";
    return 2;
  }
  const auto estimate = syncline::EstimateClocks(*traces);
  if (!estimate) {
    std::cerr << estimate.error().ToString() << "\n";
    return 2;
  }
  bool is_found = false;
  const auto done = traces->ForEachEvent(
      [&](const syncline::Event& event, uint64_t index, std::string_view name) {
        if (event.process != syncline::ProcessId(0) || index != wanted) return;
        is_found = true;
        const syncline::EventRef place{event.process, index, event.time};
        const syncline::Interval between = estimate->Bounds(place);
        std::cout << name << " of " << traces->processes()[0].name << ": recorded "
                  << event.time.ticks << ", corrected " << estimate->Correct(place).ns;
        if (between.earliest && between.latest) {
          std::cout << ", surely from " << between.earliest->ns << " to " << between.latest->ns;
        }
        std::cout << "\n";
      });
  if (!done) {
    std::cerr << done.error().ToString() << "\n";
    return 2;
  }
  return is_found ? 0 : 1;
}
