// SPDX-License-Identifier: BSD-3-Clause
/// \file  Machine files: what is written is read, what is wrong is named; and rates between those that were measured.
#include "predict/machine.hpp"

#include <fstream>

#include "predict/a_machine.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

using namespace predict;

std::string changed(std::string text, const std::string& from, const std::string& into) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), into);
}

TEST(MachineFile, SaysWhatWasWritten) {
  Machine machine = a_machine();
  machine.disk.reset();
  const ScratchDirectory scratch;
  const std::string path = scratch.file("machine.json");
  write_text(MPI_COMM_WORLD, text_of(machine), path);
  const Machine read = read_machine(path);
  EXPECT_EQ(text_of(read), text_of(machine));
  EXPECT_FALSE(read.disk.has_value());
  EXPECT_EQ(read.between->bandwidth, 1e9);
  EXPECT_EQ(read.computing[1].lines[1].columns, 4e9);
  compared(4);
}

TEST(MachineFile, NamesWhatIsWrong) {
  const std::string text = text_of(a_machine());
  const auto refused = [&](const std::string& from, const std::string& into, const std::string& says) {
    expect_error(Fault::bad_file, says, [&] { machine_of(changed(text, from, into), "m.json"); });
  };
  refused("\"cores\"", "\"cors\"", "m.json: cores is missing");
  refused("\"wake\"", "\"speed\": 1, \"wake\"", "m.json: unknown field speed: remove it");
  refused("\"bandwidth\": 10000000000.0", "\"bandwidth\": -1", "inside.bandwidth is -1, which is not a valid rate");
  refused("\"bandwidth\": 10000000000.0", "\"bandwidth\": \"fast\"",
          "inside.bandwidth is \"fast\", which is not a valid rate");
  refused("\"cpu\": 1e-10", "\"cpu\": -1", "inside.cpu is -1, which is not a valid cost");
  refused("\"n\": 8", "\"n\": 8.5", "computing[0].lines[0].n is 8.5, which is not an integer");
  refused("\"copy\"", "\"copies\"", "computing[0].copy is missing: correct it (docs/predict.md), or measure again");
  expect_error(Fault::bad_file, "computing is not a list, or an empty one",
               [] { machine_of(R"({"cores": 1, "cache": 0, "wake": 0, "computing": []})", "m.json"); });
  expect_error(Fault::bad_file, "m.json is not JSON: give a file of seiche tune --machine",
               [] { machine_of("cores = 2", "m.json"); });
  expect_error(Fault::bad_file, "it is not a JSON object", [] { machine_of("[1]", "m.json"); });
  expect_error(Fault::bad_file,
               "cannot read the machine file nowhere.json: create one with mpiexec -n RANKS seiche tune",
               [] { read_machine("nowhere.json"); });
  expect_error(Fault::bad_file, "cannot read the machine file .", [] { read_machine("."); });
}

TEST(Machine, RatesLieBetweenThoseMeasured) {
  const Machine machine = a_machine();  // 1e9 with one core busy at n = 8, 3e9 at n = 32; with four half of each
  EXPECT_DOUBLE_EQ(rates_of(machine.with(1), 16).cached_rows, 2e9);  // half way from 8 to 32 by the logarithm
  EXPECT_DOUBLE_EQ(rates_of(machine.with(4), 8).cached_rows, 0.5e9);
  EXPECT_DOUBLE_EQ(rates_of(machine.with(2.5), 8).cached_rows, 0.75e9);  // half way from one core to four
  EXPECT_DOUBLE_EQ(rates_of(machine.with(9), 2).cached_rows, 0.5e9);     // the nearest outside
  EXPECT_DOUBLE_EQ(rates_of(machine.with(0.5), 999).cached_rows, 3e9);
  EXPECT_DOUBLE_EQ(machine.with(2.5).copy, 1.5e9);
  EXPECT_DOUBLE_EQ(product_rate(machine, 10), 3e9);
  Machine without = machine;
  without.products.clear();
  expect_error(Fault::bad_argument, "no rates of block products: measure", [&] { product_rate(without, 5); });
  compared(7);
}

}  // namespace
}  // namespace seiche::testing
