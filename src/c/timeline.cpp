// SPDX-License-Identifier: BSD-3-Clause
/// \file  Recordings of what happened when, for C.
#include <type_traits>

#include "c/handles.hpp"
#include "seiche/c/tuning.h"
#include "seiche/trace.hpp"

namespace seiche::c {

static_assert(sizeof(timeline::Work) == sizeof(seiche_timeline_work) && std::is_standard_layout_v<timeline::Work>);
static_assert(offsetof(timeline::Work, begin) == offsetof(seiche_timeline_work, begin));
static_assert(sizeof(timeline::Transfer) == sizeof(seiche_timeline_transfer));

struct TimelineObject : Object {
  static constexpr const char* name = "timeline";
  const char* noun() const override { return name; }
  explicit TimelineObject(timeline::Timeline of) : recorded(std::move(of)) {}
  void close() {}
  timeline::Timeline recorded;
};

template <>
struct BehindHandle<seiche_timeline> {
  using type = TimelineObject;
};

namespace {

/// Entries of C++ as the entries of C, of the same layout, that they are.
template <class Entry, class Ours>
void put_entries(const std::vector<Ours>& entries, const Entry** into, std::int64_t* count) {
  require_place(into, "timeline", "the place for the entries");
  require_place(count, "timeline", "the place for their number");
  *into = reinterpret_cast<const Entry*>(entries.data());
  *count = static_cast<std::int64_t>(entries.size());
}

}  // namespace

}  // namespace seiche::c

using namespace seiche::c;

seiche_status seiche_timeline_start(void) {
  return call([] { seiche::timeline::start_recording(); });
}

seiche_status seiche_timeline_create(seiche_timeline** timeline) {
  return create(timeline, [] { return std::make_shared<TimelineObject>(seiche::timeline::stop_recording()); });
}

seiche_status seiche_timeline_destroy(seiche_timeline** timeline) { return destroy(timeline); }

seiche_status seiche_timeline_get_work(const seiche_timeline* timeline, const seiche_timeline_work** work,
                                       std::int64_t* count) {
  return call([&] { put_entries(behind(timeline).recorded.work, work, count); });
}

seiche_status seiche_timeline_get_transfers(const seiche_timeline* timeline, const seiche_timeline_transfer** transfers,
                                            std::int64_t* count) {
  return call([&] { put_entries(behind(timeline).recorded.transfers, transfers, count); });
}
