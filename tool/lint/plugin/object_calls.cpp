// SPDX-License-Identifier: Apache-2.0
#include "clang/AST/ExprCXX.h"
#include "known_functions.hpp"
#include "object_uses.hpp"

namespace clang::tidy::linn {

namespace {

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
    if (amount == nullptr || amount->isValueDependent() || place.offset || place.element) {
        return false;
    }
    Expr::EvalResult result;
    const bool constant =
        amount->EvaluateAsInt(result, context_) && result.Val.getInt().getActiveBits() <= 62;
    if (!place.path.empty()) {
        return constant &&
               result.Val.getInt().getZExtValue() * unit >= sizes_.size_of(place.path.back()->getType());
    }
    const std::uint64_t size = sizes_.size_of(made_.object);
    if (made_.count) {
        return constant && result.Val.getInt().getZExtValue() * unit >= size * *made_.count;
    }
    if (unit == size && same(amount, made_.count_expression)) {
        return true;
    }
    const auto* product = dyn_cast<BinaryOperator>(amount->IgnoreParenImpCasts());
    if (product == nullptr || product->getOpcode() != BO_Mul || unit != 1) {
        return false;
    }
    for (const bool swapped : {false, true}) {
        const Expr* count = swapped ? product->getRHS() : product->getLHS();
        const Expr* each = swapped ? product->getLHS() : product->getRHS();
        if (same(count, made_.count_expression) && !each->isValueDependent() &&
            each->EvaluateAsInt(result, context_) && result.Val.getInt().getZExtValue() == size) {
            return true;
        }
    }
    return false;
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
    const FunctionDecl& function = *call.getDirectCallee();
    if (!function.getDeclName().isIdentifier()) {
        return false;
    }
    const known_function_facts* facts = facts_about(function.getName());
    if (facts == nullptr) {
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
