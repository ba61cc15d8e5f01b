it('names the test in which something would end the process', () => {
  expect(() => process.exit(3)).toThrow('would end the process with 3');
});
