// SPDX-License-Identifier: Apache-2.0
#include "object_uses.hpp"
#include "syntax.hpp"

namespace clang::tidy::linn {
namespace {

bool leaves_early(const Stmt* statement) {
    return any_part(statement,
                    [](const Stmt& one) { return isa<BreakStmt, ContinueStmt, ReturnStmt, GotoStmt>(one); });
}

} // namespace

void object_uses::assigned(const Stmt* at, const standing& place) {
    if (!place.element) {
        add(use_kind::write, at, place.path);
    } else if (const ForStmt* loop = loop_over_all(at, place)) {
        add(use_kind::write, at, place.path, loop);
    }
    // One element of many written says nothing about the others.
}

/// The loop `for (i = 0; i < n; ++i)` whose body assigns to element i each time, n being all.
const ForStmt* object_uses::loop_over_all(const Stmt* assignment, const standing& place) const {
    const auto* index =
        place.index != nullptr ? dyn_cast<DeclRefExpr>(place.index->IgnoreParenImpCasts()) : nullptr;
    if (index == nullptr) {
        return nullptr;
    }
    const Stmt* inner = assignment;
    const ForStmt* loop = nullptr;
    while (loop == nullptr) {
        const auto* outer = parent_of<Stmt>(*inner, context_);
        if (outer == nullptr) {
            return nullptr;
        }
        loop = dyn_cast<ForStmt>(outer);
        if (loop == nullptr && !isa<CompoundStmt, ExprWithCleanups>(outer)) {
            return nullptr;
        }
        inner = outer;
    }
    const auto* declaration = dyn_cast_or_null<DeclStmt>(loop->getInit());
    const auto* counter = declaration != nullptr && declaration->isSingleDecl()
                              ? dyn_cast<VarDecl>(declaration->getSingleDecl())
                              : nullptr;
    const auto* condition = dyn_cast_or_null<BinaryOperator>(loop->getCond());
    const auto* step = dyn_cast_or_null<UnaryOperator>(loop->getInc());
    if (counter == nullptr || counter != index->getDecl() || condition == nullptr || step == nullptr ||
        !step->isIncrementOp() || constant(counter->getInit(), context_) != 0 ||
        (condition->getOpcode() != BO_LT && condition->getOpcode() != BO_NE)) {
        return nullptr;
    }
    standing whole = place;
    whole.element = false;
    std::uint64_t unit = sizes_.size_of(made_.object);
    if (!place.path.empty()) {
        const QualType type = place.path.back()->getType();
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

} // namespace clang::tidy::linn
