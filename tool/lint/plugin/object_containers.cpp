// SPDX-License-Identifier: Apache-2.0
// Objects that a container or the function itself holds: vectors, strings, arrays.
#include "clang/AST/StmtCXX.h"
#include "object_uses.hpp"
#include "syntax.hpp"

namespace clang::tidy::linn {

bool object_uses::is_container(const Expr* node) const {
    const QualType type = node->getType();
    const CXXRecordDecl* record = contiguous_container(type->isPointerType() ? type->getPointeeType() : type);
    return made_.where_it_lies == storage::container && record != nullptr && !is_std_array(record);
}

bool object_uses::find_container() {
    tracked what;
    what.start.at = made_.where_it_lies == storage::local ? level::object : level::holder;
    if (made_.variable != nullptr) {
        what.declaration = made_.variable;
        outlives_ = made_.variable->hasGlobalStorage();
        starts_ = {symbolic::start_of(key_of(*made_.variable))};
    } else {
        what.key = made_.member != nullptr ? "this." + key_of(*made_.member).substr(1)
                                           : container_key(made_.container, context_);
        if (what.key.empty()) {
            return false;
        }
        outlives_ = true;
        starts_ = {symbolic::start_of(what.key)};
        if (made_.container == nullptr) {
            tracked_.push_back(std::move(what));
            return true;
        }
        const Expr* root = made_.container->IgnoreParenImpCasts();
        while (const auto* member = dyn_cast<MemberExpr>(root)) {
            root = member->getBase()->IgnoreParenImpCasts();
        }
        const auto* reference = dyn_cast<DeclRefExpr>(root);
        const auto* variable = reference != nullptr ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
        outlives_ = variable == nullptr || !variable->hasLocalStorage() ||
                    variable->getType()->isReferenceType() || variable->getType()->isPointerType();
    }
    tracked_.push_back(std::move(what));
    return true;
}

/// Whether an expression is a part of the way to what the key names: `image` of `image.rows`.
bool object_uses::leads_on(const Expr& chain, const std::string& key) const {
    const std::string own = key_of(&chain, context_);
    return !own.empty() && own.size() <= key.size() && key.compare(0, own.size(), own) == 0;
}

/// A mention of the container, or of something that contains it.
void object_uses::look_around(const tracked& what, const Stmt& mention) {
    const auto* expression = dyn_cast<Expr>(&mention);
    if (expression == nullptr ||
        !isa<DeclRefExpr, MemberExpr, CXXThisExpr, ArraySubscriptExpr, CXXOperatorCallExpr, UnaryOperator>(
            expression)) {
        return;
    }
    const std::string own = key_of(expression, context_);
    mention_ = &mention;
    if (own == what.key) {
        const auto* member = parent_of<MemberExpr>(*expression, context_);
        if (member == nullptr || !isa<FieldDecl>(member->getMemberDecl())) {
            classify(expression, what.start);
        }
        return;
    }
    if (own.empty() || !leads_on(*expression, what.key) || isa<UnaryOperator>(expression)) {
        return;
    }
    const Stmt* parent = values_->around(expression);
    const Stmt* child = expression;
    if (own + "->" == what.key) { // a pointer to the container
        while (parent != nullptr && isa<ParenExpr, ImplicitCastExpr>(parent)) {
            child = parent;
            parent = values_->around(parent);
        }
        const auto* unary = dyn_cast_or_null<UnaryOperator>(parent);
        if (unary != nullptr && unary->getOpcode() == UO_Deref) {
            return; // comes later, under its own name
        }
        if (isa_and_nonnull<MemberExpr>(parent)) {
            classify(cast<Expr>(child), what.start);
            return;
        }
    }
    while (parent != nullptr &&
           (isa<ParenExpr, ImplicitCastExpr>(parent) ||
            (isa<UnaryOperator>(parent) && cast<UnaryOperator>(parent)->getOpcode() == UO_Deref))) {
        child = parent;
        parent = values_->around(parent);
    }
    if (const auto* member = dyn_cast_or_null<MemberExpr>(parent)) {
        const auto* call = parent_of<CXXMemberCallExpr>(*member, context_);
        if (call != nullptr && !isa<FieldDecl>(member->getMemberDecl())) {
            call_on_this(*call, what);
        }
        return; // another member, or the way on
    }
    if (parent == nullptr || !isa<Expr>(parent)) {
        if (parent != nullptr && isa<ReturnStmt>(parent)) {
            add(use_kind::escape, parent, {});
        }
        return;
    }
    if (const auto* operation = dyn_cast<CXXOperatorCallExpr>(parent);
        operation != nullptr &&
        (operation->getOperator() == OO_Arrow || operation->getOperator() == OO_Star)) {
        return;
    }
    if (const auto* binary = dyn_cast<BinaryOperator>(parent);
        binary != nullptr && binary->isComparisonOp()) {
        return;
    }
    const auto* call = dyn_cast<CallExpr>(parent);
    const FunctionDecl* function = call != nullptr ? call->getDirectCallee() : nullptr;
    if (function != nullptr && !isa<CXXOperatorCallExpr>(call)) {
        for (unsigned i = 0; i < call->getNumArgs() && i < function->getNumParams(); ++i) {
            const QualType type = function->getParamDecl(i)->getType();
            if (call->getArg(i) == child && (type->isReferenceType() || type->isPointerType()) &&
                type->getPointeeType().isConstQualified()) {
                add(use_kind::view, call, {});
                return;
            }
        }
    }
    add(use_kind::escape, parent, {});
}

/// A function of the object that has the container: what it does to it is not followed.
void object_uses::call_on_this(const CXXMemberCallExpr& call, const tracked& what) {
    const CXXMethodDecl* method = call.getMethodDecl();
    const FunctionDecl* definition = nullptr;
    if (method == nullptr || method->isStatic()) {
        return;
    }
    if (method->hasBody(definition) && !method->isVirtual()) {
        const bool touches = any_part(definition->getBody(), [&](const Stmt& one) {
            const auto* inner = dyn_cast<CXXMemberCallExpr>(&one);
            const bool goes_on = inner != nullptr && inner->getImplicitObjectArgument() != nullptr &&
                                 isa<CXXThisExpr>(inner->getImplicitObjectArgument()->IgnoreParenImpCasts());
            const FieldDecl* field = member_of_this(one);
            const std::string name = field != nullptr ? "." + key_of(*field).substr(1) : std::string{};
            return goes_on || (field != nullptr && what.key.find(name) != std::string::npos);
        });
        if (!touches) {
            return;
        }
    }
    add(method->isConst() ? use_kind::view : use_kind::escape, &call, {});
}

const Expr* object_uses::step_container(const Expr* node, const Stmt* parent, standing& place) {
    if (const auto* member = dyn_cast<MemberExpr>(parent)) {
        const auto* call = parent_of<CXXMemberCallExpr>(*member, context_);
        const ValueDecl* function = member->getMemberDecl();
        if (call == nullptr || call == made_.expression ||
            named(function, {"size", "length", "empty", "capacity", "max_size", "end", "cend", "reserve",
                             "shrink_to_fit", "get_allocator"})) {
            return nullptr;
        }
        if (named(function, {"data", "begin", "cbegin", "c_str"})) {
            place.at = level::pointer;
            return call;
        }
        if (named(function, {"at", "front", "back"})) {
            place.at = level::object;
            place.element = true;
            return call;
        }
        if (named(function, {"resize"})) {
            add(use_kind::cut, call, {});
        } else if (named(function, {"assign", "clear"})) {
            add(use_kind::end, call, {});
        } else if (named(function, {"push_back", "emplace_back", "append", "insert", "pop_back", "erase"})) {
            add(use_kind::read, call, {}); // the others stay
        } else {
            const auto* method = dyn_cast<CXXMethodDecl>(function);
            add(method != nullptr && method->isConst() ? use_kind::view : use_kind::escape, call, {});
        }
        return nullptr;
    }
    if (const auto* operation = dyn_cast<CXXOperatorCallExpr>(parent)) {
        const bool first = operation->getNumArgs() != 0 &&
                           operation->getArg(0)->IgnoreParenImpCasts() == node->IgnoreParenImpCasts();
        if (first && operation->getOperator() == OO_Subscript) {
            place.at = level::object;
            place.element = true;
            return operation;
        }
        if (first && operation->getOperator() == OO_Equal) {
            add(use_kind::end, operation, {});
            return nullptr;
        }
        add(first && operation->isAssignmentOp() ? use_kind::modify : use_kind::view, operation, {});
        return nullptr;
    }
    if (const auto* cast = dyn_cast<CastExpr>(parent)) {
        return cast;
    }
    if (const auto* call = dyn_cast<CallExpr>(parent)) {
        const FunctionDecl* function = call->getDirectCallee();
        const bool of_std = function != nullptr && outermost_namespace(*function) == "std";
        if (of_std && named(function, {"begin", "data", "cbegin"})) {
            place.at = level::pointer;
            return call;
        }
        if (of_std && named(function, {"end", "size", "cend", "ssize", "empty"})) {
            return nullptr;
        }
    }
    place.at = level::object;
    if (isa<CallExpr, CXXConstructExpr>(parent)) {
        argument(node, parent, place);
        return nullptr;
    }
    add(use_kind::escape, parent, {});
    return nullptr;
}

/// An iterator in an operator.
const Expr* object_uses::step_iterator(const Expr* node, const CXXOperatorCallExpr& operation,
                                       standing& place) {
    const bool first = operation.getNumArgs() != 0 && contains(operation.getArg(0), node);
    switch (operation.getOperator()) {
    case OO_Star:
    case OO_Subscript:
    case OO_Arrow:
        place.at = operation.getOperator() == OO_Arrow ? level::pointer : level::object;
        place.element = true;
        return &operation;
    case OO_PlusPlus:
    case OO_MinusMinus:
    case OO_PlusEqual:
    case OO_MinusEqual:
    case OO_Plus:
        place.at = level::pointer;
        place.offset = true;
        return &operation;
    case OO_Minus:
        if (first && operation.getNumArgs() == 2 &&
            operation.getArg(1)->getType().getNonReferenceType()->isIntegerType()) {
            place.at = level::pointer;
            place.offset = true;
            return &operation;
        }
        return nullptr; // a distance
    case OO_Equal:
        if (first) {
            return nullptr; // it points elsewhere now
        }
        break;
    case OO_EqualEqual:
    case OO_ExclaimEqual:
    case OO_Less:
    case OO_LessEqual:
    case OO_Greater:
    case OO_GreaterEqual:
    case OO_Spaceship:
        return nullptr;
    default:
        break;
    }
    add(use_kind::escape, &operation, place.path);
    return nullptr;
}

/// The hidden variable of a range-based for.
void object_uses::range_over(const VarDecl& range, const Stmt* at, const standing& place) {
    const auto* declaration = parent_of<DeclStmt>(range, context_);
    const auto* loop = declaration != nullptr ? parent_of<CXXForRangeStmt>(*declaration, context_) : nullptr;
    if (place.element || range_only_reads(range) || loop == nullptr || !place.path.empty()) {
        const bool reads = place.element || range_only_reads(range);
        add(reads ? use_kind::read : use_kind::escape, at, place.path);
        return;
    }
    standing start = place;
    start.at = level::object;
    start.element = true;
    start.alias = true;
    tracked_.push_back({loop->getLoopVariable(), start, {}});
}

} // namespace clang::tidy::linn
