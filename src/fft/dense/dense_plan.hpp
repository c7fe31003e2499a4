// SPDX-License-Identifier: BSD-3-Clause
/// \file  What a transform of a dense grid is on these ranks: who holds what in which layout, and the routes between.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "exchange/exchange.hpp"
#include "fft/dense/dense_cut.hpp"
#include "fft/dense/dense_layouts.hpp"
#include "fft/dense/dense_shares.hpp"
#include "seiche/communicator.hpp"

namespace seiche {

using Strides = std::array<std::int64_t, 3>;

/// The kind of values, of which the plan depends on no more than this.
struct DenseKind {
  char letter;          ///< as letter_of()
  bool real;            ///< the spectrum has nx/2+1 points along x
  std::size_t element;  ///< bytes of a complex value
};

/// From one layout to the next, among some ranks, in one part for each chunk.
struct DenseLeg {
  const Communicator* among;
  std::vector<Route> parts;
};

/// Settled once, and only read by transforms.
struct DensePlan {
  /// Collective. For fields of the plan's own and dense arrays of one field, or for `callers`'.
  DensePlan(const Communicator& all, const GridShape& grid_shape, const FftOptions& asked, const DenseKind& of_values,
            const std::optional<DenseArrays>& callers = {});

  const Box& mine(const std::vector<Box>& boxes) const { return boxes[static_cast<std::size_t>(comm.rank())]; }
  std::vector<DenseLeg> legs() const;
  ExchangeRequest request(const Communicator& among) const;
  /// Collective.
  FftReport report() const;
  /// Memory for bundles in flight. Z lines of a bundle that went in chunks come when some of another are on their way.
  std::int64_t copies() const { return std::min<std::int64_t>(in_flight + (cut.chunks() > 1 ? 1 : 0), bundles); }
  /// In complex values, from point to point in the plan's own memory: along y and z where rows are, along z in columns.
  std::int64_t row() const { return rows_stride[1] * bundle.in_point; }
  std::int64_t plane() const { return rows_stride[2] * bundle.in_point; }
  /// The rank of the last leg that has the plane z = 0: what comes from there begins the columns.
  int first_source() const;

  Communicator comm, row_comm, column_comm;  // pencils exchange inside the latter two
  GridShape shape;
  DenseKind kind;
  std::int64_t nx;  // points of the spectrum along x
  FftOptions options;
  Queue queue;  // of the space of the options
  ProcessGrid ranks;
  bool pencil = false;
  bool in_place = false;   // nothing travels: neighbours work on each other's memory
  bool zero_copy = false;  // z lines run through the neighbours' planes
  Bundle bundle;
  std::int64_t bundles = 1;
  int in_flight = 1;     // bundles
  DenseShares shares;    // of callers' arrays
  DenseLayouts layouts;  // with bundle.in_plane planes at each z
  Strides rows_stride{}, middle_stride{}, columns_stride{};
  Box grid_box, spectrum_box;
  DenseCut cut;          // of a bundle
  std::string identity;  // the same for plans whose fields can take each other's place, and only these

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
