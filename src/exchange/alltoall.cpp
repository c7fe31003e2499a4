// SPDX-License-Identifier: BSD-3-Clause
/// \file  Collective transports: MPI_Alltoallv and MPI_Ialltoallv with actual counts, and MPI_Alltoall with equal
/// counts.
#include <algorithm>
#include <deque>

#include "comm/check.hpp"
#include "comm/handle.hpp"
#include "exchange/transport.hpp"

namespace seiche {

namespace {

/// Messages with counts and offsets of MPI's type.
struct Counts {
  std::vector<int> count, offset;
  explicit Counts(const Messages& messages) : count(messages.count.size()), offset(messages.offset.size()) {
    std::transform(messages.count.begin(), messages.count.end(), count.begin(), mpi_count);
    std::transform(messages.offset.begin(), messages.offset.end(), offset.begin(), mpi_count);
  }
};

/// Arguments for one direction. Created at first use, and valid as long as a request may read them.
struct Direction {
  const Messages *from, *into;
  Counts send, receive;
  Direction(const Messages& a, const Messages& b) : from(&a), into(&b), send(a), receive(b) {}
};

/// Other arguments of a collective call. The request stays null if the call is blocking.
struct Call {
  MPI_Datatype element;
  MPI_Comm comm;
  MPI_Request* request;
};

void alltoallv(const Direction& d, const Call& call) {
  check(MPI_Alltoallv(d.from->buffer, d.send.count.data(), d.send.offset.data(), call.element, d.into->buffer,
                      d.receive.count.data(), d.receive.offset.data(), call.element, call.comm),
        "MPI_Alltoallv");
}

void ialltoallv(const Direction& d, const Call& call) {
  check(MPI_Ialltoallv(d.from->buffer, d.send.count.data(), d.send.offset.data(), call.element, d.into->buffer,
                       d.receive.count.data(), d.receive.offset.data(), call.element, call.comm, call.request),
        "MPI_Ialltoallv");
}

void alltoall(const Direction& d, const Call& call) {
  check(MPI_Alltoall(d.from->buffer, d.send.count[0], call.element, d.into->buffer, d.receive.count[0], call.element,
                     call.comm),
        "MPI_Alltoall");
}

class Collective : public Transport {
 public:
  using Function = void (*)(const Direction&, const Call&);

  Collective(const Communicator& comm, std::size_t element, Function function)
      : comm_(comm), element_(element_type(element)), function_(function) {}

  void start(const Messages& from, const Messages& into) override {
    function_(direction(from, into), {element_.get(), comm_.get(), &request_});
  }
  bool ordered() const override { return true; }
  bool poll() override {
    int done = 1;
    if (request_ != MPI_REQUEST_NULL) check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  }
  void finish() override {
    if (request_ != MPI_REQUEST_NULL) check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
  }

 private:
  const Direction& direction(const Messages& from, const Messages& into) {
    for (const Direction& known : directions_) {
      if (known.from == &from && known.into == &into) return known;
    }
    return directions_.emplace_back(from, into);
  }

  Communicator comm_;
  DatatypeHandle element_;
  Function function_;
  std::deque<Direction> directions_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace

std::unique_ptr<Transport> make_alltoallv(const Communicator& comm, std::size_t element, const Messages&,
                                          const Messages&) {
  return std::make_unique<Collective>(comm, element, alltoallv);
}
std::unique_ptr<Transport> make_ialltoallv(const Communicator& comm, std::size_t element, const Messages&,
                                           const Messages&) {
  return std::make_unique<Collective>(comm, element, ialltoallv);
}
std::unique_ptr<Transport> make_alltoall(const Communicator& comm, std::size_t element, const Messages&,
                                         const Messages&) {
  return std::make_unique<Collective>(comm, element, alltoall);
}

}  // namespace seiche
