// SPDX-License-Identifier: BSD-3-Clause
#include "containers/hdf5.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>

#include "support/require.hpp"
#include "support/unfinished_output.hpp"

namespace seiche {

namespace {

/// HDF5 is not thread-safe on most systems.
std::recursive_mutex& hdf5() {
  static auto* mutex = new std::recursive_mutex;  // never destroyed: files may be closed at the end of the process
  return *mutex;
}

/// Locks HDF5 against other threads and disables its printing of errors: the library never prints.
class Session {
 public:
  Session() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Session() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  std::lock_guard<std::recursive_mutex> lock_{hdf5()};
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// Returns access properties without file locks, which some file systems do not have, and which other programs hold.
Hdf5Id without_locks() {
  Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
  H5Pset_file_locking(access.get(), false, true);
#endif
  return access;
}

Extent described_by(hid_t type, const std::string& path, const std::string& name) {
  Extent extent;
  extent.path = path;
  const H5T_class_t kind = H5Tget_class(type);
  const std::size_t size = H5Tget_size(type);
  if (kind == H5T_INTEGER && size == 4) {
    extent.element = Element::int32;
  } else {
    require(kind == H5T_FLOAT && (size == 4 || size == 8), Fault::unsupported,
            "{}: dataset {} holds neither 32-bit integers nor floating-point numbers", path, name);
    extent.element = size == 8 ? Element::float64 : Element::float32;
  }
  extent.big_endian = H5Tget_order(type) == H5T_ORDER_BE;
  return extent;
}

}  // namespace

Hdf5Id::~Hdf5Id() {
  if (!valid()) return;
  const std::lock_guard lock(hdf5());
  close_(id_);
}

bool Hdf5File::recognises(const std::string& path) {
  const Session session;
  return H5Fis_hdf5(path.c_str()) > 0;
}

Hdf5File Hdf5File::open(const std::string& path) {
  const Session session;
  File exists(path);  // for its better error message
  Hdf5Id id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, without_locks().get()), H5Fclose);
  require(id.valid(), Fault::bad_file,
          "{}: truncated, locked, or not an HDF5 file: copy it again, or set HDF5_USE_FILE_LOCKING=FALSE for a locked "
          "file",
          path);
  return {path, std::move(id)};
}

Hdf5File Hdf5File::create(const std::string& path) {
  const Session session;
  hid_t created = H5I_INVALID_HID;
  before_removal([&] { created = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, without_locks().get()); });
  Hdf5Id id(created, H5Fclose);
  require(id.valid(), Fault::unwritable, "cannot create {} as an HDF5 file", path);
  return {path, std::move(id)};
}

bool Hdf5File::has(const std::string& name) const {
  const Session session;
  return H5Lexists(id_.get(), name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Hdf5File::names() const {
  const Session session;
  std::vector<std::string> found;
  H5G_info_t top{};
  if (H5Gget_info(id_.get(), &top) < 0) return found;
  for (hsize_t i = 0; i < top.nlinks; ++i) {
    std::array<char, 80> name{};
    const ssize_t length =
        H5Lget_name_by_idx(id_.get(), ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(), name.size(), H5P_DEFAULT);
    if (length > 0) found.emplace_back(name.data());
  }
  return found;
}

bool Hdf5File::has_attribute(const std::string& name) const {
  const Session session;
  return H5Aexists(id_.get(), name.c_str()) > 0;
}

Hdf5Id Hdf5File::dataset(const std::string& name) const {
  Hdf5Id id(H5Dopen2(id_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
  require(id.valid(), Fault::bad_file, "{}: dataset {} is missing: check that the file has the right format", path_,
          name);
  return id;
}

Hdf5Id Hdf5File::attribute(const std::string& name) const {
  Hdf5Id id(H5Aopen(id_.get(), name.c_str(), H5P_DEFAULT), H5Aclose);
  require(id.valid(), Fault::bad_file, "{}: attribute {} is missing: check that the file has the right format", path_,
          name);
  return id;
}

std::int64_t Hdf5File::integer(const std::string& name) const {
  const Session session;
  const Hdf5Id id = attribute(name);
  std::array<std::int64_t, 1> value{};
  const Hdf5Id space(H5Aget_space(id.get()), H5Sclose);
  require(H5Sget_simple_extent_npoints(space.get()) == 1 && H5Aread(id.get(), H5T_NATIVE_INT64, value.data()) >= 0,
          Fault::bad_file, "{}: attribute {} is not a number", path_, name);
  return value[0];
}

double Hdf5File::real(const std::string& name) const {
  const Session session;
  const Hdf5Id id = attribute(name);
  double value = 0;
  const Hdf5Id space(H5Aget_space(id.get()), H5Sclose);
  require(H5Sget_simple_extent_npoints(space.get()) == 1 && H5Aread(id.get(), H5T_NATIVE_DOUBLE, &value) >= 0,
          Fault::bad_file, "{}: attribute {} is not a number", path_, name);
  return value;
}

std::string Hdf5File::text(const std::string& name) const {
  const Session session;
  const Hdf5Id id = attribute(name);
  const Hdf5Id type(H5Aget_type(id.get()), H5Tclose);
  require(H5Tget_class(type.get()) == H5T_STRING, Fault::bad_file, "{}: attribute {} is not a string", path_, name);
  if (H5Tis_variable_str(type.get()) > 0) {
    char* found = nullptr;
    require(H5Aread(id.get(), type.get(), &found) >= 0 && found, Fault::bad_file, "{}: cannot read attribute {}", path_,
            name);
    std::string value(found);
    H5free_memory(found);
    return value;
  }
  std::string value(H5Tget_size(type.get()), ' ');
  require(H5Aread(id.get(), type.get(), value.data()) >= 0, Fault::bad_file, "{}: cannot read attribute {}", path_,
          name);
  return value;
}

std::vector<double> Hdf5File::reals(const std::string& name, const std::string& attribute_name) const {
  const Session session;
  const Hdf5Id id(H5Aopen_by_name(id_.get(), name.c_str(), attribute_name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  require(id.valid(), Fault::bad_file, "{}: attribute {} of {} is missing: check that the file has the right format",
          path_, attribute_name, name);
  // A vector is either an array of numbers, or one value of an array type (as in Fortran programs).
  const Hdf5Id type(H5Aget_type(id.get()), H5Tclose), space(H5Aget_space(id.get()), H5Sclose);
  hsize_t length = static_cast<hsize_t>(H5Sget_simple_extent_npoints(space.get()));
  const bool array = H5Tget_class(type.get()) == H5T_ARRAY && H5Tget_array_ndims(type.get()) == 1;
  if (array) H5Tget_array_dims2(type.get(), &length);
  const Hdf5Id wanted(array ? H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &length) : H5Tcopy(H5T_NATIVE_DOUBLE), H5Tclose);
  std::vector<double> values(static_cast<std::size_t>(length));
  require(H5Aread(id.get(), wanted.get(), values.data()) >= 0, Fault::bad_file, "{}: cannot read attribute {}", path_,
          attribute_name);
  return values;
}

std::vector<std::int64_t> Hdf5File::shape(const std::string& name) const {
  const Session session;
  const Hdf5Id id = dataset(name);
  const Hdf5Id space(H5Dget_space(id.get()), H5Sclose);
  std::vector<hsize_t> lengths(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space.get()))));
  H5Sget_simple_extent_dims(space.get(), lengths.data(), nullptr);
  return {lengths.begin(), lengths.end()};
}

template <class Value>
std::vector<Value> Hdf5File::read_all(const std::string& name, std::int64_t count, hid_t memory_type) const {
  const Session session;
  const Hdf5Id id = dataset(name);
  const Hdf5Id space(H5Dget_space(id.get()), H5Sclose);
  const auto found = static_cast<std::int64_t>(H5Sget_simple_extent_npoints(space.get()));
  const auto stored = static_cast<std::int64_t>(H5Dget_storage_size(id.get()));
  require(found == count && (count == 0 || stored > 0), Fault::bad_file,
          "{}: dataset {} has {} values in {} bytes instead of {}: check that the file has the right format", path_,
          name, found, stored, count);
  std::vector<Value> values(static_cast<std::size_t>(count));
  require(H5Dread(id.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0, Fault::bad_file,
          "{}: cannot read dataset {}: copy the file again or rerun the code that wrote it", path_, name);
  return values;
}

std::vector<double> Hdf5File::read(const std::string& name, std::int64_t count) const {
  return read_all<double>(name, count, H5T_NATIVE_DOUBLE);
}

std::vector<std::int32_t> Hdf5File::read_integers(const std::string& name, std::int64_t count) const {
  return read_all<std::int32_t>(name, count, H5T_NATIVE_INT32);
}

Extent Hdf5File::extent(const std::string& name) const {
  const Session session;
  const Hdf5Id id = dataset(name);
  const Hdf5Id made(H5Dget_create_plist(id.get()), H5Pclose);
  require(H5Pget_layout(made.get()) == H5D_CONTIGUOUS && H5Pget_external_count(made.get()) == 0, Fault::unsupported,
          "{}: dataset {} is not stored contiguously: run h5repack -l CONTI on the file", path_, name);
  const haddr_t offset = H5Dget_offset(id.get());
  require(offset != HADDR_UNDEF, Fault::bad_file,
          "{}: dataset {} was never written: rerun the code that wrote the file", path_, name);
  const Hdf5Id type(H5Dget_type(id.get()), H5Tclose);
  const Hdf5Id space(H5Dget_space(id.get()), H5Sclose);
  Extent extent = described_by(type.get(), path_, name);
  extent.offset = static_cast<std::int64_t>(offset);
  extent.count = H5Sget_simple_extent_npoints(space.get());
  const auto stored = static_cast<std::int64_t>(H5Dget_storage_size(id.get()));
  require(extent.count >= 0 && extent.count <= stored && extent.bytes() == stored, Fault::bad_file,
          "{}: dataset {} has {} values in {} bytes: rerun the code that wrote the file", path_, name, extent.count,
          stored);
  return extent;
}

void Hdf5File::write_text(const std::string& name, const std::string& text) const {
  const Session session;
  const Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), text.size());
  const Hdf5Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Id id(H5Acreate2(id_.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  require(H5Awrite(id.get(), type.get(), text.data()) >= 0, Fault::unwritable, "cannot write attribute {} of {}", name,
          path_);
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name,
                               std::span<const double> values) const {
  const Session session;
  const hsize_t length = values.size();
  const Hdf5Id space(H5Screate_simple(1, &length, nullptr), H5Sclose);
  const Hdf5Id id(H5Acreate_by_name(id_.get(), object.c_str(), name.c_str(), H5T_NATIVE_DOUBLE, space.get(),
                                    H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                  H5Aclose);
  require(H5Awrite(id.get(), H5T_NATIVE_DOUBLE, values.data()) >= 0, Fault::unwritable,
          "cannot write attribute {} of {}", name, path_);
}

namespace {

void write_number(hid_t file, const std::string& name, hid_t type, const void* value, const std::string& path) {
  const Session session;
  const Hdf5Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Id id(H5Acreate2(file, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  require(H5Awrite(id.get(), type, value) >= 0, Fault::unwritable, "cannot write attribute {} of {}", name, path);
}

}  // namespace

void Hdf5File::write_attribute(const std::string& name, std::int32_t value) const {
  write_number(id_.get(), name, H5T_NATIVE_INT32, &value, path_);
}
void Hdf5File::write_attribute(const std::string& name, double value) const {
  write_number(id_.get(), name, H5T_NATIVE_DOUBLE, &value, path_);
}

Hdf5Id Hdf5File::make_dataset(const std::string& name, const Shape& shape, hid_t type) const {
  const Hdf5Id space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
  const Hdf5Id how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose), link(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(link.get(), 1);
  H5Pset_layout(how.get(), H5D_CONTIGUOUS);
  H5Pset_alloc_time(how.get(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(how.get(), H5D_FILL_TIME_NEVER);
  H5Pset_obj_track_times(how.get(), false);  // the same content gives the same file
  Hdf5Id id(H5Dcreate2(id_.get(), name.c_str(), type, space.get(), link.get(), how.get(), H5P_DEFAULT), H5Dclose);
  require(id.valid(), Fault::unwritable, "cannot create dataset {} in {}", name, path_);
  return id;
}

void Hdf5File::write(const std::string& name, const Shape& shape, std::span<const double> values) const {
  const Session session;
  const Hdf5Id id = make_dataset(name, shape, H5T_NATIVE_DOUBLE);
  require(H5Dwrite(id.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0, Fault::unwritable,
          "cannot write dataset {} of {}", name, path_);
}

void Hdf5File::write(const std::string& name, const Shape& shape, std::span<const std::int32_t> values) const {
  const Session session;
  const Hdf5Id id = make_dataset(name, shape, H5T_NATIVE_INT32);
  require(H5Dwrite(id.get(), H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0, Fault::unwritable,
          "cannot write dataset {} of {}", name, path_);
}

Extent Hdf5File::make_room(const std::string& name, const Shape& shape, Element element) const {
  const Session session;
  make_dataset(name, shape,
               element == Element::int32     ? H5T_NATIVE_INT32
               : element == Element::float32 ? H5T_NATIVE_FLOAT
                                             : H5T_NATIVE_DOUBLE);
  return extent(name);
}

}  // namespace seiche
