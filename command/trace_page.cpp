// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "report/base64.hpp"
#include "report/model.hpp"
#include "trace_record.hpp"

namespace seiche::command {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t bins = 1024, page_events = 600000;

/// A time span of one kind: a stage, waiting, or in flight.
struct Span {
  std::size_t kind;
  double begin, end;
  double seconds() const { return end - begin; }
};

class Page {
 public:
  Page(const std::vector<Process>& all, std::string name) : all_(all), name_(std::move(name)), late_for_(all.size()) {
    for (const Process& one : all) {
      begin_ = std::min(begin_, one.begin);
      end_ = std::max(end_, one.end);
      for (const auto& work : one.timeline.work) stages_ = std::max(stages_, static_cast<std::size_t>(work.stage) + 1);
      worked_ += one.worked;
      waited_ += one.waited;
    }
    split();
  }

  std::string data() const {
    Json json{{"kind", "trace"}, {"command", "SEICHE_TRACE=" + name_}, {"program", ""}, {"mpi", ""}};
    json["ranks"] = all_.size();
    json["seconds"] = seconds();
    json["mpi_seconds"] = waited_;
    json["worked"] = worked_;
    json["waiting"] = {{"late", late_}, {"missing", 0}, {"transport", waited_ - late_}};
    json["late_for"] = late_for_;
    json["unfinished"] = Json::array();
    json["classes"] = kinds();
    json["thin"] = {kinds().back()};
    json["sizes"] = Json::object();
    for (std::size_t kind = 0; kind < kinds().size(); ++kind) json["rows"].push_back(row(kind));
    for (std::size_t stage = 0; stage < stages_; ++stage) {
      const Json& one = json["rows"][stage];
      const double sum = one["mean"].get<double>() * static_cast<double>(all_.size());
      json["stages"].push_back({{"name", one["function"]}, {"seconds", sum}});
    }
    if (stages_ == 0) json["stages"] = Json::array();
    double under_way = 0;
    for (std::size_t rank = 0; rank < all_.size(); ++rank) {
      json["by_rank"].push_back(of_rank(rank));
      under_way += json["by_rank"].back()["overlap"]["under_way"].get<double>();
    }
    json["overlap"] = {{"under_way", under_way}, {"outside", std::max(0.0, under_way - waited_)}};
    json["sentences"] = sentences(under_way);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

 private:
  double seconds() const { return std::max(end_ - begin_, 1e-9); }
  std::size_t waiting() const { return stages_; }
  std::size_t in_flight() const { return stages_ + 1; }

  std::vector<std::string> kinds() const {
    std::vector<std::string> names;
    for (std::size_t stage = 0; stage < stages_; ++stage) names.push_back(fmt::format("stage {}", stage));
    names.insert(names.end(), {"waiting", "in flight"});
    return names;
  }

  /// Computes the waiting for late partners. If all ranks recorded the same number of exchanges, these correspond in
  /// order.
  void split() {
    const std::size_t n = all_[0].timeline.transfers.size();
    for (const Process& one : all_) is_split_ = is_split_ && one.timeline.transfers.size() == n;
    for (std::size_t i = 0; is_split_ && i < n; ++i) {
      std::size_t last = 0;
      const auto started = [&](std::size_t rank) { return all_[rank].timeline.transfers[i].started; };
      for (std::size_t rank = 0; rank < all_.size(); ++rank) last = started(rank) > started(last) ? rank : last;
      for (std::size_t rank = 0; rank < all_.size(); ++rank) {
        const auto& one = all_[rank].timeline.transfers[i];
        const double late = std::clamp(started(last) - one.needed, 0.0, std::max(one.arrived - one.needed, 0.0));
        late_for_[last] += rank == last ? 0 : late;
        late_ += rank == last ? 0 : late;
      }
    }
  }

  /// Returns the spans of a rank, in seconds from the start of the run.
  std::vector<Span> spans(std::size_t rank) const {
    std::vector<Span> spans;
    const auto add = [&](std::size_t kind, double from, double until) {
      spans.push_back({kind, from - begin_, until - begin_});
    };
    // work shorter than the resolution of the clock still counts as work
    for (const auto& work : all_[rank].timeline.work) add(static_cast<std::size_t>(work.stage), work.begin, work.end);
    for (const auto& one : all_[rank].timeline.transfers) {
      if (one.arrived > one.needed) add(waiting(), one.needed, one.arrived);
      if (one.arrived > one.started) add(in_flight(), one.started, one.arrived);
    }
    std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
    return spans;
  }

  Json row(std::size_t kind) const {
    std::vector<double> sums(all_.size());
    std::int64_t count = 0;
    double longest = 0, total = 0;
    for (std::size_t rank = 0; rank < all_.size(); ++rank) {
      for (const Span& span : spans(rank)) {
        if (span.kind != kind) continue;
        sums[rank] += span.seconds();
        longest = std::max(longest, span.seconds());
        ++count;
      }
      total += sums[rank];
    }
    const auto most = std::max_element(sums.begin(), sums.end());
    const bool waits = kind == waiting();
    return {{"function", kinds()[kind]},
            {"class", kinds()[kind]},
            {"place", ""},
            {"file", ""},
            {"line", 0},
            {"module", ""},
            {"calls", count},
            {"bytes", 0},
            {"mean", total / static_cast<double>(sums.size())},
            {"min", *std::min_element(sums.begin(), sums.end())},
            {"max", *most},
            {"max_rank", most - sums.begin()},
            {"longest", longest},
            {"late", waits ? late_ : 0},
            {"missing", 0},
            {"transport", waits ? waited_ - late_ : 0},
            {"late_for", waits ? late_for_ : std::vector<double>{}},
            {"results", 0}};
  }

  /// Returns the share of each kind in the bins of time. Concurrent exchanges count once.
  std::vector<std::uint8_t> shares(const std::vector<Span>& spans) const {
    const double width = seconds() / bins;
    std::vector<double> sums(bins * kinds().size());
    for (const Span& span : spans) {
      for (auto b = static_cast<std::size_t>(std::max(span.begin / width, 0.0)); b < bins; ++b) {
        const double left = width * static_cast<double>(b);
        if (left > span.end) break;
        sums[b * kinds().size() + span.kind] +=
            std::max(0.0, std::min(span.end, left + width) - std::max(span.begin, left));
      }
    }
    std::vector<std::uint8_t> shares;
    for (const double sum : sums) shares.push_back(profile::share(sum / width));
    return shares;
  }

  /// Returns the seconds with at least one exchange in flight.
  double under_way(const std::vector<Span>& spans) const {
    double sum = 0, until = -1e300;
    for (const Span& span : spans) {
      if (span.kind != in_flight()) continue;
      sum += std::max(0.0, span.end - std::max(span.begin, until));
      until = std::max(until, span.end);
    }
    return sum;
  }

  Json of_rank(std::size_t rank) const {
    std::vector<Span> all = spans(rank);
    const double way = under_way(all);
    Json json{{"rank", rank}, {"host", ""}, {"finished", true}, {"calls", all.size()}, {"threads", 1}};
    json["offset"] = 0;
    json["end"] = seconds();
    json["overlap"] = {{"under_way", way}, {"outside", std::max(0.0, way - all_[rank].waited)}};
    json["bin_width"] = seconds() / bins;
    json["bins"] = profile::packed(shares(all));
    json["memory"] = "";
    json["messages"] = json["bytes"] = Json::array();
    const std::size_t most = page_events / all_.size();
    if (all.size() > most) {
      std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most), all.end(),
                       [](const Span& a, const Span& b) { return a.seconds() > b.seconds(); });
      all.resize(most);
      std::sort(all.begin(), all.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
    }
    std::vector<double> start;
    std::vector<float> seconds, bytes;
    std::vector<std::uint16_t> row;
    for (const Span& span : all) {
      start.push_back(span.begin);
      seconds.push_back(static_cast<float>(span.seconds()));
      bytes.push_back(0);
      row.push_back(static_cast<std::uint16_t>(span.kind));
    }
    json["events"] = {{"start", profile::packed(start)},
                      {"seconds", profile::packed(seconds)},
                      {"bytes", profile::packed(bytes)},
                      {"row", profile::packed(row)}};
    return json;
  }

  std::vector<std::string> sentences(double under_way) const {
    const auto ranks = static_cast<double>(all_.size());
    const auto percent = [](double part, double of) {
      return fmt::format("{:.0f} %", 100 * part / std::max(of, 1e-12));
    };
    std::vector<std::string> all{fmt::format("{} of the time is work in stages of Seiche, {} is waiting for exchanges.",
                                             percent(worked_, seconds() * ranks), percent(waited_, seconds() * ranks))};
    if (waited_ > 0 && is_split_ && all_.size() > 1) {
      const auto worst = std::max_element(late_for_.begin(), late_for_.end());
      all.push_back(fmt::format("{} of the waiting is for partners that started later, most for rank {}.",
                                percent(late_, waited_), worst - late_for_.begin()));
    }
    if (!is_split_)
      all.emplace_back("Ranks recorded different numbers of exchanges, so that waiting is not divided by cause.");
    if (under_way > 0) {
      all.push_back(
          fmt::format("Exchanges were in flight for {} of the time; the ranks worked during {} of it (overlap).",
                      percent(under_way, seconds() * ranks), percent(std::max(0.0, under_way - waited_), under_way)));
    }
    return all;
  }

  const std::vector<Process>& all_;
  std::string name_;
  double begin_ = 1e300, end_ = 0, worked_ = 0, waited_ = 0, late_ = 0;
  std::size_t stages_ = 0;
  bool is_split_ = true;
  std::vector<double> late_for_;
};

}  // namespace

std::string page_of_trace(const std::vector<Process>& all, const std::string& name) {
  return profile::page_of(Page(all, name).data());
}

}  // namespace seiche::command
