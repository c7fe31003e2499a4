// SPDX-License-Identifier: BSD-3-Clause
/// \file  Collective wires: MPI_Alltoallv with true counts, MPI_Alltoall with equal ones.
#include <algorithm>

#include "comm/check.hpp"
#include "comm/handle.hpp"
#include "exchange/wire.hpp"

namespace seiche {

namespace {

std::vector<int> mpi_counts(const std::vector<std::int64_t>& counts) {
  std::vector<int> ints(counts.size());
  std::transform(counts.begin(), counts.end(), ints.begin(), mpi_count);
  return ints;
}

class Alltoallv : public Wire {
 public:
  Alltoallv(const Communicator& comm, std::size_t element) : comm_(comm), element_(element_type(element)) {}

  void start(const std::byte* from, const Messages& send, std::byte* into, const Messages& receive) override {
    const auto send_counts = mpi_counts(send.count), send_offsets = mpi_counts(send.offset);
    const auto receive_counts = mpi_counts(receive.count), receive_offsets = mpi_counts(receive.offset);
    check(MPI_Alltoallv(from, send_counts.data(), send_offsets.data(), element_.get(), into, receive_counts.data(),
                        receive_offsets.data(), element_.get(), comm_.get()),
          "MPI_Alltoallv");
  }
  bool poll() override { return true; }
  void finish() override {}

 private:
  Communicator comm_;
  DatatypeHandle element_;
};

class Alltoall : public Wire {
 public:
  Alltoall(const Communicator& comm, std::size_t element) : comm_(comm), element_(element_type(element)) {}

  void start(const std::byte* from, const Messages& send, std::byte* into, const Messages& receive) override {
    check(MPI_Alltoall(from, mpi_count(send.count[0]), element_.get(), into, mpi_count(receive.count[0]),
                       element_.get(), comm_.get()),
          "MPI_Alltoall");
  }
  bool poll() override { return true; }
  void finish() override {}
  bool padded() const override { return true; }

 private:
  Communicator comm_;
  DatatypeHandle element_;
};

}  // namespace

std::unique_ptr<Wire> make_alltoallv(const Communicator& comm, std::size_t element) {
  return std::make_unique<Alltoallv>(comm, element);
}
std::unique_ptr<Wire> make_alltoall(const Communicator& comm, std::size_t element) {
  return std::make_unique<Alltoall>(comm, element);
}

}  // namespace seiche
