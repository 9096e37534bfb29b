// Evaluated before any program, as one function expression that the child calls with its configuration.
// It installs `connecta`, `console` and the shortcut globals, and returns the harness that only the child holds.
// Programs may replace every intrinsic, so all that is used after one has started is captured here, and state is
// kept in objects without a prototype. Nothing here is a bound: the parent enforces each of them again.
(configuration) => {
  'use strict';
  const { operations, awaited, shortcuts, bridgeBytes, logChars, lines } = configuration;
  const { apply, getPrototypeOf } = Reflect;
  const { create, freeze, defineProperty, setPrototypeOf, keys } = Object;
  const { parse, stringify } = JSON;
  const { isArray } = Array;
  const NativePromise = Promise;
  const NativeError = Error;
  const NativeTypeError = TypeError;
  const NativeProxy = Proxy;
  const NativeString = String;
  const internalError = InternalError.prototype;
  const rangeError = RangeError.prototype;
  const arrayJoin = Array.prototype.join;
  const stringSlice = String.prototype.slice;
  const wellFormed = String.prototype.toWellFormed;
  const regExpExec = RegExp.prototype.exec;
  const weakGet = WeakMap.prototype.get;
  const weakSet = WeakMap.prototype.set;
  const symbolText = Symbol.prototype.toString;
  const functionText = Function.prototype.toString;
  const generator = getPrototypeOf(function* () {});
  const asyncGenerator = getPrototypeOf(async function* () {});
  const CLASS = /^class\b/;
  const evaluate = eval;

  const hidden = (object, name, value, enumerable = false) =>
    defineProperty(object, name, { __proto__: null, value, enumerable });
  const cut = (text, chars) => (text.length > chars ? apply(stringSlice, text, [0, chars]) + '…' : text);
  // Concatenation makes ropes, which the binding cannot take across; what join returns is flat.
  const flat = (...parts) => apply(arrayJoin, parts, ['']);
  const textOf = (value) => {
    try {
      if (typeof value === 'symbol') return apply(symbolText, value, []);
      if (typeof value === 'bigint') return NativeString(value) + 'n';
      return apply(wellFormed, NativeString(value), []);
    } catch {
      return '[a value that cannot be shown]';
    }
  };

  // An object of strings and numbers as JSON. Whole objects are not to be had from stringify once a setter has been
  // planted on Array.prototype: it keeps what it has seen in an array.
  const record = (...pairs) => {
    let json = '';
    for (let i = 0; i < pairs.length; i += 2) json += (i ? ',' : '') + stringify(pairs[i]) + ':' + stringify(pairs[i + 1]);
    return flat('{', json, '}');
  };

  // ---- what waits to be sent
  const TAKEN_CHARS = 65536;
  const queue = create(null);
  let queueHead = 0;
  let queueTail = 0;
  const post = (message) => {
    queue[queueTail++] = message;
  };

  // ---- JSON crossing
  const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
  const member = (path, key) =>
    apply(regExpExec, IDENTIFIER, [key]) ? path + '.' + key : path + '[' + stringify(cut(key, 100)) + ']';
  // Walks as JSON.stringify does and says where the first value is that stopped it.
  const firstBad = (value, path, above) => {
    if (typeof value === 'bigint') return path + ' is a BigInt';
    if (typeof value !== 'object' || value === null) return '';
    for (let up = above; up; up = up.above) if (up.value === value) return path + ' refers back to an object it is in';
    if (typeof value.toJSON === 'function') return firstBad(value.toJSON(''), path, { __proto__: null, value, above });
    const here = { __proto__: null, value, above };
    const names = isArray(value) ? null : keys(value);
    const count = names ? names.length : value.length;
    for (let i = 0; i < count; i++) {
      const bad = names ? firstBad(value[names[i]], member(path, names[i]), here) : firstBad(value[i], path + '[' + i + ']', here);
      if (bad) return bad;
    }
    return '';
  };
  const whyNotJson = (value, path, error) => {
    try {
      const bad = firstBad(value, path, null);
      if (bad) return bad;
    } catch (thrown) {
      error = thrown;
    }
    if (isStackOverflow(error)) return path + ' is nested too deeply';
    return path + ' could not be written as JSON: ' + describe(error).message;
  };

  // ---- host calls
  const waiting = create(null);
  const hostErrors = new WeakMap();
  let nextCall = 1;
  // Far over the bound only the size is sent and the names the arguments begin with, so that the parent refuses this
  // one call by its address.
  const tooLong = (json, args) => {
    const names = setPrototypeOf([], null);
    while (names.length < args.length && typeof args[names.length] === 'string') {
      names[names.length] = cut(args[names.length], 600);
    }
    return flat(json.length, stringify(names));
  };
  const ask = (operation, name, args) => {
    let json;
    // Without a prototype, an array's toJSON cannot have been planted on Array.prototype.
    try {
      json = stringify(setPrototypeOf(args, null));
    } catch (error) {
      if (isInternal(error)) throw error;
      throw new NativeTypeError('The arguments of ' + name + ' have to be JSON: ' + whyNotJson(args, 'arguments', error) + '.');
    }
    return new NativePromise((resolve, reject) => {
      const call = nextCall++;
      waiting[call] = { __proto__: null, resolve, reject };
      post(flat(call, '\n', operation, '\n', json.length > bridgeBytes ? tooLong(json, args) : json));
    });
  };
  const withoutTrailing = (args) => {
    while (args.length && args[args.length - 1] === undefined) args.length--;
    return args;
  };
  const functions = create(null);
  // What the program has asked of `awaited` operations: its end waits for the answers it did not wait for itself.
  const outputs = create(null);
  let outputCount = 0;
  for (const operation of operations) {
    const isAwaited = awaited.includes(operation);
    functions[operation] = freeze((...args) => {
      const answer = ask(operation, 'connecta.' + operation, withoutTrailing(args));
      if (isAwaited) outputs[outputCount++] = { __proto__: null, call: nextCall - 1, answer };
      return answer;
    });
  }
  freeze(functions);
  const members = apply(arrayJoin, operations, [', ']);
  const notMember = (name) =>
    freeze(() => {
      throw new NativeTypeError('connecta.' + cut(textOf(name), 200) + ' does not exist. The members of connecta are: ' + members + '.');
    });
  // Reading these is no call: await, String() and JSON.stringify look them up on anything they are given.
  const silent = { __proto__: null, then: 1, toJSON: 1, toString: 1, valueOf: 1 };
  const connecta = new NativeProxy(functions, freeze({
    __proto__: null,
    get: (target, name) => (typeof name === 'symbol' || name in target || name in silent ? target[name] : notMember(name)),
  }));
  const shortcut = (name, connector) => new NativeProxy(freeze(create(null)), freeze({
    __proto__: null,
    get: (_, tool) => {
      if (typeof tool === 'symbol' || tool in silent) return undefined;
      return freeze((...args) => {
        const sent = [connector, tool];
        withoutTrailing(args);
        for (let i = 0; i < args.length; i++) hidden(sent, i + 2, args[i], true);
        return ask('shortcut', name + '.' + tool, sent);
      });
    },
  }));

  // ---- console
  const send = globalThis.log;
  delete globalThis.log;
  // The bound is in characters, of which one may be two units here; the parent cuts, and marks the cut.
  const logUnits = 2 * logChars + 2;
  let logged = 0;
  const shown = (value) => {
    if (typeof value !== 'object' || value === null) return textOf(value);
    try {
      if (value instanceof NativeError) return textOf(value.name) + ': ' + textOf(value.message);
      const json = stringify(value);
      if (typeof json === 'string') return json;
    } catch {
      // An object JSON cannot hold is still worth a line.
    }
    return textOf(value);
  };
  const log = freeze((...values) => {
    if (logged > logUnits) return;
    let line = '';
    for (let i = 0; i < values.length; i++) line += (i ? ' ' : '') + shown(values[i]);
    if (line.length > logUnits) line = apply(stringSlice, line, [0, logUnits]);
    logged += line.length + 1;
    send(stringify(line));
  });

  // ---- globals
  delete globalThis.performance;
  // What it makes is written by JSON.stringify unread, and need not be JSON.
  delete JSON.rawJSON;
  delete JSON.isRawJSON;
  // Whoever could make one of these could pretend that memory has run out.
  delete globalThis.InternalError;
  delete internalError.constructor;
  // A stack formatter is handed call sites, and through them the harness's own functions.
  hidden(NativeError, 'prepareStackTrace', undefined);
  hidden(globalThis, 'connecta', connecta, true);
  hidden(globalThis, 'console', freeze({ __proto__: null, log, info: log, warn: log, error: log, debug: log }));
  for (const name of keys(shortcuts)) hidden(globalThis, name, shortcut(name, shortcuts[name]), true);
  // The engine ends a run on a throwing job without saying whose it was.
  const later = async (callback) => {
    await undefined;
    try {
      callback();
    } catch (error) {
      settleAs(2, error);
    }
  };
  globalThis.queueMicrotask = (callback) => {
    if (typeof callback !== 'function') throw new NativeTypeError('queueMicrotask takes a function');
    later(callback);
  };

  // ---- the program
  const RUNNING = 0;
  const SYNTAX = 3;
  let state = RUNNING;
  let value;
  const settleAs = (ending, result) => {
    if (state !== RUNNING) return;
    state = ending;
    value = result;
  };

  const isInternal = (error) => {
    try {
      return error === null || (typeof error === 'object' && getPrototypeOf(error) === internalError);
    } catch {
      return false;
    }
  };
  const isStackOverflow = (error) => {
    try {
      return typeof error === 'object' && error !== null && getPrototypeOf(error) === rangeError
        && error.message === 'Maximum call stack size exceeded';
    } catch {
      return false;
    }
  };

  // A call's frame has its place in brackets; a place without is where a text could not be parsed.
  const CALL_FRAME = /\(<input>:(\d{1,9}):(\d{1,9})\)/;
  const STACK_CHARS = 16384;
  const PARSED_AT = /<input>:(\d{1,9}):(\d{1,9})/;
  // The innermost frame above line `below`, in the program's own coordinates. This prelude lies from `lines` on.
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
  // P1: an expression, an awaited expression, a script whose last value counts, or a body with `return`.
  const thunkOf = (source) => {
    let end = source.length;
    while (end && apply(regExpExec, /[\s;]/, [source[end - 1]])) end--;
    const bare = apply(stringSlice, source, [0, end]);
    const expression = compile('(()=>(', bare, '\n))', '[', '\n]');
    if (!expression.error) return expression.thunk;
    const awaited = compile('(async()=>(', bare, '\n))', '(async()=>[', '\n])');
    if (!awaited.error) return awaited.thunk;
    const body = compile('(async()=>{', source, '\n})', '{async function a(){', '\n}}');
    if (body.error) {
      settleAs(SYNTAX, further(further(expression, awaited), body));
      return null;
    }
    // Parsed but not run: only a script without `return` and `await` at its top has a last value.
    return compile('if(0){', source, '\n}').error ? body.thunk : () => evaluate('\n' + source);
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
  // Awaiting a promise whose constructor is its own asks nothing of Promise.prototype, which the program may have changed.
  const settled = async (first) => {
    try {
      hidden(first, 'constructor', NativePromise);
    } catch {
      // What takes no property is no promise of an async function.
    }
    try {
      const result = await first;
      for (let i = 0; i < outputCount; i++) {
        if (!waiting[outputs[i].call]) continue;
        try {
          await outputs[i].answer;
        } catch (error) {
          log('An output that was not awaited was refused: ' + describe(error).message);
        }
      }
      settleAs(1, result);
    } catch (error) {
      settleAs(2, error);
    }
  };
  const begin = (thunk) => {
    let first = thunk();
    const isPromise = typeof first === 'object' && first !== null && typeof first.then === 'function';
    const what = isPromise ? '' : notAsync(first);
    if (what) {
      settleAs(SYNTAX, notAFunction(what));
      return;
    }
    if (!isPromise) first = apply(first, undefined, []);
    settled(first);
  };

  // The number of the host failure that is, caused, or is gathered in what the program threw; 0 for none (E6).
  const hostFailure = (thrown) => {
    const look = { __proto__: null, 0: thrown };
    for (let at = 0, end = 1; at < end && at < 64; at++) {
      const error = look[at];
      if (typeof error !== 'object' || error === null) continue;
      const call = apply(weakGet, hostErrors, [error]);
      if (call) return call;
      try {
        if (error.cause) look[end++] = error.cause;
        if (isArray(error.errors)) for (let i = 0; i < error.errors.length && i < 32; i++) look[end++] = error.errors[i];
      } catch {
        // A getter that throws hides its own cause only.
      }
    }
    return 0;
  };
  const describe = (error) => {
    let name = '';
    let message = '';
    let stack = '';
    try {
      if (typeof error === 'object' && error !== null && typeof error.message === 'string') {
        name = typeof error.name === 'string' ? error.name : '';
        message = error.message;
        stack = error.stack;
      } else message = shown(error);
    } catch (thrown) {
      if (isInternal(thrown)) throw thrown;
      message = '[an error that cannot be shown]';
    }
    return { __proto__: null, name: cut(textOf(name), 100), message: cut(textOf(message), 4000), stack };
  };

  return freeze({
    __proto__: null,
    // What is queued, joined by a record separator, which no JSON holds: as many as fit a small string, or one that does not.
    take: () => {
      const messages = setPrototypeOf([], null);
      for (let count = 0, chars = 0; queueHead !== queueTail && chars < TAKEN_CHARS; chars += messages[count++].length) {
        messages[count] = queue[queueHead];
        delete queue[queueHead++];
      }
      return apply(arrayJoin, messages, ['\x1e']);
    },
    settle: (call, ok, json) => {
      const promise = waiting[call];
      if (!promise) return;
      delete waiting[call];
      const answer = parse(json);
      if (ok) {
        promise.resolve(answer);
        return;
      }
      const error = new NativeError(answer.message);
      hidden(error, 'code', answer.code, true);
      hidden(error, 'retryable', answer.retryable, true);
      hidden(error, 'details', answer, true);
      apply(weakSet, hostErrors, [error, call]);
      promise.reject(error);
    },
    start: (json) => {
      const source = parse(json);
      try {
        const thunk = thunkOf(source);
        if (thunk) begin(thunk);
      } catch (error) {
        settleAs(2, error);
      }
    },
    state: () => state,
    syntax: () => record('message', textOf(value.error.message), 'line', value.at.line, 'column', value.at.column),
    // '=' and the JSON, or '!' and a report of why there is none.
    result: () => {
      if (value === undefined) return '=null';
      let message = '';
      if (typeof value === 'function' || typeof value === 'symbol') message = 'result is a ' + typeof value;
      else {
        try {
          return flat('=', stringify(value) ?? 'null');
        } catch (error) {
          if (isInternal(error)) throw error;
          message = whyNotJson(value, 'result', error);
        }
      }
      return flat('!', record('message', message));
    },
    // A letter for what the engine's own error says (M memory, S stack, N a thrown null, else E), then the report.
    report: () => {
      const { name, message, stack } = describe(value);
      const { line, column } = position(stack, CALL_FRAME, lines);
      let letter = value === null ? 'N' : 'E';
      if (isStackOverflow(value)) letter = 'S';
      else if (isInternal(value) && message === 'out of memory') letter = 'M';
      const call = hostFailure(value);
      return flat(letter, record('name', name, 'message', message, 'line', line, 'column', column, 'call', call));
    },
  });
}
