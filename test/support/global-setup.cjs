// Jest's global set-up. The database starts while the program is compiled.
const build = require('./build-once.cjs');
const { startPostgres } = require('./postgres-cluster.cjs');

module.exports = async () => {
  const started = startPostgres();
  build();
  globalThis.stopTestPostgres = await started;
};
