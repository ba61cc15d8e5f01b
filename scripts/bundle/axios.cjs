// In the bundle instead of axios, with which node-soap fetches descriptions: the service gives it texts alone.
exports.default = () => {
  throw new Error('The service fetches no descriptions.');
};
