import { FakeProvider } from '../../scripts/harness/delivery';

/** Gives the tests of the surrounding block a provider each. */
export function useProvider(): () => FakeProvider {
  let provider: FakeProvider | undefined;
  beforeEach(async () => {
    provider = await new FakeProvider().start();
  });
  afterEach(() => provider?.stop());
  return () => {
    if (provider === undefined) throw new Error('There is a provider only while a test runs');
    return provider;
  };
}
