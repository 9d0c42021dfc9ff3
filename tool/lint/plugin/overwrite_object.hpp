// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis.hpp"
#include "clang/AST/StmtCXX.h"
#include "overwrite_values.hpp"

#include <numeric>

namespace clang::tidy::linn {

/// What an expression has to do with the object: it names its holder, points to a part of it, or denotes the part.
enum class level { holder, pointer, lvalue };

struct place {
    level at = level::holder;
    bound index{};                     ///< of the element
    const FieldDecl* member = nullptr; ///< of the element
    bool is_inner = false;             ///< a part of an element or member
};

/// What is known at a point of the function.
struct state {
    bool is_reachable = true;
    bool is_alive = false;         ///< the object was created
    bool is_whole = false;         ///< all of it was overwritten, dropped or given away
    std::set<std::string> parts{}; ///< elements and their members that were overwritten
};

/// From each mention of the object, looks at the expressions around it, and records what they write, read and give away of
/// the object.
class object_record : protected value_names {
protected:
    object_record(const creation& made, ASTContext& context)
        : value_names{context},
          made_{made},
          each_{size_of(made.object)} {}

    std::int64_t size_of(QualType type) const {
        return static_cast<std::int64_t>(linn::size_of(type, context_));
    }
    bound count() const { return value_of(holder_ + ".size"); }

    // --- What is written and read --------------------------------------------------------------------------------

    static std::string part_of(const place& what) {
        return what.index.text() + (what.member != nullptr ? "." + key_of(*what.member) : "");
    }

    bool is_covered(const place& what) const {
        const bool is_one = what.at == level::lvalue || what.member != nullptr; // others are followed by more
        return now_.is_whole ||
               (is_one && (now_.parts.contains(what.index.text()) || now_.parts.contains(part_of(what))));
    }

    /// Something overwrites all of it, or the holder gets something else, or ends.
    void write_all(const Stmt* by) {
        if (now_.is_alive && !now_.is_whole) {
            now_.is_whole = true;
            if (std::find(fate_.writers.begin(), fate_.writers.end(), by) == fate_.writers.end()) {
                fate_.writers.push_back(by);
            }
        }
    }

    void write(place to, const Stmt* by) {
        if (!now_.is_alive || to.is_inner || (to.member != nullptr && to.member->isBitField())) {
            return;
        }
        now_.parts.insert(part_of(to));
        if (to.member != nullptr && !to.member->getParent()->isUnion() &&
            cast<CXXRecordDecl>(to.member->getParent())->getNumBases() == 0) {
            const auto fields = to.member->getParent()->fields();
            const bool has_all = std::all_of(fields.begin(), fields.end(), [&](const FieldDecl* field) {
                return now_.parts.contains(part_of({level::lvalue, to.index, field}));
            });
            if (has_all) {
                now_.parts.insert(to.index.text());
                has_gaps_ = std::accumulate(fields.begin(), fields.end(), each_,
                                            [&](std::int64_t left, const FieldDecl* field) {
                                                return left - size_of(field->getType());
                                            }) != 0;
            }
        }
        if (!made_.array && now_.parts.contains(bound{}.text())) {
            write_all(by);
        }
    }

    /// Writes through an lvalue of that type.
    void write_value(place to, QualType type, const Stmt* by) {
        const QualType all = to.member != nullptr ? to.member->getType() : made_.object;
        to.is_inner = to.is_inner || !context_.hasSameUnqualifiedType(type.getNonReferenceType(), all);
        write(to, by);
    }

    void write_bytes(const place& to, const bound& width, const Stmt* by) {
        const bool is_start = to.index == bound{} && to.member == nullptr && !to.is_inner;
        if (is_start && width == count() * bound{each_}) {
            write_all(by);
        } else if (width == bound{to.member != nullptr ? size_of(to.member->getType()) : each_}) {
            write(to, by);
        }
    }

    void read(const place& from) { is_read_ = is_read_ || (now_.is_alive && !is_covered(from)); }

    /// A function or a variable gets the object.
    void give_away(const place& what, bool by_call) {
        if (!now_.is_alive || now_.is_whole || (what.at == level::lvalue && is_covered(what))) {
            return;
        }
        now_.is_whole = true;
        escaped_ = true;
        fate_.handed_out = fate_.handed_out || by_call;
    }

    // --- Expressions around a mention of the object --------------------------------------------------------------

    /// Whether an expression has to do with the object because its operand has, and what.
    bool leads_on(const Stmt& outer, const Expr& inner, place& what) {
        const operation o = operation_of(&outer);
        if (isa<ParenExpr, FullExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr>(outer)) {
            return true;
        }
        if (const auto* cast = dyn_cast<CastExpr>(&outer)) {
            const CastKind kind = cast->getCastKind();
            const bool is_base = kind == CK_DerivedToBase || kind == CK_UncheckedDerivedToBase;
            what.at = kind == CK_ArrayToPointerDecay ? level::pointer : what.at;
            what.is_inner = what.is_inner || (is_base && what.at != level::holder);
            return is_base || (kind == CK_LValueToRValue && what.at != level::lvalue) ||
                   kind == CK_ArrayToPointerDecay || kind == CK_BitCast || kind == CK_LValueBitCast ||
                   kind == CK_NoOp || kind == CK_ConstructorConversion || kind == CK_UserDefinedConversion;
        }
        if (const auto* member = dyn_cast<MemberExpr>(&outer)) {
            const auto* field = dyn_cast<FieldDecl>(member->getMemberDecl());
            if (field != nullptr) {
                what.is_inner = what.is_inner || what.member != nullptr ||
                                !declaresSameEntity(field->getParent(), made_.object->getAsRecordDecl());
                what.member = what.member != nullptr ? what.member : field;
                what.at = level::lvalue;
            }
            return field == nullptr || !field->getType()->isReferenceType();
        }
        if (o.what == OO_Subscript || (o.what == OO_Plus && o.right != nullptr)) {
            const bool is_left = o.left == &inner && is_number(o.right);
            const bool is_sum = o.what == OO_Plus;
            if (is_left && (!is_sum || what.at == level::pointer)) {
                move(what, is_sum ? level::pointer : level::lvalue, value(o.right), o.left->getType());
            }
            return is_left;
        }
        if (o.is_unary(OO_Star) || o.is_unary(OO_Arrow) || (o.is_unary(OO_Amp) && what.at == level::lvalue)) {
            what.at = o.what == OO_Star ? level::lvalue : level::pointer;
            return true;
        }
        if (o.is_step() && what.at == level::pointer) {
            what.index = fresh();
            return true;
        }
        if (const auto* call = dyn_cast<CallExpr>(&outer); call != nullptr && o.what == OO_None) {
            return leads_on_by_call(*call, what);
        }
        const auto* construction = dyn_cast<CXXConstructExpr>(&outer);
        return construction != nullptr && what.at == level::pointer &&
               named(construction->getType()->getAsCXXRecordDecl(), {"__normal_iterator", "__wrap_iter"});
    }

    bool leads_on_by_call(const CallExpr& call, place& what) {
        const FunctionDecl* function = call.getDirectCallee();
        const bool is_method = isa<CXXMemberCallExpr>(call);
        const bool is_known = is_method || (function != nullptr && call.getNumArgs() == 1 &&
                                            outermost_namespace(*function) == "std");
        if (!is_known) {
            return false;
        }
        if (named(function, {"data", "begin", "cbegin", "c_str", "addressof"}) ||
            (is_method && named(function, {"get", "release"}))) {
            what.at = level::pointer;
            return true;
        }
        if (named(function, {"end", "cend"})) {
            what = {level::pointer, count()};
            return true;
        }
        if (named(function, {"front", "at"}) && call.getNumArgs() <= 1) {
            move(what, level::lvalue, call.getNumArgs() == 1 ? value(call.getArg(0)) : bound{}, {});
            return true;
        }
        return false;
    }

    /// To the element behind so many others; `type` is null or that of an iterator, a pointer or a container.
    void move(place& what, level to, const bound& by, QualType type) {
        const QualType element = type.isNull() ? type : element_type(type, context_);
        const bool is_element = element.isNull() || context_.hasSameUnqualifiedType(element, made_.object);
        what.at = to;
        what.is_inner = what.is_inner || what.member != nullptr || !is_element;
        what.index = what.member == nullptr ? (is_element ? what.index + by : fresh()) : what.index;
    }

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
        fate_.shows_padding = fate_.shows_padding || (has_gaps_ && what.member == nullptr && !what.is_inner);
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

    const creation& made_;
    std::int64_t each_;    ///< the size of an element
    std::string holder_{}; ///< the key of the owner of the object
    object_fate fate_{};
    bool is_read_ = false;
    bool escaped_ = false;
    bool has_gaps_ = false; ///< overwritten member by member, and there are bytes between them
    state now_{};
    bool is_lost_ = false;                           ///< something that the check does not follow
    std::vector<const Stmt*> around_{};              ///< the current statement, behind those that contain it
    const VarDecl* declared_ = nullptr;              ///< whose initialiser is walked through
    std::map<const ValueDecl*, place> aliases_{};    ///< pointers, iterators and references into the object
    std::map<const CallExpr*, objects> arguments_{}; ///< of the calls that are walked through
};

} // namespace clang::tidy::linn
