# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong, and of which kind it is."""

from enum import IntEnum


class Fault(IntEnum):
    """Kinds of faults, numbered as in the C++ library."""

    bad_argument = 1
    bad_file = 2
    unwritable = 3
    mpi = 4
    unsupported = 5
    internal = 6


class Error(Exception):
    """Raised by every part of the library: a sentence that names place and remedy.

    Collective calls raise it on every rank or on none, with the same text.
    """

    fault: Fault = Fault.internal


class BadArgument(Error, ValueError):
    """The request cannot be met as it stands."""

    fault = Fault.bad_argument


class WrongType(BadArgument, TypeError):
    """An argument is of the wrong type: no NumPy array, another dtype, an unknown option."""


class BadFile(Error, OSError):
    """A file is missing, damaged, or not what it should be."""

    fault = Fault.bad_file


class Unwritable(Error, OSError):
    """An output could not be written."""

    fault = Fault.unwritable


class MpiError(Error, RuntimeError):
    """An MPI call returned an error."""

    fault = Fault.mpi


class Unsupported(Error, RuntimeError):
    """A sound request that this build or machine cannot serve."""

    fault = Fault.unsupported


class InternalError(Error, RuntimeError):
    """A defect of the library."""

    fault = Fault.internal


_classes = {kind.fault: kind for kind in (BadArgument, BadFile, Unwritable, MpiError, Unsupported, InternalError)}


def _error(fault, sentence, of_type):
    """The exception for what the C++ library throws."""
    return (WrongType if of_type else _classes[Fault(fault)])(sentence)
