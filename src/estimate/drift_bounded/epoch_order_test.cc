#include "estimate/drift_bounded/epoch_order.h"

#include <vector>

#include <gtest/gtest.h>

namespace syncline::drift_bounded {
namespace {

// Readings 100 to 200 of each epoch, by corrections that add so much.
TEST(PutInOrder, MovesWhatMayMoveToWhereEpochsFollowEachOther) {
  const auto plus = [](int64_t ns) {
    return Correction::FromKnots({{{0}, {ns}}, {{1000}, {1000 + ns}}}).value();
  };
  struct Epoch {
    int64_t plus;
    bool may_be_earlier, may_be_later;
  };
  const struct {
    std::vector<Epoch> epochs;
    std::vector<int64_t> expected;
  } cases[] = {
      {{{500, false, false}, {600, false, false}}, {500, 600}},
      {{{500, false, false}, {700, true, true}}, {500, 700}},  // in order
      {{{500, true, false}, {500, false, false}}, {400, 500}},
      {{{500, false, false}, {500, false, true}}, {500, 600}},
      {{{500, false, true}, {500, false, false}}, {500, 500}},  // would have to be earlier
      {{{500, true, false}, {500, true, true}}, {500, 600}},    // of the second nothing is known
      {{{500, true, true}, {500, true, true}, {500, false, false}}, {300, 400, 500}},
      {{{500, false, false}, {500, true, true}, {550, true, true}}, {500, 600, 700}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(&c - cases);
    std::vector<DrawnEpoch> epochs;
    for (const Epoch& e : c.epochs)
      epochs.push_back({plus(e.plus), e.may_be_earlier, e.may_be_later});
    const std::vector<ReadingSpan> spans(epochs.size(), {{100}, {200}});
    std::vector<int64_t> found;
    for (const DrawnEpoch& e : PutInOrder(epochs, spans)) found.push_back(e.correction({0}).ns);
    EXPECT_EQ(found, c.expected);
  }
}

}  // namespace
}  // namespace syncline::drift_bounded
