// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis.hpp"
#include "clang/AST/ExprCXX.h"

#include <algorithm>
#include <map>
#include <set>

namespace clang::tidy::linn {

/// A length or an index: a number times names. Two bounds that compare equal are equal for all values of the names.
struct bound {
    std::int64_t times = 0;
    std::vector<std::string> names{}; ///< sorted; a sum is one name

    static bound of(std::string name) { return {1, {std::move(name)}}; }
    std::string text() const {
        std::string text = std::to_string(times);
        for (const std::string& name : names) {
            text += "*" + name;
        }
        return text;
    }
    friend bool operator==(const bound&, const bound&) = default;
    friend bound operator*(bound a, const bound& b) {
        // Unsigned, because a program may contain numbers that overflow here.
        a.times = static_cast<std::int64_t>(static_cast<std::uint64_t>(a.times) *
                                            static_cast<std::uint64_t>(b.times));
        a.names.insert(a.names.end(), b.names.begin(), b.names.end());
        std::sort(a.names.begin(), a.names.end());
        return a.times != 0 ? a : bound{};
    }
    friend bound operator+(const bound& a, const bound& b) {
        if (a.times == 0 || b.times == 0) {
            return a.times == 0 ? b : a;
        }
        return of("(" + std::min(a.text(), b.text()) + "+" + std::max(a.text(), b.text()) + ")");
    }
};

/// An operator, built in or overloaded.
struct operation {
    OverloadedOperatorKind what = OO_None;
    const Expr* left = nullptr;
    const Expr* right = nullptr; ///< null where there is one operand only

    bool is_unary(OverloadedOperatorKind kind) const { return what == kind && right == nullptr; }
    bool is_step() const { return what == OO_PlusPlus || what == OO_MinusMinus; }
    bool may_change_left() const {
        return what == OO_Equal || (what >= OO_PlusEqual && what <= OO_PipeEqual) ||
               what == OO_LessLessEqual || what == OO_GreaterGreaterEqual || is_step() || is_unary(OO_Amp);
    }
};

inline operation operation_of(const Stmt* statement) {
    if (const auto* unary = dyn_cast<UnaryOperator>(statement)) {
        return {UnaryOperator::getOverloadedOperator(unary->getOpcode()), unary->getSubExpr()};
    }
    if (const auto* binary = dyn_cast<BinaryOperator>(statement)) {
        return {BinaryOperator::getOverloadedOperator(binary->getOpcode()), binary->getLHS(),
                binary->getRHS()};
    }
    if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(statement)) {
        return {OO_Subscript, subscript->getBase(), subscript->getIdx()};
    }
    const auto* call = dyn_cast<CXXOperatorCallExpr>(statement);
    if (call == nullptr || call->getOperator() == OO_Call || call->getNumArgs() > 2) {
        return {};
    }
    operation found{call->getOperator(), call->getArg(0),
                    call->getNumArgs() == 2 ? call->getArg(1) : nullptr};
    if (found.is_step()) {
        found.right = nullptr;
    }
    return found;
}

inline bool is_number(const Expr* expression) {
    return expression->getType().getNonReferenceType()->isIntegralOrEnumerationType();
}

/// Which numbers of a function are equal. The value of a variable is a name, and a new one after each change that the walk comes
/// to, so that equal names mean equal values on every path.
class value_names {
protected:
    explicit value_names(ASTContext& context) : context_{context} {}

    bound fresh() { return bound::of("#" + std::to_string(++names_)); }

    static std::string key_of(const ValueDecl& variable) {
        return "v" + std::to_string(reinterpret_cast<std::uintptr_t>(&variable));
    }

    /// A text for a variable, or for a member that a path of members leads to; empty for other expressions.
    std::string key_of(const Expr* expression) const {
        expression = expression->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
        if (const auto* reference = dyn_cast<DeclRefExpr>(expression)) {
            const auto found = references_.find(reference->getDecl());
            return found != references_.end()           ? found->second
                   : isa<VarDecl>(reference->getDecl()) ? key_of(*reference->getDecl())
                                                        : std::string();
        }
        if (isa<CXXThisExpr>(expression)) {
            return "this";
        }
        if (const auto* member = dyn_cast<MemberExpr>(expression);
            member != nullptr && isa<FieldDecl>(member->getMemberDecl())) {
            const std::string base = key_of(member->getBase());
            return base.empty() ? base : base + "." + member->getMemberDecl()->getNameAsString();
        }
        const operation o = operation_of(expression);
        const bool leads_on = (o.is_unary(OO_Star) || o.is_unary(OO_Arrow)) &&
                              (isa<UnaryOperator>(expression) || is_smart_pointer(o.left->getType()));
        return leads_on ? key_of(o.left) : std::string();
    }

    /// Makes a reference another name for what the expression names.
    bool refer(const ValueDecl& variable, const Expr* expression) {
        const std::string key = variable.getType()->isReferenceType() ? key_of(expression) : std::string();
        if (!key.empty()) {
            references_[&variable] = key;
        }
        return !key.empty();
    }

    bound value_of(const std::string& key) const {
        const auto found = values_.find(key);
        if (found != values_.end()) {
            return found->second;
        }
        const std::size_t dot = key.rfind('.');
        return bound::of(dot == std::string::npos ? key
                                                  : value_of(key.substr(0, dot)).text() + key.substr(dot));
    }

    /// Something changed a variable or member, and so its members and its size.
    void forget(const std::string& key) {
        if (!key.empty()) {
            std::erase_if(values_,
                          [&](const auto& one) { return StringRef(one.first).starts_with(key + "."); });
            values_[key] = fresh();
        }
    }

    bound value(const Expr* expression) {
        const Expr* plain = expression->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
        const std::string key = key_of(plain);
        if (key.empty() || plain->getType().isConstQualified()) {
            if (const auto number = constant(plain, context_)) {
                return {static_cast<std::int64_t>(*number)};
            }
        }
        const auto* cast = dyn_cast<ExplicitCastExpr>(plain);
        const Expr* inner = cast != nullptr ? cast->getSubExpr() : plain;
        const auto bits = context_.getTypeSize(expression->getType().getNonReferenceType());
        if (bits < 32 && bits < context_.getTypeSize(inner->getType().getNonReferenceType())) {
            return fresh(); // it may not fit
        }
        if (cast != nullptr) {
            return value(inner);
        }
        if (!key.empty()) {
            return value_of(key);
        }
        const auto* call = dyn_cast<CallExpr>(plain);
        if (call != nullptr && named(call->getDirectCallee(), {"size", "length", "ssize"})) {
            const auto* method = dyn_cast<CXXMemberCallExpr>(call);
            const Expr* of = method != nullptr         ? method->getImplicitObjectArgument()
                             : call->getNumArgs() == 1 ? call->getArg(0)
                                                       : nullptr;
            const std::string container = of != nullptr ? key_of(of) : std::string();
            return container.empty() ? fresh() : value_of(container + ".size");
        }
        const operation o = operation_of(plain);
        if (o.right == nullptr || !is_number(o.left) || !is_number(o.right) || o.may_change_left()) {
            return fresh();
        }
        const bound a = value(o.left);
        const bound b = value(o.right);
        return o.what == OO_Star   ? a * b
               : o.what == OO_Plus ? a + b
                                   : bound::of("(" + a.text() + getOperatorSpelling(o.what) + b.text() + ")");
    }

    /// From one pointer or iterator to another, in elements: `x.begin(), x.end()` and `p, p + n`.
    bound length_of(const Expr* first, const Expr* last) {
        const Expr* from = first->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
        const Expr* to = last->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
        const operation o = operation_of(to);
        if (o.what == OO_Plus && o.right != nullptr && !key_of(from).empty() &&
            key_of(from) == key_of(o.left)) {
            return value(o.right);
        }
        const auto* begin = dyn_cast<CXXMemberCallExpr>(from);
        const auto* end = dyn_cast<CXXMemberCallExpr>(to);
        const bool are_ends = begin != nullptr && end != nullptr &&
                              named(begin->getMethodDecl(), {"begin", "cbegin", "rbegin"}) &&
                              named(end->getMethodDecl(), {"end", "cend", "rend"});
        const std::string key = are_ends ? key_of(begin->getImplicitObjectArgument()) : std::string();
        return !key.empty() && key == key_of(end->getImplicitObjectArgument()) ? value_of(key + ".size")
                                                                               : fresh();
    }

    /// Forgets the values of all that these statements change. @returns their keys
    std::set<std::string> forget_changes(std::initializer_list<const Stmt*> statements) {
        std::set<std::string> keys;
        for (const Stmt* statement : statements) {
            any_part(statement, [&](const Stmt& part) {
                note_changes(part, keys);
                return false;
            });
        }
        for (const std::string& key : keys) {
            forget(key);
        }
        return keys;
    }

    void note_changes(const Stmt& part, std::set<std::string>& keys) const {
        if (const operation o = operation_of(&part); o.what != OO_None) {
            keys.insert(o.may_change_left() ? key_of(o.left) : "");
        }
        const auto* made = dyn_cast<CXXConstructExpr>(&part);
        const auto* call = dyn_cast<CallExpr>(&part);
        const FunctionDecl* function = made != nullptr   ? made->getConstructor()
                                       : call != nullptr ? call->getDirectCallee()
                                                         : nullptr;
        const auto* method = dyn_cast_or_null<CXXMethodDecl>(function);
        const unsigned first = isa_and_nonnull<CXXOperatorCallExpr>(call) && method != nullptr ? 1 : 0;
        const unsigned number = made != nullptr   ? made->getNumArgs()
                                : call != nullptr ? call->getNumArgs()
                                                  : 0;
        for (unsigned i = first; function != nullptr && i < number; ++i) {
            const QualType type = i - first < function->getNumParams()
                                      ? function->getParamDecl(i - first)->getType()
                                      : context_.VoidTy;
            const bool may_change = (type->isLValueReferenceType() || type->isPointerType()) &&
                                    !type->getPointeeType().isConstQualified();
            keys.insert(may_change ? key_of(made != nullptr ? made->getArg(i) : call->getArg(i)) : "");
        }
        if (isa_and_nonnull<CXXMemberCallExpr>(call) && method != nullptr && !method->isConst() &&
            !named(method, {"data", "begin", "end", "at", "front", "back", "get"})) {
            keys.insert(key_of(cast<CXXMemberCallExpr>(call)->getImplicitObjectArgument()));
        }
    }

    ASTContext& context_;
    std::map<std::string, bound> values_{};                ///< by the key of a variable
    std::map<const ValueDecl*, std::string> references_{}; ///< other names of variables

private:
    int names_ = 0;
};

} // namespace clang::tidy::linn
