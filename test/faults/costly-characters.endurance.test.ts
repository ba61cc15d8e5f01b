// A long text costs about the same, whatever characters it consists of.

import { envelope11, NAMESPACE } from '../../scripts/harness';
import { COVERAGE } from '../../scripts/harness/circus/count-statements';
import { findDecoder } from '../../src/asmx/internal';
import { readFormParameters } from '../../src/asmx/http/form-parameters';
import { EnvelopeReader } from '../../src/asmx/soap/envelope-reader';
import { element, operationOf, READING_RULES } from '../harness/contract-types';

const LENGTH = 1024 * 1024;
/**
 * Measured alone: up to 2.6; after other tests in the same process, for whose texts the engine has optimized the code, up
 * to 6.2 (2026-11-28). One piece for each character took 20 to 60 times as long. Where statements are counted, as `npm run
 * coverage` does, it is the counting that is measured: up to 30.
 */
const MAX_RATIO = COVERAGE in globalThis ? 120 : 16;
/** The best of several runs counts: another program's turn makes a run longer, never shorter. */
const RUNS = 40;

const filled = (part: string): string => part.repeat(Math.ceil(LENGTH / part.length));

function milliseconds(act: () => void): number {
  const start = performance.now();
  act();
  return performance.now() - start;
}

/** Returns what a text of one part takes, as a multiple of a plain text of that length. */
function costOf(part: string, read: (text: string) => void): number {
  const [plain, costly] = [filled('x'), filled(part)];
  let least = Infinity;
  for (let run = 0; run < RUNS && least > MAX_RATIO; run += 1) {
    const plainMs = milliseconds(() => {
      read(plain);
    });
    least = Math.min(least, milliseconds(() => read(costly)) / plainMs);
  }
  return least;
}

const operation = operationOf('o', element('v', 'string'));
const bounds = { xmlDepth: 64, xmlAttributes: 128, xmlElements: Infinity, xmlNameCharacters: 256 };
const reader = new EnvelopeReader(NAMESPACE, bounds, READING_RULES, [operation]);
const readEnvelope = (content: string): void => {
  const body = Buffer.from(envelope11(`<o xmlns="${NAMESPACE}">${content}</o>`));
  expect(reader.read(body.toString(), operation, () => undefined).error).toBeUndefined();
};

it.each(['\r', '\r\n', 'x\r', 'é\r', 'ş\r', '&#13;', '&amp;', '&amp;\r'])('a text of %j', (part) => {
  expect(costOf(part, (text) => readEnvelope(`<v>${text}</v>`))).toBeLessThan(MAX_RATIO);
});

it.each(['\r', '\n', '\r\n', '\t', 'x\n', 'ş\n', '&amp;', '&#13;\n'])('an attribute of %j', (part) => {
  expect(costOf(part, (text) => readEnvelope(`<w a="${text}"/>`))).toBeLessThan(MAX_RATIO);
});

const FORMS: Readonly<Record<string, readonly string[]>> = {
  'utf-8': ['%41', '%41a', '+', 'a+', '%C3%BC', '%C3%BCa', '%u015f', '%u015fa'],
  'windows-1252': ['%41', '%41a', '%FC', '%FCa', '%FC%FCa'],
  'iso-8859-9': ['%FEa'],
  gbk: ['%41a'],
};

describe.each(Object.entries(FORMS))('a form in %s', (charset, parts) => {
  it.each(parts)('of %s', (part) => {
    const decode = findDecoder(charset);
    const cost = costOf(part, (text) => {
      const body = Buffer.from(`v=${text}`);
      expect(readFormParameters(decode?.(body) ?? '', decode)?.named.size).toBe(1);
    });
    expect(cost).toBeLessThan(MAX_RATIO);
  });
});
