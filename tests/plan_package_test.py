#!/usr/bin/env python3
"""The planner as an installed CMake package: what is installed, that examples/plan builds against it and says what it
should, that another version is refused. Needs no network. Standard library only.

  tests/plan_package_test.py BUILD_DIR SOURCE_DIR     (compiler and generator: CXX, CXXFLAGS, CMAKE_GENERATOR)
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = SOURCE = None

INSTALLED = [
    "include/berth/contract/result.h",
    "include/berth/plan/check.h",
    "include/berth/plan/plan.h",
    "lib/cmake/berth_plan/berth_plan-config-version.cmake",
    "lib/cmake/berth_plan/berth_plan-config.cmake",
    "lib/libberth_plan.a",
]

EXAMPLE = """\
samples    at 2064
spectrum   at    0
window     at    0
power      at    0
sram: 3984 bytes, at least 3984 in any plan; proven optimal
"""


class PlanPackageTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="berth_package_")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.prefix = self.folder / "prefix"
        self.cmake("--install", BUILD, "--component", "plan", "--prefix", self.prefix)

    def cmake(self, *arguments, code=0):
        done = subprocess.run(["cmake", *map(str, arguments)], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, f"cmake {arguments}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def configure(self, project, code=0):
        return self.cmake("-S", project, "-B", "built", f"-DCMAKE_PREFIX_PATH={self.prefix}", code=code)

    def test_only_the_public_headers_the_library_and_the_package_are_installed(self):
        found = sorted(str(p.relative_to(self.prefix)) for p in self.prefix.rglob("*") if p.is_file())
        # One more file per kind of build.
        found = [name for name in found if not name.startswith("lib/cmake/berth_plan/berth_plan-config-rel")]
        found = [name for name in found if not name.startswith("lib/cmake/berth_plan/berth_plan-config-deb")]
        self.assertEqual(found, INSTALLED)

    def test_nothing_of_the_package_points_back_to_the_tree(self):
        for path in self.prefix.rglob("*.cmake"):
            text = path.read_text()
            for tree in (str(SOURCE), str(BUILD)):
                self.assertNotIn(tree, text, path)

    def test_the_example_builds_against_the_package_and_prints_its_plan(self):
        self.configure(SOURCE / "examples/plan")
        self.assertIn(str(self.prefix), (self.folder / "built/CMakeCache.txt").read_text())
        self.cmake("--build", "built")
        done = subprocess.run([self.folder / "built/fit_buffers"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, EXAMPLE)

    def test_the_example_is_short(self):
        self.assertLess((SOURCE / "examples/plan/fit_buffers.cc").read_text().count("\n"), 40)

    def project(self, find):
        folder = self.folder / "project"
        folder.mkdir()
        lines = ["cmake_minimum_required(VERSION 3.25)", "project(p LANGUAGES CXX)", find]
        (folder / "CMakeLists.txt").write_text("\n".join(lines) + "\n")
        return folder

    def test_a_version_that_is_not_there_is_refused(self):
        words = self.configure(self.project("find_package(berth_plan 99 REQUIRED)"), code=1)
        self.assertIn('requested version "99"', " ".join(words.split()))

    def test_the_headers_are_enough_for_cpp17(self):
        folder = self.project(
            "find_package(berth_plan REQUIRED)\nset(CMAKE_CXX_STANDARD 17)\nadd_executable(p p.cc)\n"
            "target_link_libraries(p PRIVATE berth::plan)\ntarget_compile_options(p PRIVATE -Wall -Wextra -Werror)"
        )
        (folder / "p.cc").write_text(
            '#include "plan/check.h"\n#include "plan/plan.h"\n'
            'int main() { berth::plan::Problem p; p.pools = {{"m"}}; return berth::plan::make_plan(p).ok() ? 0 : 1; }\n'
        )
        self.configure(folder)
        self.cmake("--build", "built")
        subprocess.run([self.folder / "built/p"], check=True)


def main():
    global BUILD, SOURCE
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    BUILD, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])


if __name__ == "__main__":
    sys.exit(main())
