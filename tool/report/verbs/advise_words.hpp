// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../advise/advice.hpp"
#include "../document/document.hpp"

#include <string>
#include <vector>

namespace linn::tool::report {

// What the tables and the details of an advice say alike.

/// "9-12 %", with "~" in front where it is estimated; "with above" where another type has it.
cell gain_cell(const advised_type& type);

/// How much of the releases were done by another thread; "-" without releases.
cell remote_cell(const advised_type& type);

/// The median lifetime; "-" without releases.
cell lifetime_cell(const advised_type& type);

/// The size of most blocks, or from where to where.
cell size_cell(const advised_type& type);

/// Of a sampled trace: the 95 % interval of the bytes that the type allocated; else empty.
cell sampled_bytes_cell(const advised_type& type);

/// "./app 100: 15.1 M allocations and 15.1 M releases by 2 threads, 412 ms of CPU time without the recording".
std::string run_line(const advice& a);

/// Where the ceiling and the gains come from, and how far to trust them, in sentences.
std::string method_line(const advice& a);

} // namespace linn::tool::report
