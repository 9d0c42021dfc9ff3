# SPDX-License-Identifier: Apache-2.0
"""Files with @NAME@ in them, and the version that most of them want."""
import re


def version_of(tree):
    """The version that the headers of this tree have."""
    text = (tree / "include/linn/version.hpp").read_text(encoding="utf-8")
    return ".".join(re.findall(r"^#define LINN_VERSION_\w+ (\d+)", text, re.MULTILINE))


def filled(text, values):
    """The text with each @NAME@ replaced; one that has no value is an error."""
    return re.sub(r"@([A-Z]\w*)@", lambda name: values[name.group(1)], text)


def doxygen_settings(tree, output):
    """The text of Doxygen's settings, with which it writes the reference of this tree's headers to `output`."""
    return filled((tree / "docs/Doxyfile.in").read_text(encoding="utf-8"),
                  {"VERSION": version_of(tree), "SOURCE": str(tree), "OUTPUT": str(output)})
