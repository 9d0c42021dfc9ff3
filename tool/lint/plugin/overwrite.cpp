// SPDX-License-Identifier: Apache-2.0
#include "overwrite.hpp"

#include "clang/Basic/SourceManager.h"
#include "overwrite_paths.hpp"

namespace clang::tidy::linn {
namespace {

/// How a library function says how much it writes.
enum class amount { bytes, elements, items, end, range, whole };

struct filling_function {
    const char* name;
    unsigned to;      ///< the argument that is written
    unsigned how_far; ///< the argument that says how much
    amount in;
};

constexpr filling_function filling_functions[] = {
    {"memcpy", 0, 2, amount::bytes},       {"memmove", 0, 2, amount::bytes},
    {"memset", 0, 2, amount::bytes},       {"fread", 0, 2, amount::items},
    {"read", 1, 2, amount::bytes},         {"pread", 1, 2, amount::bytes},
    {"recv", 1, 2, amount::bytes},         {"getrandom", 0, 1, amount::bytes},
    {"copy", 2, 0, amount::range},         {"move", 2, 0, amount::range},
    {"transform", 2, 0, amount::range},    {"partial_sum", 2, 0, amount::range},
    {"reverse_copy", 2, 0, amount::range}, {"copy_n", 2, 1, amount::elements},
    {"fill", 0, 1, amount::end},           {"fill_n", 0, 1, amount::elements},
    {"generate", 0, 1, amount::end},       {"iota", 0, 1, amount::end},
    {"generate_n", 0, 1, amount::elements}};

/// Whether a function may only read through a parameter of this type.
bool only_reads(QualType type) {
    const CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
    if (const auto* view = dyn_cast_or_null<ClassTemplateSpecializationDecl>(record);
        named(view, {"span", "__normal_iterator", "__wrap_iter"})) {
        const QualType first = view->getTemplateArgs()[0].getAsType();
        return first.isConstQualified() ||
               (first->isPointerType() && first->getPointeeType().isConstQualified());
    }
    return !type->isReferenceType() && !type->isPointerType() ? true
                                                              : type->getPointeeType().isConstQualified();
}

/// What the expressions and calls of a function do to the object.
class walk : public object_paths {
public:
    walk(const FunctionDecl& function, const creation& made, const std::vector<filled_member>& members,
         const fill_size& sizes, ASTContext& context)
        : object_paths{made, members, sizes, context},
          function_{function} {}

    object_fate run_all() {
        if (const auto* constructor = dyn_cast<CXXConstructorDecl>(&function_)) {
            for (const CXXCtorInitializer* initialiser : constructor->inits()) {
                initialise_member(*initialiser);
            }
        }
        visit(function_.getBody());
        leave();
        if (is_lost_ || !fate_.is_held) {
            object_fate unknown;
            unknown.uncertain = is_lost_;
            return unknown;
        }
        fate_.outcome = !fate_.reads.empty() ? fate::read : escaped_ ? fate::escapes : fate::unread;
        return fate_;
    }

private:
    // --- Expressions ---------------------------------------------------------------------------------------------

    void look_past(const Expr* expression) override {
        const auto* cast = dyn_cast<CastExpr>(expression->IgnoreParens());
        const bool is_test = cast != nullptr &&
                             (cast->getCastKind() == CK_PointerToBoolean || cast->getCastKind() == CK_ToVoid);
        const Expr* inner = is_test ? cast->getSubExpr() : expression;
        place_of(inner) ? visit_parts(inner) : visit(inner);
    }

    void visit_parts(const Expr* expression) override {
        expression = expression->IgnoreParenImpCasts();
        const operation o = operation_of(expression);
        if (o.is_step()) {
            set(key_of(o.left), fresh());
        } else if (o.what != OO_None) {
            look_past(o.left);
            if (o.right != nullptr) {
                look_past(o.right);
            }
        } else if (!isa<DeclRefExpr, CXXThisExpr>(expression)) {
            for (const Stmt* part : expression->children()) {
                if (const auto* inner = dyn_cast_or_null<Expr>(part)) {
                    const bool is_path = isa<MemberExpr>(inner) && isa<CallExpr>(expression);
                    is_path || !key_of(inner).empty() ? visit_parts(inner) : look_past(inner);
                }
            }
        }
    }

    void visit_expression(const Expr* expression) override {
        const bool is_creation = expression == made_.expression && made_.container != nullptr;
        const auto what = is_creation ? std::nullopt : place_of(expression);
        if (is_creation) {
            visit(cast<CallExpr>(expression)->getArg(0));
            const std::string key = key_of(made_.container);
            is_lost_ = is_lost_ || key.empty();
            begin(key, outlives(made_.container));
        } else if (what) {
            visit_parts(expression);
            give_away(*what, expression, false);
        } else if (const auto* cast = dyn_cast<CastExpr>(expression)) {
            visit_cast(*cast);
        } else if (const operation o = operation_of(expression); o.what != OO_None) {
            visit_operation(o, expression);
        } else if (const auto* choice = dyn_cast<AbstractConditionalOperator>(expression)) {
            look_past(choice->getCond());
            branches(choice->getTrueExpr(), choice->getFalseExpr());
        } else if (const auto* call = dyn_cast<CallExpr>(expression)) {
            visit_call(*call);
        } else if (const auto* construction = dyn_cast<CXXConstructExpr>(expression)) {
            const CXXConstructorDecl& constructor = *construction->getConstructor();
            for (unsigned i = 0; i < construction->getNumArgs(); ++i) {
                constructor.isMoveConstructor() ? visit(construction->getArg(i))
                                                : pass(construction->getArg(i), constructor, i);
            }
        } else if (const auto* lambda = dyn_cast<LambdaExpr>(expression)) {
            perhaps(lambda->getBody());
        } else if (const auto* deletion = dyn_cast<CXXDeleteExpr>(expression)) {
            place_of(deletion->getArgument()) ? drop(nullptr) : visit(deletion->getArgument());
        } else if (isa<DeclRefExpr, MemberExpr, CXXThisExpr>(expression)) {
            visit_name(expression);
        } else if (!isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, CXXTypeidExpr>(
                       expression)) { // which are not evaluated
            visit_children(expression);
            now_.is_reachable = now_.is_reachable && !isa<CXXThrowExpr>(expression);
        }
    }

    /// A mention that is no use of the object: of a lambda, or of an object that the holder is a member of.
    void visit_name(const Expr* expression) {
        const auto* reference = dyn_cast<DeclRefExpr>(expression);
        const auto lambda = reference != nullptr ? lambdas_.find(reference->getDecl()) : lambdas_.end();
        const std::string key = key_of(expression);
        if (lambda != lambdas_.end()) {
            perhaps(lambda->second->getBody());
        } else if (key.empty()) {
            visit_children(expression);
        } else if (contains_holder(key)) {
            give_away({}, expression, false);
        }
    }

    void visit_cast(const CastExpr& cast) {
        const Expr* inner = cast.getSubExpr();
        const auto what = place_of(inner);
        if (!what) {
            visit(inner);
            return;
        }
        visit_parts(inner);
        if (what->at == level::lvalue && cast.getCastKind() == CK_LValueToRValue) {
            read_value(*what, inner);
        } else if (cast.getCastKind() != CK_PointerToBoolean && cast.getCastKind() != CK_ToVoid) {
            give_away(*what, inner, false);
        }
    }

    void visit_operation(const operation& o, const Expr* expression) {
        const auto* call = dyn_cast<CallExpr>(expression);
        const FunctionDecl* function = call != nullptr ? call->getDirectCallee() : nullptr;
        const unsigned first =
            isa_and_nonnull<CXXMethodDecl>(function) ? 1 : 0; // the argument of the first parameter
        if (o.what == OO_AmpAmp || o.what == OO_PipePipe) {
            look_past(o.left);
            state before = now_;
            look_past(o.right);
            now_ = join(std::move(before), now_);
        } else if (o.what == OO_Equal && o.right != nullptr) {
            visit_assignment(o, expression, function);
        } else if (o.is_compound() || o.is_step()) {
            modify(o);
        } else if (o.what == OO_Amp && o.right == nullptr) {
            visit(o.left);
            forget(key_of(o.left));
        } else if (function != nullptr && !o.is_comparison()) {
            for (unsigned i = 0; i < call->getNumArgs(); ++i) {
                const auto what = i < first ? place_of(call->getArg(i)) : std::nullopt;
                what        ? pass_object(*what, *cast<CXXMethodDecl>(function), call)
                : i < first ? visit(call->getArg(i))
                            : pass(call->getArg(i), *function, i - first);
            }
        } else {
            for (const Expr* side : {o.left, o.right}) {
                const auto what = side != nullptr ? place_of(side) : std::nullopt;
                if (what && what->at == level::holder && contiguous_container(side->getType()) != nullptr) {
                    view(*what, side);
                } else if (side != nullptr) {
                    o.what == OO_Star || o.what == OO_Subscript ? visit(side) : look_past(side);
                }
            }
        }
    }

    void visit_assignment(const operation& o, const Expr* expression, const FunctionDecl* function) {
        const std::string key = key_of(o.left);
        const auto* variable = dyn_cast<DeclRefExpr>(o.left->IgnoreParenImpCasts());
        const auto from = place_of(o.right);
        if (makes_it(o.right)) {
            if (!key.empty()) {
                begin(key, outlives(o.left));
            }
            return;
        }
        if (from && from->at == level::pointer && variable != nullptr && key != holder_) {
            visit_parts(o.right);
            bind(*variable->getDecl(), *from);
            return;
        }
        function != nullptr ? pass(o.right, *function, isa<CXXMethodDecl>(function) ? 0 : 1) : visit(o.right);
        const auto to = place_of(o.left);
        if (to && to->at == level::lvalue) {
            visit_parts(o.left);
            const std::int64_t width = width_of(o.left);
            if (width != 0) {
                write({to->start, width, expression});
            }
        } else if (to && variable != nullptr && now_.aliases.erase(variable->getDecl()) != 0) {
            return; // it points elsewhere now
        } else if (to || contains_holder(key)) {
            drop(expression);
        } else {
            if (key.empty()) {
                visit_children(o.left);
            }
            is_number(o.left) ? set(key, value(o.right)) : forget(key);
        }
    }

    void modify(const operation& o) {
        if (o.right != nullptr) {
            visit(o.right);
        }
        const bound by = o.right != nullptr ? value(o.right) : bound{1};
        const bool is_down = o.what == OO_MinusEqual || o.what == OO_MinusMinus;
        const bool is_sum = is_down || o.what == OO_PlusEqual || o.what == OO_PlusPlus;
        const auto what = place_of(o.left);
        const std::string key = key_of(o.left);
        if (what && what->at == level::pointer && is_sum) {
            set(key, fresh());
        } else if (what) {
            visit_parts(o.left);
            read_value(*what, o.left);
        } else {
            if (key.empty()) {
                visit(o.left);
            }
            set(key, is_sum ? now_.value_of(key) + (is_down ? by * -1 : by) : fresh());
        }
    }

    // --- Calls ---------------------------------------------------------------------------------------------------

    void visit_call(const CallExpr& call) {
        const FunctionDecl* function = call.getDirectCallee();
        const auto* method = dyn_cast<CXXMemberCallExpr>(&call);
        const bool is_object = isa<CXXOperatorCallExpr>(call); // the first argument is the function object
        if (const LambdaExpr* lambda = is_object ? lambda_of(call.getArg(0)) : nullptr) {
            look_inside(*lambda->getCallOperator(), call, 1);
        } else if (function == nullptr) {
            for (const Expr* argument : call.arguments()) {
                const auto what = place_of(argument);
                what ? give_away(*what, argument, true) : visit(argument);
            }
            visit(call.getCallee());
        } else if (fills(call, *function) || runs_for_each(call, *function)) {
            return;
        } else if (method != nullptr) {
            visit_method(*method, *method->getMethodDecl());
        } else if (is_object || !is_in_this_file(call, *function) || !look_inside(*function, call, 0)) {
            for (unsigned i = is_object ? 1 : 0; i < call.getNumArgs(); ++i) {
                pass(call.getArg(i), *function, is_object ? i - 1 : i);
            }
        }
        now_.is_reachable = now_.is_reachable && (function == nullptr || !function->isNoReturn());
    }

    const LambdaExpr* lambda_of(const Expr* expression) const {
        const Expr* plain = expression->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
        const auto* reference = dyn_cast<DeclRefExpr>(plain);
        const auto found = reference != nullptr ? lambdas_.find(reference->getDecl()) : lambdas_.end();
        return found != lambdas_.end() ? found->second : dyn_cast<LambdaExpr>(plain);
    }

    /// An argument of a function that the check does not look into.
    void pass(const Expr* argument, const FunctionDecl& function, unsigned index) {
        const auto what = place_of(argument);
        const bool is_known = index < function.getNumParams();
        const QualType type = is_known ? function.getParamDecl(index)->getType() : argument->getType();
        const bool is_std = outermost_namespace(function) == "std";
        const bool reads = !is_known || only_reads(type) || named(&function, {"strcat", "strncat"});
        if (!what) {
            const std::string key = key_of(argument);
            if (contains_holder(key) && reads) {
                read({}, total(), argument);
            } else {
                visit(argument);
            }
            if (is_known && is_changed(function, index)) {
                forget(key);
            }
            return;
        }
        visit_parts(argument);
        const bool is_copy =
            isa<CXXConstructorDecl>(function) && cast<CXXConstructorDecl>(function).isCopyConstructor();
        const bool is_element = what->at == level::lvalue && !argument->getType()->isArrayType();
        if (!reads && !(is_std && what->at != level::holder)) {
            give_away(*what, argument, true);
        } else if (is_copy || (is_element && (!is_class_ || what->member != nullptr))) {
            read_value(*what, argument);
        } else {
            view(*what, argument);
        }
    }

    /// A function of the object or of a part of it.
    void pass_object(const place& what, const CXXMethodDecl& method, const Expr* where) {
        method.isConst() ? view(what, where) : give_away(what, where, false);
    }

    void visit_method(const CXXMemberCallExpr& call, const CXXMethodDecl& method) {
        const Expr* object = call.getImplicitObjectArgument();
        const auto what = place_of(object);
        const std::string key = key_of(object);
        if (!what && key == "this" && contains_holder(key) && is_in_this_file(call, method) &&
            look_inside(method, call, 0)) {
            return;
        }
        for (unsigned i = 0; i < call.getNumArgs(); ++i) {
            pass(call.getArg(i), method, i);
        }
        const bool has_length = call.getNumArgs() != 0 && is_number(call.getArg(0));
        const bool is_resize = named(&method, {"resize", "assign"}) && has_length;
        if (!what) {
            contains_holder(key) ? pass_object({}, method, &call) : key.empty() ? visit(object) : void();
            if (is_resize) {
                set(key + ".size", value(call.getArg(0)));
            } else if (changes_size(call) && key != "this") {
                forget(key);
            }
            return;
        }
        visit_parts(object);
        const bool is_container =
            what->at != level::lvalue || is_std_array(object->getType()->getAsCXXRecordDecl());
        if (!is_container) {
            pass_object(*what, method, &call);
        } else if (named(&method, {"fill"})) {
            write({what->start, static_cast<std::int64_t>(sizes_.size_of(object->getType())), &call});
        } else if (named(&method, {"assign", "clear", "reset"})) {
            drop(&call);
        } else if (is_resize) {
            set(holder_ + ".size", value(call.getArg(0)));
        } else if (named(&method, {"push_back", "emplace_back", "append", "insert", "pop_back", "erase"})) {
            read(*what, total(), &call);
            set(holder_ + ".size", fresh());
        } else if (!named(&method,
                          {"size", "length", "empty", "capacity", "max_size", "end", "cend", "reserve",
                           "shrink_to_fit", "get_allocator", "use_count", "get_deleter", "release", "get"}) &&
                   !isa<CXXConversionDecl>(method)) {
            pass_object(*what, method, &call);
        }
    }

    /// Whether a call passes the object, or an object that contains it, to a function that is defined in the same file.
    bool is_in_this_file(const CallExpr& call, const FunctionDecl& function) {
        const FunctionDecl* definition = nullptr;
        const auto* method = dyn_cast<CXXMemberCallExpr>(&call);
        const bool is_given = std::any_of(call.arg_begin(), call.arg_end(), [&](const Expr* argument) {
            return place_of(argument).has_value();
        });
        return now_.is_alive && depth_ < most_calls && (is_given || method != nullptr) &&
               function.hasBody(definition) && definition != &function_ &&
               (method == nullptr || !method->getMethodDecl()->isVirtual()) &&
               context_.getSourceManager().isWrittenInSameFile(definition->getLocation(),
                                                               function_.getLocation());
    }

    /// Goes on in the body of a function that is called.
    bool look_inside(const FunctionDecl& function, const CallExpr& call, unsigned first) {
        const FunctionDecl* definition = &function;
        if (!function.hasBody(definition) || definition->getNumParams() != call.getNumArgs() - first) {
            return false;
        }
        for (unsigned i = first; i < call.getNumArgs(); ++i) {
            const ParmVarDecl& parameter = *definition->getParamDecl(i - first);
            const Expr* argument = call.getArg(i);
            references_.erase(&parameter);
            if (!bind(parameter, argument)) {
                pass(argument, *definition, i - first);
                if (is_number(argument)) {
                    set(key_of(parameter), value(argument));
                }
            }
        }
        run_body(definition->getBody());
        return true;
    }

    /// A function of the C or C++ library that writes a length which it is told.
    bool fills(const CallExpr& call, const FunctionDecl& function) {
        const auto* method = dyn_cast<CXXMethodDecl>(&function);
        const bool is_object = isa<CXXOperatorCallExpr>(call); // `std::ranges::copy` is a function object
        const std::string space = outermost_namespace(function);
        std::string name = function.getDeclName().isIdentifier() ? function.getName().str() : std::string();
        if (is_object && method != nullptr && space == "std") {
            StringRef type = method->getParent()->getName();
            name = type.consume_front("__") && type.consume_back("_fn") ? type.str() : name;
        }
        const bool is_stream =
            method != nullptr && !is_object && named(method, {"read", "sgetn"}) && call.getNumArgs() == 2;
        const auto* known = std::find_if(std::begin(filling_functions), std::end(filling_functions),
                                         [&](const filling_function& one) { return name == one.name; });
        if (!is_stream && (known == std::end(filling_functions) || (!space.empty() && space != "std") ||
                           (method != nullptr && !is_object))) {
            return false;
        }
        filling_function how = is_stream ? filling_function{"read", 0, 1, amount::elements} : *known;
        const unsigned first = is_object ? 1 : 0;
        if (is_object && call.getNumArgs() > 1 &&
            contiguous_container(call.getArg(1)->getType()) != nullptr) {
            how = {how.name, how.in == amount::range ? 1U : 0U, 0, amount::whole};
        }
        how.to += first;
        how.how_far += first;
        const auto to =
            call.getNumArgs() > std::max(how.to, how.how_far) ? place_of(call.getArg(how.to)) : std::nullopt;
        if (!to || !is_long_enough(call, how)) {
            return false;
        }
        const std::optional<bound> width = width_written(call, how, *to);
        for (unsigned i = first; i < call.getNumArgs(); ++i) {
            const bool is_own = i == how.to || (how.in == amount::end && i == how.how_far);
            is_own ? visit_parts(call.getArg(i)) : pass(call.getArg(i), function, i - first);
        }
        const bool was_whole = now_.is_whole;
        width ? write({to->start, *width, &call}) : give_away(*to, &call, true);
        const Expr* filled = name == "memset" ? call.getArg(1) : call.getArg(call.getNumArgs() - 1);
        const bool is_zero_fill =
            (name == "memset" || name == "fill" || name == "fill_n") && constant(filled, context_) == 0;
        fate_.repeats_zeros = fate_.repeats_zeros || (is_zero_fill && !was_whole && now_.is_whole);
        return true;
    }

    static bool is_long_enough(const CallExpr& call, const filling_function& how) {
        return how.in != amount::range || call.getNumArgs() > how.how_far + 2;
    }

    std::optional<bound> width_written(const CallExpr& call, const filling_function& how, const place& to) {
        const Expr* how_far = call.getArg(how.how_far);
        const std::int64_t each = unit_of(call.getArg(how.to)->IgnoreParenImpCasts()->getType());
        switch (how.in) {
        case amount::bytes:
            return value(how_far);
        case amount::elements:
            return value(how_far) * each;
        case amount::items:
            return value(how_far) * value(call.getArg(how.how_far - 1));
        case amount::end: {
            const auto end = place_of(how_far);
            return end ? std::optional{end->start - to.start} : std::nullopt;
        }
        case amount::range:
            return (position(call.getArg(how.how_far + 1)) - position(how_far)) * each;
        case amount::whole:
            break;
        }
        const std::string key = key_of(how_far);
        return place_of(how_far) ? rest_of(to) : key.empty() ? fresh() : now_.value_of(key + ".size") * each_;
    }

    /// Where a pointer or an iterator into something else points to, in elements.
    bound position(const Expr* pointer) {
        const Expr* plain = pointer->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
        const operation o = operation_of(plain);
        if (o.what == OO_Plus && o.right != nullptr) {
            return is_number(o.right) ? position(o.left) + value(o.right) : position(o.right) + value(o.left);
        }
        if (o.what == OO_Amp && o.right == nullptr) {
            const operation inner = operation_of(o.left->IgnoreParenImpCasts());
            return inner.what == OO_Subscript ? position(inner.left) + value(inner.right) : fresh();
        }
        const auto* call = dyn_cast<CXXMemberCallExpr>(plain);
        const std::string key = key_of(call != nullptr ? call->getImplicitObjectArgument() : plain);
        const bool is_end = call != nullptr && named(call->getMethodDecl(), {"end", "cend", "rend"});
        const bool is_begin =
            call == nullptr || named(call->getMethodDecl(), {"begin", "cbegin", "rbegin", "data"});
        if (key.empty() || (!is_end && !is_begin)) {
            return fresh();
        }
        const bound start = call != nullptr ? bound::of(key + ".begin") : now_.value_of(key);
        return is_end ? start + now_.value_of(key + ".size") : start;
    }

    /// `std::for_each(v.begin(), v.end(), lambda)`, and of a range.
    bool runs_for_each(const CallExpr& call, const FunctionDecl& function) {
        const bool is_object = isa<CXXOperatorCallExpr>(call);
        const bool is_meant =
            named(&function, {"for_each"}) ||
            (is_object && named(cast<CXXMethodDecl>(function).getParent(), {"__for_each_fn"}));
        const LambdaExpr* lambda =
            is_meant && call.getNumArgs() >= 2 ? lambda_of(call.getArg(call.getNumArgs() - 1)) : nullptr;
        const auto first = lambda != nullptr ? place_of(call.getArg(is_object ? 1 : 0)) : std::nullopt;
        if (!first || lambda->getCallOperator()->getNumParams() != 1) {
            return false;
        }
        const auto last = first->at == level::holder ? place{level::pointer, total()}
                                                     : place_of(call.getArg(is_object ? 2 : 1));
        const ParmVarDecl& parameter = *lambda->getCallOperator()->getParamDecl(0);
        loop_parts all{&call, nullptr, lambda->getBody()};
        all.turns = last ? (last->start - first->start).divided_by(each_).value_or(fresh()) : fresh();
        all.on_turn = [&](const bound& counter) {
            pass_element(parameter, {level::lvalue, first->start + counter * each_}, &call);
        };
        exits_.returns.emplace_back();
        repeat(all);
        exits_.returns.pop_back();
        return true;
    }

    const FunctionDecl& function_;
};

} // namespace

object_fate follow(const FunctionDecl& function, const creation& made,
                   const std::vector<filled_member>& members, const fill_size& sizes, ASTContext& context) {
    return walk(function, made, members, sizes, context).run_all();
}

} // namespace clang::tidy::linn
