// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../record/live/live_counts.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace linn::tool::live {

/// What the rows of the view are sorted by, the largest first.
enum class sort_key : std::uint8_t { rate, live, growth };

/// The program, or one of its types.
struct row_figures {
    double allocations = 0; ///< a second, since the figures before
    double bytes = 0;       ///< the same
    double live_bytes = 0;
    double live_blocks = 0;
    double growth = 0; ///< of live bytes over the window, or since the beginning if that is less
};

struct live_row {
    std::string name;  ///< of the type, or of the place where none is known
    std::string place; ///< of the first place that was named, with the number of the others; may be empty
    row_figures figures;
};

/// What one look at the program shows.
struct live_table {
    row_figures all;
    std::vector<live_row> rows;
    double allocations = 0; ///< so far; an estimate if `is_estimated`
    double events = 0;
    double dropped = 0;
    double seconds = 0; ///< since the beginning
    double window = 0;  ///< seconds of growth
    std::uint64_t one_in = 1;
    std::uint64_t one_chunk_in = 1;
    double error = 0;
    bool is_estimated = false;
    std::size_t processes = 0;
    std::size_t threads = 0;
};

/// The figures of sites as rows by type. Not thread-safe.
class live_rows {
public:
    static constexpr double longest_window = 60; ///< seconds

    /// Takes figures; `seconds` since the beginning, about one more than with those before. @complexity linear in the sites
    void take(const live_figures& figures, double seconds);

    /// The sites that have no name yet, the largest first; `most` of them.
    std::vector<site_key> unnamed(std::size_t most) const;
    /// Names a site for good. Up to `kept_by_runtime` live blocks of it are the run-time library's own.
    void name(const site_key& site, const std::string& type, const std::string& place,
              std::uint64_t kept_by_runtime = 0);

    /// The rows in their order. What the run-time library keeps is in `all`, and in no row. Rows of which nothing lives, comes or
    /// went in the window are left out.
    live_table table(sort_key by, double window) const;

private:
    static constexpr std::size_t moments = 64; // more than the longest window, and a power of 2

    struct site_state {
        std::uint32_t row = 0;
        std::uint64_t kept_by_runtime = 0;
        std::uint64_t seen = 0; ///< the moment
        double allocations = 0;
        double bytes = 0;
        row_figures now;
        std::array<float, moments> live_bytes{}; ///< by moment
    };
    struct row_name {
        std::string type;
        std::string place;
        std::size_t other_places = 0;
    };

    std::size_t moment_before(double window) const;

    std::map<site_key, site_state> sites_;
    std::vector<row_name> rows_{{"(not named yet)", {}, 0}};
    std::map<std::string, std::uint32_t> row_of_;
    std::array<double, moments> times_{};
    std::uint64_t moment_ = 0; ///< of the newest figures, from 1
    live_figures last_;
    double seconds_ = 0;
    double allocations_ = 0;
};

} // namespace linn::tool::live
