// Jest's global set-up: tests that start the service as a process of its own run the compiled program.
const { execFileSync } = require('node:child_process');
const { join } = require('node:path');

module.exports = () => {
  const root = join(__dirname, '..', '..');
  execFileSync(process.execPath, [require.resolve('typescript/bin/tsc'), '-b', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  require('../../scripts/prune-build.cjs');
};
