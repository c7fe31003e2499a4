// SPDX-License-Identifier: BSD-3-Clause
#include "predict_case.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

#include "grid_option.hpp"
#include "numbers.hpp"
#include "support/joined.hpp"

namespace seiche::command {

namespace {

/// A transform with its settings.
struct PredictedTransform {
  GridOption grid;
  std::string kind = "c2c", algorithm = "automatic", decomposition = "automatic";
  double radius = 0;
  std::int64_t bands = 16;
  FftOptions options;

  void add_to(CLI::App& app) {
    grid.add_to(app)->required();
    app.add_option("--algorithm,--way", algorithm, "exchange algorithm")->capture_default_str();
    app.add_option("--decomposition", decomposition, "decomposition of the grid: slab, pencil, pencil_yz or automatic")
        ->check(CLI::IsMember({"automatic", "slab", "pencil", "pencil_yz"}));
  }
  FftOptions all_options() const {
    FftOptions all = options;
    all.policy.algorithm = algorithm_named(algorithm);
    for (const auto one : {Decomposition::slab, Decomposition::pencil, Decomposition::pencil_yz}) {
      if (name_of(one) == decomposition) all.decomposition = one;
    }
    return all;
  }
  std::string size() const {
    const GridShape n = grid.shape();
    return fmt::format("{}x{}x{}", n.nx, n.ny, n.nz);
  }
};

PredictedCase transform(const std::string& name, const predict::TransformCase& of, const FftOptions& options) {
  return {name,
          [of, options](const predict::Machine& machine, const predict::Where& where) {
            return CasePrediction{where, predicted(machine, where, of, options), best(machine, where, of),
                                  own_exchange(machine, where, of)};
          },
          of.radius > 0 ? of.bands : 0};
}

using Then = std::function<void(const PredictedCase&)>;

void add_fft(CLI::App& predict, const Then& then) {
  const auto wanted = std::make_shared<PredictedTransform>();
  auto* fft = predict.add_subcommand("fft", "dense FFT of one grid, forward and backward");
  wanted->add_to(*fft);
  fft->add_option("--kind", wanted->kind, "transform: c2c (complex) or r2c (real)")
      ->check(CLI::IsMember({"c2c", "r2c"}));
  fft->add_option("--chunks", wanted->options.chunks, "relative sizes of the chunks of one transform, for example 3,1")
      ->delimiter(',')
      ->check(at_least(1));
  fft->callback([wanted, then] {
    const predict::TransformCase of{wanted->grid.shape(), wanted->kind == "r2c"};
    then(transform(fmt::format("fft {} {}", wanted->kind, wanted->size()), of, wanted->all_options()));
  });
}

void add_cache(CLI::App& predict, const Then& then) {
  const auto wanted = std::make_shared<PredictedTransform>();
  auto* cache = predict.add_subcommand("cache", "the same with a cached plan that is requested in each call");
  wanted->add_to(*cache);
  cache->callback([wanted, then] {
    const predict::TransformCase of{.shape = wanted->grid.shape(), .looks_up = true};
    then(transform(fmt::format("cache {}", wanted->size()), of, wanted->all_options()));
  });
}

void add_bands(CLI::App& predict, const Then& then) {
  const auto wanted = std::make_shared<PredictedTransform>();
  auto* bands = predict.add_subcommand("bands", "plane waves |G| <= R: each band to the grid, times V(r), and back");
  wanted->add_to(*bands);
  bands->add_option("--radius", wanted->radius, "radius of the sphere in grid indices [a quarter of the grid]")
      ->check(positive());
  bands->add_option("--bands", wanted->bands, "number of bands")->check(at_least(1))->capture_default_str();
  bands->add_option("--window", wanted->options.policy.window, "number of bands in flight (0: automatic)")
      ->check(at_least(0));
  bands
      ->add_option("--band-groups", wanted->options.band_groups,
                   "number of groups of ranks that share the bands of a call (0: automatic)")
      ->check(at_least(0));
  bands->callback([wanted, then] {
    const GridShape n = wanted->grid.shape();
    const double quarter = static_cast<double>(std::min({n.nx, n.ny, n.nz})) / 4;
    const predict::TransformCase of{n, false, wanted->radius > 0 ? wanted->radius : quarter, wanted->bands};
    then(transform(fmt::format("bands {} radius {} bands {}", wanted->size(), of.radius, of.bands), of,
                   wanted->all_options()));
  });
}

struct PredictedFile {
  predict::FileCase file;
  std::string direction = "write";
};

void add_wavefile(CLI::App& predict, const Then& then) {
  const auto wanted = std::make_shared<PredictedFile>();
  predict::FileCase& file = wanted->file;
  auto* app = predict.add_subcommand("wavefile", "writing or reading of a set of wavefunctions");
  app->add_option("--kpoints", file.kpoints, "number of k-points")->check(at_least(1))->capture_default_str();
  app->add_option("--bands", file.bands, "number of bands")->check(at_least(1))->capture_default_str();
  app->add_option("--waves", file.waves, "number of plane waves per k-point")
      ->check(at_least(1))
      ->capture_default_str();
  app->add_option("--direction", wanted->direction, "direction: write or read")
      ->check(CLI::IsMember({"write", "read"}));
  app->callback([wanted, then] {
    predict::FileCase of = wanted->file;
    of.reading = wanted->direction == "read";
    const auto name =
        fmt::format("wavefile {} {} k-points x {} bands x {} waves", wanted->direction, of.kpoints, of.bands, of.waves);
    then({name, [of](const predict::Machine& machine, const predict::Where& where) {
            return CasePrediction{where, predicted(machine, where, of), {}, {}};
          }});
  });
}

void add_blocksparse(CLI::App& predict, const Then& then) {
  const auto wanted = std::make_shared<predict::ProductCase>();
  predict::ProductCase& of = *wanted;
  auto* app = predict.add_subcommand("blocksparse", "product of random block-sparse matrices");
  app->add_option("--blocks", of.blocks, "number of block rows and columns of the square matrices")
      ->check(at_least(1))
      ->capture_default_str();
  app->add_option("--sizes", of.sizes, "block sizes, repeated in order: 23, or 5,13")
      ->delimiter(',')
      ->check(at_least(1));
  app->add_option("--fill", of.fill, "fraction of nonzero blocks, at random")
      ->check(finite())
      ->check(CLI::Range(0.0, 1.0));
  app->add_option("--layers", of.layers, "number of layers of the inner index (0: automatic)")->check(at_least(0));
  app->add_option("--multiplied", of.multiplied, "fraction of the products of blocks that the filter does not skip")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app->add_option("--window", of.window, "number of panels in memory (1: exchange and computation alternate)")
      ->check(at_least(1));
  app->callback([wanted, then] {
    const predict::ProductCase product = *wanted;
    const auto name = fmt::format("blocksparse {} blocks of {}, fill {:g}", product.blocks,
                                  seiche::joined(product.sizes, ","), product.fill);
    then({name, [product](const predict::Machine& machine, const predict::Where& where) {
            return CasePrediction{where, predicted(machine, where, product), {}, {}};
          }});
  });
}

}  // namespace

void add_predicted_cases(CLI::App& predict, const Then& then) {
  add_fft(predict, then);
  add_cache(predict, then);
  add_bands(predict, then);
  add_wavefile(predict, then);
  add_blocksparse(predict, then);
}

}  // namespace seiche::command
