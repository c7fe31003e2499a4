// SPDX-License-Identifier: BSD-3-Clause
/// \file  Products of block-sparse matrices, and density matrices by purification.
#include <nanobind/stl/optional.h>
#include <seiche/purify.hpp>

#include "block_matrix.hpp"
#include "callback.hpp"
#include "communicators.hpp"
#include "interface/product_members.hpp"
#include "kept.hpp"
#include "nouns.hpp"

namespace seiche::python {

namespace {

using namespace nb::literals;

struct HeldMultiplier {
  Held<Multiplier> held;
};

std::function<void(std::int64_t)> memory_function(nb::handle given) {
  const auto told = progress_function(given);
  if (!told) return nullptr;
  return [told](std::int64_t bytes) { told(static_cast<double>(bytes)); };
}

const Keywords<ProductOptions>& product_keywords() {
  static const Words<OnlyExchange> words{
      {"no", OnlyExchange::no}, {"awake", OnlyExchange::awake}, {"asleep", OnlyExchange::asleep}};
  static const Keywords<ProductOptions> known = [] {
    auto all = keywords_of<ProductOptions>();
    all["only_exchange"] = [](ProductOptions& o, nb::handle given) {
      o.only_exchange = named("only_exchange", value_of<std::string>("only_exchange", given), words);
    };
    all["memory_needed"] = [](ProductOptions& o, nb::handle given) { o.memory_needed = memory_function(given); };
    return all;
  }();
  return known;
}

HeldMultiplier make(const Comm& comm, const nb::kwargs& keywords) {
  const Communicator own = communicator(comm);
  ProductOptions options;
  return {held_of<Multiplier>(
      "Multiplier", own, [&] { options = product_options(keywords); }, [&](auto& made) { made.emplace(options); })};
}

/// What is asked of a product besides its operands.
struct Asked {
  nb::handle alpha, beta;
  std::string op_a, op_b;
};

template <class Value>
Product<Value> product_of(const BlockMatrix<Value>& a, const BlockMatrix<Value>& b, const Asked& asked) {
  const auto number = [](nb::handle given) -> Value {
    const Py_complex read = PyComplex_AsCComplex(given.ptr());
    if (PyErr_Occurred()) throw nb::python_error();
    if constexpr (std::is_floating_point_v<Value>) {
      if (read.imag != 0) throw Error(Fault::bad_argument, "python: factors of real matrices are real");
      return static_cast<Value>(read.real);
    } else {
      return {static_cast<typename Value::value_type>(read.real), static_cast<typename Value::value_type>(read.imag)};
    }
  };
  return {a, b, number(asked.alpha), number(asked.beta), transpose_named(asked.op_a), transpose_named(asked.op_b)};
}

void require_ranks(const HeldMultiplier& self, const HeldMatrix& matrix) {
  if (matrix.comm().get() == self.held.comm().get()) return;
  throw Error(Fault::bad_argument, "python: the matrix lies on another communicator than this Multiplier's");
}

/// Collective. Into `c`, which it returns.
nb::object multiply(const HeldMultiplier& self, const HeldMatrix& a, const HeldMatrix& b, nb::object into,
                    const Asked& asked) {
  std::visit(
      [&](const auto& one) {
        using Matrix = std::remove_cvref_t<decltype(one)>;
        std::optional<decltype(product_of(one, one, asked))> product;
        Matrix* c = nullptr;
        collective(
            self.held,
            [&] {
              for (const HeldMatrix* operand : {&a, &b}) require_ranks(self, *operand);
              require_same_kind(a, b);
              if (into.is_none()) into = nb::cast(HeldMatrix(Matrix(product_layout(a.layout(), b.layout()))));
              HeldMatrix& result = nb::cast<HeldMatrix&>(into);
              require_ranks(self, result);
              require_same_kind(a, result);
              if (&result == &a || &result == &b) {
                throw Error(Fault::bad_argument, "python: c is an operand of its own product; give another, or none");
              }
              product.emplace(product_of(one, std::get<Matrix>(b.get()), asked));
              c = &std::get<Matrix>(result.change());
            },
            [&](Multiplier& multiplier) { multiplier(*product, *c); });
      },
      a.get());
  return into;
}

HeldMatrix root_of(const HeldMatrix& s, const HeldMultiplier& multiplier, int max_iterations) {
  const BlockMatrix<double>* matrix = nullptr;
  std::optional<HeldMatrix> root;
  collective(
      multiplier.held,
      [&] {
        require_ranks(multiplier, s);
        matrix = std::get_if<BlockMatrix<double>>(&s.get());
        if (!matrix) throw TypeError("python: inverse_square_root takes a matrix of float64");
      },
      [&](Multiplier& products) { root.emplace(inverse_square_root(*matrix, products, max_iterations)); });
  return std::move(*root);
}

constexpr const char* doc_of_multiplier =
    R"(Does products C = alpha op(A) op(B) + beta C, and keeps memory from one to the next.

Parameters
----------
comm : mpi4py.MPI.Comm, optional
    That of the matrices; collective over it. Default: all processes.
eps : float
    Filter: A_ik B_kj is skipped below eps / (blocks in row i of A), C_ij below eps. Frobenius norms; 0: keep everything.
threads, algorithm, progress, window, memory, panels, layers, whole_panels, communication_share, memory_needed
    As in the C++ `ProductOptions`: see docs/blocksparse.md.

A context manager: its end is collective. One thread at a time may use it and its communicator.)";

void bind_multiplier(nb::module_& module) {
  nb::class_<HeldMultiplier> multiplier(module, "Multiplier", doc_of_multiplier);
  multiplier
      .def(
          "__init__",
          [](HeldMultiplier* self, const Comm& comm, const nb::kwargs& options) {
            new (self) HeldMultiplier(make(comm, options));
          },
          "comm"_a = nb::none(), "options"_a,
          product_signature("def __init__(self, comm: mpi4py.MPI.Comm | None = None, *, ", ") -> None"))
      .def(
          "__call__",
          [](const HeldMultiplier& self, const HeldMatrix& a, const HeldMatrix& b, nb::object c, nb::handle alpha,
             nb::handle beta, const std::string& op_a, const std::string& op_b) {
            return multiply(self, a, b, std::move(c), {alpha, beta, op_a, op_b});
          },
          "a"_a, "b"_a, "c"_a = nb::none(), "alpha"_a = 1.0, "beta"_a = 0.0, "op_a"_a = "no", "op_b"_a = "no",
          R"(C = alpha op_a(A) op_b(B) + beta C; returns `c`, or a new matrix. Collective.

op_a and op_b are no, transpose or conjugate. The blocks are the same to the last bit on any number of ranks. Read `report`
for the bound on the error.)",
          nb::sig("def __call__(self, a: BlockMatrix, b: BlockMatrix, c: BlockMatrix | None = None, alpha: complex = "
                  "1.0, beta: complex = 0.0, op_a: str = 'no', op_b: str = 'no') -> BlockMatrix"))
      .def_prop_ro(
          "report", [](const HeldMultiplier& self) { return self.held.get().report(); },
          "Of the last product: a ProductReport. Local.");
  bind_end(multiplier, "Frees the memory that is kept between products. Collective.");
  multiplier.def("__repr__", [](const HeldMultiplier& self) {
    return std::string("<seiche.Multiplier") +
           (self.held.closed() ? ", closed" : " on " + std::to_string(self.held.comm().size()) + " ranks") + ">";
  });
}

std::function<void(PurifyStage, int, double)> stage_function(nb::handle given) {
  if (given.is_none()) return nullptr;
  static const Words<PurifyStage> words{{"overlap_root", PurifyStage::overlap_root},
                                        {"chemical_potential", PurifyStage::chemical_potential},
                                        {"purification", PurifyStage::purification}};
  const Callback function{nb::borrow(given)};
  return [function](PurifyStage stage, int iteration, double residual) {
    const nb::gil_scoped_acquire locked;
    try {
      function.get()(word_of(stage, words), iteration, residual);
    } catch (nb::python_error& raised) {
      raised.discard_as_unraisable(function.get());
    }
  };
}

DensityMatrix purify_by(const HeldMatrix& k, const HeldMatrix& s, double electrons, const std::string& purifier,
                        int max_iterations, nb::handle on_progress, int electrons_per_state,
                        const nb::kwargs& keywords) {
  PurifyOptions options;
  const BlockMatrix<double>*left = nullptr, *right = nullptr;
  std::optional<DensityMatrix> found;
  collective(
      k.comm(),
      [&] {
        options.purifier = purifier_named(purifier);
        options.max_iterations = max_iterations;
        options.electrons_per_state = electrons_per_state;
        options.on_progress = stage_function(on_progress);
        options.product = product_options(keywords, options.product);
        left = std::get_if<BlockMatrix<double>>(&k.get());
        right = std::get_if<BlockMatrix<double>>(&s.get());
        if (!left || !right) throw TypeError("python: purify takes matrices of float64");
      },
      [&] { found.emplace(purify(*left, *right, electrons, options)); });
  return std::move(*found);
}

void bind_density_matrix(nb::module_& module) {
  bind_members<DensityMatrix>(module, "DensityMatrix", "What purify() finds.")
      .def_prop_ro(
          "p", [](const DensityMatrix& self) { return HeldMatrix(self.p); },
          "A copy of the matrix, in the basis of K and S; eigenvalues of P S are 0 and electrons_per_state.")
      .def_prop_ro(
          "is_useful", [](const DensityMatrix& self) { return is_useful(self); },
          "Whether the bound on P is below 1 % of its norm.");
}

constexpr const char* doc_of_purify = R"(The density matrix of so many electrons. Collective.

Parameters
----------
k, s : BlockMatrix
    Kohn-Sham and overlap matrix, float64, on the same layout.
purifier : str
    trs4, tc2, mcweeny or sign.
on_progress : callable, optional
    on_progress(stage, iteration, residual) after each iteration.
electrons_per_state : int
    2: closed shell; 1: k and the electrons are those of one spin.
eps : float
    Filter of all products; other keywords as those of Multiplier.)";

void bind_solving(nb::module_& module) {
  module.def("purify", &purify_by, "k"_a, "s"_a, "electrons"_a, "purifier"_a = "trs4", "max_iterations"_a = 100,
             "on_progress"_a = nb::none(), "electrons_per_state"_a = 2, "options"_a, doc_of_purify,
             product_signature(
                 "def purify(k: BlockMatrix, s: BlockMatrix, electrons: float, purifier: str = 'trs4', "
                 "max_iterations: int = 100, on_progress: collections.abc.Callable[[str, int, float], None] | None "
                 "= None, electrons_per_state: int = 2, *, ",
                 ") -> DensityMatrix", PurifyOptions{}.product));
  module.def(
      "spectrum",
      [](const HeldMatrix& self) {
        Interval found;
        collective(
            self.comm(), [] {},
            [&] { found = std::visit([](const auto& matrix) { return spectrum(matrix); }, self.get()); });
        return nb::make_tuple(found.low, found.high);
      },
      "matrix"_a, "An interval that holds all eigenvalues of a symmetric (hermitian) matrix. Collective.",
      nb::sig("def spectrum(matrix: BlockMatrix) -> tuple[float, float]"));
  module.def("inverse_square_root", &root_of, "s"_a, "multiplier"_a, "max_iterations"_a = 100,
             "S^(-1/2) of a positive definite matrix. Collective.");
}

}  // namespace

ProductOptions product_options(const nb::kwargs& given, const ProductOptions& otherwise) {
  return options_of(given, product_keywords(), otherwise);
}

nb::sig product_signature(const std::string& before, const std::string& after, const ProductOptions& defaults) {
  return signature(
      before, ", only_exchange: str = 'no', memory_needed: collections.abc.Callable[[int], None] | None = None" + after,
      defaults);
}

void bind_block_product(nb::module_& module) {
  bind_members<ProductReport>(module, "ProductReport", "What a product did and cost on this rank.");
  bind_multiplier(module);
  bind_density_matrix(module);
  bind_solving(module);
}

}  // namespace seiche::python
