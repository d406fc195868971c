"""What the wheels have in common: they contain programs of one platform, and serve every Python."""

import os

from setuptools import Distribution
from setuptools.command.install import install

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1
    from wheel.bdist_wheel import bdist_wheel


class Binary(Distribution):
    def has_ext_modules(self):
        return True


class Install(install):
    def finalize_options(self):
        super().finalize_options()
        self.install_lib = self.install_platlib  # old setuptools ask for modules that they compile


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", os.environ.get("WHEEL_TAG", "linux_x86_64")
