// Jest's `testRunner`: see run-test-file.ts, which is compiled as it is loaded.
require('./run-typescript.cjs');
module.exports = require('./run-test-file.ts').runTestFile;
