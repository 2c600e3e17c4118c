// Corrects the captures of two hosts and writes them back.
//
//     correct_captures A.pcap B.pcap FOLDER
#include <iostream>
#include <vector>

#include "syncline/syncline.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: correct_captures A.pcap B.pcap FOLDER\n";
    return 1;
  }
  const std::vector<syncline::InputSpec> inputs = {{argv[1], "a"}, {argv[2], "b"}};
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
  const auto corrected = syncline::Correct(*traces, *estimate);
  if (!corrected) {
    std::cerr << corrected.error().ToString() << "\n";
    return 2;
  }
  const auto written = syncline::Write(*corrected, {.folder = argv[3]});
  if (!written) {
    std::cerr << written.error().ToString() << "\n";
    return 2;
  }
  const syncline::MessageCounts messages = corrected->messages();
  std::cout << messages.inverted_before << " of " << messages.total
            << " messages were received before they were sent, now " << messages.inverted_after
            << "\n";
  for (const std::string& file : written->files) std::cout << "wrote " << file << "\n";
  return corrected->AllGuaranteesHold() ? 0 : 3;
}
