# SPDX-License-Identifier: BSD-3-Clause
# Recipe for Spack. Copy it to packages/seiche/package.py of a Spack repository. It names no place to download from: in a
# checkout, run `spack dev-build seiche@0.2.0`, or add the URL or Git address of your copy.
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Seiche(CMakePackage):
    """Distributed FFTs, wavefunction files of electronic-structure codes,
    densities and block-sparse products over MPI."""

    license("BSD-3-Clause AND MIT")

    version("0.2.0")

    variant("blocksparse", default=True, description="Build seiche_blocksparse")
    variant("files", default=True, description="Build seiche_files and the command")
    variant("fortran", default=True, description="Build the Fortran interface")
    variant("cuda", default=False, description="Build the module for CUDA devices")
    variant("shared", default=True, description="Build shared libraries")
    variant("xsmm", default=True, description="Use libxsmm for products of small blocks", when="target=x86_64:")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3:", type="build")
    with when("+files"):
        depends_on("cli11", type="build")
        depends_on("nlohmann-json", type="build")
        depends_on("xxhash", type="build")

    depends_on("mpi@3:")
    depends_on("blas", when="+blocksparse")
    depends_on("blas", when="+files")
    depends_on("fftw@3", type=("build", "run"))  # headers for the build; the library is loaded at run time
    depends_on("cuda@12.8:", when="+cuda")
    depends_on("libxsmm", when="+xsmm +blocksparse")
    conflicts("~blocksparse", when="+files", msg="the command needs seiche_blocksparse")
    with when("+files"):
        depends_on("fmt@9:")
        depends_on("hdf5@1.10:")
        depends_on("lapack")
        depends_on("libpng")
        depends_on("netlib-lapack +lapacke", when="^[virtuals=lapack] netlib-lapack")
        depends_on("pugixml")
        depends_on("spglib@1.16:")

    generator("ninja")

    def cmake_args(self):
        options = [
            self.define("SEICHE_TESTS", False),
            self.define("SEICHE_DUCC", False),  # optional sources, which are not a dependency here
            self.define_from_variant("SEICHE_BLOCKSPARSE", "blocksparse"),
            self.define_from_variant("SEICHE_FILES", "files"),
            self.define_from_variant("SEICHE_FORTRAN", "fortran"),
            self.define_from_variant("SEICHE_CUDA", "cuda"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
        ]
        if "+xsmm" not in self.spec:
            options.append(self.define("SEICHE_XSMM", ""))
        rpath = f"-Wl,-rpath,{self.spec['fftw'].prefix.lib}"  # of libraries that are loaded at run time
        for kind in ("EXE", "SHARED"):
            options.append(self.define(f"CMAKE_{kind}_LINKER_FLAGS", rpath))
        return options

    def test_transform(self):
        """transforms a small grid"""
        if "+files" not in self.spec:
            raise SkipTest("the command is not installed")
        seiche = Executable(self.prefix.bin.seiche)
        assert "error" in seiche("bench", "fft", "--grid", "8,6,5", output=str.split, error=str.split)
