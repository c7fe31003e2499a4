# SPDX-License-Identifier: BSD-3-Clause
"""Exceptions of the library."""

from enum import IntEnum


class Fault(IntEnum):
    """Categories of errors, with the same numbers as in C++."""

    bad_argument = 1
    bad_file = 2
    unwritable = 3
    mpi = 4
    unsupported = 5
    internal = 6


class Error(Exception):
    """Base class of all exceptions of the library.

    Collective functions raise it on all ranks or on none, with the same message.
    """

    fault: Fault = Fault.internal


class BadArgument(Error, ValueError):
    """Invalid argument."""

    fault = Fault.bad_argument


class WrongType(BadArgument, TypeError):
    """Argument of the wrong type: not a NumPy array, another dtype, or an unknown option."""


class BadFile(Error, OSError):
    """Missing or damaged file, or unexpected content."""

    fault = Fault.bad_file


class Unwritable(Error, OSError):
    """Output that cannot be written."""

    fault = Fault.unwritable


class MpiError(Error, RuntimeError):
    """Error of an MPI call."""

    fault = Fault.mpi


class Unsupported(Error, RuntimeError):
    """Valid request that this build or machine does not support."""

    fault = Fault.unsupported


class InternalError(Error, RuntimeError):
    """Defect of the library."""

    fault = Fault.internal


_classes = {kind.fault: kind for kind in (BadArgument, BadFile, Unwritable, MpiError, Unsupported, InternalError)}


def _error(fault, sentence, of_type):
    """Creates the exception for an error of the C++ library."""
    return (WrongType if of_type else _classes[Fault(fault)])(sentence)
