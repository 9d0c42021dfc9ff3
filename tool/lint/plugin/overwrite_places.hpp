// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bound.hpp"
#include "creation.hpp"
#include "fill_size.hpp"
#include "syntax.hpp"

#include <algorithm>
#include <map>

namespace clang::tidy::linn {

/// Consecutive bytes of the object, counted from its first.
struct run {
    bound start;
    bound width;
    const Stmt* by = nullptr; ///< the statement that writes them

    bound end() const { return start + width; }
    friend bool operator==(const run& a, const run& b) { return a.start == b.start && a.width == b.width; }
};

using runs = std::vector<run>;

/// Runs that follow each other become one.
inline runs merged(runs all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto next = std::find_if(all.begin(), all.end(), [&](const run& other) {
            return !(other == all[i]) && all[i].end() == other.start;
        });
        if (next != all.end()) {
            all[i].width = all[i].width + next->width;
            all[i].by = next->by;
            all.erase(next);
            i = static_cast<std::size_t>(-1); // again from the first
        }
    }
    return all;
}

inline runs without(const runs& all, const runs& others) {
    runs rest;
    std::copy_if(all.begin(), all.end(), std::back_inserter(rest), [&](const run& one) {
        return std::find(others.begin(), others.end(), one) == others.end();
    });
    return rest;
}

enum class level { holder, pointer, lvalue };

/// What an expression has to do with the object: it names its holder, points to a byte of it, or denotes a part of it.
struct place {
    level at = level::holder;
    bound start{};                     ///< bytes from the first
    const FieldDecl* member = nullptr; ///< the outermost
};

/// What is known at a point of the function.
struct state {
    bool is_reachable = true;
    bool is_alive = false; ///< the object was created
    bool is_whole = false; ///< all of it was overwritten, dropped or given away
    runs written;
    std::map<std::string, bound>
        values; ///< of numbers, and where pointers point to, by the key of a variable
    std::map<const ValueDecl*, place> aliases; ///< pointers, iterators and references into the object

    bound value_of(const std::string& key) const {
        const auto found = values.find(key);
        return found != values.end() ? found->second : bound::of(key);
    }
};

/// An operator, built in or overloaded.
struct operation {
    OverloadedOperatorKind what = OO_None;
    const Expr* left = nullptr;
    const Expr* right = nullptr; ///< null where there is one operand only

    bool is_step() const { return what == OO_PlusPlus || what == OO_MinusMinus; }
    bool is_compound() const {
        return (what >= OO_PlusEqual && what <= OO_PipeEqual) || what == OO_LessLessEqual ||
               what == OO_GreaterGreaterEqual;
    }
    bool is_comparison() const {
        return what == OO_EqualEqual || what == OO_ExclaimEqual || what == OO_Less || what == OO_LessEqual ||
               what == OO_Greater || what == OO_GreaterEqual || what == OO_Spaceship;
    }
};

inline operation operation_of(const Expr* expression) {
    if (const auto* unary = dyn_cast<UnaryOperator>(expression)) {
        return {UnaryOperator::getOverloadedOperator(unary->getOpcode()), unary->getSubExpr()};
    }
    if (const auto* binary = dyn_cast<BinaryOperator>(expression)) {
        return {BinaryOperator::getOverloadedOperator(binary->getOpcode()), binary->getLHS(),
                binary->getRHS()};
    }
    if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(expression)) {
        return {OO_Subscript, subscript->getBase(), subscript->getIdx()};
    }
    if (const auto* rewritten = dyn_cast<CXXRewrittenBinaryOperator>(expression)) {
        const auto form = rewritten->getDecomposedForm();
        return {BinaryOperator::getOverloadedOperator(form.Opcode), form.LHS, form.RHS};
    }
    const auto* call = dyn_cast<CXXOperatorCallExpr>(expression);
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

/// What expressions have to do with the object, and what numbers are worth, at a point of the function.
class object_places {
protected:
    object_places(const creation& made, const fill_size& sizes, ASTContext& context)
        : made_{made},
          sizes_{sizes},
          context_{context},
          each_{static_cast<std::int64_t>(sizes.size_of(made.object))} {}

    // --- Names and numbers ---------------------------------------------------------------------------------------

    bound fresh() { return bound::of("#" + std::to_string(++names_) + "#"); }

    static std::string key_of(const ValueDecl& variable) {
        return "v" + std::to_string(reinterpret_cast<std::uintptr_t>(&variable)) +
               "v"; // no name is part of another
    }

    /// A text for a variable, or for a member that a path of members leads to; empty for other expressions.
    std::string key_of(const Expr* expression) const {
        expression = expression->IgnoreParenImpCasts();
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
        const bool leads_on = (o.what == OO_Star || o.what == OO_Arrow) && o.right == nullptr &&
                              (isa<UnaryOperator>(expression) || is_smart_pointer(o.left->getType()));
        return leads_on ? key_of(o.left) : std::string();
    }

    void set(const std::string& key, bound to) {
        if (!key.empty()) {
            now_.values[key] = std::move(to);
        }
    }

    /// Something changed a variable or member, and its size.
    void forget(const std::string& key) {
        if (!key.empty()) {
            for (auto& [name, known] : now_.values) {
                known = StringRef(name).starts_with(key + ".") ? fresh() : known;
            }
            now_.values[key] = fresh();
            now_.values[key + ".size"] = fresh();
        }
    }

    /// Bytes from one element to the next.
    std::int64_t unit_of(QualType type) const {
        const QualType element = element_type(type, context_);
        if (element.isNull()) {
            return each_; // an iterator
        }
        return element->isIncompleteType() || element->isDependentType() || element->isFunctionType()
                   ? 1
                   : std::max<std::int64_t>(1, static_cast<std::int64_t>(sizes_.size_of(element)));
    }

    bound value(const Expr* expression) {
        const Expr* plain = expression->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
        if (const auto* cast = dyn_cast<ExplicitCastExpr>(plain)) {
            return value(cast->getSubExpr());
        }
        if (!isa<DeclRefExpr, MemberExpr>(plain) || plain->getType().isConstQualified()) {
            if (const auto number = constant(plain, context_)) {
                return static_cast<std::int64_t>(*number);
            }
        }
        if (const std::string key = key_of(plain); !key.empty()) {
            return now_.value_of(key);
        }
        const operation o = operation_of(plain);
        if (o.what == OO_None || o.what == OO_Subscript || o.what == OO_Arrow) {
            const auto* call = dyn_cast<CallExpr>(plain);
            return call != nullptr && o.what == OO_None ? result_of(*call) : fresh();
        }
        if (o.is_step()) {
            return fresh();
        }
        if (o.right == nullptr) {
            return o.what == OO_Minus ? value(o.left) * -1 : o.what == OO_Plus ? value(o.left) : fresh();
        }
        const auto a = place_of(o.left);
        const auto b = place_of(o.right);
        if (a && b) {
            return (a->start - b->start).divided_by(unit_of(o.left->getType())).value_or(fresh());
        }
        return arithmetic(o.what, value(o.left), value(o.right));
    }

    static bound arithmetic(OverloadedOperatorKind what, const bound& a, const bound& b) {
        std::optional<bound> result;
        if (what == OO_Plus || what == OO_Minus) {
            result = what == OO_Plus ? a + b : a - b;
        } else if (what == OO_Star) {
            result = a * b;
        } else if (what == OO_LessLess && b.constant() && *b.constant() >= 0 && *b.constant() < 32) {
            result = a * (std::int64_t{1} << *b.constant());
        } else if (what == OO_Slash && b.constant().value_or(0) != 0) {
            result = a.divided_by(*b.constant());
        }
        return result ? *result : bound::of("(" + a.text() + getOperatorSpelling(what) + b.text() + ")");
    }

    /// `v.size()`, and const functions in general: two calls with equal arguments give equal results.
    bound result_of(const CallExpr& call) {
        const FunctionDecl* function = call.getDirectCallee();
        const bool is_size = named(function, {"size", "length", "ssize"});
        std::string text = function != nullptr ? function->getNameAsString() : std::string();
        if (const auto* method = dyn_cast<CXXMemberCallExpr>(&call)) {
            const std::string key = key_of(method->getImplicitObjectArgument());
            if (function == nullptr || key.empty() || !cast<CXXMethodDecl>(function)->isConst()) {
                return fresh();
            }
            if (is_size && call.getNumArgs() == 0) {
                return now_.value_of(key + ".size");
            }
            text = key + "." + text;
        } else if (is_size && call.getNumArgs() == 1 && !key_of(call.getArg(0)).empty()) {
            return now_.value_of(key_of(call.getArg(0)) + ".size");
        } else if (function == nullptr ||
                   (outermost_namespace(*function) != "std" && !function->isConstexpr())) {
            return fresh();
        }
        for (const Expr* argument : call.arguments()) {
            text += "," + value(argument).text();
        }
        return bound::of("(" + text + ")");
    }

    // --- Places --------------------------------------------------------------------------------------------------

    std::optional<place> place_of(const Expr* expression) {
        expression = expression->IgnoreParens();
        if (!now_.is_alive) {
            return std::nullopt;
        }
        if (const auto* full = dyn_cast<FullExpr>(expression)) {
            return place_of(full->getSubExpr());
        }
        if (isa<MaterializeTemporaryExpr, CXXBindTemporaryExpr>(expression)) {
            return place_of(cast<Expr>(*expression->child_begin()));
        }
        if (const auto* cast = dyn_cast<CastExpr>(expression)) {
            return place_of_cast(*cast);
        }
        if (!holder_.empty() && key_of(expression) == holder_) {
            return place{made_.where_it_lies == storage::local ? level::lvalue : level::holder};
        }
        if (const auto* reference = dyn_cast<DeclRefExpr>(expression)) {
            const auto found = now_.aliases.find(reference->getDecl());
            return found == now_.aliases.end()
                       ? std::nullopt
                       : std::optional{place{found->second.at, now_.value_of(key_of(*reference->getDecl())),
                                             found->second.member}};
        }
        if (const operation o = operation_of(expression); o.what != OO_None) {
            return place_of_operation(o);
        }
        if (const auto* member = dyn_cast<MemberExpr>(expression)) {
            const auto* field = dyn_cast<FieldDecl>(member->getMemberDecl());
            auto inner = field != nullptr && !field->getType()->isReferenceType()
                             ? place_of(member->getBase())
                             : std::nullopt;
            if (inner) {
                const auto offset = static_cast<std::int64_t>(context_.getFieldOffset(field) / 8);
                inner = place{level::lvalue, inner->start + offset,
                              inner->member != nullptr ? inner->member : field};
            }
            return inner;
        }
        if (const auto* call = dyn_cast<CallExpr>(expression)) {
            return place_of_call(*call);
        }
        // A copy of an iterator, or a view.
        const auto* construction = dyn_cast<CXXConstructExpr>(expression);
        if (construction == nullptr || construction->getNumArgs() == 0 ||
            is_smart_pointer(construction->getType())) {
            return std::nullopt;
        }
        const bool is_view =
            named(construction->getType()->getAsCXXRecordDecl(), {"span", "basic_string_view"});
        const bool is_copy =
            construction->getNumArgs() == 1 || isa<CXXDefaultArgExpr>(construction->getArg(1));
        auto inner = is_view || is_copy ? place_of(construction->getArg(0)) : std::nullopt;
        if (inner && (is_view || inner->at == level::pointer)) {
            inner->at = level::pointer;
            return inner;
        }
        return std::nullopt;
    }

    std::optional<place> place_of_cast(const CastExpr& cast) {
        auto inner = place_of(cast.getSubExpr());
        switch (cast.getCastKind()) {
        case CK_LValueToRValue:
            if (inner && inner->at == level::lvalue) {
                return std::nullopt;
            }
            [[fallthrough]];
        case CK_ArrayToPointerDecay:
            if (inner) {
                inner->at = level::pointer;
            }
            return inner;
        case CK_DerivedToBase:
        case CK_UncheckedDerivedToBase:
            if (inner && inner->at != level::holder) {
                inner->start = inner->start + fresh(); // the check does not look where the base lies
            }
            return inner;
        case CK_BitCast:
        case CK_LValueBitCast:
        case CK_NoOp:
        case CK_ConstructorConversion:
        case CK_UserDefinedConversion:
            return inner;
        default:
            return std::nullopt;
        }
    }

    std::optional<place> place_of_operation(const operation& o) {
        const bool is_sum = (o.what == OO_Plus || o.what == OO_Minus) && o.right != nullptr;
        auto from = place_of(o.left);
        const Expr* by = o.right;
        if (!from && is_sum && o.what == OO_Plus) {
            from = place_of(o.right);
            by = o.left;
        }
        if (!from) {
            return from;
        }
        const std::int64_t unit = unit_of((by == o.left ? o.right : o.left)->getType());
        if (o.what == OO_Subscript && by != nullptr) {
            return place{level::lvalue, from->start + value(by) * unit, from->member};
        }
        if (is_sum && from->at == level::pointer && is_number(by)) {
            return place{level::pointer, from->start + value(by) * (o.what == OO_Plus ? unit : -unit),
                         from->member};
        }
        if (o.is_step() && from->at == level::pointer) {
            return place{level::pointer, fresh()}; // a cursor, which is not followed
        }
        if (by != nullptr) {
            return std::nullopt;
        }
        if (o.what == OO_Star) {
            return place{level::lvalue, from->start, from->member};
        }
        if (o.what == OO_Arrow || (o.what == OO_Amp && from->at == level::lvalue)) {
            return place{level::pointer, from->start, from->member};
        }
        return std::nullopt;
    }

    std::optional<place> place_of_call(const CallExpr& call) {
        const FunctionDecl* function = call.getDirectCallee();
        std::optional<place> from;
        if (const auto* method = dyn_cast<CXXMemberCallExpr>(&call)) {
            from = place_of(method->getImplicitObjectArgument());
        } else if (function != nullptr && outermost_namespace(*function) == "std" && call.getNumArgs() == 1) {
            from = place_of(call.getArg(0));
        }
        if (!from) {
            return from;
        }
        const std::int64_t unit = made_.array ? each_ : 1;
        if (named(function, {"data", "begin", "cbegin", "c_str", "get", "addressof"})) {
            return place{level::pointer, from->start, from->member};
        }
        if (named(function, {"end", "cend"}) && made_.array) {
            return place{level::pointer, total()};
        }
        if (named(function, {"front", "back"})) {
            return place{level::lvalue, named(function, {"front"}) ? from->start : total() - unit};
        }
        if (named(function, {"at"}) && call.getNumArgs() == 1) {
            return place{level::lvalue, from->start + value(call.getArg(0)) * unit};
        }
        return std::nullopt;
    }

    bound total() const { return now_.value_of(holder_ + ".size") * each_; }

    const creation& made_;
    const fill_size& sizes_;
    ASTContext& context_;
    std::int64_t each_;    ///< the size of an element
    std::string holder_{}; ///< the key of the owner of the object
    state now_{};
    int names_ = 0;
    std::map<const ValueDecl*, std::string> references_{};
};

} // namespace clang::tidy::linn
