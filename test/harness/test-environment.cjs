// Jest's `testEnvironment` for test-runner.cjs: tests run in this process's own context, as the program does.
const { ModuleMocker } = require('jest-mock');

module.exports = class {
  global = {};
  // Jest's runtime demands one of each environment; the tests have another.
  moduleMocker = new ModuleMocker(globalThis);
  setup() {}
  teardown() {}
  exportConditions() {
    return ['node', 'node-addons'];
  }
  getVmContext() {
    return null;
  }
};
