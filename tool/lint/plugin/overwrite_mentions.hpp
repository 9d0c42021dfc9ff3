// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/AST/StmtCXX.h"
#include "overwrite_record.hpp"

namespace clang::tidy::linn {

/// From each mention of the object, looks at the expressions around it, and records what they make of the object.
class mentions : protected object_record {
protected:
    using object_record::object_record;

    /// Whether another name for that may change a bound, or the object, without notice.
    bool may_be_shared(const Expr& named) const {
        return named.isGLValue() && !key_of(&named).empty() &&
               (is_number(&named) || contiguous_container(named.getType()) != nullptr);
    }

    /// Makes a variable or parameter a pointer or a reference to a part of the object.
    void bind(const ValueDecl& variable, const place& what) {
        const bool is_reference = variable.getType()->isReferenceType() && !isa<DecompositionDecl>(variable);
        if (what.at == level::holder && is_reference) {
            references_[&variable] = holder_;
        } else if (what.at == level::pointer || (what.at == level::lvalue && is_reference)) {
            aliases_[&variable] = what;
            references_[&variable] = "&" + key_of(variable);
            values_.erase(references_[&variable]);
        } else if (what.at == level::lvalue) {
            read(what);
        } else {
            give_away(what, false);
        }
    }

    // --- Mentions ------------------------------------------------------------------------------------------------

    /// An expression names the holder, or a pointer or reference into the object. Finds out what is done with it.
    void use(place what, const Expr* inner) {
        for (std::size_t i = around_.size() - 1; i-- > 0;) {
            if (!leads_on(*around_[i], *inner, what)) {
                finish(*around_[i], *inner, what);
                return;
            }
            inner = cast<Expr>(around_[i]);
        }
    }

    /// What the expression or statement around the last one that leads on does.
    void finish(const Stmt& outer, const Expr& inner, const place& what) {
        const operation o = operation_of(&outer);
        if (const auto* call = dyn_cast<CallExpr>(&outer); call != nullptr && o.what == OO_None) {
            const auto at = std::find(call->arg_begin(), call->arg_end(), &inner);
            const unsigned first = isa<CXXOperatorCallExpr>(call) ? 1 : 0;
            arguments_[call].emplace_back(static_cast<unsigned>(at - call->arg_begin()) - first, what);
        } else if (const auto* conversion = dyn_cast<CastExpr>(&outer)) {
            if (conversion->getCastKind() == CK_LValueToRValue) {
                read(what);
            } else if (conversion->getCastKind() != CK_PointerToBoolean &&
                       conversion->getCastKind() != CK_ToVoid) {
                give_away(what, false);
            }
        } else if (const auto* construction = dyn_cast<CXXConstructExpr>(&outer)) {
            const auto at = std::find(construction->arg_begin(), construction->arg_end(), &inner);
            const CXXConstructorDecl& constructor = *construction->getConstructor();
            constructor.isMoveConstructor()
                ? give_away(what, false)
                : pass(what, constructor, static_cast<unsigned>(at - construction->arg_begin()));
        } else if (o.what == OO_Equal && o.left == &inner) {
            const auto* by = dyn_cast<CXXOperatorCallExpr>(&outer);
            const auto* method = by != nullptr ? cast<CXXMethodDecl>(by->getDirectCallee()) : nullptr;
            const bool is_own =
                method != nullptr && method->isUserProvided() && outermost_namespace(*method) != "std";
            if (is_own || (made_.container != nullptr && inner.getType()->isPointerType())) {
                give_away(what, false);
            } else if (what.at == level::lvalue) {
                write_value(what, inner.getType(), &outer);
            } else if (key_of(&inner) == holder_) {
                write_all(&outer); // it holds something else now
            }
        } else if (o.what != OO_None) {
            const bool is_value =
                what.at == level::lvalue ||
                (what.at == level::holder && contiguous_container(inner.getType()) != nullptr);
            if (is_value || o.what == OO_Subscript) {
                read(what);
            } else if (!is_number(cast<Expr>(&outer))) { // neither compared nor subtracted
                give_away(what, false);
            }
        } else if (isa<ReturnStmt>(outer) && what.at == level::lvalue && !inner.isGLValue()) {
            read(what);
        } else if (isa<DeclStmt>(outer) && declared_ != nullptr) {
            bind(*declared_, what);
        } else if (isa<Expr, ReturnStmt, AsmStmt, CXXForRangeStmt>(outer)) {
            give_away(what, false);
        }
    }

    // --- What functions do that the check does not look into ------------------------------------------------------

    using objects = std::vector<std::pair<unsigned, place>>; ///< by parameter; the last is a method's object

    /// An argument of a function that the check does not look into.
    void pass(const place& what, const FunctionDecl& function, unsigned index) {
        const QualType type =
            index < function.getNumParams() ? function.getParamDecl(index)->getType() : context_.VoidTy;
        const bool is_algorithm = outermost_namespace(function) == "std" && what.at != level::holder;
        const bool may_write = (type->isReferenceType() || type->isPointerType()) &&
                               !type->getPointeeType().isConstQualified() && !is_algorithm;
        may_write && !named(&function, {"strcat", "strncat"}) ? give_away(what, true) : read(what);
    }

    void run_method(const CXXMemberCallExpr& call, const CXXMethodDecl& method, const place& what) {
        if (what.at != level::holder) {
            method.isConst() ? read(what) : give_away(what, false);
        } else if (named(&method, {"fill", "assign", "clear", "reset"})) {
            write_all(&call);
        } else if (named(&method, {"resize"})) {
            values_[holder_ + ".size"] = value(call.getArg(0));
        } else if (!(isa<CXXConversionDecl>(method) && call.getType()->isBooleanType()) &&
                   !named(&method, {"size", "length", "empty", "capacity", "reserve"})) {
            read(what); // such as `push_back`
        }
    }

    /// Of an element that an algorithm writes there.
    bound width_of(const Expr& to) {
        const QualType type = to.getType();
        return {type->isPointerType() ? size_of(type->getPointeeType()) : each_};
    }

    /// A function of the C or C++ library that writes a length which it is told.
    bool fills(const CallExpr& call, const FunctionDecl& function, const objects& given) {
        const auto* method = dyn_cast<CXXMethodDecl>(&function);
        const unsigned first = isa<CXXOperatorCallExpr>(call) ? 1 : 0;
        const unsigned number = call.getNumArgs() - first;
        const std::string space = outermost_namespace(function);
        const bool is_free = method == nullptr && (function.isExternC() || space == "std");
        const auto argument = [&](unsigned i) { return call.getArg(first + i); };
        unsigned to = 0;
        bound width;
        if (is_free && number == 3 && named(&function, {"memcpy", "memmove", "memset"})) {
            width = value(argument(2));
        } else if (is_free && number >= 3 && named(&function, {"read", "pread", "recv"})) {
            to = 1;
            width = value(argument(2));
        } else if (is_free && number == 4 && named(&function, {"fread"})) {
            width = value(argument(1)) * value(argument(2));
        } else if (is_free && ((number == 3 && named(&function, {"copy", "move"})) ||
                               (number == 4 && named(&function, {"transform"})))) {
            to = 2;
            width = length_of(argument(0), argument(1)) * width_of(*argument(2));
        } else if (first == 1 && number == 2 && named(method->getParent(), {"__copy_fn"})) {
            to = 1; // `std::ranges::copy` is a function object
            width = value_of(key_of(argument(0)) + ".size") * width_of(*argument(1));
        }
        const auto target =
            std::find_if(given.begin(), given.end(), [&](const auto& one) { return one.first == to; });
        if (width == bound{} || target == given.end()) {
            return false;
        }
        for (const auto& [index, what] : given) {
            if (index != to) {
                pass(what, function, index);
            }
        }
        const bool was_whole = now_.is_whole;
        write_bytes(target->second, width, &call);
        fate_.repeats_zeros = fate_.repeats_zeros || (named(&function, {"memset"}) && !was_whole &&
                                                      now_.is_whole && constant(argument(1), context_) == 0);
        return true;
    }

    bool is_lost_ = false;                           ///< something that the check does not follow
    std::vector<const Stmt*> around_{};              ///< the current statement, behind those that contain it
    const VarDecl* declared_ = nullptr;              ///< whose initialiser is walked through
    std::map<const ValueDecl*, place> aliases_{};    ///< pointers, iterators and references into the object
    std::map<const CallExpr*, objects> arguments_{}; ///< of the calls that are walked through
};

} // namespace clang::tidy::linn
