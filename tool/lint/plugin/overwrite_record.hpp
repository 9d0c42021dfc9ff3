// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "overwrite.hpp"
#include "overwrite_places.hpp"

#include <vector>

namespace clang::tidy::linn {

/// Records what is written, read and given away of the object.
class object_record : public object_places {
protected:
    object_record(const creation& made, const std::vector<filled_member>& members, const fill_size& sizes,
                  ASTContext& context)
        : object_places{made, sizes, context},
          is_class_{!members.empty()} {
        for (const filled_member& member : members) {
            add_target(member);
        }
    }

    // --- What is written and read --------------------------------------------------------------------------------

    void add_target(const filled_member& member) {
        const auto* record = made_.object->getAsRecordDecl();
        if (record != nullptr && !made_.array && member.field->getParent() == record->getDefinition()) {
            targets_.push_back({static_cast<std::int64_t>(context_.getFieldOffset(member.field) / 8),
                                static_cast<std::int64_t>(sizes_.size_of(member.field->getType()))});
        } else {
            targets_.push_back({bound::of("?"), 1}); // that no run covers
        }
    }

    bool is_covered(const run& target) {
        // To merge takes the square of their number: functions that write many single bytes would take minutes.
        steps_ += static_cast<int>(now_.written.size() * now_.written.size() / 16);
        const runs all = merged(now_.written);
        return now_.is_whole || std::any_of(all.begin(), all.end(), [&](const run& one) {
                   return (target.start - one.start).is_never_negative() &&
                          (one.end() - target.end()).is_never_negative();
               });
    }

    /// Looks whether all of it is overwritten by now.
    void settle() {
        if (!now_.is_alive || now_.is_whole) {
            return;
        }
        const bool has_all =
            !targets_.empty() &&
            std::all_of(targets_.begin(), targets_.end(), [&](const run& one) { return is_covered(one); });
        now_.is_whole = has_all || is_covered({first_, total() - first_});
        if (now_.is_whole) {
            for (const run& one : now_.written) {
                note_writer(one.by);
            }
        }
    }

    void note_writer(const Stmt* by) {
        if (by != nullptr &&
            std::find(fate_.writers.begin(), fate_.writers.end(), by) == fate_.writers.end()) {
            fate_.writers.push_back(by);
        }
    }

    void write(const run& bytes) {
        if (now_.is_alive && !now_.is_whole &&
            std::find(now_.written.begin(), now_.written.end(), bytes) == now_.written.end()) {
            now_.written.push_back(bytes);
            settle();
        }
    }

    /// What an assignment to an lvalue writes; a field takes the padding behind it along.
    std::int64_t width_of(const Expr* lvalue) const {
        const QualType type = lvalue->getType().getNonReferenceType();
        const auto* member = dyn_cast<MemberExpr>(lvalue->IgnoreParens());
        const auto* field = member != nullptr ? dyn_cast<FieldDecl>(member->getMemberDecl()) : nullptr;
        if (type->isIncompleteType() || (field != nullptr && field->isBitField())) {
            return 0;
        }
        if (field == nullptr || field->getParent()->isUnion()) {
            return static_cast<std::int64_t>(sizes_.size_of(type));
        }
        std::uint64_t end = 8 * sizes_.size_of(context_.getRecordType(field->getParent()));
        const std::uint64_t start = context_.getFieldOffset(field);
        for (const FieldDecl* other : field->getParent()->fields()) {
            const std::uint64_t offset = context_.getFieldOffset(other);
            end = offset > start ? std::min(end, offset) : end;
        }
        return static_cast<std::int64_t>((end - start) / 8);
    }

    /// Whether to read these bytes means to read a filled one.
    bool matters(const run& bytes) const {
        const auto first = bytes.start.constant();
        const auto width = bytes.width.constant();
        return targets_.empty() || !first || !width ||
               std::any_of(targets_.begin(), targets_.end(), [&](const run& target) {
                   const auto start = target.start.constant();
                   return !start || (*first < *start + *target.width.constant() && *start < *first + *width);
               });
    }

    void read(const place& from, const bound& width, const Expr* where) {
        const run bytes{from.start, width};
        if (!now_.is_alive || !matters(bytes) || is_covered(bytes)) {
            return;
        }
        fate_.reads.push_back({from.member, where->getExprLoc()});
        now_.written.push_back(bytes); // one report is enough
    }

    void read_value(const place& from, const Expr* where) {
        const QualType type = where->getType().getNonReferenceType();
        read(from,
             from.at == level::lvalue ? bound{static_cast<std::int64_t>(sizes_.size_of(type))}
                                      : rest_of(from),
             where);
    }

    bound rest_of(const place& from) const { return total() - from.start; }

    /// A function or a variable gets the object.
    void give_away(const place& what, const Expr* where, bool by_call) {
        if (!now_.is_alive || is_covered({what.start, rest_of(what)})) {
            return;
        }
        if (by_call && what.start != bound{} && made_.array && made_.where_it_lies == storage::pointer) {
            read(what, 1, where); // an element that nothing wrote to is meant to be zero
            return;
        }
        now_.is_whole = true;
        escaped_ = true;
        fate_.handed_out = fate_.handed_out || by_call;
    }

    /// A function looks at the object. Of a class it may look at the members that are initialised.
    void view(const place& what, const Expr* where) {
        if (!is_class_ || what.member != nullptr) {
            read(what, rest_of(what), where);
        } else if (now_.is_alive && !now_.is_whole) {
            fate_.uncertain = true;
            escaped_ = true;
        }
    }

    /// The holder gets something else, or ends.
    void drop(const Stmt* by) {
        if (now_.is_alive && !now_.is_whole) {
            now_.is_whole = true;
            note_writer(by);
        }
    }

    // --- The start -----------------------------------------------------------------------------------------------

    void begin(const std::string& holder, bool outlives) {
        holder_ = holder;
        outlives_ = outlives;
        fate_.is_held = true;
        fate_.is_in_loop = fate_.is_in_loop || loops_ != 0;
        first_ = made_.keeps_old ? now_.value_of(holder + ".size") * each_ : bound{};
        const bound count = made_.count              ? bound{static_cast<std::int64_t>(*made_.count)}
                            : made_.count_expression ? value(made_.count_expression)
                                                     : bound{1};
        now_.is_alive = true;
        now_.is_whole = false;
        now_.written.clear();
        now_.aliases.clear();
        set(holder + ".size", count);
    }

    /// Whether an initialiser is what the creation makes, in a pointer class or not.
    bool makes_it(const Expr* expression) const {
        if (made_.where_it_lies != storage::pointer) {
            return false;
        }
        for (int i = 0; i < 8; ++i) {
            expression = expression->IgnoreUnlessSpelledInSource();
            if (expression == made_.expression) {
                return true;
            }
            const auto* cast = dyn_cast<CastExpr>(expression);
            const auto* construction = dyn_cast<CXXConstructExpr>(expression);
            const auto* list = dyn_cast<InitListExpr>(expression);
            if (cast != nullptr) {
                expression = cast->getSubExpr();
            } else if (construction != nullptr && construction->getNumArgs() != 0) {
                expression = construction->getArg(0);
            } else if (list != nullptr && list->getNumInits() == 1) {
                expression = list->getInit(0);
            }
        }
        return false;
    }

    bool bind(const ValueDecl& variable, const place& what) {
        const QualType type = variable.getType();
        if (what.at == level::holder && type->isReferenceType()) {
            references_[&variable] = holder_;
            return true;
        }
        if (what.at == level::holder || (what.at == level::lvalue && !type->isReferenceType())) {
            return false; // a copy of the value
        }
        now_.aliases[&variable] = what;
        set(key_of(variable), what.start);
        return true;
    }

    bool contains_holder(const std::string& key) const {
        return now_.is_alive && !key.empty() && StringRef(holder_).starts_with(key + ".");
    }

    static bool outlives(const Expr* container) {
        const Expr* root = container->IgnoreParenImpCasts();
        while (const auto* member = dyn_cast<MemberExpr>(root)) {
            root = member->getBase()->IgnoreParenImpCasts();
        }
        const auto* reference = dyn_cast<DeclRefExpr>(root);
        const auto* variable = reference != nullptr ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
        return variable == nullptr || !variable->hasLocalStorage() ||
               variable->getType()->isReferenceType() || variable->getType()->isPointerType();
    }

    bool is_class_;  ///< of which the filled members are meant
    runs targets_{}; ///< the filled members
    bound first_{};  ///< the first byte that is filled
    bool outlives_ = false;
    object_fate fate_{};
    bool escaped_ = false;
    int loops_ = 0; ///< around the current statement
    int steps_ = 0; ///< statements and comparisons so far
};

} // namespace clang::tidy::linn
