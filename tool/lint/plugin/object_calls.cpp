// SPDX-License-Identifier: Apache-2.0
#include "object_uses.hpp"
#include "syntax.hpp"

namespace clang::tidy::linn {
namespace {

enum class amount_unit { bytes, elements, end };

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

constexpr known_function_facts all_facts[] = {
    {"memset", 0, false, 2, in_bytes},         {"memcpy", 0, false, 2, in_bytes},
    {"memmove", 0, false, 2, in_bytes},        {"bzero", 0, false, 1, in_bytes},
    {"strncpy", 0, false, 2, in_bytes},        {"read", 1, false, 2, in_bytes},
    {"pread", 1, false, 2, in_bytes},          {"pread64", 1, false, 2, in_bytes},
    {"recv", 1, false, 2, in_bytes},           {"recvfrom", 1, false, 2, in_bytes},
    {"getrandom", 0, false, 1, in_bytes},      {"fread", 0, false, none, in_bytes},
    {"fgets", 0, false, none, in_bytes},       {"snprintf", 0, false, none, in_bytes},
    {"vsnprintf", 0, false, none, in_bytes},   {"sprintf", 0, false, none, in_bytes},
    {"strcpy", 0, false, none, in_bytes},      {"getcwd", 0, false, none, in_bytes},
    {"gethostname", 0, false, none, in_bytes}, {"copy", 2, false, none, in_elements},
    {"copy_n", 2, false, 1, in_elements},      {"fill", 0, false, 1, amount_unit::end},
    {"fill_n", 0, false, 1, in_elements},      {"generate", 0, false, 1, amount_unit::end},
    {"generate_n", 0, false, 1, in_elements},  {"iota", 0, false, 1, amount_unit::end},
    {"strcat", 0, true, none, in_bytes},       {"strncat", 0, true, none, in_bytes},
    {"strlen", 0, true, none, in_bytes},       {"strdup", 0, true, none, in_bytes},
    {"puts", 0, true, none, in_bytes},
};

/// What may be done to the thing that a parameter points to.
bool only_reads(QualType parameter) {
    if (parameter->isReferenceType() || parameter->isPointerType()) {
        return parameter->getPointeeType().isConstQualified();
    }
    return true;
}

} // namespace

bool object_uses::same(const Expr* one, const Expr* other) const {
    if (one == nullptr || other == nullptr) {
        return false;
    }
    one = one->IgnoreParenImpCasts();
    other = other->IgnoreParenImpCasts();
    if (one->HasSideEffects(context_) || other->HasSideEffects(context_)) {
        return false;
    }
    llvm::FoldingSetNodeID first;
    llvm::FoldingSetNodeID second;
    one->Profile(first, context_, true);
    other->Profile(second, context_, true);
    return first == second;
}

/// Whether an amount of units of so many bytes is at least the whole of the part.
bool object_uses::covers(const Expr* amount, std::uint64_t unit, const standing& place) const {
    if (amount == nullptr || place.offset || place.element) {
        return false;
    }
    const auto is_at_least = [&](std::uint64_t bytes) {
        const std::optional<std::uint64_t> known = constant(amount, context_);
        return known && *known * unit >= bytes;
    };
    if (!place.path.empty()) {
        return is_at_least(sizes_.size_of(place.path.back()->getType()));
    }
    const std::uint64_t size = sizes_.size_of(made_.object);
    if (made_.count) {
        return is_at_least(size * *made_.count);
    }
    if (unit == size && same(amount, made_.count_expression)) {
        return true;
    }
    const auto* product = dyn_cast<BinaryOperator>(amount->IgnoreParenImpCasts());
    if (product == nullptr || product->getOpcode() != BO_Mul || unit != 1) {
        return false;
    }
    const auto is_all = [&](const Expr* count, const Expr* each) {
        return same(count, made_.count_expression) && constant(each, context_) == size;
    };
    return is_all(product->getLHS(), product->getRHS()) || is_all(product->getRHS(), product->getLHS());
}

/// Who gets one element of an array that nobody wrote to finds a zero there, and is meant to.
void object_uses::given_away(const Stmt* at, const standing& place) {
    const bool lone = place.element && place.path.empty() && made_.array && !place.alias;
    add(lone ? use_kind::read : use_kind::escape, at, place.path);
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

bool object_uses::known_function(const CallExpr& call, unsigned index, const standing& place) {
    const NamedDecl* function = call.getDirectCallee();
    const auto* facts =
        std::find_if(std::begin(all_facts), std::end(all_facts),
                     [&](const known_function_facts& one) { return named(function, {one.name}); });
    if (facts == std::end(all_facts)) {
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
    if (facts->amount < call.getNumArgs()) {
        const Expr* amount = call.getArg(facts->amount);
        std::uint64_t unit = 1;
        if (facts->unit == amount_unit::elements) {
            const QualType pointer = call.getArg(index)->IgnoreParenImpCasts()->getType();
            unit = pointer->isPointerType() ? sizes_.size_of(pointer->getPointeeType())
                                            : sizes_.size_of(made_.object);
        } else if (facts->unit == amount_unit::end) {
            // [p, p + n)
            const auto* sum = dyn_cast<BinaryOperator>(amount->IgnoreParenImpCasts());
            amount = sum != nullptr && sum->getOpcode() == BO_Add ? sum->getRHS() : nullptr;
            unit = sizes_.size_of(made_.object);
        }
        whole = covers(amount, unit, place);
    }
    add(whole ? use_kind::write : use_kind::bulk_write, &call, place.path);
    return true;
}

} // namespace clang::tidy::linn
