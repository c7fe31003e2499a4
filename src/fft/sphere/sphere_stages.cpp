// SPDX-License-Identifier: BSD-3-Clause
#include "fft/sphere/sphere_stages.hpp"

#include <functional>
#include <utility>

namespace seiche {

namespace {

/// An exchange that each component posts after a stage, if the plan has this exchange.
struct Post {
  std::unique_ptr<Exchange> SphereExchanges::*exchange;
  Toward toward;
  Payload payload;
};

class StageList {
 public:
  using Step = Event (SphereSteps::*)(std::int64_t item, int slot);
  StageList(const SphereSlots& slots, SphereSteps& steps) : slots_(slots), steps_(steps) {}

  /// Adds a stage. `step`: null if it only posts exchanges.
  void add(Step step, std::vector<Post> posts = {}) {
    Stage stage{nullptr, nullptr};
    if (step) stage.work = [&steps = steps_, step](std::int64_t item, int slot) { return (steps.*step)(item, slot); };
    if (!posts.empty()) stage.posts = posted(std::move(posts));
    all.push_back(std::move(stage));
  }
  std::vector<Stage> all;

 private:
  std::function<PostedExchanges(std::int64_t item, int slot)> posted(std::vector<Post> posts) const {
    return [&slots = slots_, posts = std::move(posts)](std::int64_t, int slot) {
      PostedExchanges of_item;
      for (int c = 0; c < slots.components(); ++c) {
        const SphereExchanges& exchanges = slots.at(slot, c);
        for (const Post& post : posts) {
          if (Exchange* exchange = (exchanges.*post.exchange).get()) {
            of_item.add({exchange, post.toward, post.payload});
          }
        }
      }
      return of_item;
    };
  }

  const SphereSlots& slots_;
  SphereSteps& steps_;
};

}  // namespace

std::vector<Stage> sphere_stages(const SpherePlan& plan, const SphereSlots& slots, SphereSteps& steps, Flow flow,
                                 GivenBy by) {
  using Steps = SphereSteps;
  constexpr auto sticks = &SphereExchanges::to_sticks, planes = &SphereExchanges::to_planes,
                 rows = &SphereExchanges::to_rows;
  StageList list(slots, steps);
  const bool returns = goes_to_waves(flow);
  std::vector<Post> from_planes{{planes, Toward::source, Payload::values}};
  if (returns) from_planes.push_back({sticks, Toward::target, Payload::release});
  const auto from_grid = [&](Payload payload) -> std::vector<Post> {
    if (plan.pencil) return {{rows, Toward::source, payload}};
    return payload == Payload::values ? from_planes : std::vector<Post>{{planes, Toward::source, payload}};
  };
  const auto add_columns_to_rows = [&] {
    std::vector<Post> posts{{rows, Toward::target, Payload::values}};
    if (!returns) posts.push_back({planes, Toward::source, Payload::release});
    if (plan.pencil) list.add(&Steps::columns_to_rows, posts);
  };
  const auto add_columns_from_rows = [&] {
    if (plan.pencil) list.add(&Steps::columns_from_rows, from_planes);
  };

  if (flow == Flow::forward || flow == Flow::from_partner || begins_with_function(flow)) {
    // transfers the memory of the exchanges to their targets, without values
    list.add(nullptr, {{planes, Toward::target, Payload::release}, {rows, Toward::target, Payload::release}});
  } else {
    if (plan.map.routed) list.add(&Steps::pack_waves, {{sticks, Toward::target, Payload::values}});
    if (flow == Flow::keep_factors) {
      list.add(&Steps::keep_factors, {{sticks, Toward::source, Payload::release}});
      return list.all;
    }
    list.add(&Steps::z_to_planes,
             {{planes, Toward::target, Payload::values}, {sticks, Toward::source, Payload::release}});
    add_columns_to_rows();
  }
  if (begins_with_function(flow)) list.add(&Steps::fill, from_grid(Payload::values));
  if (flow == Flow::convolution) {
    add_columns_from_rows();
    list.add(&Steps::multiply, {{planes, Toward::target, Payload::values}});
    add_columns_to_rows();
  }
  if (calls_function(flow) && by == GivenBy::user && !plan.queue.on_host()) list.add(&Steps::values_to_host);
  if (flow != Flow::from_the_function)
    list.add(&Steps::on_grid, from_grid(returns ? Payload::values : Payload::release));
  if (returns) {
    add_columns_from_rows();
    list.add(&Steps::z_from_planes, {{sticks, Toward::source, Payload::values}});
    if (plan.map.routed) list.add(&Steps::unpack_waves);
  }
  if (flow == Flow::from_the_function) list.add(&Steps::tell_stored);
  return list.all;
}

}  // namespace seiche
