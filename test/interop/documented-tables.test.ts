import { withTables } from './documented-tables';
import { minorOf } from './versions';

const DOCUMENT = 'Before.\n\n<!-- one: begin -->\n\nold\n\n<!-- one: end -->\n\nAfter.\n';

describe('the tables that a run puts into its document', () => {
  it('stand in the place of those that were there', () => {
    expect(withTables(DOCUMENT, { one: '| new |\n' })).toBe(DOCUMENT.replace('old', '| new |'));
  });

  it('are the same when they are put there again', () => {
    const once = withTables(DOCUMENT, { one: '| new |\n' });
    expect(withTables(once, { one: '| new |\n' })).toBe(once);
  });

  it('need a place', () => {
    expect(() => withTables(DOCUMENT, { two: '' })).toThrow('no place for the table two');
  });

  it.each([
    ['10.0.401\n', '10.0'],
    ['Mono JIT compiler version 6.8.0.105 (Debian 6.8.0.105)', '6.8'],
    ['wsimport version "2.3.0"', '2.3'],
  ])('show of the version %j only what patches do not change', (text, version) => {
    expect(minorOf(text)).toBe(version);
  });
});
