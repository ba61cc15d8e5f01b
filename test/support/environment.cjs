// The environment of every test file: Node's, with modules that are compiled once in each of Jest's processes. Jest
// loads all modules anew for every test file, and compiles them by `vm.compileFunction`, for which V8 looks nothing up;
// of scripts it knows the code of those that it has compiled before, functions that were called included.
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

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

module.exports = TestEnvironment;
