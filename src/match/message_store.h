// All messages and broadcasts of a trace set, kept for the passes that follow estimation.
//
// Memory: that of the given space; what has no place there lies in temporary disk space, 32 bytes a
// message (base/block_store.h). A copy shares what arrived before, and sets aside on its own;
// messages arrive only while there is one. Requires process numbers below 2^24 and event numbers
// below 2^40. Errors: storage that fails while messages arrive is reported by the next ForEach
// call. Tested by: src/match/message_store_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "syncline/message.h"
#include "syncline/result.h"

#include "base/block_store.h"
#include "match/team_messages.h"

namespace syncline {

class MessageStore : public MessageSink {
 public:
  explicit MessageStore(std::shared_ptr<SpillSpace> space = std::make_shared<SpillSpace>())
      : kept_(std::make_shared<Kept>(std::move(space))) {}

  void OnMessage(const Message& message) override;
  void OnBroadcast(const Broadcast& broadcast) override;

  // From now on these are its messages. Requires: none has arrived.
  void Share(std::shared_ptr<const TeamMessages> team);
  // Who can be asked about them all, also those set aside; null where they are here.
  const TeamMessages* team() const { return kept_->team.get(); }

  uint64_t messages() const {
    return kept_->team ? kept_->team->messages() : kept_->records.size();
  }
  const std::vector<Broadcast>& broadcasts() const { return kept_->broadcasts; }
  // From now on ForEach passes over these, which must be in the store.
  void SetAside(std::span<const Message> messages);
  const std::vector<Message>& set_aside() const { return set_aside_; }
  // Visits every message once, in the order of arrival, but for those set aside.
  Result<void> ForEach(const std::function<void(const Message&)>& visit) const;
  // Some that arrived here, from number `first` on.
  Result<std::vector<Message>> Some(uint64_t first, uint64_t most) const;

 private:
  using Record = std::array<uint64_t, 4>;
  static Record Pack(const Message& message);
  static Message Unpack(const Record& record);

  struct Kept {
    explicit Kept(std::shared_ptr<SpillSpace> space) : records(std::move(space)) {}

    BlockStore<Record> records;
    std::vector<Broadcast> broadcasts;
    std::optional<Error> error;
    std::shared_ptr<const TeamMessages> team;
  };

  std::shared_ptr<Kept> kept_;
  std::vector<Message> set_aside_;
  absl::flat_hash_set<Record> set_aside_records_;
};

}  // namespace syncline
