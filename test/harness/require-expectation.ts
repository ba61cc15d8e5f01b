// Jest runs this before each test file: a test that expects nothing could fail by its time-out alone.
beforeEach(() => {
  expect.hasAssertions();
});
