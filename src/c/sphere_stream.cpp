// SPDX-License-Identifier: BSD-3-Clause
/// \file  The way to the grid for bands that come by and by, for C.
#include <optional>
#include <string>

#include "c/sphere_fft.hpp"

namespace seiche::c {

namespace {

/// The stream of a plan, until it is finished.
template <class Value>
struct Flowing {
  std::optional<typename SphereFft<Value>::Stream> stream;
};

}  // namespace

struct StreamObject : Object {
  static constexpr const char* name = "sphere_stream";
  const char* noun() const override { return name; }
  explicit StreamObject(AnyValue<Flowing> of) : flowing(std::move(of)) {}
  void close() {
    std::visit([](auto& one) { one.stream.reset(); }, flowing);
  }
  AnyValue<Flowing> flowing;
};

template <>
struct BehindHandle<seiche_sphere_stream> {
  using type = StreamObject;
};

namespace {

/// Runs `work` on the stream, whose grid values are of type Value: work(stream, Value{}).
template <class Work>
seiche_status on_stream(seiche_sphere_stream* stream, const Work& work) {
  return call([&] {
    std::visit(
        [&]<class Value>(Flowing<Value>& one) {
          require(one.stream.has_value(), Fault::bad_argument,
                  "sphere_stream: it has been finished; create another for more bands");
          work(*one.stream, Value{});
        },
        behind(stream).flowing);
  });
}

}  // namespace

}  // namespace seiche::c

using namespace seiche::c;

seiche_status seiche_sphere_stream_create(seiche_sphere_stream** stream, seiche_sphere_fft* fft,
                                          seiche_grid_function function, void* user) {
  return create(stream, [&] {
    return std::visit(
        [&]<class Value>(seiche::SphereFft<Value>& plan) {
          return std::make_shared<StreamObject>(
              AnyValue<Flowing>(Flowing<Value>{plan.stream_spinors(on_grid<Value>(function, user))}));
        },
        behind(fft).fft);
  });
}

seiche_status seiche_sphere_stream_add(seiche_sphere_stream* stream, const void* in, std::int64_t in_count,
                                       std::int64_t bands) {
  return on_stream(stream, [&]<class Value>(auto& flowing, Value) {
    using Complex = typename seiche::ComplexOf<Value>::type;
    flowing.add(values_at<Complex>(in, in_count), bands);
  });
}

seiche_status seiche_sphere_stream_fail(seiche_sphere_stream* stream, const char* sentence) {
  return on_stream(stream, [&](auto& flowing, auto) {
    require_place(sentence, "sphere_stream", "the sentence");
    flowing.fail(seiche::Error(seiche::Fault::bad_argument, sentence));
  });
}

seiche_status seiche_sphere_stream_finish(seiche_sphere_stream* stream) {
  return on_stream(stream, [&](auto& flowing, auto) {
    auto last = std::move(flowing);  // its end, whatever it throws
    behind(stream).close();
    last.finish();
  });
}

seiche_status seiche_sphere_stream_destroy(seiche_sphere_stream** stream) { return destroy(stream); }
