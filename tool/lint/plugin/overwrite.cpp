// SPDX-License-Identifier: Apache-2.0
#include "analysis.hpp"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/SourceManager.h"
#include "overwrite_object.hpp"

namespace clang::tidy::linn {
namespace {

/// Whether a container that a function fills is more than its own variable.
bool outlives_function(const Expr* container) {
    const auto* variable = dyn_cast_or_null<VarDecl>(container->getReferencedDeclOfCallee());
    return variable == nullptr || !variable->hasLocalStorage() || variable->getType()->isReferenceType() ||
           variable->getType()->isPointerType();
}

/// Walks through a function once, in the order in which it runs, and says what each mention of the object makes of it.
class walk : object_record {
public:
    walk(const FunctionDecl& function, const creation& made, ASTContext& context)
        : object_record{made, context},
          function_{function} {}

    object_fate run_all() {
        visit(function_.getBody());
        leave();
        if (is_lost_ || !fate_.is_held) {
            return {};
        }
        fate_.outcome = is_read_ ? fate::read : escaped_ ? fate::escapes : fate::unread;
        return fate_;
    }

private:
    /// A function is given up when it takes more steps than these.
    static constexpr int most_steps = 100'000;
    static constexpr int most_calls = 3;

    // --- The start -----------------------------------------------------------------------------------------------

    void begin(const std::string& holder, bool outlives) {
        is_lost_ = is_lost_ || holder.empty();
        holder_ = holder;
        outlives_ = outlives;
        const auto* variable = made_.container != nullptr
                                   ? dyn_cast_or_null<VarDecl>(made_.container->getReferencedDeclOfCallee())
                                   : nullptr;
        is_global_ = variable != nullptr && variable->hasGlobalStorage() && !variable->isStaticLocal();
        fate_.is_held = true;
        fate_.is_in_loop = fate_.is_in_loop || loops_ != 0;
        aliases_.clear();
        now_.is_alive = true;
        now_.is_whole = false;
        now_.parts.clear();
        values_[holder + ".size"] =
            made_.count ? bound{static_cast<std::int64_t>(*made_.count)} : value(made_.count_expression);
    }

    /// Whether an initialiser is what the creation makes, in a pointer class or not.
    bool makes_it(const Expr* expression) const {
        const Expr* plain = expression->IgnoreUnlessSpelledInSource();
        const auto* construction = dyn_cast<CXXConstructExpr>(plain);
        const bool is_inside = construction != nullptr && construction->getNumArgs() != 0 &&
                               is_smart_pointer(construction->getType());
        plain = is_inside ? construction->getArg(0)->IgnoreUnlessSpelledInSource() : plain;
        return plain == made_.expression && made_.where_it_lies == storage::pointer;
    }

    void declare(const VarDecl& variable) {
        const Expr* init = variable.getInit();
        references_.erase(&variable);
        aliases_.erase(&variable);
        if (init == nullptr) {
            return;
        }
        const Expr* plain = init->IgnoreUnlessSpelledInSource();
        if (const auto* lambda = dyn_cast<LambdaExpr>(plain)) {
            return capture(*lambda); // what a lambda does counts where it is named
        }
        const operation o = operation_of(plain);
        is_lost_ = is_lost_ || isa<CXXThisExpr>(plain) || (o.is_unary(OO_Amp) && may_be_shared(*o.left));
        const VarDecl* outer = std::exchange(declared_, &variable);
        visit(init);
        declared_ = outer;
        if (made_.variable == &variable || makes_it(init)) {
            begin(key_of(variable), variable.hasGlobalStorage());
        } else if (!references_.contains(&variable) && !refer(variable, init)) {
            const bool is_value = is_number(init) && variable.hasLocalStorage();
            values_[key_of(variable)] = is_value ? value(init) : fresh();
        }
    }

    /// What a lambda copies when it is made.
    void capture(const LambdaExpr& lambda) {
        for (const LambdaCapture& one : lambda.captures()) {
            if (lambda.isInitCapture(&one)) {
                declare(*cast<VarDecl>(one.getCapturedVar()));
            } else if (one.capturesVariable() && one.getCaptureKind() == LCK_ByCopy) {
                const std::string key = key_of(*one.getCapturedVar());
                is_lost_ =
                    is_lost_ || key == holder_ ||
                    (!now_.is_alive && contiguous_container(one.getCapturedVar()->getType()) != nullptr);
                captured_[&one] = value_of(key);
            }
        }
    }

    // --- Calls ---------------------------------------------------------------------------------------------------

    void visit_call(const CallExpr& call) {
        const LambdaExpr* lambda = isa<CXXOperatorCallExpr>(call) ? lambda_of(call.getArg(0)) : nullptr;
        const bool is_assignment = operation_of(&call).what == OO_Equal;
        visit(lambda == nullptr ? call.getCallee() : nullptr);
        for (unsigned i = lambda != nullptr ? 1 : 0; i < call.getNumArgs(); ++i) {
            visit(call.getArg(is_assignment ? call.getNumArgs() - 1 - i : i));
        }
        if (lambda != nullptr &&
            isa<LambdaExpr>(call.getArg(0)->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts())) {
            capture(*lambda);
        }
        const objects given = std::exchange(arguments_[&call], {});
        const FunctionDecl* function = call.getDirectCallee();
        if (lambda != nullptr) {
            is_lost_ =
                is_lost_ ||
                std::any_of(lambda->capture_begin(), lambda->capture_end(), [&](const LambdaCapture& one) {
                    return captured_.contains(&one) &&
                           captured_[&one] != value_of(key_of(*one.getCapturedVar()));
                });
            enter(*lambda->getCallOperator(), call, 1, given);
        } else if (&call == made_.expression && made_.container != nullptr) {
            begin(key_of(made_.container), outlives_function(made_.container));
        } else if (!given.empty()) {
            run(call, function, given);
        } else if (is_global_ && (function == nullptr || outermost_namespace(*function) != "std")) {
            give_away({}, true);
        }
        now_.is_reachable = now_.is_reachable && (function == nullptr || !function->isNoReturn());
    }

    void run(const CallExpr& call, const FunctionDecl* function, const objects& given) {
        if (function != nullptr && (fills(call, *function, given) || runs_for_each(call, *function, given) ||
                                    (is_in_this_file(*function) && enter(*function, call, 0, given)))) {
            return;
        }
        for (const auto& [index, what] : given) {
            const auto* method = dyn_cast<CXXMemberCallExpr>(&call);
            if (function == nullptr) {
                give_away(what, true);
            } else if (method != nullptr && index == call.getNumArgs()) {
                run_method(*method, *method->getMethodDecl(), what);
            } else {
                pass(what, *function, index);
            }
        }
    }

    static const LambdaExpr* lambda_of(const Expr* expression) {
        const Expr* plain = expression->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
        const auto* variable = dyn_cast_or_null<VarDecl>(plain->getReferencedDeclOfCallee());
        const Expr* init = variable != nullptr ? variable->getInit() : nullptr;
        return dyn_cast<LambdaExpr>(init != nullptr ? init->IgnoreUnlessSpelledInSource() : plain);
    }

    bool is_in_this_file(const FunctionDecl& function) const {
        const FunctionDecl* definition = nullptr;
        const auto* method = dyn_cast<CXXMethodDecl>(&function);
        return function.hasBody(definition) && definition != &function_ &&
               (method == nullptr || method->isStatic()) &&
               context_.getSourceManager().isWrittenInSameFile(definition->getLocation(),
                                                               function_.getLocation());
    }

    /// Goes on in the body of a function that is called.
    bool enter(const FunctionDecl& function, const CallExpr& call, unsigned first, const objects& given) {
        const FunctionDecl* definition = &function;
        if (!function.hasBody(definition) || definition->getNumParams() != call.getNumArgs() - first) {
            return false;
        }
        for (unsigned i = first; i < call.getNumArgs(); ++i) {
            const ParmVarDecl& parameter = *definition->getParamDecl(i - first);
            values_[key_of(parameter)] = is_number(call.getArg(i)) ? value(call.getArg(i)) : fresh();
            references_.erase(&parameter);
            aliases_.erase(&parameter);
            refer(parameter, call.getArg(i));
        }
        for (const auto& [index, what] : given) {
            bind(*definition->getParamDecl(index), what);
        }
        run_body(definition->getBody());
        return true;
    }

    /// `std::for_each(v.begin(), v.end(), lambda)`, and of a range.
    bool runs_for_each(const CallExpr& call, const FunctionDecl& function, const objects& given) {
        const bool is_object = isa<CXXOperatorCallExpr>(call);
        const bool is_meant =
            (named(&function, {"for_each"}) && outermost_namespace(function) == "std") ||
            (is_object && named(cast<CXXMethodDecl>(function).getParent(), {"__for_each_fn"}));
        const LambdaExpr* lambda = is_meant ? lambda_of(call.getArg(call.getNumArgs() - 1)) : nullptr;
        if (lambda == nullptr || lambda->getCallOperator()->getNumParams() != 1) {
            return false;
        }
        const bool is_range = given.front().second.at == level::holder;
        const unsigned first = is_object ? 1 : 0;
        run_elements(call, *lambda->getCallOperator()->getParamDecl(0), lambda->getBody(),
                     is_range ? count() : length_of(call.getArg(first), call.getArg(first + 1)));
        return true;
    }

    // --- Paths ---------------------------------------------------------------------------------------------------

    /// The states in which `break`, `continue` and `return` go on; null where the function ends.
    struct exits {
        state* on_break = nullptr;
        state* on_continue = nullptr;
        state* on_return = nullptr;
    };

    void leave() {
        escaped_ = escaped_ || (now_.is_reachable && outlives_ && now_.is_alive && !now_.is_whole);
        now_.is_reachable = false;
    }

    static state join(state a, state b) {
        if (!a.is_reachable || !b.is_reachable || !a.is_alive || !b.is_alive) {
            return a.is_reachable && (a.is_alive || !b.is_reachable) ? a : b;
        }
        if (b.is_whole) {
            std::swap(a, b);
        }
        if (!a.is_whole) {
            std::erase_if(a.parts, [&](const std::string& part) { return !b.parts.contains(part); });
            return a;
        }
        return b;
    }

    void stop(state* at) {
        if (at != nullptr) {
            *at = join(*at, now_);
        }
        now_.is_reachable = false;
    }

    void branches(const Stmt* a, const Stmt* b) {
        state other = now_;
        visit(a);
        std::swap(now_, other);
        visit(b);
        now_ = join(other, now_);
    }

    /// A lambda that may run now or later, or not at all: its reads count, its writes do not.
    void perhaps(const Stmt* body) {
        const state before = now_;
        run_body(body);
        now_ = before;
        now_.is_whole = now_.is_whole || escaped_;
    }

    /// The body of a function or lambda.
    void run_body(const Stmt* body) {
        is_lost_ = is_lost_ || ++depth_ > most_calls;
        state returned{.is_reachable = false};
        const exits outer = std::exchange(exits_, exits{nullptr, nullptr, &returned});
        visit(body);
        now_ = join(now_, returned);
        exits_ = outer;
        --depth_;
    }

    // --- Statements ----------------------------------------------------------------------------------------------

    void visit(const Stmt* statement) {
        if (statement == nullptr || is_lost_ || !now_.is_reachable) {
            return;
        }
        is_lost_ = ++steps_ > most_steps;
        around_.push_back(statement);
        const auto* expression = dyn_cast<Expr>(statement);
        expression != nullptr ? visit_expression(*expression) : visit_statement(*statement);
        around_.pop_back();
    }

    void visit_children(const Stmt& statement) {
        for (const Stmt* part : statement.children()) {
            visit(part);
        }
    }

    void visit_expression(const Expr& expression) {
        const operation o = operation_of(&expression);
        const auto* choice = dyn_cast<AbstractConditionalOperator>(&expression);
        if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, CXXTypeidExpr>(expression)) {
            return; // it is not evaluated
        }
        if (isa<DeclRefExpr, MemberExpr, CXXThisExpr>(expression)) {
            visit_name(expression);
        } else if (const auto* call = dyn_cast<CallExpr>(&expression)) {
            visit_call(*call);
        } else if (const auto* lambda = dyn_cast<LambdaExpr>(&expression)) {
            capture(*lambda);
            perhaps(lambda->getBody());
        } else if (o.what == OO_AmpAmp || o.what == OO_PipePipe) {
            visit(o.left);
            branches(o.right, nullptr);
        } else if (choice != nullptr) {
            visit(choice->getCond());
            branches(choice->getTrueExpr(), choice->getFalseExpr());
        } else if (o.what == OO_Equal) {
            visit(o.right);
            visit(o.left);
        } else {
            visit_children(expression);
        }
        if (isa<CXXThrowExpr>(expression)) {
            leave();
        }
        is_lost_ =
            is_lost_ || (isa<InitListExpr>(expression) &&
                         std::any_of(expression.child_begin(), expression.child_end(), [&](const Stmt* one) {
                             return one != nullptr && isa<Expr>(one) && may_be_shared(*cast<Expr>(one));
                         }));
        std::set<std::string> changed;
        note_changes(expression, changed);
        changed.erase(holder_);
        for (const std::string& key : changed) {
            forget(key);
        }
    }

    void visit_name(const Expr& expression) {
        const auto* reference = dyn_cast<DeclRefExpr>(&expression);
        const ValueDecl* variable = reference != nullptr ? reference->getDecl() : nullptr;
        const std::string key = key_of(&expression);
        if (const LambdaExpr* lambda = lambda_of(&expression)) {
            perhaps(lambda->getBody());
        } else if (aliases_.contains(variable)) {
            place what = aliases_[variable];
            // The check does not follow a cursor.
            what.index = what.at == level::pointer && values_.contains(key) ? fresh() : what.index;
            use(what, &expression);
        } else if (key.empty() || key.front() == '&' || StringRef(key).starts_with(holder_ + ".")) {
            visit_children(expression);
        } else if (key == holder_ && now_.is_alive) {
            use({made_.where_it_lies == storage::local && !made_.array ? level::lvalue : level::holder},
                &expression);
        } else if (StringRef(holder_).starts_with(key + ".")) {
            give_away({}, false); // it contains the holder
        }
    }

    void visit_statement(const Stmt& statement) {
        if (const auto* declaration = dyn_cast<DeclStmt>(&statement)) {
            for (const Decl* one : declaration->decls()) {
                if (const auto* variable = dyn_cast<VarDecl>(one)) {
                    declare(*variable);
                }
            }
        } else if (const auto* choice = dyn_cast<IfStmt>(&statement)) {
            visit(choice->getInit());
            visit(choice->getConditionVariableDeclStmt());
            visit(choice->getCond());
            const auto taken = choice->isConstexpr() ? choice->getNondiscardedCase(context_) : std::nullopt;
            taken ? visit(*taken) : branches(choice->getThen(), choice->getElse());
        } else if (isa<SwitchStmt, CXXTryStmt>(statement)) {
            // The check does not follow what runs of it.
            is_lost_ = (now_.is_alive && !now_.is_whole) ||
                       any_part(&statement, [&](const Stmt& part) { return &part == made_.expression; });
            forget_changes({&statement});
        } else if (const auto* counting = dyn_cast<ForStmt>(&statement)) {
            visit_for(*counting);
        } else if (isa<WhileStmt, DoStmt>(statement)) {
            forget_changes({&statement});
            repeat({&statement});
        } else if (const auto* range = dyn_cast<CXXForRangeStmt>(&statement)) {
            visit_range(*range);
        } else if (isa<BreakStmt, ContinueStmt>(statement)) {
            stop(isa<BreakStmt>(statement) ? exits_.on_break : exits_.on_continue);
        } else if (isa<ReturnStmt>(statement)) {
            visit_children(statement);
            exits_.on_return == nullptr ? leave() : stop(exits_.on_return);
        } else if (isa<GotoStmt, IndirectGotoStmt, CoroutineBodyStmt>(statement)) {
            is_lost_ = true;
        } else if (const auto* directive = dyn_cast<OMPExecutableDirective>(&statement)) {
            for (const OMPClause* clause : directive->clauses()) {
                for (const Stmt* part : const_cast<OMPClause*>(clause)->children()) {
                    is_lost_ =
                        is_lost_ || (!isa<OMPSharedClause>(clause) && any_part(part, [&](const Stmt& one) {
                            return isa<DeclRefExpr>(one) && key_of(cast<Expr>(&one)) == holder_;
                        }));
                }
            }
            visit(directive->hasAssociatedStmt() ? directive->getRawStmt() : nullptr);
        } else {
            visit_children(statement);
        }
    }

    // --- Loops ---------------------------------------------------------------------------------------------------

    struct loop_parts {
        const Stmt* statement = nullptr;
        const Expr* condition = nullptr; ///< evaluated before the body
        const Stmt* body = nullptr;      ///< null where the order of the statement's children is right
        const Expr* step = nullptr;      ///< evaluated behind the body
        std::string counter{};           ///< the key of a variable that counts from 0
        bound element{};                 ///< that a turn writes
        std::optional<bound> turns{};
    };

    void repeat(const loop_parts& loop) {
        const state entry = now_;
        state left{.is_reachable = false};
        state continued{.is_reachable = false};
        state* const on_return = isa<Expr>(loop.statement) ? &continued : exits_.on_return;
        const exits outer = std::exchange(exits_, exits{&left, &continued, on_return});
        ++loops_;
        visit(loop.condition);
        loop.body != nullptr ? visit(loop.body) : visit_children(*loop.statement);
        now_ = join(now_, continued);
        // Something that the body calls may change the counter, too.
        const bool writes_all = now_.is_alive && loop.turns && *loop.turns == count() &&
                                now_.parts.contains(loop.element.text()) &&
                                (loop.counter.empty() || value_of(loop.counter) == loop.element);
        visit(loop.step);
        --loops_;
        exits_ = outer;
        const state after = std::exchange(now_, entry);
        if (after.is_alive && !entry.is_alive) {
            now_.is_alive = made_.variable == nullptr;
            now_.is_whole = after.is_whole;
            escaped_ =
                escaped_ || (made_.container != nullptr && !after.is_whole); // the next turn may read it
        } else if (writes_all) {
            write_all(loop.statement);
        } else {
            now_.is_whole = now_.is_whole || (after.is_whole && after.is_reachable && escaped_);
        }
        now_ = join(now_, left);
        forget(loop.counter);
    }

    void visit_for(const ForStmt& loop) {
        visit(loop.getInit());
        loop_parts all{&loop, loop.getCond(), loop.getBody(), loop.getInc()};
        const auto operation_in = [](const Expr* one) {
            return one != nullptr ? operation_of(one->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts())
                                  : operation{};
        };
        const operation step = operation_in(all.step);
        operation limit = operation_in(all.condition);
        if (limit.what == OO_Greater) {
            limit = {OO_Less, limit.right, limit.left};
        }
        const std::string counter = step.what == OO_PlusPlus ? key_of(step.left) : std::string();
        const bool is_from_first = value_of(counter) == bound{};
        const auto changed = forget_changes({all.condition, all.body});
        forget_changes({all.step});
        if ((limit.what == OO_Less || limit.what == OO_ExclaimEqual) && !counter.empty() && is_from_first &&
            key_of(limit.left) == counter && !changed.contains(counter)) {
            all.counter = counter;
            all.element = value_of(counter);
            all.turns = value(limit.right);
        }
        repeat(all);
    }

    void visit_range(const CXXForRangeStmt& loop) {
        visit(loop.getInit());
        if (now_.is_alive && key_of(loop.getRangeInit()) == holder_) {
            run_elements(loop, *loop.getLoopVariable(), loop.getBody(), count());
            return;
        }
        visit(loop.getRangeInit());
        forget_changes({loop.getBody()});
        forget(key_of(*loop.getLoopVariable()));
        repeat({&loop, nullptr, loop.getBody()});
    }

    /// A loop in which a variable or parameter names one element after the other.
    void run_elements(const Stmt& loop, const ValueDecl& variable, const Stmt* body, const bound& turns) {
        forget_changes({body});
        const bound element = fresh();
        bind(variable, {level::lvalue, element});
        repeat({&loop, nullptr, body, nullptr, "", element, turns});
    }

    const FunctionDecl& function_;
    bool outlives_ = false;
    bool is_global_ = false; ///< other functions know the holder
    exits exits_{};
    int loops_ = 0; ///< around the current statement
    int depth_ = 0; ///< of calls
    int steps_ = 0;
    std::map<const LambdaCapture*, bound> captured_{}; ///< numbers that lambdas copied
};

} // namespace

object_fate follow(const FunctionDecl& function, const creation& made, ASTContext& context) {
    return walk(function, made, context).run_all();
}

} // namespace clang::tidy::linn
