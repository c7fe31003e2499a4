! SPDX-License-Identifier: BSD-3-Clause
!> \file  Fourier transforms of dense grids: f(r) = sum_G c(G) exp(+i G.r). Forward transforms scale by 1/(nx ny nz).
!>
!> Grids are arrays (x, y, z). Contiguous arrays are not copied. The compiler copies other arrays, and copies the
!> results back. An array whose shape is not the shape of its box causes an error on all ranks.
module seiche_dense_fft
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use seiche_base
  use seiche_dense_arrays
  use seiche_status_types
  use seiche_c_status
  use seiche_fft_types
  use seiche_c_fft
  use seiche_pending_calls
  implicit none
  private

  public :: dense_fft, seiche_field, padded_shape

  !> Transforms a dense grid. The spectrum is complex. It has nx/2+1 points along x if grid values are real, else nx.
  !> Assignment copies the handle only. Call close() before MPI_Finalize; it is collective.
  type :: dense_fft
    private
    type(c_ptr) :: handle = c_null_ptr
    integer :: value = -1
    integer :: grid_extent(3) = -1, spectrum_extent(3) = -1
  contains
    procedure, private :: create_f08, create_integer, create_for_f08, create_for_integer, keep
    procedure, private :: forward_field, forward_real32, forward_real64, forward_complex32, forward_complex64
    procedure, private :: backward_field, backward_real32, backward_real64, backward_complex32, backward_complex64
    procedure, private :: forward_fields_real32, forward_fields_real64, forward_fields_complex32, forward_fields_complex64
    procedure, private :: backward_fields_real32, backward_fields_real64, backward_fields_complex32, &
      backward_fields_complex64
    procedure, private :: start_forward_real32, start_forward_real64, start_forward_complex32, &
      start_forward_complex64, start_backward_real32, start_backward_real64, start_backward_complex32, &
      start_backward_complex64
    procedure, private :: refuses_section, refuses => dense_refuses
    !> Collective. create(comm, value, shape [, options] [, status]): `comm` is type(MPI_Comm) or an integer, `value`
    !> is seiche_double, ..., `shape` is [nx, ny, nz]. create(comm, value, shape, arrays [, options] [, status])
    !> creates a plan for many fields in the caller's arrays (type(dense_arrays)). forward and backward then transform
    !> all of them, in arrays of rank 4.
    generic :: create => create_f08, create_integer, create_for_f08, create_for_integer
    !> Collective. forward(grid, spectrum [, status]): transforms grid values to a spectrum. forward(field [, status]):
    !> in place.
    generic :: forward => forward_field, forward_real32, forward_real64, forward_complex32, forward_complex64, &
      forward_fields_real32, forward_fields_real64, forward_fields_complex32, forward_fields_complex64
    !> Collective. backward(spectrum, grid [, status]): transforms a spectrum to grid values. backward(field [,
    !> status]): in place.
    generic :: backward => backward_field, backward_real32, backward_real64, backward_complex32, backward_complex64, &
      backward_fields_real32, backward_fields_real64, backward_fields_complex32, backward_fields_complex64
    !> Collective. start_forward(pending, grid, spectrum [, status]): starts forward of arrays. pending%finish() completes
    !> it.
    generic :: start_forward => start_forward_real32, start_forward_real64, start_forward_complex32, &
      start_forward_complex64
    !> Collective. start_backward(pending, spectrum, grid [, status]): starts backward of arrays.
    generic :: start_backward => start_backward_real32, start_backward_real64, start_backward_complex32, &
      start_backward_complex64
    procedure :: grid_box => dense_grid_box
    procedure :: spectrum_box => dense_spectrum_box
    procedure :: report => dense_report
    procedure :: progress => dense_progress
    procedure :: close => dense_close
  end type

  !> Values of one dense grid in padded memory of a plan. A field contains either grid values or a spectrum.
  type :: seiche_field
    private
    type(c_ptr) :: handle = c_null_ptr
    integer :: value = -1
  contains
    procedure, private :: grid_real32, grid_real64, grid_complex32, grid_complex64
    procedure, private :: spectrum_complex32, spectrum_complex64
    procedure, private :: refuses => field_refuses
    procedure :: create => field_create
    !> Local. grid(pointer [, status]): sets the pointer to the grid values on this rank's grid_box(), of the plan's
    !> kind of value.
    generic :: grid => grid_real32, grid_real64, grid_complex32, grid_complex64
    !> Local. spectrum(pointer [, status]): sets the pointer to the complex spectrum on this rank's spectrum_box().
    generic :: spectrum => spectrum_complex32, spectrum_complex64
    procedure :: become_grid
    procedure :: become_spectrum
    procedure :: close => field_close
  end type

contains

  !> Local. Returns settings and costs of the plan.
  recursive function dense_report(self, status) result(report)
    class(dense_fft), intent(in) :: self
    integer, intent(out), optional :: status
    type(fft_report) :: report
    type(c_fft_report) :: found
    integer(c_int) :: code
    found%size = c_sizeof(found)
    code = c_dense_fft_report(self%handle, found)
    report = fft_report_of(found)
    call settle(code, status)
  end function

  !> Local. Returns the use of time in calls of this plan.
  recursive function dense_progress(self, status) result(report)
    class(dense_fft), intent(in) :: self
    integer, intent(out), optional :: status
    type(progress_report) :: report
    type(c_progress_report) :: found
    integer(c_int) :: code
    found%size = c_sizeof(found)
    code = c_dense_fft_progress(self%handle, found)
    report = progress_report_of(found)
    call settle(code, status)
  end function

  recursive subroutine create_f08(self, comm, value, shape, options, status)
    class(dense_fft), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: value, shape(3)
    type(fft_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    call self%create(comm%MPI_VAL, value, shape, options, status)
  end subroutine

  recursive subroutine create_integer(self, comm, value, shape, options, status)
    class(dense_fft), intent(inout) :: self
    integer, intent(in) :: comm, value, shape(3)
    type(fft_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    integer(c_int), allocatable, target :: chunks(:)
    integer(c_int) :: code
    if (created_before(self, status)) return
    code = c_dense_fft_create(self%handle, int(comm, c_int), int(value, c_int), int(shape, c_int64_t), &
                    c_fft_options_of(options, chunks))
    call self%keep(code, value, status)
  end subroutine

  recursive subroutine create_for_f08(self, comm, value, shape, arrays, options, status)
    class(dense_fft), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: value, shape(3)
    type(dense_arrays), intent(in) :: arrays
    type(fft_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    call self%create(comm%MPI_VAL, value, shape, arrays, options, status)
  end subroutine

  recursive subroutine create_for_integer(self, comm, value, shape, arrays, options, status)
    class(dense_fft), intent(inout) :: self
    integer, intent(in) :: comm, value, shape(3)
    type(dense_arrays), intent(in) :: arrays
    type(fft_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    integer(c_int), allocatable, target :: chunks(:)
    integer(c_int) :: code
    if (created_before(self, status)) return
    code = c_dense_fft_create_for(self%handle, int(comm, c_int), int(value, c_int), int(shape, c_int64_t), &
      c_arrays_of(arrays), &
                        c_fft_options_of(options, chunks))
    call self%keep(code, value, status)
  end subroutine

  recursive logical function created_before(self, status)
    class(dense_fft), intent(in) :: self
    integer, intent(out), optional :: status
    created_before = c_associated(self%handle)
    if (created_before) call refuse('dense_fft: this plan already exists: close it first', status)
  end function

  !> Sets the members of a new plan, with the shapes of its boxes.
  recursive subroutine keep(self, created, value, status)
    class(dense_fft), intent(inout) :: self
    integer(c_int), intent(in) :: created
    integer, intent(in) :: value
    integer, intent(out), optional :: status
    type(c_box) :: grid, spectrum
    integer(c_int) :: code
    code = created
    if (code == seiche_ok) code = c_dense_fft_grid_box(self%handle, grid)
    if (code == seiche_ok) code = c_dense_fft_spectrum_box(self%handle, spectrum)
    if (code == seiche_ok) then
      self%value = value
      self%grid_extent = int(grid%high - grid%low)
      self%spectrum_extent = int(spectrum%high - spectrum%low)
    end if
    call settle(code, status)
  end subroutine

  !> Collective. Destroys the plan. It can be created again. Closing a closed plan has no effect.
  recursive subroutine dense_close(self, status)
    class(dense_fft), intent(inout) :: self
    integer, intent(out), optional :: status
    integer(c_int) :: code
    code = c_dense_fft_destroy(self%handle)
    if (code == seiche_ok) call forget(self)
    call settle(code, status)
  end subroutine

  !> Resets the members to the state before create.
  recursive subroutine forget(self)
    type(dense_fft), intent(out) :: self
    self%handle = c_null_ptr
  end subroutine

  recursive subroutine forward_field(self, memory, status)
    class(dense_fft), intent(in) :: self
    class(seiche_field), intent(in) :: memory
    integer, intent(out), optional :: status
    call settle(c_dense_fft_forward_field(self%handle, memory%handle), status)
  end subroutine

  recursive subroutine backward_field(self, memory, status)
    class(dense_fft), intent(in) :: self
    class(seiche_field), intent(in) :: memory
    integer, intent(out), optional :: status
    call settle(c_dense_fft_backward_field(self%handle, memory%handle), status)
  end subroutine

  !> Local. Returns this rank's part of the grid. Rows along x are whole.
  recursive function dense_grid_box(self, status) result(box)
    class(dense_fft), intent(in) :: self
    integer, intent(out), optional :: status
    type(seiche_box) :: box
    type(c_box) :: found
    integer(c_int) :: code
    code = c_dense_fft_grid_box(self%handle, found)
    if (code == seiche_ok) box = box_of(found)
    call settle(code, status)
  end function

  !> Local. Returns this rank's part of the spectrum. Columns along z are whole.
  recursive function dense_spectrum_box(self, status) result(box)
    class(dense_fft), intent(in) :: self
    integer, intent(out), optional :: status
    type(seiche_box) :: box
    type(c_box) :: found
    integer(c_int) :: code
    code = c_dense_fft_spectrum_box(self%handle, found)
    if (code == seiche_ok) box = box_of(found)
    call settle(code, status)
  end function

  !> Tells whether a started call has an array that is not contiguous. Collective if it returns .true.
  recursive logical function refuses_section(self, names, contiguous, status)
    class(dense_fft), intent(in) :: self
    character(*), intent(in) :: names(:)
    logical, intent(in) :: contiguous(:)
    integer, intent(out), optional :: status
    refuses_section = c_associated(self%handle) .and. .not. all(contiguous)
    if (refuses_section) call settle(c_dense_fft_refuse(self%handle, int(seiche_misuse, c_int), &
      c_text('dense_fft: '//section_among(names, contiguous))), status)
  end function

  !> Tells whether arrays have another kind of value than the plan. Collective if it returns .true. Then all
  !> ranks report the error.
  recursive logical function dense_refuses(self, given, status)
    class(dense_fft), intent(in) :: self
    integer, intent(in) :: given
    integer, intent(out), optional :: status
    dense_refuses = c_associated(self%handle) .and. given /= self%value
    if (dense_refuses) call settle(c_dense_fft_refuse(self%handle, int(seiche_misuse, c_int), &
      c_text('dense_fft: the arrays are '// &
                                   name_of(given)//', but the plan is for '//name_of(self%value)// &
                                   ': pass arrays of that type')), status)
  end function

  !> Collective. Creates a field for a plan. The field may outlive the plan.
  recursive subroutine field_create(self, fft, status)
    class(seiche_field), intent(inout) :: self
    class(dense_fft), intent(in) :: fft
    integer, intent(out), optional :: status
    if (c_associated(self%handle)) then
      call refuse('field: this field already exists: close it first', status)
      return
    end if
    self%value = fft%value
    call settle(c_field_create(self%handle, fft%handle), status)
  end subroutine

  !> Collective. Destroys the field.
  recursive subroutine field_close(self, status)
    class(seiche_field), intent(inout) :: self
    integer, intent(out), optional :: status
    integer(c_int) :: code
    code = c_field_destroy(self%handle)
    if (code == seiche_ok) self%value = -1
    call settle(code, status)
  end subroutine

  !> Collective. Makes the field contain grid values, which the caller must fill in. A spectrum is lost.
  recursive subroutine become_grid(self, status)
    class(seiche_field), intent(in) :: self
    integer, intent(out), optional :: status
    call settle(c_field_become_grid(self%handle), status)
  end subroutine

  !> Collective. Makes the field contain a spectrum, which the caller must fill in. Grid values are lost.
  recursive subroutine become_spectrum(self, status)
    class(seiche_field), intent(in) :: self
    integer, intent(out), optional :: status
    call settle(c_field_become_spectrum(self%handle), status)
  end subroutine

  recursive logical function field_refuses(self, held, given, status)
    class(seiche_field), intent(in) :: self
    integer, intent(in) :: held, given
    integer, intent(out), optional :: status
    field_refuses = c_associated(self%handle) .and. given /= held
    if (field_refuses) call refuse('field: the pointer is '//name_of(given)//', but the values are '//name_of(held)// &
                                   ': pass a pointer of that type', status)
  end function

  !> Returns the shape of the array that contains the values of a view and their padding.
  recursive pure function padded_shape(view)
    type(c_view), intent(in) :: view
    integer(c_int64_t) :: padded_shape(3)
    padded_shape = [view%stride(2), view%stride(3) / max(view%stride(2), 1_c_int64_t), view%shape(3)]
  end function

  include 'dense_arrays_real32.inc'
  include 'dense_fields_real32.inc'
  include 'dense_arrays_real64.inc'
  include 'dense_fields_real64.inc'
  include 'dense_arrays_complex32.inc'
  include 'dense_fields_complex32.inc'
  include 'dense_arrays_complex64.inc'
  include 'dense_fields_complex64.inc'
  include 'dense_spectrum_complex32.inc'
  include 'dense_spectrum_complex64.inc'
end module
