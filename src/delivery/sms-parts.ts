/*
 * Parts are counted here: sms-segments-calculator (1.3.0) has no national tables, and keeps together what a
 * person sees as one character, which gateways do not. It judges the count in the tests.
 */

/**
 * Characters of the GSM 7-bit default alphabet and its extension table, 3GPP TS 23.038, 6.2.1 and 6.2.1.1.
 * Those in an extension table need an escape before them.
 */
const GSM7 =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const GSM7_EXTENSION = '\f^{}\\[~]|€';
/** Additional characters of the Turkish extension table (A.2.1). */
const TURKISH_EXTENSION = 'ĞİŞçğış';

interface Encoding {
  readonly name: 'GSM-7' | 'GSM-7 Turkish' | 'UCS-2';
  /** Returns the number of units of a character; undefined if it cannot be written. */
  readonly cost: (character: string) => number | undefined;
  /** Maximum number of units of a text in a single SMS. */
  readonly single: number;
  /** Maximum number of units in each part of a longer text: a header numbers the parts. */
  readonly part: number;
}

const GSM7_COSTS = costs(GSM7, GSM7_EXTENSION);
const TURKISH_COSTS = costs(GSM7, GSM7_EXTENSION + TURKISH_EXTENSION);

const PLAIN: Encoding = { name: 'GSM-7', cost: (c) => GSM7_COSTS.get(c), single: 160, part: 153 };
/** Each SMS has a header that names the table. */
const TURKISH: Encoding = {
  name: 'GSM-7 Turkish',
  cost: (c) => TURKISH_COSTS.get(c),
  single: 155,
  part: 149,
};
/** Can write every character. */
const UCS2: Encoding = { name: 'UCS-2', cost: (c) => c.length, single: 70, part: 67 };

/** Rules by which gateways send, and bill, SMS to a country. */
export interface SmsRules {
  /** Encoding for all texts, whatever their characters; default: the one with the most room. */
  readonly smsEncoding?: 'ucs2' | undefined;
  /** National extension table for texts that GSM-7 cannot write; default: none. */
  readonly smsShiftTable?: 'turkish' | undefined;
  /** Text that gateways append to each SMS; default: none. */
  readonly smsSuffix?: string | undefined;
}

export interface SmsParts {
  readonly encoding: Encoding['name'];
  /** Number of units with the suffix: septets in GSM-7, UTF-16 code units in UCS-2. */
  readonly length: number;
  /** Number of SMS sent, and billed, for the text. */
  readonly parts: number;
}

/**
 * Determines the encoding and parts of a text: of the encodings that can write it, the one with the most
 * room. A character of two units is never split between parts, so that a part may end one unit early (3GPP TS
 * 23.040, 9.2.3.24.1).
 */
export function smsParts(text: string, rules: SmsRules = {}): SmsParts {
  const characters = Array.from(text + (rules.smsSuffix ?? ''));
  const alphabets = alphabetsFor(rules);
  const canWrite = ({ cost }: Encoding): boolean => characters.every((each) => cost(each) !== undefined);
  const encoding = alphabets.find(canWrite) ?? UCS2;
  const units = characters.map((character) => encoding.cost(character) ?? 0);
  const length = units.reduce((sum, each) => sum + each, 0);
  const parts = length <= encoding.single ? 1 : filledParts(units, encoding.part);
  return { encoding: encoding.name, length, parts };
}

function alphabetsFor({ smsEncoding, smsShiftTable }: SmsRules): readonly Encoding[] {
  if (smsEncoding === 'ucs2') return [];
  return smsShiftTable === 'turkish' ? [PLAIN, TURKISH] : [PLAIN];
}

function filledParts(units: readonly number[], room: number): number {
  let parts = 1;
  let free = room;
  for (const each of units) {
    if (each > free) {
      parts += 1;
      free = room;
    }
    free -= each;
  }
  return parts;
}

function costs(alphabet: string, extension: string): ReadonlyMap<string, number> {
  return new Map([
    ...Array.from(alphabet, (character) => [character, 1] as const),
    ...Array.from(extension, (character) => [character, 2] as const),
  ]);
}

/** Characters whose form in GSM-7 does not follow from their decomposition. */
const GSM7_SUBSTITUTES: Readonly<Record<string, string>> = {
  ı: 'i',
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '–': '-',
  '—': '-',
  '…': '...',
  '\u00a0': ' ',
  '\u202f': ' ',
  '\t': ' ',
};

/**
 * Replaces letters that GSM-7 lacks: `Şükrü` becomes `Sükrü`, and a character without a substitute a question
 * mark.
 */
export function writeInGsm7(text: string): string {
  return Array.from(text.normalize('NFC'), (character) => {
    if (GSM7_COSTS.has(character)) return character;
    const plain = GSM7_SUBSTITUTES[character] ?? character.normalize('NFD').replace(/\p{M}/gu, '');
    return plain !== '' && Array.from(plain).every((each) => GSM7_COSTS.has(each)) ? plain : '?';
  }).join('');
}
