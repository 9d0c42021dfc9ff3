// SPDX-License-Identifier: Apache-2.0
/// \file
/// The version of Linn, in the one place from which CMake, the package files and the ABI tag read it.
#ifndef LINN_VERSION_HPP
#define LINN_VERSION_HPP

#define LINN_VERSION_MAJOR 0
#define LINN_VERSION_MINOR 3
#define LINN_VERSION_PATCH 0

#endif
