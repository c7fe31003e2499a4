// SPDX-License-Identifier: BSD-3-Clause
/// \file  Collective wires: MPI_Alltoallv with true counts, MPI_Alltoall with equal ones; blocking, non-blocking, or
/// set up once and started again and again.
#include <algorithm>
#include <array>

#include "comm/check.hpp"
#include "comm/handle.hpp"
#include "exchange/transport.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// Messages as MPI counts them.
struct Counts {
  std::vector<int> count, offset;
  explicit Counts(const Messages& messages) : count(messages.count.size()), offset(messages.offset.size()) {
    std::transform(messages.count.begin(), messages.count.end(), count.begin(), mpi_count);
    std::transform(messages.offset.begin(), messages.offset.end(), offset.begin(), mpi_count);
  }
};

/// From one end to the other: made when first needed, kept.
struct Direction {
  const Messages *from, *into;
  Counts send, receive;
  RequestHandle persistent;
  Direction(const Messages& a, const Messages& b) : from(&a), into(&b), send(a), receive(b) {}
};

class Collective : public Transport {
 public:
  Collective(const Communicator& comm, std::size_t element, Pace pace)
      : comm_(comm), element_(element_type(element)), pace_(pace) {}

  void start(const Messages& from, const Messages& into) override {
    Direction& direction = of(from, into);
    if (pace_ == Pace::blocking) return call(direction);
    if (pace_ == Pace::nonblocking) return post(direction, &request_);
    if (direction.persistent.get() == MPI_REQUEST_NULL) set_up(direction);
    request_ = direction.persistent.get();
    check(MPI_Start(&request_), "MPI_Start");
  }
  bool poll() override {
    int done = 1;
    if (request_ != MPI_REQUEST_NULL) check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done) request_ = MPI_REQUEST_NULL;  // a persistent one only rests
    return done != 0;
  }
  void finish() override {
    if (request_ != MPI_REQUEST_NULL) check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
    request_ = MPI_REQUEST_NULL;
  }

 protected:
  virtual void call(const Direction& d) = 0;
  virtual void post(const Direction& d, MPI_Request* request) = 0;
  virtual void set_up(Direction& d) = 0;
  MPI_Comm comm() const { return comm_.get(); }
  MPI_Datatype element() const { return element_.get(); }

 private:
  Direction& of(const Messages& from, const Messages& into) {
    for (Direction& known : directions_) {
      if (known.from == &from && known.into == &into) return known;
    }
    return directions_.emplace_back(from, into);
  }

  Communicator comm_;
  DatatypeHandle element_;
  Pace pace_;
  std::vector<Direction> directions_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

class Alltoallv : public Collective {
  using Collective::Collective;
  void call(const Direction& d) override {
    check(MPI_Alltoallv(d.from->buffer, d.send.count.data(), d.send.offset.data(), element(), d.into->buffer,
                        d.receive.count.data(), d.receive.offset.data(), element(), comm()),
          "MPI_Alltoallv");
  }
  void post(const Direction& d, MPI_Request* request) override {
    check(MPI_Ialltoallv(d.from->buffer, d.send.count.data(), d.send.offset.data(), element(), d.into->buffer,
                         d.receive.count.data(), d.receive.offset.data(), element(), comm(), request),
          "MPI_Ialltoallv");
  }
  void set_up([[maybe_unused]] Direction& d) override {
#if MPI_VERSION >= 4
    MPI_Request raw = MPI_REQUEST_NULL;
    check(MPI_Alltoallv_init(d.from->buffer, d.send.count.data(), d.send.offset.data(), element(), d.into->buffer,
                             d.receive.count.data(), d.receive.offset.data(), element(), comm(), MPI_INFO_NULL, &raw),
          "MPI_Alltoallv_init");
    d.persistent = RequestHandle(raw);
#else
    fail(Fault::internal, "persistent collectives need MPI 4");
#endif
  }
};

class Alltoall : public Collective {
  using Collective::Collective;
  void call(const Direction& d) override {
    check(
        MPI_Alltoall(d.from->buffer, d.send.count[0], element(), d.into->buffer, d.receive.count[0], element(), comm()),
        "MPI_Alltoall");
  }
  void post(const Direction& d, MPI_Request* request) override {
    check(MPI_Ialltoall(d.from->buffer, d.send.count[0], element(), d.into->buffer, d.receive.count[0], element(),
                        comm(), request),
          "MPI_Ialltoall");
  }
  void set_up(Direction&) override { fail(Fault::internal, "the padded exchange has no persistent form"); }
};

}  // namespace

std::unique_ptr<Transport> make_alltoallv(const Communicator& comm, std::size_t element, Pace pace) {
  return std::make_unique<Alltoallv>(comm, element, pace);
}
std::unique_ptr<Transport> make_alltoall(const Communicator& comm, std::size_t element, Pace pace) {
  return std::make_unique<Alltoall>(comm, element, pace);
}

}  // namespace seiche
