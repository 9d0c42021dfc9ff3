// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_RESOURCE_NEWS_HPP
#define LINN_DETAIL_SYNC_RESOURCE_NEWS_HPP

#include <linn/config.hpp>
#include <linn/detail/sync/observer.hpp>

#include <cstddef>
#include <string_view>

namespace linn::inline LINN_ABI::detail {

/// The type in reports about a resource. Of the module whose code reports: the one that made the resource may be gone.
inline constexpr std::string_view resource_type_name = "linn::pool_resource";

/// What one call of a resource did, which the observer is told at its end, when no lock is held any more.
class resource_news {
public:
    /// @param wanted bytes of a request, which failed unless it is `served`; 0: it is none
    explicit resource_news(const void* pool, std::size_t wanted = 0) noexcept
        : pool_{pool},
          failed_{wanted != 0 ? 1U : 0U, wanted} {}
    resource_news(const resource_news&) = delete;
    resource_news& operator=(const resource_news&) = delete;
    ~resource_news() {
        tell(pool_event_kind::slab_mapped, mapped_);
        tell(pool_event_kind::slab_returned, returned_);
        tell(at_limit ? pool_event_kind::limit_reached : pool_event_kind::out_of_memory, failed_);
    }

    void* served(void* p) noexcept {
        failed_.count = 0;
        return p;
    }
    void mapped(std::size_t bytes) noexcept { mapped_.add(bytes); }
    void returned(std::size_t bytes) noexcept { returned_.add(bytes); }

    bool at_limit = false; ///< why the request failed

private:
    struct sum {
        std::size_t count = 0;
        std::size_t bytes = 0;
        void add(std::size_t n) noexcept {
            ++count;
            bytes += n;
        }
    };
    void tell(pool_event_kind kind, const sum& of) const noexcept {
        if (of.count != 0) [[LINN_DETAIL_UNLIKELY]] {
            tell_observer({kind, resource_type_name, pool_, of.count, of.bytes});
        }
    }

    const void* pool_;
    sum mapped_;
    sum returned_;
    sum failed_;
};

} // namespace linn::inline LINN_ABI::detail

#endif
