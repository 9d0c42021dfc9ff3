// SPDX-License-Identifier: Apache-2.0
// Linked into every test binary with the test itself, so that each public header is always in at
// least two translation units: a function that lacks `inline` is a link error, not a bug report.
#include <linn/linn.hpp>
