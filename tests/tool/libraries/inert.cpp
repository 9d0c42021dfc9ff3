// SPDX-License-Identifier: Apache-2.0
// Loads without complaint and replaces nothing: preloading it must not be mistaken for an allocator.
extern "C" int linn_test_inert() {
    return 0;
}
