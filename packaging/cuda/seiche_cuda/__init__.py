# SPDX-License-Identifier: BSD-3-Clause
"""The module of Seiche for CUDA devices. The package seiche finds it in this folder."""
