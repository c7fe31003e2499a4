// SPDX-License-Identifier: BSD-3-Clause
/// \file  Products of block-sparse matrices, and density matrices by purification.
#include <seiche/purify.hpp>

#include "py_block_matrix.hpp"
#include "py_pending.hpp"

namespace seiche::python {

template <>
Keywords<PurifyOptions> keywords_of() {
  Keywords<PurifyOptions> all;
  nest(all, &PurifyOptions::product);
  return all;
}

namespace {

struct HeldMultiplier {
  Held<Multiplier> held;
};

HeldMultiplier make(const Comm& comm, const nb::kwargs& options) {
  return {held_of<Multiplier>(
      "Multiplier", communicator(comm), [&] { return options_of<ProductOptions>(options); },
      [](const ProductOptions& asked) { return Multiplier(asked); })};
}

void require_ranks(const HeldMultiplier& self, const HeldMatrix& matrix) {
  if (matrix.comm().get() == self.held.comm().get()) return;
  throw BadArgument("the matrix has another communicator than this Multiplier");
}

/// Factors of a product, and operations on its operands.
struct Factors {
  const Number& alpha;
  const Number& beta;
  const std::string& op_a;
  const std::string& op_b;
};

/// Collective. Calls work(multiplier, product, c). Creates `into` if it is None.
template <class Work>
auto with_product(const HeldMultiplier& self, const HeldMatrix& a, const HeldMatrix& b, nb::object& into,
                  const Factors& factors, const Work& work) {
  return std::visit(
      [&]<class Value>(const BlockMatrix<Value>& one) {
        using Matrix = BlockMatrix<Value>;
        Matrix* c = nullptr;
        const auto checks = [&]() -> Product<Value> {
          for (const HeldMatrix* operand : {&a, &b}) require_ranks(self, *operand);
          require_same_kind(a, b);
          if (into.is_none()) into = nb::cast(HeldMatrix(Matrix(product_layout(a.layout(), b.layout()))));
          HeldMatrix& result = nb::cast<HeldMatrix&>(into);
          require_ranks(self, result);
          require_same_kind(a, result);
          if (&result == &a || &result == &b) {
            throw BadArgument("c is an operand of its own product: pass another matrix, or none");
          }
          c = &std::get<Matrix>(result.change());
          return {one,
                  std::get<Matrix>(b.get()),
                  number_of<Value>(factors.alpha, "alpha"),
                  number_of<Value>(factors.beta, "beta"),
                  transpose_named(factors.op_a),
                  transpose_named(factors.op_b)};
        };
        return collective(self.held, checks,
                          [&](Multiplier& multiplier, const auto& product) { return work(multiplier, product, *c); });
      },
      a.get());
}

nb::typed<nb::object, HeldMatrix> multiply(const HeldMultiplier& self, const HeldMatrix& a, const HeldMatrix& b,
                                           nb::typed<nb::object, HeldMatrix> into, const Number& alpha,
                                           const Number& beta, const std::string& op_a, const std::string& op_b) {
  with_product(self, a, b, into, {alpha, beta, op_a, op_b},
               [](Multiplier& multiplier, const auto& product, auto& c) { multiplier(product, c); });
  return into;
}

/// The blocks of `into` belong to the call until it ends, so that no NumPy array can refer to them meanwhile.
PendingCall start_multiply(const HeldMultiplier& self, const HeldMatrix& a, const HeldMatrix& b,
                           nb::typed<nb::object, HeldMatrix> into, const Number& alpha, const Number& beta,
                           const std::string& op_a, const std::string& op_b) {
  Pending pending =
      with_product(self, a, b, into, {alpha, beta, op_a, op_b},
                   [](Multiplier& multiplier, const auto& product, auto& c) { return multiplier.start(product, c); });
  PendingCall call = pending_call(self.held.comm(), std::move(pending), into, nb::none());
  call.result = [into = nb::object(into), taken = nb::cast<HeldMatrix&>(into).take(), kept_a = a.memory(),
                 kept_b = b.memory()] {
    nb::cast<HeldMatrix&>(into).give_back(taken);
    return into;
  };
  return call;
}

/// \throws TypeError for a matrix of single precision
void require_double_precision(const HeldMatrix& matrix, const char* function) {
  if (matrix.kind() == Kind::float64 || matrix.kind() == Kind::complex128) return;
  throw TypeError(std::string(function) + " does not support " + name_of(matrix.kind()) +
                  ": use float64 or complex128");
}
/// Calls work(matrix) with the real or the complex matrix.
template <class Work>
auto in_double_precision(const HeldMatrix& matrix, const Work& work) {
  if (const auto* real = std::get_if<BlockMatrix<double>>(&matrix.get())) return work(*real);
  return work(std::get<BlockMatrix<std::complex<double>>>(matrix.get()));
}

HeldMatrix root_of(const HeldMatrix& s, const HeldMultiplier& multiplier, int max_iterations) {
  const auto checks = [&] {
    require_ranks(multiplier, s);
    require_double_precision(s, "inverse_square_root");
  };
  return collective(multiplier.held, checks, [&](Multiplier& products) {
    return in_double_precision(
        s, [&](const auto& matrix) -> HeldMatrix { return inverse_square_root(matrix, products, max_iterations); });
  });
}

constexpr const char* doc_of_multiplier =
    R"(Computes products C = alpha op(A) op(B) + beta C. Memory is cached from one product to the next.

Parameters
----------
comm : mpi4py.MPI.Comm or another handle of a communicator, optional
    Communicator of the matrices (default: all processes). The call is collective.
options : keywords
    See below.

It is a context manager; leaving it is collective. One thread at a time may use it and its communicator.)";

void bind_multiplier(nb::module_& module) {
  nb::class_<HeldMultiplier> multiplier(module, "Multiplier", doc_with<ProductOptions>(doc_of_multiplier));
  def_with<ProductOptions>(multiplier, "__init__", init(&make), "comm"_a = nb::none());
  Calls(multiplier)
      .def("__call__", &multiply, "a"_a, "b"_a, "c"_a = nb::none(), "alpha"_a = 1.0, "beta"_a = 0.0, "op_a"_a = "no",
           "op_b"_a = "no",
           R"(Computes C = alpha op_a(A) op_b(B) + beta C. Returns `c`, or a new matrix. Collective.

`op_a` and `op_b` are no, transpose or conjugate. `report` has the error bound.)")
      .def("start", &start_multiply, "a"_a, "b"_a, "c"_a = nb::none(), "alpha"_a = 1.0, "beta"_a = 0.0, "op_a"_a = "no",
           "op_b"_a = "no",
           R"(Starts a product. Returns a seiche.Pending. Collective.

A multiplier has one started product at a time. `c` has no blocks until finish().)");
  multiplier
      .def_prop_ro(
          "report", [](const HeldMultiplier& self) { return self.held.get().report(); },
          "ProductReport of the last product. Local.")
      .def("__repr__", [](const HeldMultiplier& self) {
        if (self.held.closed()) return nb::str("<seiche.Multiplier, closed>");
        return text("<seiche.Multiplier on {} ranks>", self.held.comm().size());
      });
  bind_end(multiplier, "Frees the cached memory. Collective.");
}

PurifyProgress stage_function(nb::handle given) {
  const auto told = reporting_function<const char*, int, double>(given);
  if (!told) return nullptr;
  return [told](PurifyStage stage, int iteration, double residual) {
    constexpr const char* words[] = {"overlap_root", "chemical_potential", "purification"};
    told(words[static_cast<std::size_t>(stage)], iteration, residual);
  };
}

/// A density matrix of any kind of value.
struct FoundDensity : PurifyReport {
  HeldMatrix::Any p;
};

using OnStage = Argument<"collections.abc.Callable[[str, int, float], None]">;
FoundDensity purify_by(const HeldMatrix& k, const HeldMatrix& s, double electrons, const std::string& purifier,
                       int max_iterations, const OnStage& on_progress, int electrons_per_state, double temperature,
                       const nb::kwargs& keywords) {
  const auto asked = [&] {
    auto options = options_of<PurifyOptions>(keywords);
    options.purifier = purifier_named(purifier);
    options.max_iterations = max_iterations;
    options.electrons_per_state = electrons_per_state;
    options.temperature = temperature;
    options.on_progress = stage_function(on_progress);
    require_double_precision(k, "purify");
    require_same_kind(k, s);
    return options;
  };
  return collective(k.comm(), asked, [&](const PurifyOptions& options) {
    return in_double_precision(k, [&]<class Value>(const BlockMatrix<Value>& kohn_sham) -> FoundDensity {
      auto found = purify(kohn_sham, std::get<BlockMatrix<Value>>(s.get()), electrons, options);
      return {found, std::move(found.p)};
    });
  });
}

std::pair<double, double> spectrum_of(const HeldMatrix& self) {
  const auto find = [](const auto& matrix) { return spectrum(matrix); };
  const Interval found = collective(self.comm(), [&] { return std::visit(find, self.get()); });
  return {found.low, found.high};
}

void bind_solving(nb::module_& module) {
  def_with<PurifyOptions>(module, "purify", &purify_by,
                          R"(Computes the density matrix of `electrons` electrons by purification. Collective.

Parameters
----------
k, s : BlockMatrix
    Kohn-Sham and overlap matrix with the same layout, float64, or complex128 for a k-point.
purifier : str
    Algorithm: trs4, tc2, mcweeny or sign.
on_progress : callable, optional
    on_progress(stage, iteration, residual) is called after each iteration.
electrons_per_state : int
    2: closed shell; 1: `k` and the number of electrons belong to one spin.
temperature : float
    k_B T in the unit of `k`, for Fermi-Dirac occupations; `purifier` is then ignored. 0: P is a projector.)",
                          "k"_a, "s"_a, "electrons"_a, "purifier"_a = "trs4", "max_iterations"_a = 100,
                          "on_progress"_a = nb::none(), "electrons_per_state"_a = 2, "temperature"_a = 0.0);
  Calls(module).def("spectrum", &spectrum_of, "matrix"_a,
                    "Returns an interval that contains all eigenvalues of a symmetric (hermitian) matrix. Collective.");
  Calls(module).def("inverse_square_root", &root_of, "s"_a, "multiplier"_a, "max_iterations"_a = 100,
                    "Computes S^(-1/2) of a positive definite matrix, float64 or complex128. Collective.");
}

}  // namespace

void bind_block_product(nb::module_& module) {
  bind_members<ProductReport>(module, "ProductReport", "Result and costs of a product on this rank.");
  bind_multiplier(module);
  bind_members<PurifyReport, FoundDensity>(module, "DensityMatrix", "Result of purify().")
      .def_prop_ro(
          "p", [](const FoundDensity& self) { return HeldMatrix(self.p); },
          "Copy of the density matrix P. The eigenvalues of P S are occupations times electrons_per_state.")
      .def_prop_ro(
          "is_useful", [](const FoundDensity& self) { return is_useful(self); },
          "Whether the error bound of P is below 1 % of its norm.");
  bind_solving(module);
}

}  // namespace seiche::python
