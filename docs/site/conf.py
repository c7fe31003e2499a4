# SPDX-License-Identifier: BSD-3-Clause
"""Configuration of the site. ./dev docs runs Doxygen and sources.py first."""

project = "Seiche"
extensions = ["myst_parser", "breathe", "sphinx_design"]
html_theme = "furo"
html_title = "Seiche"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
exclude_patterns = []
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
breathe_projects = {"seiche": "../xml"}
breathe_default_project = "seiche"
primary_domain = "cpp"
highlight_language = "none"
suppress_warnings = [
    "misc.highlighting_failure",  # console blocks contain output
    "duplicate_declaration.cpp",  # Breathe repeats overloads if headers share a name
    "duplicate_declaration.c",
]
