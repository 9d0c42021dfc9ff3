// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "overwrite.hpp"
#include "overwrite_values.hpp"

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

/// Records what is written, read and given away of the object.
class object_record : protected value_names {
protected:
    object_record(const creation& made, ASTContext& context)
        : value_names{context},
          made_{made},
          each_{size_of(made.object)} {}

    std::int64_t size_of(QualType type) const { return context_.getTypeSizeInChars(type).getQuantity(); }
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

    const creation& made_;
    std::int64_t each_;    ///< the size of an element
    std::string holder_{}; ///< the key of the owner of the object
    object_fate fate_{};
    bool is_read_ = false;
    bool escaped_ = false;
    state now_{};
};

} // namespace clang::tidy::linn
