// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace linn::bench {

/// What a contender is in the comparison.
enum class role {
    ours,    ///< Linn
    general, ///< new and delete; runs once under every general allocator found
    peer,    ///< another pool
    floor,   ///< the least that such a program can do
};

/// One contender under one allocator, with all that was measured of it.
struct row {
    std::string label;
    role kind = role::peer;
    std::size_t contender = 0;     ///< index into the workload's contenders
    std::string allocator;         ///< name of the general allocator of its process
    std::filesystem::path library; ///< preloaded; empty for the C library's own
    std::string problem;           ///< why it is left out; empty while it is not
    std::map<std::string, std::vector<double>> samples;
    std::vector<std::string> notes;
};

/// A row by name and its value in one cell.
struct champion {
    std::string label;
    double value = 0;
};

/// All rows of one run.
struct results {
    std::vector<row> rows;

    const row* find(role kind) const;
    std::vector<const row*> all(role kind) const;
    /// The smallest minimum of a cell among the rows of that kind; value 0 when there is none.
    champion best(role kind, const std::string& cell) const;
    /// As `best`, among everything that competes with Linn.
    champion best_rival(const std::string& cell) const;
};

/// The least and the middle value of a cell; 0 where nothing was measured.
double minimum_of(const row& r, const std::string& cell);
double median_of(const row& r, const std::string& cell);

} // namespace linn::bench
