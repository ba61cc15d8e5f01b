// Loaded before a program of the tests that is started from its source (`--require`): compiles each file as Jest does
// when it is loaded. A build of everything would take half a minute.
const { transformFileSync } = require('@swc/core');
const { _extensions } = require('node:module');

_extensions['.ts'] = (module, filename) => {
  const { code } = transformFileSync(filename, {
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
    swcrc: false,
  });
  module._compile(code, filename);
};
