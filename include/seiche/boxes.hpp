// SPDX-License-Identifier: BSD-3-Clause
/// \file  Redistribution of grid values between arbitrary boxes: other distributions, parts of a grid, halos.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "seiche/communicator.hpp"
#include "seiche/exchange.hpp"
#include "seiche/field_array.hpp"
#include "seiche/layout.hpp"
#include "seiche/pending.hpp"
#include "seiche/space.hpp"
#include "seiche/tuning.hpp"

namespace seiche {

/// Options of a BoxExchange. Must be equal on all ranks, except `policy.progress` and `stream`.
struct BoxOptions {
  /// The exchange algorithm, the progress mode, the window, and the limit of memory (0: 64 MB). With an automatic
  /// algorithm on the host, calls use the settings of the tuning file, if tune_boxes() has written usable ones.
  Policy policy{};
  /// Where values are packed, sent and added. An exchange on a device copies the caller's arrays if they are in host
  /// memory.
  Space space = Space::host;
  /// With Space::cuda: handle of the caller's stream in which kernels run (see FftOptions::stream).
  std::int64_t stream = 0;
};

/// Settings and costs of a BoxExchange.
struct BoxReport {
  std::string algorithm;  ///< name of the exchange algorithm of the last call, or of the default before the first call
  std::int64_t sent = 0;  ///< elements of a field that this rank sends to others
  std::int64_t received = 0;  ///< elements of a field that this rank receives from others
  std::int64_t own = 0;       ///< elements of a field that this rank copies from its own source boxes
  std::int64_t memory = 0;    ///< bytes of buffers on this rank, in host and device memory
  /// Memory from which this rank sends messages: "host", "device" (GPU-aware MPI), or "none" without messages.
  std::string messages = "none";
  /// Use of the tuning file in calls: "none", "used", or "ignored: " and the reason (see FftReport::tuning).
  std::string tuning = "none";
};

/// Copies values of distributed grids from source boxes to target boxes. Each rank has any number of boxes at both
/// ends.
///
/// Source boxes are inside the grid and do not overlap. Target boxes may overlap, on one rank and between ranks. They
/// may extend beyond the grid, which is periodic: point -1 is point n - 1. So a target box that is larger than a rank's
/// source box has its halo. Each target point must be in a source box.
///
/// One thread at a time may use an exchange (see communicator.hpp).
class BoxExchange {
 public:
  /// Collective over `comm`. `source` and `target` are the boxes of this rank and their places in the two arrays of a
  /// call.
  /// \throws Error if source boxes overlap or leave the grid, if a target point is in no source box, or if there is no
  /// device
  BoxExchange(const Communicator& comm, GridShape shape, std::span<const FieldArray> source,
              std::span<const FieldArray> target, const BoxOptions& options = {});
  ~BoxExchange();
  BoxExchange(BoxExchange&&) noexcept;
  BoxExchange& operator=(BoxExchange&&) noexcept;
  /// Collective. Frees the buffers. The exchange cannot be used afterwards.
  void close();

  /// Collective. Copies `fields` fields from the source boxes to the target boxes. Other elements of `target` are not
  /// changed. T is float, double, or std::complex of them. The arrays must not overlap. With Space::cuda they may be in
  /// device memory.
  /// \throws Error for an array that is too short, or different numbers of fields or types on the ranks
  template <class T>
  void copy(std::span<const T> source, std::span<T> target, std::int64_t fields = 1);
  /// Collective. Adds the values of all target boxes to the source boxes. This is the transposed operation of copy(): a
  /// point of several target boxes receives the sum of all. The order of the sum depends on the boxes and the type of
  /// the values, and on a limit of memory below 1 MiB.
  /// \throws Error as copy()
  template <class T>
  void add_back(std::span<const T> target, std::span<T> source, std::int64_t fields = 1);

  /// Collective. Starts copy(). finish() of the result completes it and throws its errors (see pending.hpp).
  template <class T>
  Pending start_copy(std::span<const T> source, std::span<T> target, std::int64_t fields = 1);
  /// Collective. Starts add_back().
  template <class T>
  Pending start_add_back(std::span<const T> target, std::span<T> source, std::int64_t fields = 1);

  BoxReport report() const;         ///< Local. Settings and costs. `memory`: bytes of all calls until now.
  ProgressReport progress() const;  ///< Local. Use of time in calls of this object.

  struct Body;  ///< For internal use.

 private:
  Body& body() const;
  std::shared_ptr<Body> body_;
};

/// Collective. Times copy() of `fields` fields of type T on the host with different algorithms, windows and progress
/// modes, and writes the fastest to the tuning file. Calls of exchanges on the host with `automatic` algorithm and
/// similar sizes use it, also add_back(). The limit of memory is not tuned, because the order of sums depends on it.
/// \throws Error for invalid boxes (see BoxExchange) or fewer than one field; Error(unwritable) if the file cannot be
/// written
template <class T>
TuneReport<BoxOptions> tune_boxes(const Communicator& comm, GridShape shape, std::span<const FieldArray> source,
                                  std::span<const FieldArray> target, std::int64_t fields = 1,
                                  const TuneRequest& request = {});

}  // namespace seiche
