import fc from 'fast-check';

import { compareAnswers } from '../../../../src/features/migration/verdict/compare-answers';
import { isFailing } from '../../../../src/features/migration/verdict/verdict';
import { answer } from './answers';

/** A document as data, before anybody writes it. */
interface Tree {
  readonly name: string;
  readonly namespace: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Where there are no children. */
  readonly text: string;
  readonly children: readonly Tree[];
}

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    namespace: fc.constantFrom('urn:n', 'urn:m'),
    attributes: fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.constantFrom('1', '2', 'a & "b"', "'")),
    text: fc.constantFrom('', ' ', '1', 'Ayşe <K>', ']]>', '\r\n', ' x '),
    children: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constant([]),
      fc.array(tie('tree'), { maxLength: 4 }),
    ),
  }),
}));

/** Writes a document in one of the ways in which it can be written. */
function written(root: Tree, choose: (below: number) => number): string {
  const write = ({ name, namespace, attributes, text, children }: Tree): string => {
    const prefix = ['', 'p', 'q'][choose(3)] ?? '';
    const tag = prefix === '' ? name : `${prefix}:${name}`;
    const quote = choose(2) === 0 ? '"' : "'";
    const value = (each: string) =>
      each.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&apos;');
    const pairs = [
      `xmlns${prefix === '' ? '' : `:${prefix}`}=${quote}${namespace}${quote}`,
      ...Object.entries(attributes).map(([key, each]) => `${key} = ${quote}${value(each)}${quote}`),
    ];
    if (choose(2) === 0) pairs.reverse();
    const start = `${tag} ${pairs.join(choose(2) === 0 ? ' ' : '\n  ')}`;
    const space = () => ['', '\r\n  ', '<!-- c -->', '<?p q?>'][choose(4)] ?? '';
    const content =
      children.length > 0
        ? children.map((child) => space() + write(child)).join('') + space()
        : escaped(text, choose);
    return content === '' && choose(2) === 0 ? `<${start}/>` : `<${start}>${content}</${tag}>`;
  };
  return write(root);
}

function escaped(text: string, choose: (below: number) => number): string {
  if (choose(3) === 0 && text !== '' && !text.includes(']]>') && !text.includes('\r'))
    return `<![CDATA[${text}]]>`;
  return Array.from(text, (character) =>
    choose(4) === 0 || '<&>\r'.includes(character) ? `&#${String(character.codePointAt(0))};` : character,
  ).join('');
}

const choices = fc.array(fc.nat(), { minLength: 1, maxLength: 40 });

function chooser(numbers: readonly number[]): (below: number) => number {
  let at = 0;
  return (below) => (numbers[at++ % numbers.length] ?? 0) % below;
}

const plain = chooser([0]);

function compare(old: string, ours: string) {
  return compareAnswers(answer(old), answer(ours));
}

function places(old: string, ours: string): readonly string[] {
  return compare(old, ours).differences.map(({ what, place }) => `${what} ${place}`);
}

describe('the verdict', () => {
  it('is the same however the documents are formatted', () => {
    fc.assert(
      fc.property(tree, tree, choices, choices, (one, other, first, second) => {
        expect(['bytes', 'xml']).toContain(
          compare(written(one, chooser(first)), written(one, chooser(second))).level,
        );
        const differences = (old: string, ours: string) => compare(old, ours).differences.filter(isFailing);
        expect(differences(written(one, chooser(first)), written(other, chooser(second)))).toEqual(
          differences(written(one, plain), written(other, plain)),
        );
      }),
    );
  });

  it('is the same in both directions, with missing and added swapped', () => {
    fc.assert(
      fc.property(tree, tree, (one, other) => {
        const [old, ours] = [written(one, plain), written(other, plain)];
        expect(compare(ours, old).level).toBe(compare(old, ours).level);
        const turned = places(ours, old).map((each) =>
          each.replace(/^(?:missing|added)/, (what) => (what === 'missing' ? 'added' : 'missing')),
        );
        if (compare(old, ours).differences.every(({ what }) => what === 'missing' || what === 'added')) {
          expect([...turned].sort()).toEqual([...places(old, ours)].sort());
        }
      }),
    );
  });

  it('is at worst order if only the order differs', () => {
    const turned = (root: Tree, choose: (below: number) => number): Tree => {
      const children = root.children.map((child) => turned(child, choose));
      return { ...root, children: choose(2) === 0 ? children : children.reverse() };
    };
    fc.assert(
      fc.property(tree, choices, (root, numbers) => {
        const { level } = compare(written(root, plain), written(turned(root, chooser(numbers)), plain));
        expect(level).not.toBe('different');
      }),
    );
  });

  it('is different if the documents differ in more than order', () => {
    const key = (root: Tree): string =>
      JSON.stringify([
        root.name,
        root.namespace,
        Object.entries(root.attributes).sort(),
        root.children.length > 0 ? '' : root.text,
        root.children.map(key).sort(),
      ]);
    fc.assert(
      fc.property(tree, tree, (one, other) => {
        const { level } = compare(written(one, plain), written(other, plain));
        expect(level === 'different').toBe(key(one) !== key(other));
      }),
    );
  });

  it('shows no part of a value', () => {
    const secret = fc.stringMatching(/^[bdfghjkzBDFGHJKZ0-8]{4,20}$/);
    fc.assert(
      fc.property(
        secret,
        secret,
        fc.constantFrom('text', 'attribute', 'page', 'header', 'missing'),
        (old, ours, kind) => {
          fc.pre(old !== ours);
          const make = (value: string) => {
            if (kind === 'text') return answer(`<a><b>${value}</b></a>`);
            if (kind === 'attribute') return answer(`<a b="${value}"/>`);
            if (kind === 'page') return answer(value, [['Content-Type', 'text/html']]);
            if (kind === 'header') return answer('', [['Location', `/${value}`]]);
            return answer(value === old ? `<a><b>${value}</b></a>` : `<a b="${value}"/>`);
          };
          const text = JSON.stringify(compareAnswers(make(old), make(ours)));
          expect(text).toContain('"old"');
          expect(text).not.toContain(old);
          expect(text).not.toContain(ours);
        },
      ),
    );
  });
});
