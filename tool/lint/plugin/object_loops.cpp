// SPDX-License-Identifier: Apache-2.0
#include "clang/AST/ParentMapContext.h"
#include "object_uses.hpp"

namespace linn_tidy {

namespace {

bool leaves_early(const clang::Stmt* statement) {
    if (statement == nullptr) {
        return false;
    }
    if (clang::isa<clang::BreakStmt, clang::ContinueStmt, clang::ReturnStmt, clang::GotoStmt>(statement)) {
        return true;
    }
    for (const clang::Stmt* child : statement->children()) {
        if (leaves_early(child)) {
            return true;
        }
    }
    return false;
}

} // namespace

void object_uses::assigned(const clang::Stmt* at, const standing& place) {
    if (!place.element) {
        add(use_kind::write, at, place.path);
    } else if (const clang::ForStmt* loop = loop_over_all(at, place)) {
        add(use_kind::write, at, place.path, loop);
    }
    // One element of many written says nothing about the others.
}

/// The loop `for (i = 0; i < n; ++i)` whose body assigns to element i each time, n being all.
const clang::ForStmt* object_uses::loop_over_all(const clang::Stmt* assignment, const standing& place) const {
    const auto* index = place.index != nullptr
                            ? clang::dyn_cast<clang::DeclRefExpr>(place.index->IgnoreParenImpCasts())
                            : nullptr;
    if (index == nullptr) {
        return nullptr;
    }
    const clang::Stmt* inner = assignment;
    const clang::ForStmt* loop = nullptr;
    while (loop == nullptr) {
        const auto parents = context_.getParents(*inner);
        const auto* outer = parents.empty() ? nullptr : parents[0].get<clang::Stmt>();
        if (outer == nullptr) {
            return nullptr;
        }
        loop = clang::dyn_cast<clang::ForStmt>(outer);
        if (loop == nullptr && !clang::isa<clang::CompoundStmt, clang::ExprWithCleanups>(outer)) {
            return nullptr;
        }
        inner = outer;
    }
    const auto* declaration = clang::dyn_cast_or_null<clang::DeclStmt>(loop->getInit());
    const auto* counter = declaration != nullptr && declaration->isSingleDecl()
                              ? clang::dyn_cast<clang::VarDecl>(declaration->getSingleDecl())
                              : nullptr;
    const auto* condition = clang::dyn_cast_or_null<clang::BinaryOperator>(loop->getCond());
    const auto* step = clang::dyn_cast_or_null<clang::UnaryOperator>(loop->getInc());
    clang::Expr::EvalResult start;
    if (counter == nullptr || counter != index->getDecl() || condition == nullptr || step == nullptr ||
        !step->isIncrementOp() || counter->getInit() == nullptr ||
        !counter->getInit()->EvaluateAsInt(start, context_) || !start.Val.getInt().isZero() ||
        (condition->getOpcode() != clang::BO_LT && condition->getOpcode() != clang::BO_NE)) {
        return nullptr;
    }
    standing whole = place;
    whole.element = false;
    std::uint64_t unit = sizes_.size_of(made_.object);
    if (!place.path.empty()) {
        const clang::QualType type = place.path.back()->getType();
        const auto* array = context_.getAsConstantArrayType(type);
        if (array == nullptr) {
            return nullptr;
        }
        unit = sizes_.size_of(array->getElementType());
    }
    return covers(condition->getRHS(), unit, whole) ? loop : nullptr;
}

/// A loop that fills everything does so only when it ends, and only if nothing else touches the object in
/// it.
void object_uses::check_loops() {
    std::vector<object_use> kept;
    for (object_use use : uses_) {
        if (use.loop != nullptr) {
            bool alone = !leaves_early(use.loop->getBody());
            for (const object_use& other : uses_) {
                alone = alone && (other.reference == use.reference || !contains(use.loop, other.reference));
            }
            if (!alone) {
                continue;
            }
            use.at = use.loop->getCond();
        }
        kept.push_back(use);
    }
    uses_ = std::move(kept);
}

} // namespace linn_tidy
