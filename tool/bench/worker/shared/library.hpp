// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../pairs.hpp"

// The loops of the scenario pairs-shared, each in a shared library with all that it calls: what a plugin pays for the address
// of something thread-local. library.cpp is compiled once for each of these namespaces: as programs are, with
// -mtls-dialect=gnu2 (descriptors instead of __tls_get_addr), and with LINN_INITIAL_EXEC.
#define LINN_LIBRARY_LOOPS(library)                                                                          \
    namespace linn::tool::worker::library {                                                                  \
    [[gnu::visibility("default")]] object_loop general, inlined, outlined, view;                             \
    }
LINN_LIBRARY_LOOPS(usual)
LINN_LIBRARY_LOOPS(descriptor)
LINN_LIBRARY_LOOPS(initial_exec)
