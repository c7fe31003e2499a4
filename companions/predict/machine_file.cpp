// SPDX-License-Identifier: BSD-3-Clause
/// \file  Machine files: the fields of Machine by name, in JSON.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "comm/agree.hpp"
#include "predict/machine.hpp"
#include "support/require.hpp"
#include "support/unfinished_output.hpp"

namespace seiche::predict {

namespace {

using Json = nlohmann::ordered_json;

/// One object of the file. Each of its fields is read once, and no other field is allowed.
class Fields {
 public:
  Fields(const Json& object, std::string place, const std::string& from)
      : object_(object), place_(std::move(place)), from_(from) {
    require(object.is_object(), Fault::bad_file, "{}: {} is not a JSON object: {}", from_, name_of_place(), remedy);
  }
  /// \throws Error for fields that were not read
  void end() const {
    for (const auto& [name, value] : object_.items()) {
      require(std::find(known_.begin(), known_.end(), name) != known_.end(), Fault::bad_file,
              "{}: unknown field {}: remove it, or see docs/predict.md for the known names", from_, place_ + name);
    }
  }

  bool has(const char* name) {
    known_.emplace_back(name);
    return object_.contains(name) && !object_[name].is_null();
  }
  const Json& at(const char* name) {
    require(has(name), Fault::bad_file, "{}: {} is missing: {}", from_, place_ + name, remedy);
    return object_[name];
  }
  /// Reads a positive number, or a nonnegative one if `may_be_zero`.
  double number(const char* name, bool may_be_zero = false) {
    const Json& value = at(name);
    const double number = value.is_number() ? value.get<double>() : -1;
    require(may_be_zero ? number >= 0 : number > 0, Fault::bad_file, "{}: {} is {}, which is not a valid {}: {}", from_,
            place_ + name, value.dump(), may_be_zero ? "cost" : "rate", remedy);
    return number;
  }
  std::int64_t whole(const char* name) {
    const double value = number(name);
    require(value == std::floor(value) && value < 1e9, Fault::bad_file, "{}: {} is {}, which is not an integer: {}",
            from_, place_ + name, value, remedy);
    return static_cast<std::int64_t>(value);
  }
  /// Reads a list and sorts it by `key`, ascending.
  template <class Element, class Read, class Key>
  std::vector<Element> list(const char* name, const Read& read, const Key& key) {
    const Json& all = at(name);
    require(all.is_array() && !all.empty(), Fault::bad_file, "{}: {} is not a list, or an empty one: {}", from_,
            place_ + name, remedy);
    std::vector<Element> elements;
    for (std::size_t i = 0; i < all.size(); ++i) {
      Fields fields(all[i], fmt::format("{}{}[{}].", place_, name, i), from_);
      elements.push_back(read(fields));
      fields.end();
    }
    std::sort(elements.begin(), elements.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    return elements;
  }
  /// Reads an optional object.
  template <class Element, class Read>
  std::optional<Element> maybe(const char* name, const Read& read) {
    if (!has(name)) return {};
    Fields fields(object_[name], fmt::format("{}{}.", place_, name), from_);
    const Element element = read(fields);
    fields.end();
    return element;
  }

 private:
  static constexpr const char* remedy = "correct it (docs/predict.md), or measure again with seiche tune --machine";
  std::string name_of_place() const { return place_.empty() ? "it" : place_.substr(0, place_.size() - 1); }

  const Json& object_;
  std::string place_;
  const std::string& from_;
  std::vector<std::string> known_;
};

Json json_of(const Link& link) {
  return {{"latency", link.latency}, {"message", link.message}, {"bandwidth", link.bandwidth}, {"cpu", link.cpu}};
}
Link link_in(Fields& fields) {
  return {fields.number("latency"), fields.number("message", true), fields.number("bandwidth"),
          fields.number("cpu", true)};
}

Json json_of(const Computing& computing) {
  Json json{{"busy", computing.busy}, {"cached_copy", computing.cached_copy}, {"copy", computing.copy}};
  for (const LineRates& of : computing.lines) {
    json["lines"].push_back({{"n", of.n},
                             {"cached_rows", of.cached_rows},
                             {"cached_columns", of.cached_columns},
                             {"rows", of.rows},
                             {"columns", of.columns}});
  }
  return json;
}
LineRates rates_in(Fields& fields) {
  return {fields.whole("n"), fields.number("cached_rows"), fields.number("cached_columns"), fields.number("rows"),
          fields.number("columns")};
}
Computing computing_of(Fields& fields) {
  return {fields.number("busy"), fields.number("cached_copy"), fields.number("copy"),
          fields.list<LineRates>("lines", rates_in, [](const LineRates& of) { return of.n; })};
}

ProductRate product_of(Fields& fields) { return {fields.whole("size"), fields.number("flops")}; }
Disk disk_of(Fields& fields) { return {fields.number("write"), fields.number("read")}; }

}  // namespace

std::string text_of(const Machine& machine) {
  Json json{{"machine", machine.name}, {"cores", machine.cores}, {"cache", machine.cache}, {"wake", machine.wake}};
  for (const Computing& of : machine.computing) json["computing"].push_back(json_of(of));
  json["inside"] = machine.inside ? json_of(*machine.inside) : Json();
  json["between"] = machine.between ? json_of(*machine.between) : Json();
  json["disk"] = machine.disk ? Json{{"write", machine.disk->write}, {"read", machine.disk->read}} : Json();
  for (const ProductRate& of : machine.products) json["products"].push_back({{"size", of.size}, {"flops", of.flops}});
  return json.dump(1) + "\n";
}

Machine machine_of(const std::string& text, const std::string& from) {
  const Json json = Json::parse(text, nullptr, false);
  require(!json.is_discarded(), Fault::bad_file, "{} is not JSON: give a file of seiche tune --machine", from);
  Fields fields(json, "", from);
  Machine machine;
  if (fields.has("machine")) machine.name = json["machine"].is_string() ? json["machine"].get<std::string>() : "";
  machine.cores = fields.number("cores");
  machine.cache = fields.number("cache", true);
  machine.wake = fields.number("wake", true);
  machine.computing = fields.list<Computing>("computing", computing_of, [](const Computing& of) { return of.busy; });
  machine.inside = fields.maybe<Link>("inside", link_in);
  machine.between = fields.maybe<Link>("between", link_in);
  machine.disk = fields.maybe<Disk>("disk", disk_of);
  if (fields.has("products")) {
    machine.products = fields.list<ProductRate>("products", product_of, [](const ProductRate& of) { return of.size; });
  }
  fields.end();
  return machine;
}

Machine read_machine(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  require(file.is_open() && !text.fail(), Fault::bad_file,
          "cannot read the machine file {}: create one with mpiexec -n RANKS seiche tune --machine {}", path, path);
  return machine_of(text.str(), path);
}

void write_text(const Communicator& comm, const std::string& text, const std::string& path) {
  on_root(comm, [&] {
    Unfinished output(path, OutputKind::file);
    std::ofstream file(output.temporary(), std::ios::in | std::ios::out);  // never creates it again
    file << text;
    file.close();
    require(!file.fail(), Fault::unwritable, "cannot write {}: check that there is space", path);
    output.finish();
  });
}

}  // namespace seiche::predict
