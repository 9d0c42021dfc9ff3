// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../advise/advice.hpp"
#include "../plots/flame_tree.hpp"

#include <string>

namespace linn::tool {

/// The advice as a page for a browser: one file that loads nothing (docs/guide/report.md). `frames` names the frames of
/// any stack, for the flame graph; without it only the callers that the advice holds are drawn.
std::string advise_html(const advice& a, const html::frames_of_stack& frames = {});

} // namespace linn::tool
