// SPDX-License-Identifier: Apache-2.0
#include "trace_output.hpp"

#include <fmt/format.h>

namespace linn::tool {

std::string trace_output::problem() const {
    return trace_.problem().empty()
               ? std::string{}
               : fmt::format(
                     "{}. The recording ends there, the program went on; what was recorded before can "
                     "be used",
                     trace_.problem());
}

} // namespace linn::tool
