import type { HttpAnswer } from '../../../../src/features/migration/messages';
import { compareAnswers } from '../../../../src/features/migration/verdict/compare-answers';
import type { Verdict } from '../../../../src/features/migration/verdict/verdict';
import { readCases, recordedAnswer } from '../../../conformance/recorded-case';
import { fuzzRun } from '../../../harness/fuzz-run';
import { Random } from '../../../harness/random';
import { parseXml, type XmlElement } from '../../../harness/xml-tree';
import { type Mutation, MUTATORS } from './mutators';

/** Holds what .NET answered, as it was recorded. */
const ANSWERS = readCases().flatMap((recordedCase): HttpAnswer[] => {
  const { status, contentType, cacheControl, body } = recordedAnswer(recordedCase, 'school.example');
  if (body === null) return [];
  const headers = Object.entries({ 'Content-Type': contentType, 'Cache-Control': cacheControl });
  return [
    { status, body, headers: headers.flatMap(([name, value]) => (value === null ? [] : [[name, value]])) },
  ];
});

/** Changes one of the answers: the next that has something to change, from a random one on. */
function mutate(name: string, random: Random): { readonly old: HttpAnswer; readonly mutation: Mutation } {
  const start = random.below(ANSWERS.length);
  for (const old of [...ANSWERS.slice(start), ...ANSWERS.slice(0, start)]) {
    const mutation = MUTATORS[name]?.(old, random);
    if (mutation !== undefined) return { old, mutation };
  }
  throw new Error(`No recorded answer has anything for this change: ${name}`);
}

function saw({ level, differences }: Verdict): string {
  return [level, ...new Set(differences.map(({ part }) => part))].join(' ');
}

describe('a single change', () => {
  const { count, seed, title, timeout } = fuzzRun(100);
  const names = Object.keys(MUTATORS);

  it(
    `of a recorded answer is found, at its level and in its part: ${title}`,
    () => {
      const random = new Random(seed);
      const wrong: unknown[] = [];
      for (let at = 0; at < Math.max(count, names.length); at += 1) {
        const name = names[at % names.length] ?? '';
        const { old, mutation } = mutate(name, random);
        const expected = [mutation.level, ...(mutation.part === undefined ? [] : [mutation.part])].join(' ');
        const [there, back] = [
          compareAnswers(old, mutation.answer),
          compareAnswers(mutation.answer, old),
        ].map(saw);
        if (there === expected && back === expected) continue;
        const bodies = [old.body.toString(), mutation.answer.body.toString()];
        wrong.push({ name, expected, there, back, bodies });
      }
      expect(wrong).toEqual([]);
    },
    timeout,
  );

  it(
    `of a byte is never overlooked, and counts as writing if another reader sees the same: ${title}`,
    () => {
      const random = new Random(seed);
      // The other reader refuses references to characters that XML forbids.
      const answers = ANSWERS.filter(({ body }) => body.length > 0 && !body.includes('&#x'));
      const levels = new Set<string>();
      for (let at = 0; at < count; at += 1) {
        const old = answers[random.below(answers.length)];
        if (old === undefined) throw new Error('There are no recordings');
        const body = Buffer.from(old.body);
        const place = random.below(body.length);
        body[place] = (body[place] ?? 0) ^ (1 + random.below(255));
        const { level } = compareAnswers(old, { ...old, body });
        levels.add(level);
        expect(level).not.toBe('bytes');
        if (level === 'xml') expect(contentOf(body)).toEqual(contentOf(old.body));
      }
      expect(levels).toContain('different');
    },
    timeout,
  );
});

/** A document as saxes sees it, but for what declares namespaces and stands between elements. */
function contentOf(body: Buffer): unknown {
  return strip(parseXml(body.toString()));
}

function strip({ name, namespace, attributes, children, text }: XmlElement): unknown {
  return {
    name,
    namespace,
    attributes: Object.entries(attributes)
      .filter(([key]) => !key.startsWith('xmlns'))
      .map(([key, value]) => [key.replace(/^.*:/, ''), value])
      .sort(),
    children: children.map(strip),
    text: children.length > 0 ? text.trim() : text,
  };
}
