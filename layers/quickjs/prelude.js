// Evaluated before any program, as one function expression that the child calls with its configuration and with what
// values.js and source.js make.
// It installs `connecta`, `console` and the shortcut globals, and returns the harness that only the child holds.
// Programs may replace every intrinsic, so all that is used after one has started is captured here, and state is
// kept in objects without a prototype. Nothing here is a bound: the parent enforces each of them again.
(configuration, values, source) => {
  'use strict';
  const { operations, awaited, shortcuts, bridgeBytes, logChars, lines } = configuration;
  Object.setPrototypeOf(shortcuts, null);
  const { cut, flat, textOf, record, shown, isInternal, isStackOverflow, describe, whyNotJson, losesSomething } = values;
  const { parsed, thrownAt, notAsync, notAFunction } = source;
  const { apply } = Reflect;
  const { create, freeze, defineProperty, setPrototypeOf, keys } = Object;
  const { parse, stringify } = JSON;
  const { isArray } = Array;
  const NativePromise = Promise;
  const NativeError = Error;
  const NativeTypeError = TypeError;
  const NativeProxy = Proxy;
  const arrayJoin = Array.prototype.join;
  const stringSlice = String.prototype.slice;
  const weakGet = WeakMap.prototype.get;
  const weakSet = WeakMap.prototype.set;

  const hidden = (object, name, value, enumerable = false) =>
    defineProperty(object, name, { __proto__: null, value, enumerable });
  // ---- what waits to be sent
  const TAKEN_CHARS = 65536;
  const queue = create(null);
  let queueHead = 0;
  let queueTail = 0;
  const post = (message) => {
    queue[queueTail++] = message;
  };

  // ---- host calls
  const waiting = create(null);
  const hostErrors = new WeakMap();
  let nextCall = 1;
  // Far over the bound only the size is sent and the one or two names the arguments begin with, so that the parent
  // refuses this one call by its address.
  const tooLong = (json, args) => {
    const names = setPrototypeOf([], null);
    while (names.length < 2 && names.length < args.length && typeof args[names.length] === 'string') {
      names[names.length] = cut(args[names.length], 600);
    }
    return flat(json.length, stringify(names));
  };
  const ask = (operation, name, args) => {
    const given = operation === 'shortcut' ? args[2] : args;
    let json = '';
    let wrong = '';
    // Without a prototype, an array's toJSON cannot have been planted on Array.prototype.
    try {
      json = stringify(setPrototypeOf(args, null));
      wrong = losesSomething(json, given, 'arguments');
    } catch (error) {
      if (isInternal(error)) throw error;
      wrong = whyNotJson(given, 'arguments', error);
    }
    if (wrong) throw new NativeTypeError('The arguments of ' + name + ' have to be JSON: ' + wrong + '.');
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
      const shown = cut(textOf(name), 200);
      const own = name in shortcuts ? ' ' + shown + ' is a global of its own: ' + shown + '.tool(args).' : '';
      throw new NativeTypeError('connecta.' + shown + ' does not exist. The members of connecta are: ' + members + '.' + own);
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
  delete InternalError.prototype.constructor;
  delete globalThis.InternalError;
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
      const text = parse(json);
      try {
        const program = parsed(text);
        if (program.error) settleAs(SYNTAX, program);
        else begin(program.thunk);
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
          const json = stringify(value) ?? 'null';
          message = losesSomething(json, value, 'result');
          if (!message) return flat('=', json);
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
      const { line, column } = thrownAt(stack, lines);
      let letter = value === null ? 'N' : 'E';
      if (isStackOverflow(value)) letter = 'S';
      else if (isInternal(value) && message === 'out of memory') letter = 'M';
      const call = hostFailure(value);
      return flat(letter, record('name', name, 'message', message, 'line', line, 'column', column, 'call', call));
    },
  });
}
