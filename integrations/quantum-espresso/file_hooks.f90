! SPDX-License-Identifier: BSD-3-Clause
!> \file  What punch, pw_restart_new and sum_band call for wavefunction files, instead of procedures of Quantum ESPRESSO.

!> Checkpoints: with SEICHE_QE_CHECKPOINT=N, the wavefunction files are written in each N-th step of self-consistency, and
!> the XML file with them. Each file, and the XML file, is replaced as a whole.
module seiche_checkpoints
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  use mpi_f08, only: MPI_Barrier, MPI_Comm
  use qe_names
  use seiche_on_files
  use seiche_on_waves, only: from_environment
  implicit none
  private

  public :: checkpoint, exist, write_xml, xml_aside, unfinished

  character(*), parameter :: unfinished = '.unfinished'
  logical, save :: xml_aside = .false.  ! whether the XML file is written under a temporary name
  logical, save :: exist = .false., in_xml = .false.  ! the files of a checkpoint, and a sentence about them

  interface
    integer(c_int) function c_rename(from, to) bind(c, name='rename')
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: from(*), to(*)
    end function
  end interface

contains

  !> Collective over all ranks of an image. For a step of self-consistency: the files of the last checkpoint are
  !> finished, and those of this one started.
  subroutine checkpoint()
    integer, save :: every = -1, steps = 0
    if (every < 0) every = from_environment('SEICHE_QE_CHECKPOINT')
    if (every == 0) return
    steps = steps + 1
    if (mod(steps, every) /= 0) return
    if (.not. can_serve_files()) return
    call start_clock('wfc_files')
    call finish_files()
    if (exist .and. .not. in_xml) call write_xml(.false., .true.)
    call write_collected_wfc()
    exist = .true.
    call stop_clock('wfc_files')
  end subroutine

  !> For pw_write_schema. With the files of a checkpoint, the XML file says that they exist.
  subroutine write_xml(only_init, wf_collect)
    logical, intent(in) :: only_init, wf_collect
    if (.not. exist) then
      call pw_write_schema(only_init, wf_collect)
      return
    end if
    call finish_files()
    call MPI_Barrier(MPI_Comm(intra_image_comm))
    xml_aside = .true.
    call pw_write_schema(only_init, wf_collect .or. .not. only_init)
    xml_aside = .false.
    in_xml = .not. only_init
    if (.not. ionode) return
    if (c_rename(trim(xmlfile())//unfinished//c_null_char, trim(xmlfile())//c_null_char) /= 0) &
      call errore('seiche', 'cannot rename '//trim(xmlfile())//unfinished, 1)
  end subroutine
end module

subroutine seiche_write_schema(only_init, wf_collect)
  use seiche_checkpoints, only: exist, write_xml
  use seiche_on_files, only: can_serve_files
  implicit none
  logical, intent(in) :: only_init, wf_collect
  logical :: served
  if (wf_collect) served = can_serve_files()  ! its sentence stands before those of punch
  if (wf_collect .and. exist) call print_clock('wfc_files')  ! of checkpoints
  call write_xml(only_init, wf_collect)
end subroutine

!> For xmlfile, as pw_restart_new calls it.
function seiche_xmlfile(runit) result(path)
  use qe_names, only: xmlfile
  use seiche_checkpoints, only: unfinished, xml_aside
  implicit none
  integer, optional, intent(in) :: runit
  character(320) :: path
  path = xmlfile(runit)
  if (xml_aside) path = trim(path)//unfinished
end function

!> For write_collected_wfc, as punch calls it: later work of the program may need the files.
subroutine seiche_write_collected()
  use qe_names, only: write_collected_wfc
  use seiche_on_files, only: finish_files, forget_finished
  implicit none
  call finish_files()
  call write_collected_wfc()
  call finish_files()
  call forget_finished()
end subroutine

subroutine seiche_write_wfc(iuni, filename, root_in_group, intra_group_comm, ik, xk, ispin, nspin, wfc, ngw, gamma_only, &
                            nbnd, igl, ngwl, b1, b2, b3, mill_k, scalef)
  use qe_names, only: dp, write_wfc
  use seiche_on_files, only: can_serve_files, start_file
  implicit none
  integer, intent(in) :: iuni, root_in_group, intra_group_comm, ik, ispin, nspin, ngw, nbnd, ngwl, igl(:), mill_k(:, :)
  character(*), intent(in) :: filename
  real(dp), intent(in) :: xk(:), b1(3), b2(3), b3(3), scalef
  complex(dp), intent(in) :: wfc(:, :)
  logical, intent(in) :: gamma_only
  logical :: failed
  failed = .not. can_serve_files()
  if (.not. failed) then
    failed = start_file(trim(filename)//'.dat', intra_group_comm, ik, ispin, ngw, xk, merge(2, 1, nspin == 4), nbnd, &
                        igl(:ngwl), mill_k(:, :ngwl), wfc)
  end if
  if (failed) call write_wfc(iuni, filename, root_in_group, intra_group_comm, ik, xk, ispin, nspin, wfc, ngw, gamma_only, &
                             nbnd, igl, ngwl, b1, b2, b3, mill_k, scalef)
end subroutine

!> For read_wfc, which reads what read_kpoint does not.
subroutine seiche_read_wfc(iuni, filename, root_in_group, intra_group_comm, ik, xk, ispin, npol, wfc, ngw, gamma_only, &
                           nbnd, igl, ngwl, b1, b2, b3, mill_k, scalef, ierr)
  use qe_names, only: dp, read_wfc
  use seiche_on_files, only: read_kpoint
  implicit none
  integer, intent(in) :: iuni, root_in_group, intra_group_comm, ik, ngwl, igl(:)
  character(*), intent(in) :: filename
  integer, intent(inout) :: ngw, nbnd, ispin, npol
  complex(dp), intent(inout) :: wfc(:, :)
  real(dp), intent(inout) :: scalef, xk(3), b1(3), b2(3), b3(3)  ! what is not set here must stay
  integer, intent(inout) :: mill_k(:, :)
  logical, intent(inout) :: gamma_only
  integer, optional, intent(out) :: ierr
  if (.not. read_kpoint(trim(filename)//'.dat', intra_group_comm, ik, igl(:ngwl), wfc)) then
    call read_wfc(iuni, filename, root_in_group, intra_group_comm, ik, xk, ispin, npol, wfc, ngw, gamma_only, nbnd, igl, &
                  ngwl, b1, b2, b3, mill_k, scalef, ierr)
    return
  end if
  nbnd = size(wfc, 2)  ! the caller reads this and ierr
  if (present(ierr)) ierr = 0
end subroutine
