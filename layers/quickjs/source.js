// From a program's text to a function, and from an error's stack to a place in that text. One function expression,
// evaluated and called before any program; it captures what it uses, as values.js does.
(values) => {
  'use strict';
  const { isInternal, isStackOverflow } = values;
  const { apply, getPrototypeOf } = Reflect;
  const { freeze } = Object;
  const { isArray } = Array;
  const stringSlice = String.prototype.slice;
  const regExpExec = RegExp.prototype.exec;
  const functionText = Function.prototype.toString;
  const generator = getPrototypeOf(function* () {});
  const asyncGenerator = getPrototypeOf(async function* () {});
  const CLASS = /^class\b/;
  const evaluate = eval;

  // A call's frame has its place in brackets; a place without is where a text could not be parsed.
  const CALL_FRAME = /\(<input>:(\d{1,9}):(\d{1,9})\)/;
  const STACK_CHARS = 16384;
  const PARSED_AT = /<input>:(\d{1,9}):(\d{1,9})/;
  // The innermost frame above line `below`, in the program's own coordinates.
  const position = (stack, FRAME, below) => {
    let rest = typeof stack === 'string' ? apply(stringSlice, stack, [0, STACK_CHARS]) : '';
    for (let found; (found = apply(regExpExec, FRAME, [rest])); rest = apply(stringSlice, rest, [found.index + found[0].length])) {
      const line = +found[1] - 1;
      if (line < below) return { __proto__: null, line: line < 1 ? 1 : line, column: +found[2] };
    }
    return { __proto__: null, line: 0, column: 0 };
  };
  // The program starts on the second line: on the first, the engine's columns are one short. `opener` and `closer` go
  // around it in a second wrapper that is parsed only: a text that closes one wrapper to go on outside breaks the other.
  const compile = (before, source, after, opener, closer) => {
    try {
      if (opener) evaluate('if(0)' + opener + '\n' + source + closer);
      return { __proto__: null, thunk: evaluate(before + '\n' + source + after) };
    } catch (error) {
      if (isInternal(error) || isStackOverflow(error)) throw error;
      return { __proto__: null, error, at: position(error.stack, PARSED_AT, Infinity) };
    }
  };
  const further = (a, b) => (b.at.line > a.at.line || (b.at.line === a.at.line && b.at.column > a.at.column) ? b : a);
  const refused = { __proto__: null, error: { __proto__: null, message: '' }, at: { __proto__: null, line: 0, column: 0 } };
  // P1: an expression, an awaited expression, a script whose last value counts, or a body with `return`.
  // `{ thunk }`, or `{ error, at }` of the reading that got furthest.
  const parsed = (source) => {
    let end = source.length;
    while (end && apply(regExpExec, /[\s;]/, [source[end - 1]])) end--;
    const bare = apply(stringSlice, source, [0, end]);
    // Outside an async function `await (…)` would be a call of something named await.
    const awaits = apply(regExpExec, /^\s*await\b/, [bare]);
    const expression = awaits ? refused : compile('(()=>(', bare, '\n))', '[', '\n]');
    if (!expression.error) return expression;
    const awaited = compile('(async()=>(', bare, '\n))', '(async()=>[', '\n])');
    if (!awaited.error) return awaited;
    const body = compile('(async()=>{', source, '\n})', '{async function a(){', '\n}}');
    if (body.error) return further(further(expression, awaited), body);
    // Parsed but not run: only a script without `return` and `await` at its top has a last value.
    return compile('if(0){', source, '\n}').error ? body : { __proto__: null, thunk: () => evaluate('\n' + source) };
  };
  const notAsync = (value) => {
    if (typeof value !== 'function') return value === null ? 'null' : isArray(value) ? 'an array' : 'of type ' + typeof value;
    const kind = getPrototypeOf(value);
    if (kind === generator || kind === asyncGenerator) return 'a generator';
    return apply(regExpExec, CLASS, [apply(functionText, value, [])]) ? 'a class' : '';
  };
  const notAFunction = (what) => {
    const message = 'The program is ' + what + ' and not an async function';
    return { __proto__: null, error: { __proto__: null, message }, at: { __proto__: null, line: 1, column: 1 } };
  };
  // The place a thrown error's stack names in the program; the harness lies below line `lines`.
  const thrownAt = (stack, lines) => position(stack, CALL_FRAME, lines);

  return freeze({ __proto__: null, parsed, thrownAt, notAsync, notAFunction });
}
