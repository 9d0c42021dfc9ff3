// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "behind_call.hpp"
#include "call_chain.hpp"
#include "source_types.hpp"
#include "symbolizer.hpp"

#include <optional>
#include <string>

namespace linn::tool {

/// The rules of docs/design/types.md, applied to one site in their order. Each returns whether it named the type.
class type_ladder {
public:
    type_ladder(const allocation_site& site, const call_chain& chain, source_types& sources);

    named_type result();

private:
    bool by_call_site();
    bool by_allocator();
    bool by_headers();
    bool by_maker();
    bool by_code_behind();
    bool by_symbol();
    bool by_rtti();
    bool by_larger_block();
    bool by_class_operator();
    bool by_unchecked_constructor();
    bool by_source();
    void by_place();

    bool by_code_behind(const wanted_bytes& wanted);

    bool is_direct() const noexcept; ///< whether the code behind the run called the allocator itself
    behind_call code_behind() const;
    wanted_bytes wanted() const noexcept;
    bool take_rtti(const std::string& instead_of);
    void take(named_type found, type_rule rule);
    std::optional<std::uint64_t> size_of(std::size_t frame, const std::string& type) const;
    std::uint64_t bytes() const noexcept { return site_.sizes.empty() ? 0 : site_.sizes.front(); }
    bool definition_of(const std::string& type, Dwarf_Die& found) const;
    void declare();
    std::string with_enumerators(const std::string& type) const;

    const allocation_site& site_;
    const call_chain& chain_;
    source_types& sources_;
    allocator_run run_;
    bool is_new_;
    bool is_array_new_;
    nearby_type unchecked_;
    named_type named_;
};

} // namespace linn::tool
