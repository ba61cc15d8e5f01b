import { withTables } from './documented-tables';
import { minorOf } from './versions';

const DOCUMENT = 'Before.\n\n<!-- one: begin -->\n\nold\n\n<!-- one: end -->\n\nAfter.\n';

describe('the tables that a run writes into its document', () => {
  it('replace the previous ones', () => {
    expect(withTables(DOCUMENT, { one: '| new |\n' })).toBe(DOCUMENT.replace('old', '| new |'));
  });

  it('do not change when written twice', () => {
    const once = withTables(DOCUMENT, { one: '| new |\n' });
    expect(withTables(once, { one: '| new |\n' })).toBe(once);
  });

  it('need a marked place', () => {
    expect(() => withTables(DOCUMENT, { two: '' })).toThrow('no place for the table two');
  });

  it.each([
    ['10.0.401\n', '10.0'],
    ['Mono JIT compiler version 6.8.0.105 (Debian 6.8.0.105)', '6.8'],
    ['wsimport version "2.3.0"', '2.3'],
  ])('show of the version %j only what patch releases do not change', (text, version) => {
    expect(minorOf(text)).toBe(version);
  });
});
