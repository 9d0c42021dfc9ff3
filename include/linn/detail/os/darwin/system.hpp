// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_DARWIN_SYSTEM_HPP
#define LINN_DETAIL_OS_DARWIN_SYSTEM_HPP

#include <linn/config.hpp>
#include <linn/detail/os/posix/system.hpp>

#include <Availability.h>
#include <mach/mach_init.h>
#include <mach/vm_map.h>
#include <mach/vm_region.h>

namespace linn::inline LINN_ABI::detail {

struct system_pages : posix_pages {
    /// Whether `p`, which may be any address, lies in memory that can be read. mincore says yes of every address.
    [[LINN_DETAIL_COLD]] static bool readable(const void* p) noexcept {
        const auto wanted = reinterpret_cast<std::uintptr_t>(p);
        ::vm_address_t begin = wanted;
        ::vm_size_t bytes = 0;
        ::vm_region_basic_info_data_64_t region{};
        ::mach_msg_type_number_t words = VM_REGION_BASIC_INFO_COUNT_64;
        ::mach_port_t object = MACH_PORT_NULL;
        // The region that the address lies in; or the next one.
        return ::vm_region_64(mach_task_self(), &begin, &bytes, VM_REGION_BASIC_INFO_64,
                              reinterpret_cast<::vm_region_info_t>(&region), &words,
                              &object) == KERN_SUCCESS &&
               begin <= wanted && (region.protection & VM_PROT_READ) != 0;
    }
};

} // namespace linn::inline LINN_ABI::detail

#endif
