// SPDX-License-Identifier: BSD-3-Clause
/// \file  Plan of a dense transform: layouts of all ranks, and routes between them.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "exchange/exchange_interface.hpp"
#include "fft/dense/dense_chunks.hpp"
#include "fft/dense/dense_layouts.hpp"
#include "seiche/communicator.hpp"

namespace seiche {

using Strides = std::array<std::int64_t, 3>;

/// Kind of values. The plan depends on these properties only.
struct DenseKind {
  char letter;          ///< result of letter_of()
  bool real;            ///< the spectrum has nx/2+1 points along x
  std::size_t element;  ///< bytes of a complex value
};

/// An exchange between two layouts among some ranks, with one part per chunk.
struct DenseLeg {
  const Communicator* among;
  std::vector<Route> parts;
};

/// Data of a plan, which are constant after construction.
struct DensePlan {
  /// Collective. Creates a plan for fields and dense arrays of one field, or for the caller's arrays.
  DensePlan(const Communicator& all, const GridShape& grid_shape, const FftOptions& asked, const DenseKind& of_values,
            const std::optional<DenseArrays>& callers = {})
      : DensePlan(all, grid_shape, grid_shape, asked, of_values, callers) {}
  /// Collective. Creates a plan that exchanges fewer waves than points along x and y. Its steps are RowSteps.
  DensePlan(const Communicator& all, const GridShape& grid_shape, const GridShape& some_waves, const FftOptions& asked,
            const DenseKind& of_values, const std::optional<DenseArrays>& callers = {});

  const Box& mine(const std::vector<Box>& boxes) const { return boxes[static_cast<std::size_t>(ordered.rank())]; }
  std::vector<DenseLeg> legs() const;
  ExchangeRequest request(const Communicator& among) const;
  /// Collective.
  FftReport report() const;
  /// Returns the number of copies of a bundle's memory. With several chunks, 1D FFTs along z of a bundle run while the
  /// next one is in flight.
  std::int64_t copies() const { return std::min<std::int64_t>(in_flight + (chunks.count() > 1 ? 1 : 0), bundles); }
  /// Strides of the plan's memory in complex values: between rows, and between planes.
  std::int64_t row() const { return rows_stride[1] * bundle.in_point; }
  std::int64_t plane() const { return rows_stride[2] * bundle.in_point; }
  /// Returns the rank of the last exchange that has the plane z = 0. Its data are at the beginning of the columns.
  int first_source() const;

  Communicator comm;                   // of the caller, for agreements
  Communicator ordered;                // its ranks in the order of the layouts
  Communicator row_comm, column_comm;  // pencils exchange data in these
  GridShape shape;
  GridShape waves;  // waves that are exchanged along each axis
  DenseKind kind;
  std::int64_t nx;  // number of points of the spectrum along x
  FftOptions options;
  std::string tuning;  // see FftReport
  Queue queue;         // queue of the memory space in the options
  ProcessGrid ranks;
  bool pencil = false;
  bool in_place = false;   // no data are sent: ranks work on each other's memory
  bool zero_copy = false;  // 1D FFTs along z use the planes of other ranks
  Bundle bundle;
  std::int64_t bundles = 1;
  int in_flight = 1;                 // number of bundles in flight
  CallersDistribution distribution;  // distribution of the caller's arrays
  DenseLayouts layouts;              // with bundle.in_plane planes for each z
  Strides rows_stride{}, middle_stride{}, middle_waves_stride{}, columns_stride{};
  Box grid_box, spectrum_box;
  DenseChunks chunks;    // parts of a bundle
  std::string identity;  // equal for plans with interchangeable fields

 private:
  void share_out();
  void share_out(const DenseArrays& arrays);
  std::vector<int> chunks_of() const;
  std::int64_t bytes_to_each() const;
  std::int64_t memory_of_bundle() const;
  void keep_within(std::int64_t memory);
  DenseLeg leg(const Communicator& among, const std::vector<Box>& source, const Strides& source_stride,
               const std::vector<Box>& target, const Strides& target_stride) const;
};

}  // namespace seiche
