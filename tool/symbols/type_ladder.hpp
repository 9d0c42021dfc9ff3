// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "call_chain.hpp"
#include "source_types.hpp"
#include "symbolizer.hpp"

namespace linn::tool {

/// Which type a site allocates, by the rules of docs/design/types.md. `chain` is the site's stack.
named_type name_type(const allocation_site& site, const call_chain& chain, source_types& sources);

} // namespace linn::tool
