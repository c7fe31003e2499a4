// SPDX-License-Identifier: BSD-3-Clause
/// \file  The parts of the page, embedded by page/embed.py.
#pragma once

#include <string_view>

namespace seiche::profile {

extern const std::string_view page_html, page_css, page_js, timeline_js, uplot_js, uplot_css, uplot_licence;

}  // namespace seiche::profile
