// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/product/communication_plan.hpp"

#include <mpi.h>

#include "blocksparse/matrix/scalar.hpp"

namespace seiche {

namespace {

/// Calls work(block, panel, source, operand) for all blocks from other ranks, in the order in which each source sends
/// the blocks of a panel: A before B, in the order of the index.
template <class Value, class Work>
void each_arrival(const IndexExchange<Value>& index, const Panels& panels, const Work& work) {
  each_listed(index, [&](const ListedBlock& block) {
    const auto& operand = index.operand(block.operand);
    if (operand.source[block.entry] < 0 || !operand.needed[block.entry]) return;
    work(block, panels.of(block.place), operand.source[block.entry], operand);
  });
}

/// The requests to each owner: the number of blocks for each panel, of A and then of B; then the blocks, in the same
/// order.
using Requests = std::vector<std::vector<std::int32_t>>;

template <class Value>
Requests requests_of(const IndexExchange<Value>& index, const Panels& panels, int ranks) {
  std::vector<Requests> asked(ranks, Requests(2 * panels.count()));
  each_arrival(index, panels, [&](const ListedBlock& block, std::int32_t panel, int source, const auto& operand) {
    asked[source][2 * panel + block.operand].push_back(operand.ordinal[block.entry]);
  });
  Requests requests(ranks);
  for (int q = 0; q < ranks; ++q) {
    for (const auto& list : asked[q]) requests[q].push_back(static_cast<std::int32_t>(list.size()));
    for (const auto& list : asked[q]) requests[q].insert(requests[q].end(), list.begin(), list.end());
  }
  return requests;
}

/// Plans the messages that this rank receives for each panel.
template <class Value>
void plan_arrivals(const IndexExchange<Value>& index, int ranks, CommunicationPlan& plan) {
  std::vector<std::vector<std::int64_t>> bytes(plan.panels.count(), std::vector<std::int64_t>(ranks, 0));
  plan.parcels.resize(bytes.size());
  each_arrival(index, plan.panels, [&](const ListedBlock& block, std::int32_t panel, int source, const auto&) {
    bytes[panel][source] += block.bytes;
    plan.parcels[panel].arrivals.push_back({block.operand, source, block.entry, block.bytes});
  });
  for (std::size_t p = 0; p < bytes.size(); ++p) plan.parcels[p].receive = MessageTable(std::move(bytes[p]));
}

/// The blocks of this rank in the order in which they were announced to other ranks.
template <class Value>
class OwnBlocks {
 public:
  OwnBlocks(int operand, const BlockMatrix<Value>& m, const OperandIndex<Value>& index)
      : operand_(operand), m_(m), index_(index) {}
  Parcel::Piece operator()(int receiver, std::int32_t ordinal) const {
    const std::int64_t number = index_.told[receiver][ordinal];
    const StoredBlock block = stored_block(m_, inside(m_).blocks.row_of(number), number);
    return {operand_, number, static_cast<std::int64_t>(block.size() * sizeof(Value))};
  }

 private:
  int operand_;
  const BlockMatrix<Value>& m_;
  const OperandIndex<Value>& index_;
};

/// Converts the requested blocks to pieces of parcels.
template <class Value>
void plan_departures(const Requests& orders, const OwnBlocks<Value>& a, const OwnBlocks<Value>& b,
                     CommunicationPlan& plan) {
  std::vector<std::int64_t> next(orders.size(), 2 * plan.panels.count());
  for (std::int64_t p = 0; p < plan.panels.count(); ++p) {
    Parcel& parcel = plan.parcels[p];
    std::vector<std::int64_t> bytes(orders.size(), 0);
    for (int q = 0; q < std::ssize(orders); ++q) {
      for (int operand = 0; operand < 2; ++operand) {
        for (std::int32_t n = 0; n < orders[q][2 * p + operand]; ++n) {
          parcel.pieces.push_back((operand == 0 ? a : b)(q, orders[q][next[q]++]));
          bytes[q] += parcel.pieces.back().bytes;
        }
      }
    }
    parcel.send = MessageTable(std::move(bytes));
  }
}

void add_up(CommunicationPlan& plan) {
  for (const Parcel& parcel : plan.parcels) {
    plan.largest_send = std::max(plan.largest_send, parcel.send.total);
    plan.largest_receive = std::max(plan.largest_receive, parcel.receive.total);
    plan.bytes_sent += parcel.send.total;
    plan.bytes_received += parcel.receive.total;
  }
}

}  // namespace

template <class Value>
CommunicationPlan plan_communication(const IndexExchange<Value>& index, const BlockMatrix<Value>& a,
                                     const BlockMatrix<Value>& b, const PanelCount& count,
                                     const std::optional<Error>& fault) {
  const Communicator& comm = a.layout().comm;
  CommunicationPlan plan;
  const PanelCut cut = agreed_cut(index, comm, count, fault);
  const double start = MPI_Wtime();
  const auto request = [&] {
    plan.panels = cut_into_panels(index, cut);
    each_listed(index, [&](const ListedBlock& block) {
      const bool comes = index.operand(block.operand).source[block.entry] >= 0;
      plan.bytes_whole_panels += comes ? block.bytes : 0;
    });
    plan_arrivals(index, comm.size(), plan);
    return requests_of(index, plan.panels, comm.size());
  };
  pass_lists(comm, request, [&](const Requests& orders) {
    plan_departures(orders, OwnBlocks<Value>(0, a, index.a), OwnBlocks<Value>(1, b, index.b), plan);
    for (int q = 0; q < comm.size(); ++q) plan.bytes_index += q == comm.rank() ? 0 : 4 * std::ssize(orders[q]);
    add_up(plan);
  });
  plan.seconds_index = MPI_Wtime() - start;
  return plan;
}

template <class Value>
void place_departures(CommunicationPlan& plan, const BlockMatrix<Value>& a, const BlockMatrix<Value>& b) {
  for (Parcel& parcel : plan.parcels) {
    for (Parcel::Piece& piece : parcel.pieces) {
      const BlockMatrix<Value>& m = piece.operand == 0 ? a : b;
      piece.data = reinterpret_cast<const std::byte*>(m.values().data() + m.offset()[piece.number]);
    }
  }
}

template <class Value>
void place_arrivals(IndexExchange<Value>& index, const CommunicationPlan& plan,
                    const std::function<std::byte*(std::int64_t, int)>& arrivals) {
  std::vector<std::byte*> next;
  for (std::int64_t p = 0; p < plan.panels.count(); ++p) {
    const Parcel& parcel = plan.parcels[p];
    next.clear();
    for (int q = 0; q < std::ssize(parcel.receive.bytes); ++q) next.push_back(arrivals(p, q));
    for (const Parcel::Arrival& one : parcel.arrivals) {
      index.operand(one.operand).data[one.entry] = reinterpret_cast<const Value*>(next[one.source]);
      next[one.source] += one.bytes;
    }
  }
}

template <class Value>
void measure_arrivals(IndexExchange<Value>& index, const Parcel& parcel, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (const Parcel::Arrival& one : parcel.arrivals) {
    OperandIndex<Value>& operand = index.operand(one.operand);
    const auto elements = static_cast<std::int64_t>(one.bytes / sizeof(Value));
    operand.norm[one.entry] = norm_above(sum_of_squares(operand.data[one.entry], elements));
  }
}

void pack_parcel(const Parcel& parcel, std::byte* into, int threads) {
  std::vector<std::int64_t> place;
  std::int64_t end = 0;
  for (const Parcel::Piece& piece : parcel.pieces) {
    place.push_back(end);
    end += piece.bytes;
  }
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (std::size_t n = 0; n < place.size(); ++n) {
    const Parcel::Piece& piece = parcel.pieces[n];
    std::copy(piece.data, piece.data + piece.bytes, into + place[n]);
  }
}

#define SEICHE_COMMUNICATION_PLAN(Value)                                                                    \
  template CommunicationPlan plan_communication(const IndexExchange<Value>&, const BlockMatrix<Value>&,     \
                                                const BlockMatrix<Value>&, const PanelCount&,               \
                                                const std::optional<Error>&);                               \
  template void measure_arrivals(IndexExchange<Value>&, const Parcel&, int);                                \
  template void place_departures(CommunicationPlan&, const BlockMatrix<Value>&, const BlockMatrix<Value>&); \
  template void place_arrivals(IndexExchange<Value>&, const CommunicationPlan&,                             \
                               const std::function<std::byte*(std::int64_t, int)>&)
SEICHE_COMMUNICATION_PLAN(float);
SEICHE_COMMUNICATION_PLAN(double);
SEICHE_COMMUNICATION_PLAN(std::complex<float>);
SEICHE_COMMUNICATION_PLAN(std::complex<double>);

}  // namespace seiche
