module.exports = () => {
  globalThis.stopTestPostgres();
};
