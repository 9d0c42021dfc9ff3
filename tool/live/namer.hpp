// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../record/live/live_counts.hpp"

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace linn::tool::live {

/// What a site is called.
struct site_name {
    site_key site;
    std::string type;
    std::string place;
    /// So many live blocks the C or C++ library keeps for itself, see runtime_rule; 0: they are the program's.
    std::uint64_t kept_by_runtime = 0;
};

/// Names sites in a thread of its own with a low priority: debug information is read while the view goes on. A place is named
/// once, in whatever process it is seen again.
class site_namer {
public:
    site_namer();
    site_namer(const site_namer&) = delete;
    site_namer& operator=(const site_namer&) = delete;
    ~site_namer();

    /// How many are still to be named.
    std::size_t waiting() const;
    void ask(const site_key& site, site_place place);
    /// What was named since the last call.
    std::vector<site_name> take();

private:
    void work();

    mutable std::mutex mutex_; ///< of what follows
    std::condition_variable wakes_;
    std::vector<std::pair<site_key, site_place>> asked_; ///< the last one is next
    std::vector<site_name> named_;
    bool stops_ = false;
    std::thread thread_;
};

} // namespace linn::tool::live
