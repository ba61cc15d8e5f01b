/** GSM 03.38, 7-bit default alphabet. */
const GSM7 =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
/** Those of the extension table take two places. */
const GSM7_EXTENSION = '\f^{}\\[~]|€';

/** Most places of a single SMS, and of each part of a longer one. */
const ROOM = { 'GSM-7': { single: 160, part: 153 }, 'UCS-2': { single: 70, part: 67 } } as const;

export interface SmsParts {
  readonly encoding: keyof typeof ROOM;
  /** Places taken: septets or UTF-16 units. */
  readonly length: number;
  /** How many SMS the text is sent, and charged, as. */
  readonly parts: number;
}

/** How a text travels as SMS. */
export function smsParts(text: string): SmsParts {
  const characters = Array.from(text);
  const isGsm7 = characters.every(
    (character) => GSM7.includes(character) || GSM7_EXTENSION.includes(character),
  );
  const encoding = isGsm7 ? 'GSM-7' : 'UCS-2';
  const extended = characters.filter((character) => GSM7_EXTENSION.includes(character)).length;
  const length = isGsm7 ? characters.length + extended : text.length;
  const { single, part } = ROOM[encoding];
  return { encoding, length, parts: length <= single ? 1 : Math.ceil(length / part) };
}
