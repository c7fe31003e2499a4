// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/panels.hpp"

#include <numeric>

#include "comm/agree.hpp"

namespace seiche {

namespace {

constexpr std::int64_t panel_bytes = std::int64_t{1} << 20;  // large enough for messages at full speed
constexpr int most_panels = 12;
constexpr int most_inner_panels = 8;  // each of these goes through all of C once more
constexpr int most_local_panels = 3;  // inside a node there is no wire to hide, and each goes through A or B once more

/// The panel that each row, column or inner block falls into. All have nearly the same weight but the first and the
/// last, which have half of it: nothing hides the arrival of the first, and the last hides nothing.
std::vector<std::int32_t> cut(const std::vector<double>& weight, int panels) {
  const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
  std::vector<std::int32_t> panel(weight.size());
  double before = 0;
  for (std::size_t n = 0; n < weight.size(); ++n) {
    const double middle = total > 0 ? (before + weight[n] / 2) / total : 0;
    panel[n] = std::min(panels - 1, static_cast<int>(middle * (panels - 1) + 0.5));
    before += weight[n];
  }
  return panel;
}

Range range_of(const std::vector<std::int32_t>& panel, int p) {
  const auto [first, last] = std::equal_range(panel.begin(), panel.end(), p);
  return {first - panel.begin(), last - panel.begin()};
}

/// What the two operands have in common here: calls work(view, entry, row, bytes of the block) for all entries.
template <class Value, class Work>
void each_entry(Listing<Value>& view, const std::function<std::int64_t(std::size_t row, std::int32_t index)>& elements,
                const Work& work) {
  for (std::size_t r = 0; r + 1 < view.start.size(); ++r) {
    for (std::int64_t n = view.start[r]; n < view.start[r + 1]; ++n) {
      const auto at = static_cast<std::size_t>(n);
      work(at, r, elements(r, view.index[at]) * static_cast<std::int64_t>(sizeof(Value)));
    }
  }
}

using Elements = std::function<std::int64_t(std::size_t, std::int32_t)>;

template <class Value>
Elements elements_of_a(const Survey<Value>& s, const BlockLayout& c, const BlockSizes& inner) {
  return [&s, &c, &inner](std::size_t r, std::int32_t k) {
    return static_cast<std::int64_t>(c.row_sizes[static_cast<std::size_t>(s.share.rows[r])]) *
           inner[static_cast<std::size_t>(k)];
  };
}
template <class Value>
Elements elements_of_b(const Survey<Value>& s, const BlockLayout& c, const BlockSizes& inner) {
  return [&s, &c, &inner](std::size_t k, std::int32_t j) {
    return static_cast<std::int64_t>(inner[k + static_cast<std::size_t>(s.share.inner.low)]) *
           c.column_sizes[static_cast<std::size_t>(s.share.columns[static_cast<std::size_t>(j)])];
  };
}

/// Which panel an entry of A or B arrives for.
struct Cuts {
  Axis axis;
  std::vector<std::int32_t> panel;  // of each row, column or inner block (from the share's first)
  std::int64_t inner_low;
  std::size_t of_a(std::size_t r, std::int32_t k) const {
    return static_cast<std::size_t>(axis == Axis::rows      ? panel[r]
                                    : axis == Axis::columns ? 0
                                                            : panel[static_cast<std::size_t>(k - inner_low)]);
  }
  std::size_t of_b(std::size_t k, std::int32_t j) const {
    return static_cast<std::size_t>(axis == Axis::columns ? panel[static_cast<std::size_t>(j)]
                                    : axis == Axis::rows  ? 0
                                                          : panel[k]);
  }
};

Cuts cuts_of(const Itinerary& journey, const Share& share) {
  Cuts cuts{journey.axis, {}, share.inner.low};
  const std::size_t n = journey.axis == Axis::rows      ? share.rows.size()
                        : journey.axis == Axis::columns ? share.columns.size()
                                                        : static_cast<std::size_t>(share.inner.size());
  cuts.panel.resize(n);
  for (std::size_t p = 0; p < journey.panels.size(); ++p) {
    const Panel& panel = journey.panels[p];
    Range range = journey.axis == Axis::rows ? panel.rows : journey.axis == Axis::columns ? panel.columns : panel.inner;
    if (journey.axis == Axis::inner) range = {range.low - share.inner.low, range.high - share.inner.low};
    std::fill(cuts.panel.begin() + range.low, cuts.panel.begin() + range.high, static_cast<std::int32_t>(p));
  }
  return cuts;
}

/// Cuts the share; the number of panels is the same on all ranks.
template <class Value>
void choose_panels(Survey<Value>& s, const BlockLayout& c, const BlockSizes& inner, const PanelCount& count,
                   Itinerary& journey) {
  std::int64_t from_a = 0, from_b = 0;
  const auto add_up = [&](auto& view, const Elements& elements, std::int64_t& bytes_needed) {
    each_entry(view, elements, [&](std::size_t n, std::size_t, std::int64_t bytes) {
      if (view.source[n] < 0) return;
      journey.bytes_whole_panels += bytes;
      if (view.needed[n]) bytes_needed += bytes;
    });
  };
  const auto a_elements = elements_of_a(s, c, inner), b_elements = elements_of_b(s, c, inner);
  add_up(s.a, a_elements, from_a);
  add_up(s.b, b_elements, from_b);
  journey.axis = from_b == 0 ? Axis::rows : from_a == 0 ? Axis::columns : Axis::inner;
  const bool alone = c.comm.size() == 1;  // nothing travels
  const auto inner_somewhere = maximum(c.comm, std::int64_t{journey.axis == Axis::inner});
  const int most = c.comm.on_one_node() ? most_local_panels : inner_somewhere != 0 ? most_inner_panels : most_panels;
  const auto by_size = std::clamp<std::int64_t>((from_a + from_b) / panel_bytes, 2, most);
  const auto usual = static_cast<int>(maximum(c.comm, by_size));
  const int panels = alone ? 1 : count.wanted > 0 ? count.wanted : count.coarse ? std::max(2, usual / 2) : usual;

  const std::size_t n = journey.axis == Axis::rows      ? s.share.rows.size()
                        : journey.axis == Axis::columns ? s.share.columns.size()
                                                        : static_cast<std::size_t>(s.share.inner.size());
  std::vector<double> weight(n, 0.0);
  const auto weigh = [&](auto& view, const Elements& elements, const auto& unit) {
    each_entry(view, elements, [&](std::size_t entry, std::size_t r, std::int64_t bytes) {
      if (view.needed[entry]) weight[unit(r, view.index[entry])] += static_cast<double>(bytes);
    });
  };
  const std::int64_t low = s.share.inner.low;
  if (journey.axis != Axis::columns) {
    weigh(s.a, a_elements, [&](std::size_t r, std::int32_t k) {
      return journey.axis == Axis::rows ? r : static_cast<std::size_t>(k - low);
    });
  }
  if (journey.axis != Axis::rows) {
    weigh(s.b, b_elements, [&](std::size_t k, std::int32_t j) {
      return journey.axis == Axis::columns ? static_cast<std::size_t>(j) : k;
    });
  }
  const auto panel = cut(weight, panels);
  const Panel all{{0, static_cast<std::int64_t>(s.share.rows.size())},
                  {0, static_cast<std::int64_t>(s.share.columns.size())},
                  s.share.inner};
  for (int p = 0; p < panels; ++p) {
    Panel part = all;
    const Range range = range_of(panel, p);
    if (journey.axis == Axis::rows) part.rows = range;
    if (journey.axis == Axis::columns) part.columns = range;
    if (journey.axis == Axis::inner) part.inner = {range.low + low, range.high + low};
    journey.panels.push_back(part);
  }
}

/// Calls work(panel, source, entry, bytes, operand) for all blocks that come from others, in the order in which each
/// source sends them: by panel, A before B, in the order of the view.
template <class Value, class Work>
void each_arrival(Survey<Value>& s, const Cuts& cuts, const BlockLayout& c, const BlockSizes& inner, const Work& work) {
  each_entry(s.a, elements_of_a(s, c, inner), [&](std::size_t n, std::size_t r, std::int64_t bytes) {
    if (s.a.source[n] >= 0 && s.a.needed[n]) work(cuts.of_a(r, s.a.index[n]), s.a.source[n], n, bytes, 0);
  });
  each_entry(s.b, elements_of_b(s, c, inner), [&](std::size_t n, std::size_t k, std::int64_t bytes) {
    if (s.b.source[n] >= 0 && s.b.needed[n]) work(cuts.of_b(k, s.b.index[n]), s.b.source[n], n, bytes, 1);
  });
}

void lay_out(Mail& messages, std::int64_t& total) {
  total = 0;
  messages.offset.clear();
  for (const std::int64_t count : messages.count) {
    messages.offset.push_back(total);
    total += count;
  }
}

/// The blocks asked for become the pieces of parcels.
template <class Value>
void pack_list(const BlockMatrix<Value>& m, const std::vector<std::int64_t>& told, const std::int32_t* ordinals,
               std::size_t n, Parcel& parcel, std::size_t receiver) {
  const auto& row_start = m.row_start();
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t block = told[static_cast<std::size_t>(ordinals[i])];
    const auto row = std::upper_bound(row_start.begin(), row_start.end(), block) - row_start.begin() - 1;
    const std::int64_t bytes =
        block_size(m, static_cast<std::size_t>(row), block) * static_cast<std::int64_t>(sizeof(Value));
    const Value* data = m.values().data() + m.offset()[static_cast<std::size_t>(block)];
    parcel.pieces.push_back({reinterpret_cast<const std::byte*>(data), bytes});
    parcel.send.count[receiver] += bytes;
  }
}

}  // namespace

template <class Value>
Itinerary plan_journey(Survey<Value>& s, const BlockMatrix<Value>& a, const BlockMatrix<Value>& b, const BlockLayout& c,
                       const PanelCount& count) {
  Itinerary journey;
  const BlockSizes& inner = a.layout().column_sizes;
  const auto ranks = static_cast<std::size_t>(c.comm.size());
  choose_panels(s, c, inner, count, journey);
  const std::size_t panels = journey.panels.size();
  const Cuts cuts = cuts_of(journey, s.share);

  // to each owner: how many blocks of A and of B for each panel, then which
  std::vector<std::vector<std::vector<std::int32_t>>> asked(ranks, std::vector<std::vector<std::int32_t>>(2 * panels));
  journey.parcels.resize(panels);
  for (Parcel& parcel : journey.parcels) parcel.receive.count.assign(ranks, 0), parcel.send.count.assign(ranks, 0);
  each_arrival(s, cuts, c, inner, [&](std::size_t p, int source, std::size_t n, std::int64_t bytes, int operand) {
    const auto q = static_cast<std::size_t>(source);
    asked[q][2 * p + static_cast<std::size_t>(operand)].push_back(operand == 0 ? s.a.ordinal[n] : s.b.ordinal[n]);
    journey.parcels[p].receive.count[q] += bytes;
  });
  std::vector<std::vector<std::int32_t>> requests(ranks);
  for (std::size_t q = 0; q < ranks; ++q) {
    for (const auto& list : asked[q]) requests[q].push_back(static_cast<std::int32_t>(list.size()));
    for (const auto& list : asked[q]) requests[q].insert(requests[q].end(), list.begin(), list.end());
  }
  const double start = MPI_Wtime();
  const auto orders = ranks > 1 ? pass_things(c.comm, requests) : requests;
  journey.seconds_index += MPI_Wtime() - start;
  std::vector<std::size_t> next(ranks, 2 * panels);
  for (std::size_t p = 0; p < panels; ++p) {
    Parcel& parcel = journey.parcels[p];
    for (std::size_t q = 0; q < ranks; ++q) {
      for (std::size_t operand = 0; operand < 2; ++operand) {
        const auto n = static_cast<std::size_t>(orders[q][2 * p + operand]);
        const std::int32_t* ordinals = orders[q].data() + next[q];
        operand == 0 ? pack_list(a, s.told_a[q], ordinals, n, parcel, q)
                     : pack_list(b, s.told_b[q], ordinals, n, parcel, q);
        next[q] += n;
      }
    }
    std::int64_t out = 0, in = 0;
    lay_out(parcel.send, out);
    lay_out(parcel.receive, in);
    journey.largest_send = std::max(journey.largest_send, out);
    journey.largest_receive = std::max(journey.largest_receive, in);
    journey.bytes_sent += out;
    journey.bytes_received += in;
  }
  for (std::size_t q = 0; q < ranks; ++q) {
    if (static_cast<int>(q) != c.comm.rank()) journey.bytes_index += static_cast<std::int64_t>(orders[q].size() * 4);
  }
  return journey;
}

template <class Value>
void place_arrivals(Survey<Value>& s, const Itinerary& journey, const BlockLayout& c, const BlockSizes& inner,
                    const std::vector<std::unique_ptr<Exchange>>& exchanges) {
  std::vector<std::vector<std::byte*>> next;
  for (const auto& exchange : exchanges) {
    auto& places = next.emplace_back();
    for (int source = 0; source < c.comm.size(); ++source) places.push_back(exchange->target(source).data);
  }
  const auto place = [&](std::size_t p, int source, std::size_t n, std::int64_t bytes, int operand) {
    std::byte*& at = next[p][static_cast<std::size_t>(source)];
    (operand == 0 ? s.a.data : s.b.data)[n] = reinterpret_cast<const Value*>(at);
    at += bytes;
  };
  each_arrival(s, cuts_of(journey, s.share), c, inner, place);
}

Route route_of(const Itinerary& journey, const Parcel& parcel) {
  const auto patches = [](const Mail& mail) {
    std::vector<Patch> all;
    for (std::size_t q = 0; q < mail.count.size(); ++q) all.push_back(row_patch(mail.offset[q], mail.count[q]));
    return all;
  };
  return {room_of(journey.largest_send), room_of(journey.largest_receive), patches(parcel.send),
          patches(parcel.receive)};
}

void pack_parcel(const Parcel& parcel, std::byte* into, int threads) {
  std::vector<std::int64_t> place;
  std::int64_t at = 0;
  for (const Parcel::Piece& piece : parcel.pieces) {
    place.push_back(at);
    at += piece.bytes;
  }
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (std::size_t n = 0; n < place.size(); ++n) {
    const Parcel::Piece& piece = parcel.pieces[n];
    std::copy(piece.data, piece.data + piece.bytes, into + place[n]);
  }
}

#define SEICHE_PANELS(Value)                                                                            \
  template Itinerary plan_journey(Survey<Value>&, const BlockMatrix<Value>&, const BlockMatrix<Value>&, \
                                  const BlockLayout&, const PanelCount&);                               \
  template void place_arrivals(Survey<Value>&, const Itinerary&, const BlockLayout&, const BlockSizes&, \
                               const std::vector<std::unique_ptr<Exchange>>&)
SEICHE_PANELS(float);
SEICHE_PANELS(double);
SEICHE_PANELS(std::complex<float>);
SEICHE_PANELS(std::complex<double>);

}  // namespace seiche
