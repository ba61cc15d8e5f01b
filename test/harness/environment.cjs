// The environment of every test file: Node's, with modules that are compiled once in each of Jest's processes. Jest
// loads all modules anew for every test file, and compiles them by `vm.compileFunction`, for which V8 looks nothing up;
// of scripts it knows the code of those that it has compiled before, functions that were called included.
const hooks = require('node:async_hooks');
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

const { AsyncLocalStorage } = hooks;
const { compileFunction } = vm;

vm.compileFunction = function (source, parameters, { filename, parsingContext, ...options }) {
  // Of a script, V8 could not tell Jest what it imports while it runs, and would not look it up if it could.
  if (parsingContext === undefined || source.includes('import(')) {
    return compileFunction(source, parameters, { filename, parsingContext, ...options });
  }
  const before = `(function (${parameters.join(', ')}) {`;
  try {
    return new vm.Script(`${before}${source}\n})`, { filename, columnOffset: -before.length }).runInContext(
      parsingContext,
    );
  } catch {
    return compileFunction(source, parameters, { filename, parsingContext, ...options }); // It explains the mistake.
  }
};

/** Later Nodes hand it on without such calls, and do not let it be replaced. */
const isReplaceable = Object.getOwnPropertyDescriptor(hooks, 'AsyncLocalStorage').writable === true;

/**
 * Where Jest keeps which test runs, to tell whose an error is that nobody caught. It takes an `AsyncLocalStorage`, for
 * which Node 20 calls functions at every promise that the tests make: an eighth of their time. No test of ours runs
 * beside another, so it is as good as a variable.
 */
class RunningTest {
  #store;

  getStore() {
    return this.#store;
  }

  async run(store, work) {
    const before = this.#store;
    this.#store = store;
    try {
      return await work();
    } finally {
      this.#store = before;
    }
  }
}

module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup();
    if (isReplaceable) hooks.AsyncLocalStorage = RunningTest; // The next to be loaded is what runs the tests.
  }

  handleTestEvent({ name }) {
    if (isReplaceable && name === 'setup') hooks.AsyncLocalStorage = AsyncLocalStorage;
  }
};
