/**
 * Septets of the GSM 7-bit default alphabet and its extension table, 3GPP TS 23.038, 6.2.1 and 6.2.1.1.
 * What stands in an extension table takes an escape before it.
 */
const GSM7 =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const GSM7_EXTENSION = '\f^{}\\[~]|€';
/** What the Turkish extension table has beside those (A.2.1). */
const TURKISH_EXTENSION = 'ĞİŞçğış';

interface Encoding {
  readonly name: 'GSM-7' | 'GSM-7 Turkish' | 'UCS-2';
  /** Units that a character takes; undefined where it cannot be written. */
  readonly cost: (character: string) => number | undefined;
  /** Most units of a text that is one SMS. */
  readonly single: number;
  /** Most units of each part of a longer one: its header says which part it is. */
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
/** Writes everything. */
const UCS2: Encoding = { name: 'UCS-2', cost: (c) => c.length, single: 70, part: 67 };

/** How gateways send, and bill, the SMS to a country. */
export interface SmsRules {
  /** The encoding of every text, whatever the text could do with; by default that with most room. */
  readonly smsEncoding?: 'ucs2' | undefined;
  /** The national extension table that they use for texts that GSM-7 cannot write; none by default. */
  readonly smsShiftTable?: 'turkish' | undefined;
  /** What they put behind each text; nothing by default. */
  readonly smsSuffix?: string | undefined;
}

export interface SmsParts {
  readonly encoding: Encoding['name'];
  /** Units taken, with the suffix: septets in GSM-7, UTF-16 code units in UCS-2. */
  readonly length: number;
  /** How many SMS the text is sent, and billed, as. */
  readonly parts: number;
}

/**
 * How a text travels as SMS: in the encoding that has most room of those that can write it. A character that
 * takes two units stands in one part whole, so that a part may end one unit early (3GPP TS 23.040,
 * 9.2.3.24.1).
 */
export function smsParts(text: string, rules: SmsRules = {}): SmsParts {
  const characters = Array.from(text + (rules.smsSuffix ?? ''));
  const alphabets = alphabetsOf(rules);
  const canWrite = ({ cost }: Encoding): boolean => characters.every((each) => cost(each) !== undefined);
  const encoding = alphabets.find(canWrite) ?? UCS2;
  const units = characters.map((character) => encoding.cost(character) ?? 0);
  const length = units.reduce((sum, each) => sum + each, 0);
  const parts = length <= encoding.single ? 1 : filledParts(units, encoding.part);
  return { encoding: encoding.name, length, parts };
}

function alphabetsOf({ smsEncoding, smsShiftTable }: SmsRules): readonly Encoding[] {
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

/** Writes a text in the letters of GSM-7: `Şükrü` becomes `Sükrü`, and what has no such form a question mark. */
export function writeInGsm7(text: string): string {
  return Array.from(text.normalize('NFC'), (character) => {
    if (GSM7_COSTS.has(character)) return character;
    const plain = GSM7_SUBSTITUTES[character] ?? character.normalize('NFD').replace(/\p{M}/gu, '');
    return plain !== '' && Array.from(plain).every((each) => GSM7_COSTS.has(each)) ? plain : '?';
  }).join('');
}
