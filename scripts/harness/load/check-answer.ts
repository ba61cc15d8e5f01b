import type { Case, Load } from './loads';
import type { Answer } from '..';

/** How far from the end of the body the expected text may begin, in bytes. */
const TAIL_BYTES = 700;

/**
 * Returns what checks the answers of one load from one target. The first answer is looked at closely; the
 * others must have its length, and each the text expected of it: one walk through a long list per answer would
 * cost the generator more than the list costs the server.
 */
export function answerChecker(load: Load): (answer: Answer, asked: Case) => void {
  let length: number | undefined;
  return ({ status, body }, { value, expected }) => {
    if (length === undefined) {
      checkRecords(load, body.toString('utf8'));
      length = body.length;
    }
    const from = Math.max(0, body.length - TAIL_BYTES);
    if (status === 200 && body.length === length && body.indexOf(expected, from, 'latin1') >= 0) return;
    throw new Error(
      `${load.title}: asked with ${value}, expected ${String(length)} bytes with ${expected}, got ${String(status)} ` +
        `with ${String(body.length)} bytes: ${body.toString('utf8', from)}`,
    );
  };
}

function checkRecords({ title, records }: Load, body: string): void {
  if (records === undefined) return;
  // Every name of ours has letters beyond ASCII: one that lost them does not count.
  const found = body.match(/<(?:\w+:)?fullName>[^<]*[ğışŞÇçÖöÜüİ\u0600-\u06ff][^<]*<\//g)?.length ?? 0;
  if (found !== records)
    throw new Error(`${title}: ${String(found)} names in the answer: ${body.slice(0, 300)}`);
}
