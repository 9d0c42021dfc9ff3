// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "overwrite_record.hpp"

#include <cstdlib>
#include <functional>
#include <set>

namespace clang::tidy::linn {

/// Follows the paths through a function, statement by statement. Where a turn of a counting loop writes a run of bytes whose start
/// moves by its width in each turn, the loop writes all these runs.
class object_paths : public object_record {
protected:
    /// A function is given up when its loops, calls and comparisons take more steps than these.
    static constexpr int most_steps = 100'000;
    static constexpr int most_calls = 3;

    using object_record::bind;
    using object_record::object_record;

    virtual void visit_expression(const Expr* expression) = 0;
    /// The effects inside of an expression that denotes a place: of `*p++`, `v[f(i)]`.
    virtual void visit_parts(const Expr* expression) = 0;
    /// An expression whose value, if it is a pointer to the object, is only compared or not used.
    virtual void look_past(const Expr* expression) = 0;

    // --- Paths ---------------------------------------------------------------------------------------------------

    /// The states in which loops, switches and calls are left.
    struct exits {
        std::vector<std::vector<state>> breaks{};
        std::vector<std::vector<state>> continues{};
        std::vector<std::vector<state>> returns{};
    };

    void leave() {
        settle();
        escaped_ = escaped_ || (now_.is_reachable && outlives_ && now_.is_alive && !now_.is_whole);
        now_.is_reachable = false;
    }

    state join(state a, const state& b) {
        if (!a.is_reachable || !b.is_reachable) {
            return a.is_reachable ? std::move(a) : b;
        }
        if (a.is_alive && b.is_alive) {
            a.written = a.is_whole   ? b.written
                        : b.is_whole ? a.written
                                     : without(a.written, without(a.written, b.written));
            a.is_whole = a.is_whole && b.is_whole;
        } else if (b.is_alive) {
            a.written = b.written;
            a.is_whole = b.is_whole;
        }
        a.is_alive = a.is_alive || b.is_alive;
        std::map<std::string, bound> values = b.values;
        values.insert(a.values.begin(), a.values.end());
        for (const auto& [key, ignored] : values) {
            const bound known = a.value_of(key);
            a.values[key] = known == b.value_of(key) ? known : fresh();
        }
        a.aliases.insert(b.aliases.begin(), b.aliases.end());
        return a;
    }

    void join_all(const std::vector<state>& others) {
        for (const state& other : others) {
            now_ = join(std::move(now_), other);
        }
    }
    void join_last(std::vector<std::vector<state>>& of) {
        join_all(of.back());
        of.pop_back();
    }

    void stop(std::vector<std::vector<state>>& at) {
        if (!at.empty()) {
            at.back().push_back(now_);
        }
        now_.is_reachable = false;
    }

    void branches(const Stmt* a, const Stmt* b) {
        state other = now_;
        visit(a);
        std::swap(now_, other);
        visit(b);
        now_ = join(std::move(other), now_);
        settle();
    }

    /// What may run, now or later, or not at all: its reads count, its writes do not.
    void perhaps(const Stmt* body) {
        const state before = now_;
        run_body(body);
        const bool was_given = now_.is_whole && escaped_;
        now_ = before;
        now_.is_whole = now_.is_whole || was_given;
    }

    /// The body of a function or lambda.
    void run_body(const Stmt* body) {
        if (++depth_ > most_calls) {
            is_lost_ = true;
        }
        exits outer;
        std::swap(outer, exits_);
        exits_.returns.emplace_back();
        visit(body);
        join_last(exits_.returns);
        std::swap(outer, exits_);
        --depth_;
    }

    void initialise_member(const CXXCtorInitializer& initialiser) {
        const FieldDecl* member = initialiser.getMember();
        const Expr* init = initialiser.getInit();
        if (member != nullptr && (made_.member == member || makes_it(init))) {
            begin("this." + member->getNameAsString(), true);
            return;
        }
        visit(init);
        if (member != nullptr && is_number(init)) {
            set("this." + member->getNameAsString(), value(init));
        }
    }

    void declare(const VarDecl& variable) {
        const Expr* init = variable.getInit();
        if (init == nullptr) {
            return;
        }
        if (made_.variable == &variable || makes_it(init)) {
            begin(key_of(variable), variable.hasGlobalStorage());
            return;
        }
        if (const auto* lambda = dyn_cast<LambdaExpr>(init->IgnoreUnlessSpelledInSource())) {
            lambdas_[&variable] = lambda;
            return;
        }
        const QualType type = variable.getType();
        if (bind(variable, init)) {
            return;
        }
        visit(init);
        if (is_number(init)) {
            set(key_of(variable), value(init));
        } else if (contiguous_container(type) != nullptr) {
            const auto* construction = dyn_cast<CXXConstructExpr>(init->IgnoreUnlessSpelledInSource());
            const bool has_length = construction != nullptr && construction->getNumArgs() != 0 &&
                                    !construction->isListInitialization() &&
                                    is_number(construction->getArg(0));
            set(key_of(variable) + ".size", has_length ? value(construction->getArg(0)) : fresh());
        }
    }

    /// Makes a variable or parameter another name for what an expression names. False where it gets a value.
    bool bind(const ValueDecl& variable, const Expr* expression) {
        if (const auto what = place_of(expression)) {
            const bool is_bound = bind(variable, *what);
            if (is_bound) {
                visit_parts(expression);
            }
            return is_bound;
        }
        const QualType type = variable.getType();
        const Expr* plain = expression->IgnoreParenImpCasts();
        const operation o = operation_of(plain);
        const std::string key = key_of(o.what == OO_Amp && o.right == nullptr ? o.left : plain);
        if ((type->isReferenceType() || type->isPointerType()) && !key.empty()) {
            references_[&variable] = key;
            return true;
        }
        return false;
    }

    // --- Statements ----------------------------------------------------------------------------------------------

    void visit(const Stmt* statement) {
        if (statement == nullptr || !now_.is_reachable || is_lost_) {
            return;
        }
        is_lost_ = ++steps_ > most_steps;
        if (const auto* expression = dyn_cast<Expr>(statement)) {
            visit_expression(expression->IgnoreParens());
        } else if (const auto* block = dyn_cast<CompoundStmt>(statement)) {
            for (const Stmt* one : block->body()) {
                const auto* inner = dyn_cast<Expr>(one);
                inner != nullptr ? look_past(inner) : visit(one);
            }
        } else if (const auto* declaration = dyn_cast<DeclStmt>(statement)) {
            for (const Decl* one : declaration->decls()) {
                if (const auto* variable = dyn_cast<VarDecl>(one)) {
                    declare(*variable);
                }
            }
        } else if (const auto* choice = dyn_cast<IfStmt>(statement)) {
            visit(choice->getInit());
            visit(choice->getConditionVariableDeclStmt());
            look_past(choice->getCond());
            const auto taken = choice->isConstexpr() ? choice->getNondiscardedCase(context_) : std::nullopt;
            taken ? visit(*taken) : branches(choice->getThen(), choice->getElse());
        } else if (const auto* cases = dyn_cast<SwitchStmt>(statement)) {
            visit_switch(*cases);
        } else if (const auto* counting = dyn_cast<ForStmt>(statement)) {
            visit(counting->getInit());
            repeat({statement, counting->getCond(), counting->getBody(), counting->getInc()});
        } else if (const auto* loop = dyn_cast<WhileStmt>(statement)) {
            repeat({statement, loop->getCond(), loop->getBody()});
        } else if (const auto* last = dyn_cast<DoStmt>(statement)) {
            repeat({statement, nullptr, last->getBody(), last->getCond(), true});
        } else if (const auto* range = dyn_cast<CXXForRangeStmt>(statement)) {
            visit_range(*range);
        } else if (isa<BreakStmt>(statement)) {
            stop(exits_.breaks);
        } else if (isa<ContinueStmt>(statement)) {
            stop(exits_.continues);
        } else if (const auto* leaving = dyn_cast<ReturnStmt>(statement)) {
            visit_return(*leaving);
        } else if (isa<GotoStmt, IndirectGotoStmt, CoroutineBodyStmt>(statement)) {
            is_lost_ = true;
        } else if (const auto* attempt = dyn_cast<CXXTryStmt>(statement)) {
            state before = now_;
            visit(attempt->getTryBlock());
            before.is_alive = before.is_alive || now_.is_alive;
            for (unsigned i = 0; i < attempt->getNumHandlers(); ++i) {
                state after = std::move(now_);
                now_ = before;
                visit(attempt->getHandler(i)->getHandlerBlock());
                now_ = join(std::move(after), now_);
            }
        } else if (const auto* captured = dyn_cast<CapturedStmt>(statement)) {
            visit(captured->getCapturedStmt());
        } else if (const auto* canonical = dyn_cast<OMPCanonicalLoop>(statement)) {
            visit(canonical->getLoopStmt());
        } else if (const auto* directive = dyn_cast<OMPExecutableDirective>(statement)) {
            visit(directive->hasAssociatedStmt() ? directive->getRawStmt() : nullptr);
        } else {
            visit_children(statement);
        }
    }

    void visit_children(const Stmt* statement) {
        for (const Stmt* part : statement->children()) {
            visit(part);
        }
    }

    void visit_switch(const SwitchStmt& choice) {
        visit(choice.getInit());
        visit(choice.getCond());
        const auto* body = dyn_cast<CompoundStmt>(choice.getBody());
        if (body == nullptr) {
            is_lost_ = true;
            return;
        }
        const state before = now_;
        exits_.breaks.emplace_back();
        bool has_default = choice.isAllEnumCasesCovered();
        now_.is_reachable = false;
        for (const Stmt* one : body->body()) {
            while (const auto* label = dyn_cast<SwitchCase>(one)) {
                has_default = has_default || isa<DefaultStmt>(label);
                now_ = join(std::move(now_), before);
                one = label->getSubStmt();
            }
            visit(one);
        }
        if (!has_default) {
            exits_.breaks.back().push_back(before);
        }
        join_last(exits_.breaks);
        settle();
    }

    void visit_return(const ReturnStmt& statement) {
        if (const Expr* what = statement.getRetValue()) {
            const Expr* plain = what->IgnoreUnlessSpelledInSource();
            const auto given = place_of(plain);
            if (!given) {
                visit(what);
            } else if (given->at == level::lvalue && !what->isGLValue()) {
                read_value(*given, plain);
            } else {
                give_away(*given, what, false);
            }
        }
        exits_.returns.empty() ? leave() : stop(exits_.returns);
    }

    // --- Loops ---------------------------------------------------------------------------------------------------

    struct loop_parts {
        const Stmt* statement = nullptr;
        const Expr* condition = nullptr;
        const Stmt* body = nullptr;
        const Expr* step = nullptr;
        bool at_least_once = false;
        std::optional<bound> turns{}; ///< where there is no condition
        std::function<void(const bound&)> on_turn{};
    };

    void repeat(const loop_parts& loop) {
        const state entry = now_;
        std::set<std::string> changed;
        note_changes(loop.condition, changed);
        note_changes(loop.body, changed);
        forget_values(changed); // the step may be one of them
        const bound turn_number = fresh();
        const auto counter = counter_of(loop, changed);
        note_changes(loop.step, changed);
        forget_values(changed);
        bound counted;
        if (counter) {
            counted = entry.value_of(counter->key) + turn_number * counter->step;
            now_.values[counter->key] = counted;
        }
        auto turns = counter ? turns_of(*loop.condition, turn_number) : loop.turns;
        const std::vector<state> left = turn(loop, turn_number);
        if (counter && now_.value_of(counter->key) != counted) {
            turns.reset(); // a call in the loop changes the counter, too
        }
        take_step(loop);
        if (!entry.is_alive && now_.is_alive && made_.container != nullptr) {
            now_.written.clear();    // of another turn's elements
            turn(loop, turn_number); // finds what this one left
            take_step(loop);
        }
        const state after = std::move(now_);
        now_ = entry;
        const auto sure = turns ? turns->constant() : std::nullopt;
        const bool at_least_once = loop.at_least_once || (sure && *sure > 0);
        if (after.is_alive && !entry.is_alive) {
            now_.is_alive = made_.variable == nullptr;
            now_.is_whole = after.is_whole;
            now_.values[holder_ + ".size"] = after.value_of(holder_ + ".size");
        } else if (now_.is_alive && after.is_reachable) {
            now_.is_whole = now_.is_whole || (after.is_whole && (at_least_once || escaped_));
            const runs each = without(after.written, entry.written);
            const runs all = turns ? spread(each, turn_number, *turns, loop.statement) : runs();
            now_.written.insert(now_.written.end(), all.begin(), all.end());
        }
        forget_values(changed);
        now_.is_reachable = loop.condition != nullptr || loop.turns || loop.at_least_once;
        join_all(left);
        settle();
    }

    void forget_values(const std::set<std::string>& changed) {
        for (const std::string& key : changed) {
            now_.values[key] = fresh();
        }
    }

    void take_step(const loop_parts& loop) {
        if (loop.step != nullptr) {
            look_past(loop.step);
        }
    }

    /// One turn, from the condition up to the step. @returns the states in which it left the loop by `break`
    std::vector<state> turn(const loop_parts& loop, const bound& number) {
        exits_.breaks.emplace_back();
        exits_.continues.emplace_back();
        ++loops_;
        if (loop.condition != nullptr) {
            look_past(loop.condition);
        }
        if (loop.on_turn) {
            loop.on_turn(number);
        }
        visit(loop.body);
        join_last(exits_.continues);
        --loops_;
        std::vector<state> left = std::move(exits_.breaks.back());
        exits_.breaks.pop_back();
        return left;
    }

    /// What all turns write, where one turn writes `each`: runs that follow each other without a gap.
    static runs spread(const runs& each, const bound& number, const bound& turns, const Stmt* loop) {
        runs all;
        for (const run& one : merged(each)) {
            const auto stride = one.start.factor_of(number.name());
            const auto growth = one.width.factor_of(number.name());
            if (!stride || growth != bound{}) {
                continue;
            }
            const bound first = one.start - *stride * number;
            if (*stride == one.width) {
                all.push_back({first, *stride * turns, loop});
            } else if (*stride == one.width * -1) { // from the end to the start
                all.push_back({first + one.width + *stride * turns, one.width * turns, loop});
            }
        }
        return all;
    }

    struct loop_counter {
        std::string key;
        std::int64_t step = 0; ///< of a pointer in bytes
    };

    /// The variable that only the last part of a `for` changes, always by the same number.
    std::optional<loop_counter> counter_of(const loop_parts& loop, const std::set<std::string>& changed) {
        if (loop.condition == nullptr || loop.step == nullptr || !isa<ForStmt>(loop.statement)) {
            return std::nullopt;
        }
        const operation o = operation_of(loop.step->IgnoreParenImpCasts()->IgnoreUnlessSpelledInSource());
        const bool is_down = o.what == OO_MinusMinus || o.what == OO_MinusEqual;
        const bool is_sum = o.is_step() || o.what == OO_PlusEqual || o.what == OO_MinusEqual;
        const auto by = !is_sum ? std::nullopt : o.right != nullptr ? value(o.right).constant() : 1;
        const std::string key = is_sum ? key_of(o.left) : std::string();
        if (!by || key.empty() || changed.contains(key)) {
            return std::nullopt;
        }
        const std::int64_t unit = place_of(o.left) ? unit_of(o.left->getType()) : 1;
        return loop_counter{key, is_down ? -*by * unit : *by * unit};
    }

    /// How often a condition holds whose sides move by the same number in each turn.
    std::optional<bound> turns_of(const Expr& condition, const bound& turn_number) {
        const operation o = operation_of(condition.IgnoreParenImpCasts());
        if (!o.is_comparison() || o.right == nullptr || o.what == OO_EqualEqual) {
            return std::nullopt;
        }
        const auto number = [&](const Expr* side) {
            const auto where = place_of(side);
            return where ? where->start : value(side);
        };
        bound distance = number(o.right) - number(o.left);
        if (o.what == OO_Greater || o.what == OO_GreaterEqual) {
            distance = distance * -1;
        }
        const auto change = distance.factor_of(turn_number.name());
        const auto step = change ? change->constant().value_or(0) : 0;
        if (step == 0 || (step > 0 && o.what != OO_ExclaimEqual)) {
            return std::nullopt;
        }
        const bool has_last = o.what == OO_LessEqual || o.what == OO_GreaterEqual;
        const bound whole = distance - *change * turn_number + (has_last ? 1 : 0);
        return (step < 0 ? whole : whole * -1).divided_by(std::abs(step));
    }

    void visit_range(const CXXForRangeStmt& loop) {
        visit(loop.getInit());
        const Expr* range = loop.getRangeInit();
        const VarDecl& variable = *loop.getLoopVariable();
        const auto over = place_of(range);
        const auto* array = context_.getAsConstantArrayType(range->getType());
        const std::string key = key_of(range);
        loop_parts all{&loop, nullptr, loop.getBody()};
        all.turns = array != nullptr ? bound{static_cast<std::int64_t>(array->getSize().getZExtValue())}
                    : over           ? now_.value_of(holder_ + ".size")
                    : key.empty()    ? fresh()
                                     : now_.value_of(key + ".size");
        const std::int64_t unit = unit_of(range->getType());
        if (!over) {
            visit(range);
        }
        all.on_turn = [&](const bound& counter) {
            over ? pass_element(variable, {level::lvalue, over->start + counter * unit, over->member}, range)
                 : forget(key_of(variable));
        };
        repeat(all);
    }

    void pass_element(const ValueDecl& variable, const place& element, const Expr* where) {
        if (!bind(variable, element)) {
            read(element, each_, where);
        }
    }

    /// The variables and members that a statement changes.
    void note_changes(const Stmt* statement, std::set<std::string>& keys) const {
        any_part(statement, [&](const Stmt& part) {
            const auto* expression = dyn_cast<Expr>(&part);
            const operation o = expression != nullptr ? operation_of(expression) : operation{};
            std::string key;
            if (o.what == OO_Equal || o.is_compound() || o.is_step() ||
                (o.what == OO_Amp && o.right == nullptr)) {
                key = key_of(o.left);
                keys.insert(key);
            }
            const auto* call = dyn_cast<CallExpr>(&part);
            const FunctionDecl* function =
                call != nullptr && o.what == OO_None ? call->getDirectCallee() : nullptr;
            for (unsigned i = 0;
                 function != nullptr && i < std::min(call->getNumArgs(), function->getNumParams()); ++i) {
                if (is_changed(*function, i)) {
                    keys.insert(key_of(call->getArg(i)));
                    keys.insert(key_of(call->getArg(i)) + ".size");
                }
            }
            if (const auto* method = dyn_cast_or_null<CXXMemberCallExpr>(call);
                method != nullptr && changes_size(*method)) {
                keys.insert(key_of(method->getImplicitObjectArgument()) + ".size");
            }
            keys.erase("");
            return false;
        });
    }

    static bool is_changed(const FunctionDecl& function, unsigned argument) {
        const QualType type = function.getParamDecl(argument)->getType();
        return type->isLValueReferenceType() && !type->getPointeeType().isConstQualified();
    }

    bool changes_size(const CXXMemberCallExpr& call) const {
        return &call != made_.expression && call.getMethodDecl() != nullptr &&
               !call.getMethodDecl()->isConst() &&
               !named(call.getMethodDecl(), {"data", "begin", "end", "at", "front", "back", "get"});
    }

    exits exits_{};
    bool is_lost_ = false; ///< something that is not followed
    int depth_ = 0;
    std::map<const ValueDecl*, const LambdaExpr*> lambdas_{};
};

} // namespace clang::tidy::linn
