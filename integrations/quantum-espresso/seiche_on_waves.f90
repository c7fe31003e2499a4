! SPDX-License-Identifier: BSD-3-Clause
!> \file  What Quantum ESPRESSO does with its waves on the grid, done by Seiche: V psi and the density, all bands of a
!> call at once. Plans are kept, one for each k-point of the pool, and follow the waves; so does the potential. merge.py
!> defines QE_MERGED, for a module of Quantum ESPRESSO with V psi and the density only.
module seiche_on_waves
  use, intrinsic :: iso_fortran_env, only: int32
  use mpi_f08, only: MPI_Allreduce, MPI_Comm, MPI_IN_PLACE, MPI_LOGICAL, MPI_LOR
#ifdef QE_MERGED
  use control_flags, only: gamma_only
  use fft_base, only: dffts
  use gvect, only: mill
  use io_global, only: ionode, stdout
  use kinds, only: dp
  use klist, only: igk_k, nks
  use noncollin_module, only: domag
#else
  use qe_names
#endif
  use seiche
  !$ use omp_lib, only: omp_get_max_threads
  implicit none
  private

  public :: add_potential, add_density, can_serve
#ifndef QE_MERGED
  public :: finish_potential, apply_perturbation, add_response
  public :: from_environment, on_any_rank, say_once, switched_off, waves_of
#endif

  type :: kept_plan
    type(sphere_fft) :: fft
    integer(int32), allocatable :: waves(:, :)
    integer :: grid(3) = 0
  end type

  !> A potential as it was given, and the same on the box of a plan.
  type :: kept_potential
    type(seiche_box) :: box
    real(dp), allocatable :: given(:, :), here(:, :, :, :)
  end type

  interface spread
    procedure :: spread_real
#ifndef QE_MERGED
    procedure :: spread_complex
#endif
  end interface
  interface collect
    procedure :: collect_real
#ifndef QE_MERGED
    procedure :: collect_complex
#endif
  end interface

  type(kept_plan), allocatable, save :: plans(:)
  type(kept_potential), target, asynchronous, save :: potential
#ifndef QE_MERGED
  type(seiche_pending), save :: started
  logical, save :: is_started = .false.
  complex(dp), allocatable, target, asynchronous, save :: started_values(:)  ! kept for the next start
#endif
  character(:), allocatable, save :: said

contains

  !> Whether waves and grid lie as a plan takes them, to compute `what`; else it says why not.
  logical function can_serve(what)
    character(*), intent(in) :: what
    character(:), allocatable :: obstacle
    obstacle = ''
    if (any(grid() /= [dffts%nr1x, dffts%nr2x, dffts%nr3x])) obstacle = 'a padded grid'
    if (dffts%nproc2 /= 1) obstacle = 'planes divided along y (-ntg or -nyfft)'
    if (switched_off()) obstacle = 'SEICHE_QE=never'
    can_serve = obstacle == ''
    if (can_serve) then
      call say_once(what//' by Seiche '//seiche_version())
    else
      call say_once('not used with '//obstacle)
    end if
  end function

  !> Collective at the first call. Tells whether SEICHE_QE is "never" on any rank.
  logical function switched_off()
    logical, save :: known = .false., off
    character(8) :: text
    if (.not. known) then
      call get_environment_variable('SEICHE_QE', text)
      off = on_any_rank(text == 'never')
      known = .true.
    end if
    switched_off = off
  end function

  subroutine say_once(sentence)
    character(*), intent(in) :: sentence
    if (.not. allocated(said)) said = ''
    if (index(said, sentence) > 0) return
    said = said//sentence
    if (ionode) write (stdout, '(/5x,"Seiche: ",a/)') sentence
  end subroutine

  !> Collective over the ranks of a band group, as all that follows. hpsi += V psi, at a k-point.
#ifndef QE_MERGED
  !> If the result can wait for finish_potential, V psi is only started, and `psi` must stay as it is.
#endif
  subroutine add_potential(k, waves, lda, components, bands, psi, v, ldv, hpsi)
    integer, intent(in) :: k, waves, lda, components, bands, ldv
    complex(dp), target, asynchronous, intent(in) :: psi(lda, components, bands)
    real(dp), intent(in) :: v(ldv, *)
    complex(dp), intent(inout) :: hpsi(lda, components, bands)
#ifndef QE_MERGED
    complex(dp), pointer, contiguous :: later(:, :, :)
#endif
    call follow_waves(k, waves, components)
    call follow_potential(plans(k)%fft, fields(components), v, ldv)
    if (fields(components) > 1) then
      call plans(k)%fft%apply_potential(psi, hpsi, potential%here, add=.true.)
#ifndef QE_MERGED
    else if (result_can_wait()) then
      later => started_result(lda, components, bands)
      call plans(k)%fft%start_apply_potential(started, psi, later, potential%here(:, :, :, 1))
      is_started = .true.
#endif
    else
      call plans(k)%fft%apply_potential(psi, hpsi, potential%here(:, :, :, 1), add=.true.)
    end if
  end subroutine

#ifndef QE_MERGED
  !> Whether h_psi calls add_vuspsi next, which adds to hpsi without reading it.
  logical function result_can_wait()
    result_can_wait = nkb > 0 .and. .not. real_space .and. from_environment('SEICHE_QE_STARTED') /= 0
  end function

  !> Memory for the result until finish_potential.
  function started_result(lda, components, bands) result(values)
    integer, intent(in) :: lda, components, bands
    complex(dp), pointer, contiguous :: values(:, :, :)
    integer :: number
    number = lda * components * bands
    if (.not. allocated(started_values)) allocate (started_values(0))
    if (size(started_values) < number) then
      deallocate (started_values)
      allocate (started_values(number))
    end if
    values(1:lda, 1:components, 1:bands) => started_values
  end function

  !> hpsi += V psi, if it was started.
  subroutine finish_potential(waves, lda, components, bands, hpsi)
    integer, intent(in) :: waves, lda, components, bands
    complex(dp), intent(inout) :: hpsi(lda, components, bands)
    complex(dp), pointer, contiguous :: values(:, :, :)
    if (.not. is_started) return
    call start_clock('vloc_psi')
    call started%finish()
    is_started = .false.
    values => started_result(lda, components, bands)
    hpsi(:waves, :, :) = hpsi(:waves, :, :) + values(:waves, :, :)
    call stop_clock('vloc_psi')
  end subroutine
#endif

  !> Adds sum weights(b) |psi_b(r)|**2 to n(:, 1); of magnetic spinors also the magnetisation, to n(:, 2:4).
  subroutine add_density(k, waves, lda, components, bands, psi, weights, n)
    integer, intent(in) :: k, waves, lda, components, bands
    complex(dp), intent(in) :: psi(lda, components, bands)
    real(dp), intent(in) :: weights(bands)
    real(dp), intent(inout) :: n(:, :)
    real(dp), allocatable :: here(:, :, :, :)
    integer :: field
    call follow_waves(k, waves, components)
    here = zeros_on(plans(k)%fft%grid_box(), fields(components))
    if (size(here, 4) == 1) then
      call plans(k)%fft%add_density(psi, weights, here(:, :, :, 1))
    else
      call plans(k)%fft%add_density(psi, weights, here)
    end if
    do field = 1, size(here, 4)
      call collect(plans(k)%fft, here(:, :, :, field), my_planes(), n(:, field))
    end do
  end subroutine

#ifndef QE_MERGED
  !> dvpsi = dV psi, of bands at the point k, with results at k + q. dv(:, 1), and of magnetic spinors dv(:, 2:4).
  subroutine apply_perturbation(k, kq, lda, components, bands, psi, dv, dvpsi)
    integer, intent(in) :: k, kq, lda, components, bands
    complex(dp), intent(in) :: psi(lda, components, bands), dv(:, :)
    complex(dp), intent(out) :: dvpsi(lda, components, bands)
    complex(dp), allocatable :: here(:, :, :, :)
    integer :: field
    call follow_waves(k, ngk(k), components)
    call follow_waves(kq, ngk(kq), components)
    here = cmplx(zeros_on(plans(k)%fft%grid_box(), size(dv, 2)), kind=dp)
    do field = 1, size(dv, 2)
      call spread(plans(k)%fft, my_planes(), dv(:, field), here(:, :, :, field))
    end do
    dvpsi = 0
    if (size(dv, 2) > 1) then
      call plans(k)%fft%apply_perturbation(plans(kq)%fft, psi, dvpsi, here)
    else
      call plans(k)%fft%apply_perturbation(plans(kq)%fft, psi, dvpsi, here(:, :, :, 1))
    end if
  end subroutine

  !> Adds weight * sum conj(psi_b(r)) dpsi_b(r) to dn(:, 1), of bands at the point k and their responses at k + q. Of
  !> magnetic spinors also adds the magnetization, times a sign, to dn(:, 2:4).
  subroutine add_response(k, kq, components, bands, psi, dpsi, weight, sign, dn)
    integer, intent(in) :: k, kq, components, bands
    complex(dp), intent(in) :: psi(npwx, components, bands), dpsi(npwx, components, bands)
    real(dp), intent(in) :: weight, sign
    complex(dp), intent(inout) :: dn(:, :)
    complex(dp), allocatable :: here(:, :, :, :)
    real(dp) :: weights(bands)
    integer :: field
    call follow_waves(k, ngk(k), components)
    call follow_waves(kq, ngk(kq), components)
    weights = weight
    here = cmplx(zeros_on(plans(k)%fft%grid_box(), size(dn, 2)), kind=dp)
    if (size(dn, 2) > 1) then
      call plans(k)%fft%add_products(plans(kq)%fft, psi, dpsi, weights, here)
      here(:, :, :, 2:) = sign * here(:, :, :, 2:)
    else
      call plans(k)%fft%add_products(plans(kq)%fft, psi, dpsi, weights, here(:, :, :, 1))
    end if
    do field = 1, size(dn, 2)
      call collect(plans(k)%fft, here(:, :, :, field), my_planes(), dn(:, field))
    end do
  end subroutine
#endif

  !> The box of planes that this rank has of the grid of waves.
  type(seiche_box) function my_planes()
    my_planes%low = [1, 1, dffts%my_i0r3p + 1]
    my_planes%high = [dffts%nr1, dffts%nr2, dffts%my_i0r3p + dffts%my_nr3p]
  end function

  function grid()
    integer :: grid(3)
    grid = [dffts%nr1, dffts%nr2, dffts%nr3]
  end function

  !> Numbers at each point that a potential has, or a density: of spinors in a magnetic field four.
  integer function fields(components)
    integer, intent(in) :: components
    fields = merge(4, 1, components == 2 .and. domag)
  end function

  !> The plan of a k-point is made when its waves or the grid are others than at the last call on any rank.
  subroutine follow_waves(k, n, components)
    integer, intent(in) :: k, n, components
    type(kept_plan), allocatable :: more(:)
    type(fft_options) :: options
    integer(int32), allocatable :: waves(:, :)
    if (.not. allocated(plans)) allocate (plans(0))
    if (k > size(plans)) then
      allocate (more(max(k, nks)))
      more(:size(plans)) = plans
      call move_alloc(more, plans)
    end if
    waves = waves_of(k, n)
    if (.not. on_any_rank(differ(plans(k), waves))) return
    call plans(k)%fft%close()
    options%components = components
#ifndef QE_MERGED
    options%band_groups = from_environment('SEICHE_QE_BAND_GROUPS')
    options%window = from_environment('SEICHE_QE_WINDOW')
#endif
    !$ options%threads = omp_get_max_threads()
    call plans(k)%fft%create(dffts%comm, merge(seiche_double, seiche_complex_double, gamma_only), grid(), waves, options)
    plans(k)%grid = grid()
    call move_alloc(waves, plans(k)%waves)
  end subroutine

  function waves_of(k, n) result(waves)
    integer, intent(in) :: k, n
    integer(int32) :: waves(3, n)
    if (gamma_only) then
      waves = mill(:, :n)
    else
      waves = mill(:, igk_k(:n, k))
    end if
  end function

  pure logical function differ(plan, waves)
    type(kept_plan), intent(in) :: plan
    integer(int32), intent(in) :: waves(:, :)
    differ = .not. allocated(plan%waves) .or. any(plan%grid /= [dffts%nr1, dffts%nr2, dffts%nr3])
    if (.not. differ) differ = size(plan%waves, 2) /= size(waves, 2)
    if (.not. differ) differ = any(plan%waves /= waves)
  end function

  !> The potential goes to the plan's box when it, or the box, is another than at the last call on any rank.
  subroutine follow_potential(fft, fields, v, ldv)
    type(sphere_fft), intent(in) :: fft
    integer, intent(in) :: fields, ldv
    real(dp), intent(in) :: v(ldv, fields)
    type(seiche_box) :: box
    integer :: field, points
    logical :: differs
    box = fft%grid_box()
    points = int(my_planes_volume())
    differs = .not. allocated(potential%given)
    if (.not. differs) differs = any([potential%box%low, potential%box%high] /= [box%low, box%high]) .or. &
                                 any(shape(potential%given) /= [points, fields])
    if (.not. differs) differs = any(potential%given /= v(:points, :))
    if (.not. on_any_rank(differs)) return
    potential%box = box
    potential%given = v(:points, :)
    potential%here = zeros_on(box, fields)
    do field = 1, fields
      call spread(fft, my_planes(), potential%given(:, field), potential%here(:, :, :, field))
    end do
  end subroutine

  integer function my_planes_volume()
    type(seiche_box) :: box
    box = my_planes()
    my_planes_volume = int(box%volume())
  end function

  !> These give Quantum ESPRESSO's arrays, in which all points are in a row, the shape of their box.
  subroutine spread_real(fft, box, values, here)
    type(sphere_fft), intent(in) :: fft
    type(seiche_box), intent(in) :: box
    real(dp), target, contiguous, intent(in) :: values(:)
    real(dp), contiguous, intent(inout) :: here(:, :, :)
    real(dp), contiguous, pointer :: planes(:, :, :)
    planes(1:dffts%nr1, 1:dffts%nr2, 1:dffts%my_nr3p) => values
    call fft%spread(box, planes, here)
  end subroutine

  subroutine collect_real(fft, here, box, values)
    type(sphere_fft), intent(in) :: fft
    real(dp), contiguous, intent(in) :: here(:, :, :)
    type(seiche_box), intent(in) :: box
    real(dp), target, contiguous, intent(inout) :: values(:)
    real(dp), contiguous, pointer :: planes(:, :, :)
    planes(1:dffts%nr1, 1:dffts%nr2, 1:dffts%my_nr3p) => values
    call fft%collect(here, box, planes)
  end subroutine

#ifndef QE_MERGED
  subroutine spread_complex(fft, box, values, here)
    type(sphere_fft), intent(in) :: fft
    type(seiche_box), intent(in) :: box
    complex(dp), target, contiguous, intent(in) :: values(:)
    complex(dp), contiguous, intent(inout) :: here(:, :, :)
    complex(dp), contiguous, pointer :: planes(:, :, :)
    planes(1:dffts%nr1, 1:dffts%nr2, 1:dffts%my_nr3p) => values
    call fft%spread(box, planes, here)
  end subroutine

  subroutine collect_complex(fft, here, box, values)
    type(sphere_fft), intent(in) :: fft
    complex(dp), contiguous, intent(in) :: here(:, :, :)
    type(seiche_box), intent(in) :: box
    complex(dp), target, contiguous, intent(inout) :: values(:)
    complex(dp), contiguous, pointer :: planes(:, :, :)
    planes(1:dffts%nr1, 1:dffts%nr2, 1:dffts%my_nr3p) => values
    call fft%collect(here, box, planes)
  end subroutine
#endif

  function zeros_on(box, fields) result(zeros)
    type(seiche_box), intent(in) :: box
    integer, intent(in) :: fields
    real(dp), allocatable :: zeros(:, :, :, :)
    integer :: n(3)
    n = box%extent()
    allocate (zeros(n(1), n(2), n(3), fields), source=0.0_dp)
  end function

  logical function on_any_rank(flag)
    logical, intent(in) :: flag
    on_any_rank = flag
    call MPI_Allreduce(MPI_IN_PLACE, on_any_rank, 1, MPI_LOGICAL, MPI_LOR, MPI_Comm(dffts%comm))
  end function
#ifndef QE_MERGED

  !> For measurements: a number that is else left to the library, 0.
  integer function from_environment(name)
    character(*), intent(in) :: name
    character(8) :: text
    integer :: status
    from_environment = 0
    call get_environment_variable(name, text, status=status)
    if (status == 0) read (text, *) from_environment
  end function
#endif
end module
