// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "writer.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace linn::tool {

class trace_file;

/// Writes a copy of a trace that names less of the machine and of its user: of paths only the file's name, no arguments, no
/// folder, no machine, and blocks at renumbered addresses. What advice needs stays: counts, sizes, times, threads,
/// stacks as places in modules, build ids and names of types. Damaged chunks are left out. docs/design/security.md
/// `progress` is given the share that is done, and returns false to stop. Returns an empty string or what went wrong; then there is no
/// copy. @complexity linear in the trace
std::string write_redacted(trace_file& from, const std::filesystem::path& to,
                           const std::function<bool(double)>& progress = {});

/// The last part of a path: what is kept of it.
std::string_view file_name_of(std::string_view path) noexcept;

} // namespace linn::tool
