// SPDX-License-Identifier: BSD-3-Clause
/// \file  Pipeline stages of dense transforms, with a spectrum. If the spectrum has the planes of the grid, data return
/// for the 1D FFTs along y.
#pragma once

#include <utility>

#include "fft/dense/row_stages.hpp"

namespace seiche {

template <class Value>
class DenseStages : public RowStages<Value> {
 public:
  using Rows = RowStages<Value>;
  using typename Rows::At;
  using typename Rows::Complex;
  using typename Rows::Item;

  DenseStages(const DenseSetup<Value>& setup, Pipeline& pipeline)
      : Rows(setup.plan, *setup.steps, pipeline), steps_(*setup.steps), pipeline_(pipeline) {}

  Stage columns_to_spectrum(At at) {
    return this->stage(
        std::move(at),
        [this](const Item& here) {
          return steps_.columns_to_spectrum(here.memory->columns(), this->columns(here), here.spectrum, pipeline_);
        },
        [](const Item& here) { return Rows::handed_back(here, Toward::source); });
  }
  Stage columns_from_spectrum(At at) {
    return this->stage(
        std::move(at),
        [this](const Item& here) {
          return steps_.columns_from_spectrum(here.spectrum, this->columns(here), here.memory->columns(), pipeline_);
        },
        [this](const Item& here) { return this->columns_returned(here); });
  }
  /// 1D FFTs along z, before data return for those along y.
  Stage columns_and_back(At at, bool backward) {
    return this->stage(
        std::move(at),
        [this, backward](const Item& here) {
          Complex* values = here.memory->columns();
          return backward ? steps_.columns_from_spectrum(values, this->columns(here), values, pipeline_)
                          : steps_.columns_to_spectrum(values, this->columns(here), values, pipeline_);
        },
        [](const Item& here) {
          return PostedExchanges{{first(here), Toward::source, Payload::values}};
        });
  }
  Stage rows_to_spectrum(At at) {
    return this->stage(
        std::move(at),
        [this](const Item& here) {
          return steps_.rows_to_spectrum(here.memory->rows(0), planes(here), here.spectrum, pipeline_);
        },
        [](const Item&) { return PostedExchanges(); });
  }
  Stage rows_from_spectrum(At at) {
    return this->stage(
        std::move(at),
        [this](const Item& here) {
          return steps_.rows_from_spectrum(here.spectrum, planes(here), here.memory->rows(0), pipeline_);
        },
        [](const Item& here) {
          return PostedExchanges{{first(here), Toward::target, Payload::values}};
        });
  }

 private:
  using Rows::first;
  using Rows::planes;

  const DenseSteps<Value>& steps_;
  Pipeline& pipeline_;
};

}  // namespace seiche
