// Jest's global set-up. The database starts while the program is compiled.
const build = require('./build-once.cjs');
const { startPostgres } = require('../../scripts/harness/postgres-cluster.cjs');

module.exports = async () => {
  const started = startPostgres();
  try {
    build();
  } catch (error) {
    // Without this the server's folder would stay: Jest calls no teardown after a failed set-up.
    (await started)();
    throw error;
  }
  globalThis.stopTestPostgres = await started;
};
