! SPDX-License-Identifier: BSD-3-Clause
!> \file  The exact-exchange operator of plane-wave codes: (V_x psi_i)(r) = -sum_j f_j psi_j(r) v_ij(r). v_ij has the
!> coefficients K(G) rho_ij(G). conjg(psi_j(r)) psi_i(r) has the coefficients rho_ij(G).
!>
!> The caller chooses the kernel K and its unit. Coefficients are complex(real64), with the dimensions (wave), (wave,
!> orbital), or (wave, component, orbital) for spinors, as for sphere_fft.
module seiche_exact_exchange
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use seiche_base
  use seiche_status_types
  use seiche_c_status
  use seiche_fft_types
  use seiche_exact_exchange_types
  use seiche_c_fft
  use seiche_c_exact_exchange
  use seiche_pending_calls
  implicit none
  private
  public :: exact_exchange, occupied_orbitals

  !> Applies exact exchange to target orbitals of one k-point and spin. Kind of value: seiche_complex_double for full
  !> spheres, seiche_double for half spheres. Create one object per k-point and per kind of kernel. Objects with the
  !> same arguments share memory. One thread at a time may use an object.
  type :: exact_exchange
    private
    type(c_ptr) :: handle = c_null_ptr
    integer :: comm = -1, value = -1, components = 1
    integer :: extent(3) = -1
  contains
    procedure, private :: create_f08, create_integer, row_length, refuses_section, refuses_shape
    procedure, private :: apply_1, apply_2, apply_3, apply_to_1, apply_to_2, apply_to_3, energy_1, energy_2, energy_3, &
      start_apply_1, start_apply_2, start_apply_3, apply_to_occupied_1, apply_to_occupied_2, &
      apply_to_occupied_3
    !> Collective. create(comm, value, shape, waves, density_waves [, options] [, batch] [, status]): `waves(3, number)`
    !> are the waves of this rank of target orbitals. `density_waves(3, number)` are the waves of this rank on which the
    !> kernel is defined; elsewhere it is 0. The grid must contain both. `batch`: target orbitals of a band group that
    !> are on the grid at once (default: 8).
    generic :: create => create_f08, create_integer
    !> Collective. apply(occupied, kernel, in, out [, status, add]) or apply(occupied, kernel, orbitals [, status]):
    !> computes V_x of target orbitals. `kernel(:)` has one value for each density wave of this rank. add=.true.: the
    !> result is added to `out`.
    generic :: apply => apply_1, apply_2, apply_3, apply_to_1, apply_to_2, apply_to_3
    !> Collective. start_apply(pending, occupied, kernel, in, out [, status, add]): starts apply. Up to pending%finish(),
    !> the pairs of the first `batch` targets of each band group make progress. Other targets are computed in finish.
    !> `occupied` may be closed before.
    generic :: start_apply => start_apply_1, start_apply_2, start_apply_3
    !> Collective. apply_to_occupied(occupied, kernel, out [, status, add]): computes V_x of the occupied orbitals
    !> themselves, in order, without orbitals of weight 0. The kernel must have K(-G) = K(G), as it does for one k-point
    !> (q = 0). With one band group on the host, and without `reproducible`, it takes about half of the time of apply().
    !> It then needs as much memory as the occupied orbitals. add=.true.: the result is added to `out`.
    generic :: apply_to_occupied => apply_to_occupied_1, apply_to_occupied_2, apply_to_occupied_3
    !> Collective. energy(occupied, kernel, in, weights [, status]): returns 1/2 sum_i weights(i) <psi_i|V_x psi_i> of
    !> target orbitals.
    generic :: energy => energy_1, energy_2, energy_3
    procedure :: grid_box => exchange_box
    procedure :: bands_here => exchange_bands
    procedure :: report => exchange_report
    procedure :: progress => exchange_progress
    procedure :: close => exchange_close
  end type

  !> Occupied orbitals on the grid, with their weights. Orbitals with weight 0 are left out. Each exact_exchange with
  !> the same communicator, grid and options may use them. They may outlive the object that created them.
  type :: occupied_orbitals
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: create_1, create_2, create_3
    procedure, private :: on_grid_real64_1, on_grid_real64_2, on_grid_real64_3, on_grid_complex64_1, &
      on_grid_complex64_2, on_grid_complex64_3
    !> Collective. create(exchange, orbitals, weights [, waves] [, status]): transforms orbitals to the grid and stores
    !> them. `weights(:)` has one value per orbital, the same on all ranks. `waves(3, number)`: waves of the orbitals of
    !> this rank, for example of another k-point (default: those of `exchange`).
    generic :: create => create_1, create_2, create_3
    !> Collective. create_on_grid(exchange, values, weights [, status]): stores orbitals that are on the grid already.
    !> `values` are (x, y, z), (x, y, z, orbital) or (x, y, z, component, orbital) on the grid_box() of `exchange`.
    !> Group g of n, from 1, has the orbitals g, g + n, and so on. Values are real(real64) for half spheres, else
    !> complex(real64).
    generic :: create_on_grid => on_grid_real64_1, on_grid_real64_2, on_grid_real64_3, on_grid_complex64_1, &
      on_grid_complex64_2, on_grid_complex64_3
    procedure :: count => occupied_count
    procedure :: memory => occupied_memory
    procedure :: close => occupied_close
  end type

contains

  recursive subroutine create_f08(self, comm, value, shape, waves, density_waves, options, batch, status)
    class(exact_exchange), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: value, shape(3)
    integer(int32), contiguous, intent(in) :: waves(:, :), density_waves(:, :)
    type(fft_options), intent(in), optional :: options
    integer, intent(in), optional :: batch
    integer, intent(out), optional :: status
    call create_integer(self, comm%MPI_VAL, value, shape, waves, density_waves, options, batch, status)
  end subroutine

  recursive subroutine create_integer(self, comm, value, shape, waves, density_waves, options, batch, status)
    class(exact_exchange), intent(inout) :: self
    integer, intent(in) :: comm, value, shape(3)
    integer(int32), contiguous, intent(in) :: waves(:, :), density_waves(:, :)
    type(fft_options), intent(in), optional :: options
    integer, intent(in), optional :: batch
    integer, intent(out), optional :: status
    integer(c_int), allocatable, target :: chunks(:)
    type(c_box) :: box
    integer(c_int) :: code, targets
    if (c_associated(self%handle)) then
      call refuse('exact_exchange: this object already exists: close it first', status)
      return
    end if
    if (size(waves, 1) /= 3 .or. size(density_waves, 1) /= 3) then
      call refuse_create(comm, seiche_misuse, &
        'exact_exchange: waves and density_waves must have shape (3, number)', status)
      return
    end if
    targets = 0
    if (present(batch)) targets = int(batch, c_int)
    code = c_exact_exchange_create(self%handle, int(comm, c_int), int(value, c_int), int(shape, c_int64_t), waves, &
      size(waves, 2, c_int64_t), density_waves, size(density_waves, 2, c_int64_t), c_fft_options_of(options, chunks), &
      targets)
    if (code == seiche_ok) code = c_exact_exchange_grid_box(self%handle, box)
    if (code == seiche_ok) then
      self%comm = comm
      self%value = value
      self%components = 1
      if (present(options)) self%components = options%components
      self%extent = int(box%high - box%low)
    end if
    call settle(code, status)
  end subroutine

  !> Local. Returns this rank's part of the grid. Rows along x are whole.
  recursive function exchange_box(self, status) result(box)
    class(exact_exchange), intent(in) :: self
    integer, intent(out), optional :: status
    type(seiche_box) :: box
    type(c_box) :: found
    integer(c_int) :: code
    code = c_exact_exchange_grid_box(self%handle, found)
    if (code == seiche_ok) box = box_of(found)
    call settle(code, status)
  end function

  !> Local. Returns how many of `bands` orbitals this rank's group has.
  recursive integer function exchange_bands(self, bands, status)
    class(exact_exchange), intent(in) :: self
    integer, intent(in) :: bands
    integer, intent(out), optional :: status
    integer(c_int64_t) :: here
    integer(c_int) :: code
    here = 0
    code = c_exact_exchange_bands_here(self%handle, int(bands, c_int64_t), here)
    exchange_bands = int(here)
    call settle(code, status)
  end function

  !> Local. Returns settings and costs.
  recursive function exchange_report(self, status) result(report)
    class(exact_exchange), intent(in) :: self
    integer, intent(out), optional :: status
    type(exact_report) :: report
    type(c_exact_report) :: found
    integer(c_int) :: code
    found%size = c_sizeof(found)
    code = c_exact_exchange_report(self%handle, found)
    report = exact_report_of(found)
    call settle(code, status)
  end function

  !> Local. Returns the use of time in calls of this object.
  recursive function exchange_progress(self, status) result(report)
    class(exact_exchange), intent(in) :: self
    integer, intent(out), optional :: status
    type(progress_report) :: report
    type(c_progress_report) :: found
    integer(c_int) :: code
    found%size = c_sizeof(found)
    code = c_exact_exchange_progress(self%handle, found)
    report = progress_report_of(found)
    call settle(code, status)
  end function

  !> Collective. Destroys the object, but no occupied orbitals. It can be created again. Closing a closed object has no
  !> effect.
  recursive subroutine exchange_close(self, status)
    class(exact_exchange), intent(inout) :: self
    integer, intent(out), optional :: status
    call settle(c_exact_exchange_destroy(self%handle), status)
  end subroutine

  !> Local. Returns the number of orbitals whose weight is not 0, on all ranks together.
  recursive integer function occupied_count(self, status)
    class(occupied_orbitals), intent(in) :: self
    integer, intent(out), optional :: status
    integer(c_int64_t) :: number, memory
    integer(c_int) :: code
    number = 0
    code = c_occupied_orbitals_count(self%handle, number, memory)
    occupied_count = int(number)
    call settle(code, status)
  end function

  !> Local. Returns the bytes of memory of the orbitals on this rank.
  recursive integer(int64) function occupied_memory(self, status)
    class(occupied_orbitals), intent(in) :: self
    integer, intent(out), optional :: status
    integer(c_int64_t) :: number
    integer(c_int) :: code
    occupied_memory = 0
    code = c_occupied_orbitals_count(self%handle, number, occupied_memory)
    call settle(code, status)
  end function

  !> Local. Frees the orbitals. They can be created again. Closing closed orbitals has no effect.
  recursive subroutine occupied_close(self, status)
    class(occupied_orbitals), intent(inout) :: self
    integer, intent(out), optional :: status
    call settle(c_occupied_orbitals_destroy(self%handle), status)
  end subroutine

  !> Stores occupied orbitals for arrays of all ranks.
  recursive subroutine create_of(self, exchange, orbitals, count, row, weights, waves, status)
    class(occupied_orbitals), intent(inout) :: self
    class(exact_exchange), intent(in) :: exchange
    type(*), intent(in) :: orbitals(*)
    integer(c_int64_t), intent(in) :: count, row
    real(real64), contiguous, intent(in) :: weights(:)
    integer(int32), contiguous, intent(in), optional :: waves(:, :)
    integer, intent(out), optional :: status
    if (exists(self, status)) return
    if (.not. present(waves)) then
      call settle(c_exact_exchange_occupied(self%handle, exchange%handle, orbitals, count, row, weights, &
        size(weights, kind=c_int64_t)), status)
    else if (c_associated(exchange%handle) .and. size(waves, 1) /= 3) then
      call refuse_create(exchange%comm, seiche_misuse, 'occupied_orbitals: waves must have shape (3, number)', status)
    else
      call settle(c_exact_exchange_occupied_of(self%handle, exchange%handle, waves, size(waves, 2, c_int64_t), &
        orbitals, count, row, weights, size(weights, kind=c_int64_t)), status)
    end if
  end subroutine

  !> Same for orbitals on the grid. `given`: kind of value of the array.
  recursive subroutine create_on_grid_of(self, exchange, values, given, count, weights, status)
    class(occupied_orbitals), intent(inout) :: self
    class(exact_exchange), intent(in) :: exchange
    type(*), intent(in) :: values(*)
    integer, intent(in) :: given
    integer(c_int64_t), intent(in) :: count
    real(real64), contiguous, intent(in) :: weights(:)
    integer, intent(out), optional :: status
    if (exists(self, status)) return
    if (c_associated(exchange%handle) .and. given /= exchange%value) then
      call settle(c_exact_exchange_refuse(exchange%handle, int(seiche_misuse, c_int), &
        c_text('occupied_orbitals: the values are '//name_of(given)//', but the exchange is for '// &
               name_of(exchange%value)//': pass arrays of that type')), status)
    else
      call settle(c_exact_exchange_occupied_on_grid(self%handle, exchange%handle, values, count, weights, &
        size(weights, kind=c_int64_t)), status)
    end if
  end subroutine

  recursive logical function exists(self, status)
    class(occupied_orbitals), intent(in) :: self
    integer, intent(out), optional :: status
    exists = c_associated(self%handle)
    if (exists) call refuse('occupied_orbitals: these orbitals already exist: close them first', status)
  end function

  !> Computes V_x for arrays of all ranks.
  recursive subroutine apply_on(self, occupied, kernel, in, in_count, in_row, out, out_count, out_row, bands, &
    status, add)
    class(exact_exchange), intent(in) :: self
    class(occupied_orbitals), intent(in) :: occupied
    real(real64), contiguous, intent(in) :: kernel(:)
    type(*) :: in(*), out(*)
    integer(c_int64_t), intent(in) :: in_count, in_row, out_count, out_row, bands
    integer, intent(out), optional :: status
    logical, intent(in), optional :: add
    if (asked(add)) then
      call settle(c_exact_exchange_add(self%handle, occupied%handle, kernel, size(kernel, kind=c_int64_t), in, &
        in_count, in_row, out, out_count, out_row, bands), status)
    else
      call settle(c_exact_exchange_apply(self%handle, occupied%handle, kernel, size(kernel, kind=c_int64_t), in, &
        in_count, in_row, out, out_count, out_row, bands), status)
    end if
  end subroutine

  !> Tells whether an array (wave), (wave, orbital) or (wave, component, orbital) has another number of orbitals or of
  !> components. Collective if it returns .true.
  recursive logical function refuses_shape(self, name, given, orbitals, status)
    class(exact_exchange), intent(in) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: given(:)
    integer(c_int64_t), intent(in) :: orbitals
    integer, intent(out), optional :: status
    refuses_shape = bands_of(given) /= orbitals
    if (size(given) == 3) refuses_shape = refuses_shape .or. given(2) /= self%components
    refuses_shape = refuses_shape .and. c_associated(self%handle)
    if (refuses_shape) call settle(c_exact_exchange_refuse(self%handle, int(seiche_bad_argument, c_int), &
      c_text('exact_exchange: '//name//' has shape '//shape_text(given)// &
             ', but the components and orbitals of the call are '//shape_text([self%components, int(orbitals)])// &
             ': pass (waves, components, orbitals), or (waves, orbitals)')), status)
  end function

  !> Tells whether a started call has an array that is not contiguous. Collective if it returns .true.
  recursive logical function refuses_section(self, names, contiguous, status)
    class(exact_exchange), intent(in) :: self
    character(*), intent(in) :: names(:)
    logical, intent(in) :: contiguous(:)
    integer, intent(out), optional :: status
    refuses_section = c_associated(self%handle) .and. .not. all(contiguous)
    if (refuses_section) call settle(c_exact_exchange_refuse(self%handle, int(seiche_misuse, c_int), &
      c_text(section_among('exact_exchange', names, contiguous))), status)
  end function

  !> Returns the row length of an array (wave), (wave, orbital) or (wave, component, orbital). See row_of.
  recursive pure integer(c_int64_t) function row_length(self, given)
    class(exact_exchange), intent(in) :: self
    integer, intent(in) :: given(:)
    row_length = row_of(given, self%components)
  end function

  !> Returns the number of values of an array (x, y, z), (x, y, z, orbital) or (x, y, z, component, orbital). Returns 0
  !> for another shape.
  recursive pure integer(c_int64_t) function grid_count(exchange, given)
    class(exact_exchange), intent(in) :: exchange
    integer, intent(in) :: given(:)
    grid_count = counted_on(given, exchange%extent)
    if (size(given) == 5) then
      if (given(4) /= exchange%components) grid_count = 0
    end if
  end function

  include 'exact_bands_complex64_1.inc'
  include 'exact_bands_complex64_2.inc'
  include 'exact_bands_complex64_3.inc'
  include 'exact_grids_real64_1.inc'
  include 'exact_grids_real64_2.inc'
  include 'exact_grids_real64_3.inc'
  include 'exact_grids_complex64_1.inc'
  include 'exact_grids_complex64_2.inc'
  include 'exact_grids_complex64_3.inc'
end module
