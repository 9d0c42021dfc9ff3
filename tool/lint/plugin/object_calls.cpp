// SPDX-License-Identifier: Apache-2.0
#include "object_uses.hpp"
#include "syntax.hpp"

namespace clang::tidy::linn {
namespace {

enum class amount_unit { bytes, elements, end, items, range, nothing };

/// What a function of the C or C++ library does to the memory that one of its arguments points to.
struct known_function_facts {
    const char* name;
    unsigned argument; ///< which one is meant
    bool reads;        ///< else it writes, from the start, and reads nothing
    unsigned amount;   ///< the argument that says how much; more than there are where none does
    amount_unit unit;
};

constexpr unsigned none = ~0U;
constexpr auto in_bytes = amount_unit::bytes;
constexpr auto in_elements = amount_unit::elements;
constexpr auto in_items = amount_unit::items; // of the size that the argument before the amount says
constexpr auto of_range = amount_unit::range; // as many elements as the range of the first two arguments
constexpr auto to_end = amount_unit::end;     // up to the pointer that the amount is

constexpr known_function_facts all_facts[] = {
    {"memset", 0, false, 2, in_bytes},
    {"memcpy", 0, false, 2, in_bytes},
    {"memmove", 0, false, 2, in_bytes},
    {"__builtin_memset", 0, false, 2, in_bytes},
    {"__builtin_memcpy", 0, false, 2, in_bytes},
    {"wmemcpy", 0, false, 2, in_elements},
    {"bzero", 0, false, 1, in_bytes},
    {"strncpy", 0, false, 2, in_bytes},
    {"read", 1, false, 2, in_bytes},
    {"pread", 1, false, 2, in_bytes},
    {"pread64", 1, false, 2, in_bytes},
    {"recv", 1, false, 2, in_bytes},
    {"recvfrom", 1, false, 2, in_bytes},
    {"getrandom", 0, false, 1, in_bytes},
    {"fread", 0, false, 2, in_items},
    {"fgets", 0, false, none, in_bytes},
    {"snprintf", 0, false, none, in_bytes},
    {"vsnprintf", 0, false, none, in_bytes},
    {"sprintf", 0, false, none, in_bytes},
    {"strcpy", 0, false, none, in_bytes},
    {"strftime", 0, false, none, in_bytes},
    {"getcwd", 0, false, none, in_bytes},
    {"gethostname", 0, false, none, in_bytes},
    {"copy", 2, false, 0, of_range},
    {"move", 2, false, 0, of_range},
    {"transform", 2, false, 0, of_range},
    {"partial_sum", 2, false, 0, of_range},
    {"reverse_copy", 2, false, 0, of_range},
    {"adjacent_difference", 2, false, 0, of_range},
    {"copy_n", 2, false, 1, in_elements},
    {"fill", 0, false, 1, to_end},
    {"fill_n", 0, false, 1, in_elements},
    {"generate", 0, false, 1, to_end},
    {"generate_n", 0, false, 1, in_elements},
    {"iota", 0, false, 1, to_end},
    {"uninitialized_copy", 2, false, 0, of_range},
    {"uninitialized_fill", 0, false, 1, to_end},
    {"strcat", 0, true, none, in_bytes},
    {"strncat", 0, true, none, in_bytes},
    {"strlen", 0, true, none, in_bytes},
    {"strdup", 0, true, none, in_bytes},
    {"puts", 0, true, none, in_bytes},
};

/// `stream.read(buffer, n)` of std and of what is like it.
constexpr known_function_facts method_facts[] = {
    {"read", 0, false, 1, in_bytes},
    {"sgetn", 0, false, 1, in_bytes},
};

/// What may be done to the thing that a parameter points to.
bool only_reads(QualType parameter) {
    if (parameter->isReferenceType() || parameter->isPointerType()) {
        return parameter->getPointeeType().isConstQualified();
    }
    return true;
}

} // namespace

/// Who gets one element of an array that nobody wrote to finds a zero there, and is meant to.
void object_uses::given_away(const Stmt* at, const standing& place) {
    const bool lone = place.element && place.path.empty() && made_.array && !place.alias &&
                      made_.where_it_lies == storage::pointer;
    const std::size_t known = uses_.size();
    add(lone ? use_kind::read : use_kind::escape, at, place.path);
    if (uses_.size() != known) {
        uses_.back().by_call = place.at == level::pointer;
    }
}

void object_uses::argument(const Expr* node, const Stmt* call, const standing& place) {
    const FunctionDecl* function = nullptr;
    unsigned index = ~0U;
    const auto look = [&](unsigned count, const auto& argument_at) {
        for (unsigned i = 0; i < count; ++i) {
            if (contains(argument_at(i), node)) {
                index = i;
            }
        }
    };
    unsigned skipped = 0;
    if (const auto* construction = dyn_cast<CXXConstructExpr>(call)) {
        function = construction->getConstructor();
        look(construction->getNumArgs(), [&](unsigned i) { return construction->getArg(i); });
    } else if (const auto* plain = dyn_cast<CallExpr>(call)) {
        function = plain->getDirectCallee();
        look(plain->getNumArgs(), [&](unsigned i) { return plain->getArg(i); });
        if (index != ~0U && function != nullptr && known_function(*plain, index, place)) {
            return;
        }
        // The object of `a + b` is an argument, but no parameter.
        if (isa<CXXOperatorCallExpr>(plain) && isa_and_nonnull<CXXMethodDecl>(function)) {
            skipped = 1;
            if (index == 0) {
                const bool looks = cast<CXXMethodDecl>(function)->isConst();
                add(looks ? use_kind::view : use_kind::escape, call, place.path);
                return;
            }
        }
    }
    if (function == nullptr || index == ~0U) {
        add(use_kind::escape, call, place.path);
        return;
    }
    if (const auto* constructor = dyn_cast<CXXConstructorDecl>(function)) {
        if (constructor->isCopyOrMoveConstructor() && place.at == level::object) {
            add(use_kind::read, call, place.path);
            return;
        }
    }
    index -= skipped;
    if (index >= function->getNumParams()) {
        add(use_kind::view, call, place.path); // what an ellipsis takes is printed
        return;
    }
    if (only_reads(function->getParamDecl(index)->getType())) {
        add(use_kind::view, call, place.path);
    } else {
        given_away(call, place);
    }
}

/// How many bytes a call writes.
polynomial object_uses::amount_of(const CallExpr& call, unsigned index, unsigned amount, int unit) {
    const std::int64_t each = unit_of(call.getArg(index)->getType(), context_).value_or(1);
    const polynomial number = values_->value(call.getArg(amount));
    switch (static_cast<amount_unit>(unit)) {
    case amount_unit::elements:
        return number * each;
    case amount_unit::items:
        return number * values_->value(call.getArg(amount - 1));
    case amount_unit::end:
        return number - values_->value(call.getArg(index));
    case amount_unit::range: {
        const polynomial length = values_->value(call.getArg(1)) - number;
        const auto elements = length.divided_by(unit_of(call.getArg(0)->getType(), context_).value_or(1));
        return elements ? *elements * each : polynomial::of("?range");
    }
    default:
        return number;
    }
}

bool object_uses::known_function(const CallExpr& call, unsigned index, const standing& place) {
    const FunctionDecl* function = call.getDirectCallee();
    const auto is_meant = [&](const known_function_facts& one) { return named(function, {one.name}); };
    const known_function_facts* facts = nullptr;
    if (isa<CXXMemberCallExpr>(call)) {
        const auto* found = std::find_if(std::begin(method_facts), std::end(method_facts), is_meant);
        facts = found == std::end(method_facts) ? nullptr : found;
    } else {
        const auto* found = std::find_if(std::begin(all_facts), std::end(all_facts), is_meant);
        facts = found == std::end(all_facts) ? nullptr : found;
    }
    if (facts == nullptr || (facts->unit == of_range && call.getNumArgs() < 3)) {
        return false;
    }
    // A function of the program with such a name is none of these.
    const std::string space = outermost_namespace(*function);
    if (!isa<CXXMemberCallExpr>(call) && !space.empty() && space != "std") {
        return false;
    }
    if (facts->reads && index == facts->argument) {
        add(use_kind::read, &call, place.path);
        return true;
    }
    if (facts->argument != index) {
        return false;
    }
    bool whole = false;
    std::optional<region> bytes;
    if (facts->amount < call.getNumArgs() && values_ != nullptr) {
        bytes = bytes_from(call.getArg(index),
                           amount_of(call, index, facts->amount, static_cast<int>(facts->unit)));
        const polynomial all =
            place.path.empty()
                ? total()
                : polynomial{static_cast<std::int64_t>(sizes_.size_of(place.path.back()->getType()))};
        whole =
            !place.offset && !place.element && (bytes || !place.path.empty()) &&
            (amount_of(call, index, facts->amount, static_cast<int>(facts->unit)) - all).is_never_negative();
    }
    if (!whole && bytes && place.path.empty() && made_.array) {
        add(use_kind::write, &call, place.path, std::move(bytes));
        return true;
    }
    add(whole ? use_kind::write : use_kind::bulk_write, &call, place.path);
    return true;
}

} // namespace clang::tidy::linn
