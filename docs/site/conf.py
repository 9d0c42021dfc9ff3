# SPDX-License-Identifier: Apache-2.0
"""How Sphinx makes the site; scripts/site calls it and gives the version."""
project = "Linn"
extensions = ["myst_parser"]
myst_heading_anchors = 4  # as a forge gives them: the pages link to each other's headings

html_theme = "sphinx_rtd_theme"
html_theme_options = {"titles_only": True, "navigation_depth": 2}
html_title = "Linn"
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_show_search_summary = False  # a browser does not let a page that is a file fetch another
smartquotes = False  # `--json` has two hyphens
templates_path = ["templates"]
html_static_path = ["static"]
html_css_files = ["linn.css"]
