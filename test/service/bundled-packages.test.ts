import { createRequire } from 'node:module';
import { join } from 'node:path';

import { ENDPOINT_NAMES, PACKAGE_ROOT, readDescription } from '../../scripts/harness';

/** Holds what node-soap uses of sax. */
interface Parser {
  onopentag: (node: { readonly name: string; readonly attributes: Readonly<Record<string, string>> }) => void;
  onclosetag: (name: string) => void;
  write(text: string): { close(): void };
}
interface Library {
  parser(strict: boolean, options: null): Parser;
}

// Jest's require() would compile them; the bundle has them as they are.
const load = createRequire(join(PACKAGE_ROOT, 'package.json'));

function events(library: Library, text: string): readonly unknown[] {
  const seen: unknown[] = [];
  const parser = library.parser(true, null);
  parser.onopentag = ({ name, attributes }) => seen.push(['opened', name, { ...attributes }]);
  parser.onclosetag = (name) => seen.push(['closed', name]);
  parser.write(text).close();
  return seen;
}

describe('what is in the bundle instead of packages of node-soap', () => {
  const own = load('./scripts/bundle/sax.cjs') as Library;
  const replaced = load('sax') as Library;

  it.each<readonly [name: string, text: string]>([
    ...ENDPOINT_NAMES.map((name) => [name, readDescription(name)] as const),
    [
      'a document',
      `<?xml version="1.0"?><a:b xmlns:a='u'  c="&lt;&#65;'x">text<!-- d --><e/>\n<f><![CDATA[<g>]]></f></a:b>`,
    ],
  ])('reads %s as sax does', (_name, text) => {
    const seen = events(own, text);
    expect(seen.length).toBeGreaterThan(5);
    expect(seen).toEqual(events(replaced, text));
  });

  it('fails on a document that is not well-formed, as sax does', () => {
    for (const library of [own, replaced]) expect(() => events(library, '<a><b></a>')).toThrow(/[Uu]n/);
  });

  it('requests nothing', () => {
    const { default: request } = load('./scripts/bundle/axios.cjs') as { readonly default: () => void };
    expect(request).toThrow('The service fetches no descriptions.');
  });
});
