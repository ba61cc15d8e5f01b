it('does not let a test end the process of the run', () => {
  expect(() => process.exit(3)).toThrow('would end the process with 3');
});
