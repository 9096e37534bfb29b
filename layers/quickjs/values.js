// What values are in text and in JSON. One function expression, evaluated and called before any program: whatever is used
// after one has started is captured here, for a program may replace every intrinsic.
() => {
  'use strict';
  const { apply, getPrototypeOf } = Reflect;
  const { freeze, keys } = Object;
  const { stringify } = JSON;
  const { isArray } = Array;
  const NativeError = Error;
  const NativeString = String;
  const internalError = InternalError.prototype;
  const rangeError = RangeError.prototype;
  const arrayJoin = Array.prototype.join;
  const stringSlice = String.prototype.slice;
  const stringIncludes = String.prototype.includes;
  const wellFormed = String.prototype.toWellFormed;
  const regExpExec = RegExp.prototype.exec;
  const weakGet = WeakMap.prototype.get;
  const symbolText = Symbol.prototype.toString;

  // ---- text
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

  // ---- errors
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

  // ---- JSON
  const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
  const member = (path, key) =>
    apply(regExpExec, IDENTIFIER, [key]) ? path + '.' + key : path + '[' + stringify(cut(key, 100)) + ']';
  // What JSON writes as an empty object, which says nothing of it.
  const lost = new WeakMap([
    [Promise.prototype, 'a Promise: await it, or await Promise.all(list)'],
    [Map.prototype, 'a Map: use Object.fromEntries(map)'],
    [Set.prototype, 'a Set: use [...set]'],
    [NativeError.prototype, 'an Error: use its message'],
  ]);
  const lostAs = (value) => {
    if (isArray(value) || keys(value).length) return '';
    for (let above = getPrototypeOf(value); above; above = getPrototypeOf(above)) {
      const what = apply(weakGet, lost, [above]);
      if (what) return what;
    }
    return '';
  };
  // Walks as JSON.stringify does and says where the first value is that stopped it, or that it said nothing of.
  let stepsLeft = 0;
  const firstBad = (value, path, above) => {
    if (stepsLeft-- <= 0) return '';
    if (typeof value === 'bigint') return path + ' is a BigInt';
    if (typeof value !== 'object' || value === null) return '';
    for (let up = above; up; up = up.above) if (up.value === value) return path + ' refers back to an object it is in';
    const what = lostAs(value);
    if (what) return path + ' is ' + what;
    if (typeof value.toJSON === 'function') return firstBad(value.toJSON(''), path, { __proto__: null, value, above });
    const here = { __proto__: null, value, above };
    const names = isArray(value) ? null : keys(value);
    const count = names ? names.length : value.length;
    for (let i = 0; i < count && stepsLeft > 0; i++) {
      const bad = names ? firstBad(value[names[i]], member(path, names[i]), here) : firstBad(value[i], path + '[' + i + ']', here);
      if (bad) return bad;
    }
    return '';
  };
  const whyNotJson = (value, path, error) => {
    try {
      stepsLeft = Infinity;
      const bad = firstBad(value, path, null);
      if (bad) return bad;
    } catch (thrown) {
      error = thrown;
    }
    if (isStackOverflow(error)) return path + ' is nested too deeply';
    return path + ' could not be written as JSON: ' + describe(error).message;
  };

  // Whether JSON says less of `value` than a program would think, and where: a courtesy, for which nobody is to pay much.
  const LOST_CHARS = 65536;
  const LOST_STEPS = 10000;
  const losesSomething = (json, value, path) => {
    if (json.length > LOST_CHARS || !apply(stringIncludes, json, ['{}'])) return '';
    stepsLeft = LOST_STEPS;
    return firstBad(value, path, null);
  };

  return freeze({
    __proto__: null, cut, flat, textOf, record, shown, isInternal, isStackOverflow, describe, whyNotJson, losesSomething,
  });
}
