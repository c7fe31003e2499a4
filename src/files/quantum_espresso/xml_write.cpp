// SPDX-License-Identifier: BSD-3-Clause
#include "files/quantum_espresso/xml_write.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <pugixml.hpp>
#include <set>

#include "crystal/lattice.hpp"
#include "files/quantum_espresso/quantum_espresso.hpp"
#include "files/quantum_espresso/xml_source.hpp"
#include "support/joined.hpp"
#include "support/require.hpp"
#include "support/vector3.hpp"

namespace seiche {

namespace {

using Node = pugi::xml_node;

std::string text_of(double x) { return formatted("{:.16e}", x); }
std::string text_of(std::int64_t n) { return std::to_string(n); }
std::string text_of(int n) { return std::to_string(n); }
std::string text_of(bool yes) { return yes ? "true" : "false"; }
std::string text_of(const char* text) { return text; }
std::string text_of(const std::string& text) { return text; }
std::string text_of(const Vector3& v) { return formatted("{:.16e} {:.16e} {:.16e}", v[0], v[1], v[2]); }

template <class Value>
Node add(Node parent, const char* name, const Value& value) {
  Node child = parent.append_child(name);
  child.text().set(text_of(value).c_str());
  return child;
}

void set(Node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(value.c_str());
}

std::string rows_of(const double* values, std::size_t count, std::size_t per_row) {
  std::string text = "\n";
  for (std::size_t i = 0; i < count; ++i) {
    text += formatted("{:.16e}{}", values[i], (i + 1) % per_row == 0 || i + 1 == count ? "\n" : " ");
  }
  return text;
}

double alat_of(const OrbitalHeader& h) { return std::sqrt(dot(h.crystal.lattice[0], h.crystal.lattice[0])); }

/// Returns the source's names of atoms if it lists the same atoms: they may distinguish species of one element.
std::vector<std::string> atom_names(const OrbitalHeader& h, const XmlSource& source) {
  std::vector<std::string> names;
  for (const Node atom : source.output().child("atomic_structure").child("atomic_positions").children("atom")) {
    names.emplace_back(atom.attribute("name").as_string());
  }
  bool same = names.size() == h.crystal.atoms.size();
  for (std::size_t i = 0; same && i < names.size(); ++i) same = element_of(names[i]) == h.crystal.atoms[i].symbol;
  if (same) return names;
  names.clear();
  for (const Atom& atom : h.crystal.atoms) names.push_back(atom.symbol);
  return names;
}

void add_structure(Node output, const OrbitalHeader& h, const XmlSource& source) {
  const auto names = atom_names(h, source);
  const std::set<std::string> kinds(names.begin(), names.end());
  const Node given = source.output().child("atomic_species");
  if (given && given.attribute("ntyp").as_uint() == kinds.size()) {
    output.append_copy(given);
  } else {
    Node species = output.append_child("atomic_species");
    set(species, "ntyp", std::to_string(kinds.size()));
    for (const std::string& name : kinds) {
      Node kind = species.append_child("species");
      set(kind, "name", name);
      add(kind, "mass", 1.0);
      add(kind, "pseudo_file", (element_of(name) + ".upf").c_str());
    }
  }
  Node structure = output.append_child("atomic_structure");
  set(structure, "nat", std::to_string(names.size()));
  set(structure, "alat", text_of(alat_of(h)));
  Node positions = structure.append_child("atomic_positions");
  for (std::size_t i = 0; i < names.size(); ++i) {
    Node atom = add(positions, "atom", h.crystal.atoms[i].position);
    set(atom, "name", names[i]);
    set(atom, "index", std::to_string(i + 1));
  }
  Node cell = structure.append_child("cell");
  for (const auto& [name, i] : {std::pair("a1", 0U), std::pair("a2", 1U), std::pair("a3", 2U)}) {
    add(cell, name, h.crystal.lattice[i]);
  }
}

/// Returns the image of each atom under an operation, counted from 1; 0 if there is none.
std::vector<std::size_t> images_of_atoms(const Crystal& crystal, const SymmetryOperation& s) {
  std::vector<std::size_t> images;
  for (const Atom& atom : crystal.atoms) {
    const Vector3 x = fractional(crystal, atom.position);
    Vector3 image = s.translation;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) image[i] += s.rotation[i][j] * x[j];
    }
    const auto found = std::find_if(crystal.atoms.begin(), crystal.atoms.end(), [&](const Atom& other) {
      const Vector3 y = fractional(crystal, other.position);
      double off = 0;
      for (std::size_t i = 0; i < 3; ++i) off += std::abs(image[i] - y[i] - std::round(image[i] - y[i]));
      return off < 1e-4 && other.symbol == atom.symbol;
    });
    const bool any = found != crystal.atoms.end();
    images.push_back(any ? static_cast<std::size_t>(found - crystal.atoms.begin()) + 1 : 0);
  }
  return images;
}

/// x' = R x - f in the file, R x + t here.
void add_symmetries(Node output, const Crystal& crystal) {
  Node symmetries = output.append_child("symmetries");
  const auto operations = operations_or_identity(crystal);
  const auto count = static_cast<std::int64_t>(operations.size());
  add(symmetries, "nsym", count);
  add(symmetries, "nrot", count);
  add(symmetries, "space_group", 0);
  for (const SymmetryOperation& s : operations) {
    Node symmetry = symmetries.append_child("symmetry");
    Node info = add(symmetry, "info", "crystal_symmetry");
    set(info, "name", s.time_reversal ? "with time reversal" : "");
    if (s.time_reversal) set(info, "time_reversal", "true");
    std::vector<double> rotation;
    for (const auto& row : s.rotation) rotation.insert(rotation.end(), row.begin(), row.end());
    Node matrix = symmetry.append_child("rotation");
    set(matrix, "rank", "2");
    set(matrix, "dims", "3 3");
    set(matrix, "order", "F");
    matrix.text().set(rows_of(rotation.data(), 9, 3).c_str());
    Vector3 f{};
    for (std::size_t i = 0; i < 3; ++i) f[i] = s.translation[i] == 0 ? 0 : -s.translation[i];
    add(symmetry, "fractional_translation", f);
    Node atoms = symmetry.append_child("equivalent_atoms");
    set(atoms, "nat", std::to_string(crystal.atoms.size()));
    set(atoms, "size", std::to_string(crystal.atoms.size()));
    atoms.text().set(joined(images_of_atoms(crystal, s), " ").c_str());
  }
}

void add_basis(Node output, const OrbitalHeader& h) {
  Node basis = output.append_child("basis_set");
  add(basis, "gamma_only", h.half_sphere);
  add(basis, "ecutwfc", h.cutoff);
  add(basis, "ecutrho", h.density_cutoff);
  for (const char* name : {"fft_grid", "fft_smooth", "fft_box"}) {
    Node grid = basis.append_child(name);
    set(grid, "nr1", std::to_string(h.grid.nx));
    set(grid, "nr2", std::to_string(h.grid.ny));
    set(grid, "nr3", std::to_string(h.grid.nz));
  }
  const auto reciprocal = h.crystal.reciprocal();
  const auto waves = static_cast<std::int64_t>(sphere_of_waves(reciprocal, {}, h.density_cutoff, h.half_sphere).size());
  add(basis, "ngm", waves);
  add(basis, "ngms", waves);
  std::int64_t most = 0;
  for (const KPoint& k : h.kpoints) most = std::max(most, k.plane_waves);
  add(basis, "npwx", most);
  Node lattice = basis.append_child("reciprocal_lattice");
  const double unit = 2 * std::numbers::pi / alat_of(h);
  for (const auto& [name, i] : {std::pair("b1", 0U), std::pair("b2", 1U), std::pair("b3", 2U)}) {
    add(lattice, name, Vector3{reciprocal[i][0] / unit, reciprocal[i][1] / unit, reciprocal[i][2] / unit});
  }
}

void add_spin(Node parent, const OrbitalHeader& h, const XmlSource& source) {
  add(parent, "lsda", h.spins == 2);
  add(parent, "noncolin", h.spinor == 2);
  const Node given = source.output().child("magnetization").child("spinorbit");
  add(parent, "spinorbit", given ? given.text().as_bool() : h.spinor == 2);
}

void add_physics(Node output, const OrbitalHeader& h, const XmlSource& source) {
  if (!source.copy(output, "dft")) add(output.append_child("dft"), "functional", "PBE");
  source.copy(output, "boundary_conditions");
  if (!source.same_occupations() || !source.copy(output, "magnetization")) {
    Node magnetization = output.append_child("magnetization");
    add_spin(magnetization, h, source);
    add(magnetization, "total", 0.0);
    add(magnetization, "absolute", 0.0);
    add(magnetization, "do_magnetization", h.magnetism == Magnetism::vector);
  }
  if (!h.total_energy || !source.same_total_energy() || !source.copy(output, "total_energy")) {
    add(output.append_child("total_energy"), "etot", h.total_energy.value_or(0));
  }
}

/// Other results of the source's run that are valid for the same cell and cutoff, such as forces.
constexpr const char* of_the_run[] = {"forces", "stress", "electric_field", "FCP_force"};

double highest_occupied(const OrbitalHeader& h) {
  double highest = -1e300;
  for (std::size_t i = 0; i < h.energies.size(); ++i) {
    if (h.occupations[i] > 0.5) highest = std::max(highest, h.energies[i]);
  }
  return highest > -1e300 ? highest : h.energies[0];
}

void add_kpoint(Node bands, const OrbitalHeader& h, int k, double sum_of_weights) {
  const KPoint& point = h.kpoints[static_cast<std::size_t>(k)];
  const auto reciprocal = h.crystal.reciprocal();
  Vector3 cartesian{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      cartesian[j] += point.k[i] * reciprocal[i][j] * alat_of(h) / (2 * std::numbers::pi);
    }
  }
  Node entry = bands.append_child("ks_energies");
  set(add(entry, "k_point", cartesian), "weight", text_of(point.weight * sum_of_weights));
  add(entry, "npw", point.plane_waves);
  std::vector<double> energies, occupations;
  for (int spin = 0; spin < h.spins; ++spin) {
    for (int band = 0; band < h.bands; ++band) {
      energies.push_back(h.energies[h.state(spin, k, band)]);
      occupations.push_back(h.occupations[h.state(spin, k, band)]);
    }
  }
  for (const auto& [name, values] : {std::pair("eigenvalues", &energies), std::pair("occupations", &occupations)}) {
    Node list = entry.append_child(name);
    set(list, "size", std::to_string(values->size()));
    list.text().set(rows_of(values->data(), values->size(), 5).c_str());
  }
}

void add_starting_points(Node bands, const OrbitalHeader& h) {
  Node points = bands.append_child("starting_k_points");
  if (!has_expressible_mesh(h)) {
    add(points, "nk", static_cast<std::int64_t>(h.kpoints.size()));
    return;
  }
  Node pack = add(points, "monkhorst_pack", "Monkhorst-Pack");
  for (std::size_t i = 0; i < 3; ++i) set(pack, formatted("nk{}", i + 1).c_str(), std::to_string(h.mesh[i]));
  for (std::size_t i = 0; i < 3; ++i) {
    set(pack, formatted("k{}", i + 1).c_str(), h.mesh_shift[i] == 0 ? "0" : "1");
  }
}

/// Writes data without names in the schema, see read_own.
void add_own(Node creator, const OrbitalHeader& h) {
  if (h.averaged == h.half_sphere) set(creator, "averaged", h.averaged ? "true" : "false");
  if (!h.weighted) set(creator, "weighted", "false");
  if (h.crystal.operations.empty()) set(creator, "symmetry", "unknown");
  if (!h.total_energy) set(creator, "total_energy", "unknown");
  if (!h.fermi_energy) set(creator, "fermi_energy", "unknown");
  if (h.on_path) set(creator, "kpoints", "path");
  if (h.norm_conserving == NormConserving::unknown) set(creator, "norm_conserving", "unknown");
}

void add_bands(Node output, const OrbitalHeader& h, const XmlSource& source) {
  const Node given = source.output().child("band_structure");
  Node bands = output.append_child("band_structure");
  add_spin(bands, h, source);
  if (h.spins == 2) {
    add(bands, "nbnd_up", h.bands);
    add(bands, "nbnd_dw", h.bands);
  } else {
    add(bands, "nbnd", h.bands);
  }
  add(bands, "nelec", h.electrons);
  if (const Node number = given.child("num_of_atomic_wfc")) bands.append_copy(number);
  add(bands, "wf_collected", true);
  bool level = false;
  for (const char* name : {"fermi_energy", "highestOccupiedLevel", "lowestUnoccupiedLevel", "two_fermi_energies"}) {
    if (!source.same_levels()) break;
    if (const Node found = given.child(name)) level = static_cast<bool>(bands.append_copy(found));
  }
  if (!level && h.fermi_energy && h.fermi_energy_down) {
    add(bands, "two_fermi_energies", rows_of(std::array{*h.fermi_energy, *h.fermi_energy_down}.data(), 2, 2));
  } else if (!level) {
    add(bands, "fermi_energy", h.fermi_energy.value_or(highest_occupied(h)));
  }
  const Node start = given.child("starting_k_points");
  if (start && (source.same_mesh() || source.same_states())) {
    bands.append_copy(start);
  } else {
    add_starting_points(bands, h);
  }
  add(bands, "nks", static_cast<std::int64_t>(h.kpoints.size()));
  for (const char* name : {"occupations_kind", "smearing"}) {
    if (const Node found = given.child(name); found && source.same_occupations()) bands.append_copy(found);
  }
  if (!given || !source.same_occupations()) add(bands, "occupations_kind", "fixed");
  for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) add_kpoint(bands, h, k, h.degeneracy());
}

void add_general(Node root, const OrbitalHeader& h) {
  Node general = root.append_child("general_info");
  Node format = add(general, "xml_format", "QEXSD_20.04.20");
  set(format, "NAME", "QEXSD");
  set(format, "VERSION", "20.04.20");
  Node creator = add(general, "creator", "XML file generated by Seiche");
  set(creator, "NAME", "Seiche");
  set(creator, "VERSION", "1");
  add_own(creator, h);
  Node created = general.append_child("created");
  for (const char* name : {"DATE", "TIME"}) set(created, name, "");
  general.append_child("job");
}

/// Elements of the source's output that are written again, or copied if they exist.
constexpr const char* kept[] = {
    "convergence_info", "algorithmic_info", "atomic_species",     "atomic_structure", "symmetries", "basis_set", "dft",
    "magnetization",    "band_structure",   "boundary_conditions"};

}  // namespace

bool has_expressible_mesh(const OrbitalHeader& h) {
  const auto known = [](double shift) { return shift == 0 || shift == 0.5; };
  return *std::min_element(h.mesh.begin(), h.mesh.end()) > 0 &&
         std::all_of(h.mesh_shift.begin(), h.mesh_shift.end(), known);
}

std::string left_out_of_xml(const OrbitalHeader& h) {
  const XmlSource source(h);
  std::string names;
  const auto add_name = [&](const std::string& name) {
    if (!names.empty()) names += ", ";
    names += name;
  };
  for (const Node child : source.output().children()) {
    const std::string name = child.name();
    const auto listed = [&](const auto& list) {
      return std::any_of(std::begin(list), std::end(list), [&](const char* other) { return name == other; });
    };
    const bool stays = listed(kept) || (source.same_basis() && source.same_total_energy() && listed(of_the_run)) ||
                       (name == "total_energy" && h.total_energy);
    if (child.type() == pugi::node_element && !stays) add_name(name);
  }
  if (source.input() && !source.same_states()) add_name("input");
  return names;
}

void write_quantum_espresso_xml(const std::string& path, const OrbitalHeader& h) {
  const XmlSource source(h);
  pugi::xml_document document;
  Node declaration = document.append_child(pugi::node_declaration);
  set(declaration, "version", "1.0");
  set(declaration, "encoding", "UTF-8");
  Node root = document.append_child("qes:espresso");
  set(root, "xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance");
  set(root, "xmlns:qes", "http://www.quantum-espresso.org/ns/qes/qes-1.0");
  set(root, "Units", "Hartree atomic units");
  add_general(root, h);
  Node parallel = root.append_child("parallel_info");
  for (const char* name : {"nprocs", "nthreads", "ntasks", "nbgrp", "npool", "ndiag"}) add(parallel, name, 1);
  if (source.same_states()) root.append_copy(source.input());
  Node output = root.append_child("output");
  source.copy(output, "convergence_info");
  Node algorithm = output.append_child("algorithmic_info");
  add(algorithm, "real_space_q", false);
  const bool paw = source.output().child("algorithmic_info").child("paw").text().as_bool();
  add(algorithm, "uspp", h.norm_conserving == NormConserving::no && !paw);
  add(algorithm, "paw", h.norm_conserving == NormConserving::no && paw);
  add_structure(output, h, source);
  add_symmetries(output, h.crystal);
  add_basis(output, h);
  add_physics(output, h, source);
  add_bands(output, h, source);
  for (const char* name : of_the_run) {
    if (source.same_basis() && source.same_total_energy()) source.copy(output, name);
  }
  add(root, "status", 0);
  require(document.save_file(path.c_str(), "  "), Fault::unwritable,
          "cannot write {}: free some space or choose another path", path);
}

}  // namespace seiche
