import { numberText, shown } from '../../support/text';
import { PROTOCOL_WORDS } from './protocol-words';

/** Most characters of a value that are looked at, and how many of them stand before the first that differs. */
const MOST = 80;
const BEFORE = 16;

// Names of the protocol's own namespaces and of .NET's classes, words, and digits.
const PIECES =
  /https?:\/\/(?:schemas\.xmlsoap\.org|www\.w3\.org|microsoft\.com|tempuri\.org)\/[A-Za-z/]*|\bSystem(?:\.[A-Z][A-Za-z]*)+|\p{L}[\p{L}\p{M}]*|[\p{N}\p{M}]/gu;

/**
 * What may be shown of a value that may be of a person: its shape. Letters become `x` and `X`, those beyond ASCII `é`
 * and `É`, digits `9`; punctuation and U+FFFD stay. Words, namespaces and class names of the protocol, which are the
 * same everywhere, stay as they are.
 */
export function maskedWords(text: string): string {
  return text.replace(PIECES, (piece) => {
    if (PROTOCOL_WORDS.has(piece) || piece.includes('://') || piece.includes('.')) return piece;
    return piece.replace(/./gsu, maskedCharacter);
  });
}

function maskedCharacter(character: string): string {
  if (/\p{N}/u.test(character)) return '9';
  const isAscii = character < '\x80';
  if (/\p{Lu}/u.test(character)) return isAscii ? 'X' : 'É';
  return isAscii ? 'x' : 'é';
}

/** The shape of the beginning of a value, in one line that a terminal may show. */
export function maskedText(text: string): string {
  return window(text, 0);
}

/** The shapes of two values around the first character that differs. */
export function maskedPair(old: string, ours: string): { readonly old: string; readonly ours: string } {
  const length = Math.min(old.length, ours.length);
  let at = 0;
  while (at < length && old.charCodeAt(at) === ours.charCodeAt(at)) at += 1;
  const from = at < MOST - BEFORE ? 0 : at - BEFORE;
  return { old: window(old, from), ours: window(ours, from) };
}

function window(text: string, from: number): string {
  const piece = maskedWords(text.slice(from, from + MOST).toWellFormed());
  const visible = shown(piece.replaceAll('\r', '\\r').replaceAll('\n', '\\n').replaceAll('\t', '\\t'));
  const before = from > 0 ? '…' : '';
  return from + MOST < text.length
    ? `${before}${visible}… (${numberText(text.length)} characters)`
    : before + visible;
}
