"""Whether the recipes for Spack and EasyBuild are Python, and say what there is. Neither tool is run."""

import ast
import pathlib
import re
import unittest

HERE = pathlib.Path(__file__).resolve().parent
VERSION = re.search(r"project\(syncline VERSION (\S+)", (HERE.parent / "CMakeLists.txt").read_text())[1]


class Recipes(unittest.TestCase):
    def test_spack_is_one_package(self):
        tree = ast.parse((HERE / "spack" / "package.py").read_text())
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        self.assertEqual([(c.name, c.bases[0].id) for c in classes], [("Syncline", "CMakePackage")])

    def test_easybuild_has_what_every_recipe_has(self):
        (recipe,) = (HERE / "easybuild").glob("*.eb")
        names = {"SYSTEM": "SYSTEM"}
        exec(compile(recipe.read_text(), recipe.name, "exec"), names)
        for key in ("easyblock", "homepage", "description", "sources", "moduleclass"):
            self.assertTrue(names[key], key)
        toolchain = "-".join(names["toolchain"][key] for key in ("name", "version"))
        self.assertEqual(recipe.name, f"{names['name']}-{names['version']}-{toolchain}.eb")
        self.assertEqual(names["version"], VERSION)

    def test_options_are_those_of_the_build(self):
        lists = [p for p in HERE.parent.rglob("CMakeLists.txt") if "build" not in p.parts]
        known = set(re.findall(r"(?:option|set)\((SYNCLINE_\w+)", "".join(p.read_text() for p in lists)))
        for recipe in (HERE / "spack" / "package.py", *(HERE / "easybuild").glob("*.eb")):
            used = set(re.findall(r"SYNCLINE_[A-Z_]+", recipe.read_text()))
            self.assertTrue(used)
            self.assertEqual(used - known, set(), recipe)


if __name__ == "__main__":
    unittest.main()
