# Copy into a Spack repository as packages/syncline/package.py.
from spack.package import *


class Syncline(CMakePackage):
    """One time for traces from many clocks: every clock's offset and drift, with guaranteed bounds,
    from the messages of captures, OTF2, CTF and other traces."""

    # Where the sources are: set by whoever publishes them, or `spack develop`.
    license("Apache-2.0")
    version("develop")

    variant("mpi", default=True, description="The recorder of MPI programs")
    variant("otf2", default=True, description="OTF2 archives")
    variant("ctf", default=True, description="CTF traces, and the plugin for Babeltrace 2")
    variant("python", default=False, description="The Python package")
    requires("+otf2", when="+mpi")

    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("fmt")
    depends_on("abseil-cpp cxxstd=20")
    depends_on("tl-expected")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("simdjson")
    depends_on("clp")
    depends_on("eigen", type="build")
    depends_on("boost", type="build")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("openssl@3:")
    depends_on("otf2", when="+otf2")
    depends_on("babeltrace2", when="+ctf")
    depends_on("mpi", when="+mpi")
    depends_on("python@3.9:", type=("build", "run"), when="+python")
    depends_on("py-pybind11@2.10:", type="build", when="+python")
    depends_on("py-numpy", type="run", when="+python")
    extends("python", when="+python")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("CMAKE_DISABLE_FIND_PACKAGE_GTest", True),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_MPI", "~mpi" in self.spec),
            self.define("SYNCLINE_UNITY", True),
            self.define_from_variant("SYNCLINE_PYTHON", "python"),
        ]
